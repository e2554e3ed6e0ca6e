type Part = Readonly<Record<string, unknown>>;

/** A document of the reference in the shape of today. */
export function inShapeOfToday(document: Part): Part {
  const { reading, run, drift } = document as { readonly reading?: Part; readonly run?: Part; readonly drift?: Part };
  return withNames({
    ...document,
    ...(reading && { reading: { ...reading, capabilities: withPaging(reading["capabilities"] as Part) } }),
    ...(drift && { drift: withItems(drift) }),
    ...(run && { run: { ...run, outcomes: (run["outcomes"] as readonly Part[]).map(withFailure) } }),
  });
}

function withPaging({ first_page, largest_page, ...capabilities }: Part): Part {
  return { ...capabilities, paging: withoutAbsent({ first_page, largest_page: largest_page ?? undefined }) };
}

/** An item says what it is of. Whether it is new, and a share, follow from what stands beside them. */
function withItems({ items, coverage, ...drift }: Part): Part {
  const itemOf = ({ action, person, new: _, outside_changes, since, ...item }: Part) => {
    const changes = outside_changes as readonly Part[] | undefined;
    const changeOf = ({ change, email, key, own_key, privileged_gained: privileged, ...rest }: Part) => ({
      ...rest,
      is: change,
      privileged,
      person: ifThere(email, () => ({ address: String(email).toLowerCase(), email })),
      key: ifThere(key, () => ({ prefix: key, is_own: own_key })),
    });
    const of = action === undefined ? { is: "finding" } : { is: "action", action, person };
    return { ...item, since: since ?? undefined, of, outside: changes?.map(changeOf) };
  };
  const counted = Object.entries(coverage as Part).map(([noun, one]) => {
    return isPart(one) ? [noun, { ...one, percent: undefined }] : [noun, one];
  });
  return withoutAbsent({
    ...drift,
    items: (items as readonly Part[]).map(itemOf),
    coverage: Object.fromEntries(counted),
  });
}

function ifThere<T>(part: unknown, read: (part: Part) => T): T | undefined {
  return part ? read(part as Part) : undefined;
}

function isPart(value: unknown): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What failed is a failure, of a call as of a member. */
function withFailure({ error, learned, ...outcome }: Part): Part {
  const { members, ...others } = (learned ?? {}) as { readonly members?: readonly Part[] };
  const memberOf = ({ added, error: failure, ...member }: Part) => ({ ...member, outcome: { added, failure } });
  return withoutAbsent({
    ...outcome,
    failure: error,
    learned: learned && { ...others, members: members?.map(memberOf) },
  });
}

/** Actions of the reference carry all that they say of people and teams; today's name them by their keys. */
function withNames(document: Part): Part {
  if (Array.isArray(document["users"])) return document;
  const users = new Map<unknown, Part>();
  const teams = new Map<unknown, Part>();
  const user = ({ address, email, identifier }: Part) => {
    users.set(address, users.get(address) ?? { address, email, identifier });
    return address;
  };
  const team = ({ team: key, name, account, identifier }: Part) => {
    teams.set(key, teams.get(key) ?? { team: key, name, account, identifier });
    return key;
  };

  function action(one: Part): Part {
    switch (one["kind"]) {
      case "create-user": {
        const identifier = { known: "unknown", why: "this plan creates the user" };
        user({ ...one, identifier });
        const { email: _, ...rest } = one;
        const created = one["creates_team"] as Part | null;
        if (created === null) return rest;
        const admin = ifThere(created["admin"], user) ?? null;
        team({
          ...created,
          account: one["account"],
          identifier: { known: "unknown", why: "this plan creates the team" },
        });
        return { ...rest, creates_team: { ...created, admin } };
      }
      case "add-members": {
        const of = one["team"] as Part;
        const creation = of["created_by"] as string | undefined;
        const members = (one["members"] as readonly Part[]).map(({ email, identifier, created_by: _, ...rest }) => {
          user({ ...rest, email, identifier });
          return rest;
        });
        return { ...one, team: team(of), first_member: creation?.replace("create-user:", ""), members };
      }
      default: {
        const { owner, ...rest } = one;
        const { given_by: _, team: of, ...key } = one["key"] as Part;
        const address = key["address"] ?? ifThere(owner, user);
        if (owner) user(owner as Part);
        return { ...rest, key: { ...key, address, team: ifThere(of, team) } };
      }
    }
  }

  const actions = document["actions"] as readonly Part[] | undefined;
  if (actions === undefined) return document;
  return withoutAbsent({
    ...document,
    actions: actions.map(action),
    users: [...users.values()],
    teams: [...teams.values()],
  });
}

function withoutAbsent<T>(document: T): T {
  return JSON.parse(JSON.stringify(document));
}

import type { Basis } from "../model/fact.ts";
import { formatPlace } from "../model/place.ts";
import { distinctReasons, type Reason } from "../model/reason.ts";
import { byCodeUnit, type RoleSet } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";
import type { Concern, Draft } from "./draft.ts";
import type { Facts } from "./facts.ts";
import { type KeyKind, kindOfKey } from "./role-kinds.ts";
import { listed, seen } from "./subjects.ts";

interface Mention {
  readonly roles: RoleSet;
  readonly kind: KeyKind;
  readonly because: readonly Reason[];
  readonly concern: Concern;
}

/** Whether the service knows all of the roles and lets such a key carry them; where it did not say, it is not doubted. */
export function rolesFit(roles: RoleSet, kind: KeyKind, { rolesFor }: Facts): boolean {
  if (rolesFor === undefined) return true;
  const fitting = rolesFor(kind);
  return roles.every((role) => fitting.has(role));
}

/** One finding for each role that the service does not know, or not for such a key, with every place that asks for it. */
export function findUnfitRoles(roster: Roster, facts: Facts): readonly Draft[] {
  const { rolesFor, rolesBy } = facts;
  if (rolesFor === undefined) return [];
  const known = rolesFor("unclear");
  const mentions = new Map<string, Mention[]>();
  for (const mention of mentionsIn(roster, facts)) {
    const fitting = rolesFor(mention.kind);
    for (const role of mention.roles.filter((one) => !fitting.has(one))) {
      const asking = mentions.get(role);
      if (asking === undefined) mentions.set(role, [mention]);
      else asking.push(mention);
    }
  }
  return [...mentions]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([role, asking]) =>
      known.has(role) ? tellKind(role, asking, rolesBy) : tellUnknown(role, asking, { known, rolesBy }),
    );
}

function* mentionsIn(roster: Roster, facts: Facts): Generator<Mention> {
  for (const { address, ownKeyRoles, because } of roster.users.values()) {
    if (ownKeyRoles !== undefined)
      yield {
        roles: ownKeyRoles.value,
        kind: "own",
        because: [...ownKeyRoles.because, ...because.slice(0, 1)],
        concern: { address },
      };
  }
  for (const team of roster.teams) {
    for (const { address, roles, because } of team.members) {
      if (roles !== undefined) yield { roles, kind: "team", because, concern: { address, team: team.key } };
    }
  }
  for (const { prefix, owner, roles, because } of roster.keys) {
    const kind = kindOfKey(facts.keyPrefixed(prefix)?.key);
    yield { roles, kind, because, concern: owner === undefined ? {} : { address: owner.value } };
  }
}

interface Offered {
  readonly known: ReadonlySet<string>;
  readonly rolesBy: Facts["rolesBy"] | undefined;
}

function tellUnknown(role: string, asking: readonly Mention[], { known, rolesBy }: Offered): Draft {
  const alike = [...known].filter((one) => one.toLowerCase() === role.toLowerCase()).sort(byCodeUnit);
  const offered = `Role identifiers are compared exactly; the service offers ${listed([...known].sort(byCodeUnit))}.`;
  const advice = alike.length === 0 ? offered : `Did you mean ${listed(alike)}? ${offered}`;
  return {
    code: "unknown-role",
    message: `The service does not know the role ${role}, which ${firstPlace(asking)} asks for. Keys that want it are left as they are, but a founder's new key gets the other roles asked for. ${advice}`,
    ...about(role, asking),
    restsOn: shown(role, "not offered", rolesBy),
  };
}

const kindWords: Readonly<Record<KeyKind, string>> = {
  team: "a team key",
  own: "a user's own key",
  project: "a project key",
  unclear: "a key",
};

function tellKind(role: string, asking: readonly Mention[], rolesBy: Facts["rolesBy"] | undefined): Draft {
  const kinds = listed([...new Set(asking.map(({ kind }) => kindWords[kind]))]);
  return {
    code: "role-of-another-kind",
    message:
      `The service does not put the role ${role} on ${kinds}, and ${firstPlace(asking)} asks for it there. ` +
      "Keys that want it are left as they are: take the role out of these places, or name a key of the right kind under `keys`.",
    ...about(role, asking),
    restsOn: shown(role, `not for ${kinds}`, rolesBy),
  };
}

function shown(role: string, is: string, by: Facts["rolesBy"] | undefined): readonly Basis[] {
  return by === undefined ? [] : [seen(`role ${role}`, is, by)];
}

function firstPlace(asking: readonly Mention[]): string {
  const [first] = asking.flatMap(({ because }) => because);
  return first === undefined ? "the roster" : formatPlace(first);
}

function about(role: string, asking: readonly Mention[]): Pick<Draft, "subject" | "because" | "concerns"> {
  return {
    subject: `role ${role}`,
    because: distinctReasons(asking.flatMap(({ because }) => because)),
    concerns: asking.map(({ concern }) => concern),
  };
}

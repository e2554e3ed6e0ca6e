import { acceptStatuses } from "../model/accept.ts";
import type { Action, RuleName } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import {
  anyOf,
  boolean,
  converted,
  count,
  described,
  extended,
  integer,
  type Keywords,
  list,
  literal,
  nonEmpty,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Schema,
  type Static,
  string,
  typed,
} from "../model/declare.ts";
import type { Fact, ReasonKind } from "../model/fact.ts";
import { type Finding, findingClass } from "../model/finding.ts";
import { countPlan, type Plan } from "../model/plan.ts";
import type { TeamKey } from "../model/recorded.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import { type Basis, decodeSubject, formatSubject } from "../model/subject.ts";

const text = string();
const address = typed<EmailKey>(string("The address folded for comparison."));
const team = typed<TeamKey>(string("The team's sameness in a roster: its account and its folded name."));
const texts = list(text);
export const roles = converted<RoleSet, readonly string[]>(texts, (list) => list, roleSet);
const ids = (description: string) => list(text, description);

const fromOne = (description: string): Keywords => ({ minimum: 1, description });
const placeFields = {
  file: string("The file as it was named on the command line or found below it."),
  line: integer(fromOne("Counts from 1.")),
  column: integer(fromOne("Counts from 1, in UTF-16 units.")),
};
export const place = object("A place in a roster file, or in the settings file.", placeFields);

function factOf<T>(value: Schema<T>): Schema<Fact<T>> {
  return anyOf(
    object("The service said so in this run.", {
      known: literal("observed"),
      value,
      by: string("The read that showed it, such as `search 2`."),
    }),
    object("The state recorded it in an earlier run.", {
      known: literal("recorded"),
      value,
      at: string("ISO 8601."),
    }),
    object("The roster or a setting declares it.", { known: literal("declared"), value, place }),
    object("It is not known.", { known: literal("unknown"), why: text }),
  ) as Schema<Fact<T>>;
}

export const reason = object(
  "One link of the chain by which the YAML asks for something: a place, and what stands there.",
  {
    ...placeFields,
    as: typed<ReasonKind>(
      string({
        minLength: 1,
        description:
          "The entry at this place: `user`, `former-address`, `leaver`, `until`, `team`, `team-roles`, `admin`, `first-member`, `on-removal`, `member`, `group`, `group-member`, `member-roles`, `role-set`, `own-key-roles`, `key`, `key-owner`, `known-prefix`, `defaults`, `account`, `settings-account`. More may be added.",
      }),
    ),
    name: optional(string("The name of a group, a role set or a team; the value of a default or an account.")),
    person: optional(described(address, "The person of this link, if the chain is about several people.")),
  },
);
export const because = list(reason, "The chain by which the YAML asks for it. The first link speaks for it most.");
export const ownership = nonEmpty(
  object(
    "Whose it is, as the roster says: the membership or the key, else the team, else the user. Absent where the roster says nothing. The plan ID does not depend on it.",
    { owner: optional(string("A name or an address.")), note: optional(text) },
  ),
);
export const accept = object(
  "An entry that accepts it under `accept` in a roster file, together with a `reason`. Absent where nobody can.",
  {
    code: string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."),
    until: string("In 30 days."),
  },
);
export const guarded = described(
  literal(true),
  "A privileged role or a guard is involved: it can be accepted for at most 30 days. Otherwise absent: 366 days.",
);
export const acceptEntry = object({
  code: text,
  reason: text,
  until: string("The last day on which it counts."),
  place,
});
export const accepted = described(
  extended(
    {
      is: described(
        oneOf(...acceptStatuses),
        "`in-force`: it is accepted. Otherwise it is reported as if there were no entry. `over`: the last day has passed. `too-long`: the last day is too far ahead. `other-facts`: the digits are those of other facts, of another service or of another log.",
      ),
    },
    acceptEntry,
  ),
  "The entry in the roster about it. Absent where the roster has none.",
);

export const basis = described(
  converted<Basis, { readonly about: string } & Fact<string>>(
    extended({ about: string("What the fact is about, such as `user ada@acme.example`.") }, factOf(text)),
    ({ about, fact }) => ({ about: formatSubject(about), ...fact }),
    ({ about, ...fact }) => ({ about: decodeSubject(about), fact }),
  ),
  "A fact that an action or a finding rests on.",
);
export const textFact = described(
  factOf(text),
  "A text and how it is known. Only what was observed in this run can drift.",
);
export const rolesFact = described(
  factOf(roles),
  "A set of roles and how it is known. Only what was observed in this run can drift.",
);

const request = string(
  "Identifies a refusal: a digest of the request and of what was seen of its users, team or key. Absent if the plan itself creates one of them.",
);

const actionHead = {
  id: string("Readable, unique in the plan and the same for the same change, such as `create-user:ada@acme.example`."),
  rule: typed<RuleName>(
    string({
      minLength: 1,
      description:
        "By which rule it was planned: `absent-user`, `recreated-user`, `creates-team`, `missing-member`, `joins-new-team`, `roles-differ`, `roles-unknown`, `roles-of-new-key`, `roles-of-first-member`, `leaver-roles-removed`, `extra-member-roles-removed`. More may be added.",
    }),
  ),
  because,
  dependsOn: ids("The actions that must have ended before this one starts. Each stands earlier in the list."),
};
const restsOn = list(basis, "The facts it rests on.");

const profileFields = {
  title: optional(text),
  externalIdentifier: optional(text),
  source: optional(text),
};
export const profile = object("What the service made of the fields that were sent.", {
  firstName: optional(text),
  lastName: optional(text),
  ...profileFields,
});

export const createUser = object("Creates a user, and with the user a team where `creates_team` is not null.", {
  kind: literal("create-user"),
  ...actionHead,
  address,
  account: string("The account in which the user is created."),
  user: object("The fields as they are sent.", { email: text, firstName: text, lastName: text, ...profileFields }),
  formerly: optional(
    list(address, "Former addresses of this user, proven to be unused. Absent without former addresses."),
  ),
  createsTeam: nullable(
    object("The team that is created with the user, or null.", {
      team,
      name: text,
      admin: nullable(described(address, "The administrator, or null where the new user administers the team.")),
      accessKeyRoles: described(roles, "Roles requested for the first member's team key. Never empty."),
      temporaryRoles: described(
        roles,
        "Privileged roles that the first member's key carries until its roles are made exact.",
      ),
    }),
  ),
  request: optional(request),
  restsOn,
  ownership: optional(ownership),
});
export const addMembers = object("Adds people to a team. Each of them gets a mail.", {
  kind: literal("add-members"),
  ...actionHead,
  team,
  firstMember: optional(
    described(address, "Its first member, if this plan creates the team. Absent if the team exists."),
  ),
  members: list(object({ address, request: optional(request), ownership: optional(ownership) })),
  restsOn,
  ownership: optional(ownership),
});
export const replaceRoles = object("Replaces the roles of a key.", {
  kind: literal("replace-roles"),
  ...actionHead,
  key: described(
    anyOf(
      object("A key that exists.", {
        of: literal("prefix"),
        prefix: textFact,
        address: optional(described(address, "The user who has the key. Absent if that is not known.")),
        team: optional(described(team, "Absent of a key without a team.")),
        own: optional(
          described(
            literal(true),
            "Known to be the owner's own key, where the roster does not ask for it as that: a leaver's. Otherwise absent.",
          ),
        ),
      }),
      object("The user's own key that a creation gives.", { of: literal("own-key"), address }),
      object("The team key that a creation or an addition gives.", { of: literal("team-key"), address, team }),
    ),
    "By its prefix, or as what the action in `depends_on` gives.",
  ),
  before: described(rolesFact, "The roles that the key had when the plan was made."),
  roles: described(roles, "The roles that the key gets, exactly."),
  ifInexact: boolean("True where the call is not sent if the key turns out to have exactly these roles."),
  request: optional(request),
  restsOn,
  ownership: optional(ownership),
});
export const action: Schema<Action> = anyOf(createUser, addMembers, replaceRoles);

const writtenFinding = object("Tasks, which the API cannot do, and notices.", {
  class: oneOf("blocked", "pending", "unmanaged", "information"),
  blocking: boolean(
    "True if the service cannot get what the roster asks for, or if a person has access that it denies.",
  ),
  code: typed<Finding["code"]>(
    string("Stable name of the matter, such as `cannot-create-team`. New codes may be added."),
  ),
  fingerprint: string("The same across runs for the same matter."),
  subject: string("What it is about, such as `user ada@acme.example`."),
  roles: optional(described(roles, "Present where it names roles that its subject does not name.")),
  message: string("What, why and what a person can do."),
  because,
  restsOn,
  ownership: optional(ownership),
  suggestedYaml: optional(string("YAML to paste, where that is a way out.")),
  allow: optional(
    ids(
      "Present where a person can allow it: the codes for `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`.",
    ),
  ),
  accept: optional(accept),
  guarded: optional(guarded),
  accepted: optional(accepted),
});
export const finding = converted<Finding, Static<typeof writtenFinding>>(
  writtenFinding,
  ({ kind, ...finding }) => ({
    ...finding,
    class: findingClass({ code: finding.code, kind }),
    blocking: kind === "task",
    subject: formatSubject(finding.subject),
  }),
  ({ class: _, blocking, ...finding }) => ({
    ...finding,
    kind: blocking ? "task" : "notice",
    subject: decodeSubject(finding.subject),
  }),
);

export const userInCalls = object("How calls name a user.", {
  address,
  email: string("The address as it is sent."),
  identifier: described(
    textFact,
    "The service's identifier of the person. Where it is not known, the address is sent.",
  ),
});
export const teamInCalls = object("How calls name a team.", {
  team,
  name: text,
  account: text,
  identifier: described(textFact, "The service's identifier of the team."),
});
const users = converted<Plan["users"], readonly Static<typeof userInCalls>[]>(
  list(userInCalls, "The users of the actions. Actions name them by their addresses."),
  (users) => [...users].map(([address, names]) => ({ address, ...names })),
  (users) => new Map(users.map(({ address, ...names }) => [address, names])),
);
const teams = converted<Plan["teams"], readonly Static<typeof teamInCalls>[]>(
  list(teamInCalls, "The teams of the actions."),
  (teams) => [...teams].map(([team, names]) => ({ team, ...names })),
  (teams) => new Map(teams.map(({ team, ...names }) => [team, names])),
);

export const summary = object("The plan in numbers.", {
  createUsers: count(),
  createTeams: count("Creations that create a team too."),
  addMembers: count("Teams that gain members."),
  replaceRoles: count("Keys that get other roles."),
  mails: count("People times teams that they are added to: the only mails that the interface shows."),
  calls: object("Requests.", {
    reads: count("Requests that reading for this plan took."),
    writes: count("Writes that will be sent if every answer is as asked."),
    atMost: count("The maximum number of writes."),
  }),
  findings: count(),
  blockingFindings: count(),
});

export const rosterCounts = object({
  files: count(),
  users: count(),
  leavers: count("One for each address of a user whose `until` has come."),
  teams: count(),
  keys: count("Keys managed by prefix."),
});

export const userList = described(
  anyOf(
    object({ read: literal("complete"), by: string("The read that showed them.") }),
    object({ read: literal("incomplete"), why: text }),
    object("Only people of the roster were read.", { read: literal("not-read") }),
  ),
  "Whether the users were read completely.",
);

/** What documents have of a plan. */
export const planFields = {
  planId: string(
    "Digest of the planned changes. The same changes have the same id, at any time and in any order of reads.",
  ),
  service: string("The base address of the service that the plan is for."),
  summary,
  actions: list(action, "What an apply would do, in an order that respects every dependency."),
  users,
  teams,
  findings: list(finding, "Tasks and notices."),
  forbids: optional(
    object(
      "Keys and people that guards forbid: calls about keys that only a run learns are judged by it. Absent where nothing is forbidden.",
      {
        keys: list(string({ minLength: 1 }), "Prefixes."),
        people: list(typed<EmailKey>(string({ minLength: 1 })), "Folded addresses."),
      },
    ),
  ),
  allowed: optional(
    list(
      object({
        code: string("The code that was passed with `--allow`."),
        covers: list(text, { minItems: 1, description: "What it is about, and what it lets pass." }),
      }),
      "What a person has allowed of this plan. Absent where nothing was allowed.",
    ),
  ),
  reason: optional(
    object("Why a person has allowed it. Absent if no reason was given.", {
      text: string("The text of `--reason`."),
      source: described(
        oneOf("flag", "variable", "library"),
        "`flag`: `--reason`. `variable`: `ROSTER_REASON`. `library`: the option `reason` of the library.",
      ),
    }),
  ),
};

export type PlanFields = ObjectOf<typeof planFields>;

/** A plan as documents have it. */
export function planFieldsOf({ id, calls, ...plan }: Plan): PlanFields {
  return { planId: id, ...plan, summary: countPlan({ id, calls, ...plan }) };
}

export function planOf({ planId, summary, ...plan }: PlanFields): Plan {
  return { id: planId, calls: summary.calls, ...plan };
}

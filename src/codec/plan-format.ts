import type { RuleName } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import {
  anyOf,
  boolean,
  count,
  described,
  extended,
  integer,
  type Keywords,
  list,
  literal,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Schema,
  string,
  typed,
} from "../model/declare.ts";
import type { ReasonKind } from "../model/fact.ts";
import type { Finding } from "../model/finding.ts";
import type { TeamKey } from "../model/recorded.ts";

const folded = (keywords: Keywords) => typed<EmailKey>(string(keywords));
const teamKey = (description: string) => typed<TeamKey>(string(description));

export const place = object("A place in a roster file.", {
  file: string("The file as it was named on the command line or found below it."),
  line: integer({ minimum: 1, description: "Counts from 1." }),
  column: integer({ minimum: 1, description: "Counts from 1, in UTF-16 units." }),
});

function factOf<T>(value: Schema<T>) {
  return anyOf(
    object("The service said so in this run.", {
      known: literal("observed"),
      value,
      by: string("The read that showed it, such as `search 2`."),
    }),
    object("The state recorded it in an earlier run.", {
      known: literal("recorded"),
      value,
      at: string("When it was recorded, ISO 8601."),
    }),
    object("The roster declares it.", {
      known: literal("declared"),
      value,
      place: described(place, "Where the roster declares it; of a setting, where the settings file does."),
    }),
    object("It is not known.", { known: literal("unknown"), why: string("Why it is not known.") }),
  );
}

export const reason = object(
  "One link of the chain by which the YAML asks for something: a place, and what stands there.",
  {
    file: string(
      "The file, as named on the command line or found below it. For a default, it may be the settings file.",
    ),
    line: integer({ minimum: 1, description: "Counts from 1." }),
    column: integer({ minimum: 1, description: "Counts from 1, in UTF-16 units." }),
    as: typed<ReasonKind>(
      string({
        minLength: 1,
        description:
          "The entry at this place: `user`, `former-address`, `leaver`, `until`, `team`, `team-roles`, `admin`, `first-member`, `on-removal`, `member`, `group`, `group-member`, `member-roles`, `role-set`, `own-key-roles`, `key`, `key-owner`, `known-prefix`, `defaults`, `account`, `settings-account`. More may be added.",
      }),
    ),
    name: optional(string("The name of a group, a role set or a team; the value of a default or an account.")),
    person: optional(folded("The folded address of the person of this link, if the chain is about several people.")),
  },
);
export const ownership = object(
  "Whose it is, as the roster says: the membership or the key, else the team, else the user. Absent where the roster says nothing. The plan ID does not depend on it.",
  { owner: optional(string("A name or an address.")), note: optional(string("A note for readers.")) },
);
export const accept = object(
  "An entry that accepts it under `accept` in a roster file, together with a `reason`. Absent where nobody can.",
  {
    code: string(
      "With `guarded:` before it if a privileged role or a guard is involved. Then 30 days is the most, otherwise 366.",
    ),
    until: string("In 30 days."),
  },
);
export const acceptEntry = object({
  code: string("What is accepted."),
  reason: string("Why it is accepted."),
  until: string("The last day on which it is accepted."),
  place: described(place, "Where it is written."),
});
export const accepted = described(
  extended({ is_over: boolean("The last day has passed: it is reported as if there were no entry.") }, acceptEntry),
  "The entry in the roster that accepts it. Absent where none does.",
);
export const rule = typed<RuleName>(
  string({
    minLength: 1,
    description:
      "By which rule it was planned: `absent-user`, `recreated-user`, `creates-team`, `missing-member`, `joins-new-team`, `roles-differ`, `roles-unknown`, `roles-of-new-key`, `roles-of-first-member`, `leaver-roles-removed`, `extra-member-roles-removed`. More may be added.",
  }),
);
export const request = string(
  "Identifies a refusal: a digest of the request and of what was seen of its users, team or key. Absent if the plan itself creates one of them.",
);
export const teamCreation = object("The team that is created with a new user.", {
  team: teamKey("The team's sameness in a roster: its account and its folded name."),
  name: string("The team's name."),
  admin: nullable(folded("The folded address of the administrator, or null where the new user administers the team.")),
  access_key_roles: list(string(), "Roles requested for the first member's team key. Never empty."),
  temporary_roles: list(
    string(),
    "Privileged roles that the first member's key carries until its roles are made exact.",
  ),
});
export const basis = described(
  extended(
    { about: string("What the fact is about, such as `user ada@acme.example`.") },
    factOf(string("What was found, such as `absent`.")),
  ),
  "A fact that an action or a finding rests on.",
);
export const textFact = described(
  factOf(string("The text.")),
  "A text and how it is known. Only what was observed in this run can drift.",
);
export const rolesFact = described(
  factOf(list(string(), "The set of roles.")),
  "A set of roles and how it is known. Only what was observed in this run can drift.",
);
export const key = described(
  anyOf(
    object("A key that exists.", {
      of: described(literal("prefix"), "By its prefix."),
      prefix: described(textFact, "The key's prefix."),
      address: optional(folded("The folded address of the user who has the key. Absent if that is not known.")),
      team: optional(teamKey("The team of the key, by its sameness. Absent of a key without a team.")),
      own: optional(
        described(
          literal(true),
          "Known to be the owner's own key, where the roster does not ask for it as that: a leaver's. Otherwise absent.",
        ),
      ),
    }),
    object("The user's own key that a creation gives.", {
      of: described(literal("own-key"), "As the own key of a new user."),
      address: folded("The owner's folded address."),
    }),
    object("The team key that a creation or an addition gives.", {
      of: described(literal("team-key"), "As the team key of a new member."),
      address: folded("The owner's folded address."),
      team: teamKey("The team whose key it is, by its sameness."),
    }),
  ),
  "A key named in a call: by its prefix, or as what the action in `depends_on` gives.",
);

function actionHead<const Kind extends string>(kind: Kind) {
  return {
    id: string(
      "Readable, unique in the plan and the same for the same change, such as `create-user:ada@acme.example`.",
    ),
    kind: literal(kind),
    rule,
    because: list(
      reason,
      "The chain by which the YAML asks for it; the first link is the one that speaks for it most.",
    ),
    depends_on: list(
      string("An action's id."),
      "Actions that must have ended before this one starts. Each stands earlier in the list.",
    ),
  };
}

const actionTail = { rests_on: list(basis, "The facts it rests on."), ownership: optional(ownership) };

export const createUser = object("Creates a user, and with the user a team where `creates_team` is not null.", {
  ...actionHead("create-user"),
  email: string("The address as it is sent."),
  address: folded("The address folded for comparison."),
  account: string("The account in which the user is created."),
  user: object("The fields as they are sent.", {
    email: string("The address."),
    first_name: string("The first name."),
    last_name: string("The last name."),
    title: optional(string("The title.")),
    external_identifier: optional(string("The external identifier.")),
    source: optional(string("The source.")),
  }),
  formerly: optional(
    list(
      folded("A folded address."),
      "Former addresses of this user, proven to be unused. Absent without former addresses.",
    ),
  ),
  creates_team: described(nullable(teamCreation), "The team that is created with the user, or null."),
  request: optional(request),
  ...actionTail,
});
export const addMembers = object("Adds people to a team. Each of them gets a mail.", {
  ...actionHead("add-members"),
  team: teamKey("The team that gains members, by its sameness."),
  first_member: optional(
    folded("The folded address of its first member, if this plan creates the team. Absent if the team exists."),
  ),
  members: list(
    object({ address: folded("The folded address."), request: optional(request), ownership: optional(ownership) }),
    "The people who are added.",
  ),
  ...actionTail,
});
export const replaceRoles = object("Replaces the roles of a key.", {
  ...actionHead("replace-roles"),
  key: described(key, "The key."),
  before: described(rolesFact, "The roles that the key had when the plan was made."),
  roles: list(string(), "The roles that the key gets, exactly."),
  if_inexact: boolean("True where the call is not sent if the key turns out to have exactly these roles."),
  request: optional(request),
  ...actionTail,
});
export const action = anyOf(createUser, addMembers, replaceRoles);
export const userInCalls = object("How calls name a user.", {
  address: folded("The address folded for comparison. Actions name the user by it."),
  email: string("The address as it is sent."),
  identifier: described(
    textFact,
    "The service's identifier of the person. Where it is not known, the address is sent.",
  ),
});
export const teamInCalls = object("How calls name a team.", {
  team: teamKey("The team's sameness in a roster: its account and its folded name. Actions name the team by it."),
  name: string("The team's name."),
  account: string("The account it belongs to."),
  identifier: described(textFact, "The service's identifier of the team."),
});
export const finding = object("Tasks, which the API cannot do, and notices.", {
  class: described(oneOf("blocked", "pending", "unmanaged", "information"), "What kind of matter it is."),
  blocking: boolean(
    "True if the service cannot get what the roster asks for, or if a person has access that it denies.",
  ),
  code: typed<Finding["code"]>(
    string("Stable name of the matter, such as `cannot-create-team`. New codes may be added."),
  ),
  fingerprint: string("The same across runs for the same matter."),
  subject: string("What it is about, such as `user ada@acme.example`."),
  roles: optional(list(string(), "Present where it names roles that its subject does not name.")),
  message: string("What, why and what a person can do."),
  because: list(reason, "The chain of the places in the YAML that it concerns."),
  ...actionTail,
  suggested_yaml: optional(string("YAML to paste, where that is a way out.")),
  allow: optional(
    list(
      string(),
      "Present where a person can allow it: the codes for `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`.",
    ),
  ),
  accept: optional(accept),
  accepted: optional(accepted),
});
export const summary = object("The plan in numbers.", {
  create_users: count("Users to create."),
  create_teams: count("Creations that found a team."),
  add_members: count("Add-members actions: teams that gain members."),
  replace_roles: count("Keys that get other roles."),
  mails: count("People times teams that they are added to: the only mails that the interface shows."),
  calls: object("Requests.", {
    reads: count("Requests that reading for this plan took."),
    writes: count("Writes that will be sent if every answer is as asked."),
    at_most: count("The maximum number of writes."),
  }),
  findings: count("All findings."),
  blocking_findings: count("Findings that block."),
});
export const forbids = object(
  "Keys and people that guards forbid: calls about keys that only a run learns are judged by it. Absent where nothing is forbidden.",
  { keys: list(string({ minLength: 1 }), "Prefixes."), people: list(folded({ minLength: 1 }), "Folded addresses.") },
);
export const allowed = list(
  object({
    code: string("The code that was passed with `--allow`."),
    covers: list(string(), { minItems: 1, description: "What it is about, and what it lets pass." }),
  }),
  "What a person has allowed of this plan. Absent where nothing was allowed.",
);
export const allowanceReason = object("Why a person has allowed it. Absent if no reason was given.", {
  text: string("The text of `--reason`."),
  source: described(
    oneOf("flag", "variable", "library"),
    "`flag`: `--reason`. `variable`: `ROSTER_REASON`. `library`: the option `reason` of the library.",
  ),
});
export const profile = object("What the service made of the fields that were sent.", {
  first_name: optional(string("The first name.")),
  last_name: optional(string("The last name.")),
  title: optional(string("The title.")),
  external_identifier: optional(string("The external identifier.")),
  source: optional(string("The source.")),
});

export const userList = described(
  anyOf(
    object("They were.", {
      read: described(literal("complete"), "Complete."),
      by: string("The read that showed them."),
    }),
    object("The list is not complete.", {
      read: described(literal("incomplete"), "Not complete."),
      why: string("Why it is not."),
    }),
    object("They were not read: only people of the roster were.", {
      read: described(literal("not-read"), "Not read."),
    }),
  ),
  "Whether the users were read completely.",
);

/** What documents have of a plan. */
export const planFields = {
  plan_id: string(
    "Digest of the planned changes. The same changes have the same id, at any time and in any order of reads.",
  ),
  service: string("The base address of the service that the plan is for."),
  actions: list(action, "What an apply would do, in an order that respects every dependency."),
  users: list(userInCalls, "The users of the actions, and how calls name them."),
  teams: list(teamInCalls, "The teams of the actions, and how calls name them."),
  findings: list(finding, "Tasks and notices."),
  summary: summary,
  forbids: optional(forbids),
  allowed: optional(allowed),
  reason: optional(allowanceReason),
};

export type PlanFields = ObjectOf<typeof planFields>;

import type { EmailKey } from "./address.ts";
import {
  anyOf,
  boolean,
  described,
  extended,
  integer,
  list,
  literal,
  object,
  oneOf,
  optional,
  string,
  typed,
} from "./declare.ts";
import { capabilities, name, roles, state, time } from "./recorded.ts";

const text = string();
const address = typed<EmailKey>(name);

export const observedTeam = object({ identifier: optional(text), name: optional(text) });

export const observedKey = object("The public part of a key; never its secret part.", {
  prefix: name,
  status: optional(text),
  /** `team`, `project` or the service's own word; absent where that word does not tell whose key it is. */
  kind: optional(text),
  team: optional(
    described(
      anyOf(literal("none"), observedTeam),
      "`none` if the service says that the key belongs to no team. Absent if it does not say.",
    ),
  ),
  roles: optional(described(roles, "Role identifiers, sorted. Absent if the service does not show them.")),
  isDefault: optional(described(boolean(), "The service marks it as the user's own key.")),
});

export const observedUser = object("A user, as the service shows it.", {
  identifier: optional(name),
  email: name,
  address,
  firstName: optional(text),
  lastName: optional(text),
  /** An empty value that the service showed as null is the empty string. */
  title: optional(text),
  externalIdentifier: optional(text),
  source: optional(text),
  /** Verbatim; compared in any letter case by `userStanding`. */
  status: optional(text),
  account: optional(text),
  keys: optional(list(observedKey, { description: "Absent if the service does not show them." })),
  by: name,
});

export const observedRole = object({ identifier: name, name: optional(text), type: optional(text) });

const account = {
  identifier: name,
  name: optional(text),
  status: optional(text),
  members: optional(list(address, { description: "Addresses of the account's users, if its details show them." })),
  membersCut: optional(described(literal(true), "The details show fewer users than their total.")),
  by: name,
};
export const observedAccount = object(account);

const writtenAccount = object("An account, as its details show it.", {
  asked: described(name, "The identifier in the request."),
  ...account,
  memberStatuses: optional(
    list(object({ address, status: text }), {
      description: "The statuses of those members whose status is shown.",
    }),
  ),
});

export const absence = anyOf(
  object({ proven: literal(true), by: name }),
  object({ proven: literal(false), why: text }),
);

export const unreadField = anyOf(
  object({ like: oneOf("keys", "prefix", "roles"), pointer: text }),
  object({
    like: literal("team"),
    pointer: described(text, "Empty if the fields of the team stand on the key."),
    identifier: optional(text),
    name: optional(text),
  }),
);

/** One read of a run, which may have taken several requests. */
export const readRecord = object({
  at: described(time, "When it began."),
  request: described(text, "Its first request, with the number of addresses or rows in it."),
});

export const completeList = object("The read that listed all users. A snapshot always has the complete list.", {
  read: literal("complete"),
  by: name,
});

export const snapshotDocument = object({
  document: described(literal("roster snapshot"), "What this is."),
  format_version: described(literal("2.0"), "Major and minor version of this format."),
  checksum: string({
    pattern: "^[0-9a-f]{64}$",
    description:
      "The SHA-256 of all other fields, as JSON with sorted names and without spaces. It finds damage and accidental edits, not forgery.",
  }),
  made_at: time,
  made_by: string({ minLength: 1, maxLength: 100, description: "The version of roster that wrote it." }),
  service: described(name, "The address of the service."),
  read_at: time,
  times: optional(
    object("When the oldest read began, at the earliest, by the clocks of servers that show their time.", {
      service: optional(time),
      store: optional(time),
    }),
  ),
  reads: integer({ minimum: 0, maximum: 9007199254740991, description: "The number of requests of the reading." }),
  everyone: completeList,
  capabilities,
  unread: optional(
    list(unreadField, {
      minItems: 1,
      maxItems: 32,
      description:
        "Fields of users and keys that roster does not read, but that look like keys, prefixes, roles or teams. Their JSON Pointers, never their values.",
    }),
  ),
  key_in_use: optional(
    described(name, "The prefix of the key that read this, if the service shows it among a user's keys."),
  ),
  readings: list(extended({ read: name }, readRecord), {
    description: "When each read began and what it asked, by the name of the read.",
  }),
  roles: list(observedRole, { description: "The roles of the service." }),
  roles_by: name,
  accounts_are: described(
    oneOf("all", "named"),
    "`all`: every account that the key can see. `named`: the accounts from the settings or a roster.",
  ),
  accounts: list(writtenAccount, { description: "The accounts." }),
  users: list(observedUser, { description: "Every user, once." }),
  absences: list(extended({ address }, absence), { description: "Addresses that a search did not find." }),
  state: optional(state),
});

import type { EmailKey } from "./address.ts";
import {
  anyOf,
  described,
  extended,
  integer,
  list,
  literal,
  nonEmpty,
  object,
  oneOf,
  optional,
  type Schema,
  type Static,
  string,
  typed,
} from "./declare.ts";
import type { RoleSet } from "./role-set.ts";

declare const teamKey: unique symbol;

/** A team's sameness within a roster: its account and its folded name; with its identifier where two have that name. */
export type TeamKey = string & { readonly [teamKey]: true };

const text = string();
const count = integer({ minimum: 1, maximum: 9007199254740991 });

export const name = string({ minLength: 1 });
const address = typed<EmailKey>(name);
const team = typed<TeamKey>(name);

export const time = string({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$",
  description: "ISO 8601, in UTC.",
});

export const roles: Schema<RoleSet> = list(name, { description: "Role identifiers, sorted." });

/** `source`: the pipeline's system, such as `github`, or `os` for the user of the machine. */
export type Actor = Static<typeof actor>;
export const actor = object({ name: text, source: name });

export const people = list(object({ address, email: name }));

export type Profile = Static<typeof profile>;
export const profile = object(
  "The fields of a user, as sent or answered. An empty text means that the service showed the field as empty.",
  {
    firstName: optional(text),
    lastName: optional(text),
    title: optional(text),
    externalIdentifier: optional(text),
    source: optional(text),
  },
);

/** Whose a thing of the roster is, and how people find it again. It is shown and recorded, and never sent to the service. */
export type Ownership = Static<typeof ownership>;
export const ownership = nonEmpty(
  object("Whose it is, as the roster says.", {
    /** A name such as `platform-team`, or an address. */
    owner: optional(name),
    note: optional(name),
  }),
);

export type FailureCode =
  /** 401: the service does not accept the key. Nothing after it can succeed. */
  | "unauthorized"
  | "forbidden"
  | "not-found"
  /** 409, or another answer that says the thing is already there. */
  | "conflict"
  /** Any other 4xx: the service understood the request and will refuse it again. */
  | "refused"
  /** 5xx, or an answer that asks to come back later: 408, 425, 429. */
  | "service-error"
  /** No answer could be had: resolution, connection, TLS, reset, time-out. */
  | "unreachable"
  /** An answer came, and it is not of a known shape. Never an empty list. */
  | "misunderstood"
  /** The reads do not prove what a call rests on, so that it was not sent. */
  | "stale"
  | "redirected"
  | "aborted"
  | "state"
  | "locked";

/** An expected problem with a call: what, where, why and what to do next. */
export type Failure = Static<typeof failure>;
export const failure = object("What stood in the way of a call.", {
  code: typed<FailureCode>(name),
  /** One sentence without a trailing stop; never contains a key. */
  message: text,
  /** The request, such as `POST /api/accounting/users/search`, or the file of a state store. */
  request: optional(text),
  status: optional(integer()),
  /** The service's own words, bounded, not yet made safe for an output. */
  serviceSays: optional(text),
  hint: optional(text),
});

/** As long as the roster asks for the same of the same, its answer will not change. */
const request = described(
  name,
  "A digest of the request and of what was seen of its users, team or key. Absent if the same plan creates one of them.",
);

/** A request that the service refused and would refuse again: the same is not sent again by itself. */
export type RecordedRefusal = Static<typeof refusal>;
export const refusal = object("A request that the service refused, and the digest by which it is known again.", {
  request,
  subject: described(name, "What it is about, such as `user ada@acme.example`."),
  address: optional(described(address, "The user that it is about. Absent of a key whose owner is not known.")),
  asked: described(name, "What was requested, such as `create ada@acme.example`."),
  at: time,
  failure,
  plan: optional(described(name, "The id of the plan in whose run it was refused. Absent where it is not known.")),
});

export type ServerDate = Static<typeof serverDate>;
export const serverDate = object("A time by the clock of the account service, or of the store of the log.", {
  by: oneOf("service", "store"),
  at: time,
});

export type CreationIntent = Static<typeof creationIntent>;
const creationIntent = object({
  kind: literal("create-user"),
  address,
  email: name,
  account: name,
  sent: profile,
  createsTeam: optional(
    object({
      team,
      name,
      accessKeyRoles: roles,
      admin: optional(address),
    }),
  ),
  request: optional(request),
  ownership: optional(ownership),
});

export type MemberRequest = Static<typeof memberRequest>;
const memberRequest = object({ address, request });

export type MemberOwnership = Static<typeof memberOwnership>;
const memberOwnership = object({ address, ownership });

/** All that is needed to settle a call by reading, without its plan. */
export type Intent = Static<typeof intent>;
export const intent = described(
  anyOf(
    creationIntent,
    object({
      kind: literal("add-members"),
      team,
      name,
      account: name,
      identifier: name,
      addresses: list(address, { minItems: 1 }),
      requests: optional(list(memberRequest, { description: "What the plan asks for each of them." })),
      ownerships: optional(list(memberOwnership, { minItems: 1, description: "Whose their memberships are." })),
    }),
    object({
      kind: literal("replace-roles"),
      prefix: name,
      roles,
      owner: optional(address),
      team: optional(team),
      name: optional(text),
      before: optional(roles),
      request: optional(request),
      ownership: optional(ownership),
    }),
  ),
  "What roster needs to resolve a call by reading.",
);

export type OpenIntent = Static<typeof openIntent>;
export const openIntent = object({
  run: name,
  action: name,
  /** When the call was announced, or until when it may have been on its way where that is known: a time to come at first. */
  at: time,
  /** Until when it may have been on its way, at the latest, by a clock that nobody sets on this machine. */
  dated: optional(serverDate),
  accepted: optional(described(literal(true), "The service took the call and may do it later.")),
  /** The service would not create the user; who stands behind that was not read to the end. */
  declined: optional(failure),
  intent,
});

/** Something that differs from the roster, as a run saw it for the first time. */
export type SeenFinding = Static<typeof seenFinding>;
export const seenFinding = object({
  fingerprint: name,
  code: name,
  subject: name,
  task: optional(literal(true)),
});

/** Something that differed from the roster when a run looked, and still does as far as is known: since when, and under which fingerprint. */
export const openFinding = extended({ since: time }, seenFinding);
export type OpenFinding = Omit<Static<typeof openFinding>, "fingerprint">;

export type Visibility = Static<typeof shown>;
export const shown = described(
  oneOf("shown", "hidden", "unknown"),
  "If the service shows something. `unknown` if no answer had it.",
);

/** How the lists of this service are paged, as far as walking them has shown. */
export type Paging = Static<typeof paging>;
const paging = object({
  firstPage: oneOf("0", "1", "0-and-1-alike", "unknown"),
  /** The most rows that a page holds, where the service gives fewer than were asked for. */
  largestPage: optional(integer({ minimum: 1 })),
});

/**
 * What this service's answers show, learned from the answers of a run. `unknown` where no answer could
 * tell (nobody was shown, or nobody with a key).
 */
export type Capabilities = Static<typeof capabilities>;
export const capabilities = object("What the answers of a service show.", {
  keysOnUsers: shown,
  rolesOnKeys: shown,
  teamsOnKeys: shown,
  titles: shown,
  totals: shown,
  paging,
});

export type RecordedCapabilities = Static<typeof recordedCapabilities>;
const recordedCapabilities = object("What this service was last found to show, and when.", {
  learned: capabilities,
  at: time,
});

/** How this service takes writes, as far as our own have shown. Learned from run to run. */
export type WriteBehaviour = Static<typeof writes>;
export const writes = object("How this service takes writes, as far as our own have shown.", {
  throttling: optional(
    described(
      oneOf("no-effect", "may-have-effect"),
      'Whether a write that is answered with "come back later" may have been done. Absent where nothing is known.',
    ),
  ),
  membersNamedBy: optional(
    described(
      oneOf("identifier", "email"),
      "What an addition to a team names people by. Absent where nothing is known.",
    ),
  ),
});

export const user = object("A person that a run created or saw.", {
  address: described(address, "The e-mail address folded for comparison."),
  email: name,
  account: name,
  identifier: optional(name),
  /** When our creation was answered; absent for people who were met, not created. */
  createdAt: optional(time),
  /** When a run last met them in the service; of people whom a run created, when a read first showed them. */
  seenAt: optional(time),
  /** Since when reads have proven them absent. */
  goneAt: optional(described(time, "When a run first proved that the service no longer has them.")),
  /** So that what a person allowed for the former user is not allowed once more. */
  formerRolesAt: optional(described(time, "When a run last set roles on a key of which nothing else is recorded.")),
  key: optional(described(name, "The prefix of the key that the creation returned; never its secret part.")),
  /** Then `key` is the key of that team. */
  createdTeam: optional(described(team, "The team that was created together with this user.")),
  /** What our creation asked for and what the service made of it, by field name. */
  profile: optional(object({ sent: profile, answered: profile })),
});

export const recordedTeam = object("A team that a run created or saw.", {
  team: described(team, "The account and the folded name."),
  name,
  account: name,
  /** When it was created or, for a team that was met, first seen. */
  at: time,
  identifier: optional(name),
  firstMember: optional(address),
});

export const membership = object("One person's place in one team.", {
  team,
  address,
  how: oneOf("created", "added", "seen"),
  at: time,
  prefix: optional(name),
  seenAt: optional(described(time, "When a read first showed a membership that a run made.")),
});

export const key = object("A key with replaced roles: what was requested, and what a read showed afterwards.", {
  prefix: name,
  setRoles: roles,
  at: time,
  /** What the key read as after it: the same again is no reason to ask once more. */
  observedRoles: optional(roles),
  provisional: optional(described(literal(true), "It was read so soon that it may be what the key had before.")),
});

export const seenKey = object(
  "A key as a read showed it. The read matched the roster, or the roster does not manage the roles of the key.",
  { prefix: name, address: described(address, "The user who has the key."), roles, at: time },
);

/** Recorded before the calls that it lets pass: what is left of its list is covered until these are sent. */
export type RecordedAllowance = Static<typeof recordedAllowance>;
export const allowance = object({ code: name, covers: list(text, { minItems: 1 }) });
const recordedAllowance = extended({ at: time }, allowance);

export const access = object("A key that a call made or changed, or whose prefix a read showed.", {
  prefix: name,
  address: optional(address),
  team: optional(object({ team, name })),
  roles: optional(
    list(object({ role: name, at: optional(time), run: optional(name) }), {
      description:
        "Its roles, each with the time and the run that gave it. A role that a call found on the key has neither. Absent if no call set the roles.",
    }),
  ),
});

export type RecordedRun = Static<typeof recordedRun>;
export const recordedRun = object("A run that announced a call: who ran it, from which commit.", {
  run: name,
  actor: optional(actor),
  commit: optional(text),
});

export const sequence = integer({
  minimum: 0,
  maximum: 9007199254740991,
  description:
    "The number of an apply in a sequence, such as the number of a pipeline run. The state has the highest one.",
});

/** A state as it is stored: lists of records, where the program has maps by their keys. */
export type StateDocument = Static<typeof state>;
export const state = object({
  version: described(literal(2), "The version of this format."),
  lineage: described(name, "Names this log apart from every other; given once, at its creation."),
  serial: described(count, "The position of the last event that is in it."),
  users: list(user),
  teams: list(recordedTeam),
  memberships: list(membership),
  keys: list(key),
  access: list(access, { description: "Which access calls gave, since when, and by which run." }),
  runs: list(recordedRun, { description: "The runs that announced calls." }),
  former: optional(
    object(
      "Users who were gone when the log was pruned, as digests of their addresses. roster does not create them again. Absent without such users.",
      { before: time, users: list(name) },
    ),
  ),
  seenKeys: optional(
    list(seenKey, {
      minItems: 1,
      description:
        "What reads showed of keys that no run has written since. Drift compares the service with it. Absent without such keys.",
    }),
  ),
  open: list(openIntent, { description: "Recorded calls with an unknown outcome, oldest first." }),
  /** A read that shows the user later refutes it. */
  presumedUndone: optional(
    list(openIntent, {
      minItems: 1,
      description:
        "Calls that create a user with a team, which no read showed. If a later read shows the user, roster counts the team as created. Absent without such calls.",
    }),
  ),
  refusals: optional(
    list(refusal, {
      description: "Requests that the service refused and would refuse again. Absent without refusals.",
    }),
  ),
  allowances: optional(
    list(recordedAllowance, {
      minItems: 1,
      description:
        "The last code of each kind and subject that an apply used, and what it covered. Absent where none was used.",
    }),
  ),
  planFiles: optional(
    list(object({ file: name, at: time }), {
      maxItems: 100,
      description: "The ids and times of the last applied plan files, oldest first. Absent without plan files.",
    }),
  ),
  applied: optional(
    object(
      "The last roster that was applied completely: its time, digest and users. Also users that were removed earlier and are still open. Absent before the first apply.",
      { at: time, digest: name, people },
    ),
  ),
  openFindings: optional(
    list(openFinding, {
      minItems: 1,
      maxItems: 10000,
      description:
        "What the last recorded runs saw to differ from the roster, and since when. Absent where that was nothing.",
    }),
  ),
  service: optional(described(name, "The base address of the service that this state is about.")),
  epoch: optional(
    described(
      time,
      "When you last allowed `service-reset`. The state has no users, teams, members or keys from before that time. Absent if you never did.",
    ),
  ),
  sequence: optional(sequence),
  moved: optional(
    object(
      "Where the log goes on, and since when: what is left here is no longer used. Absent where it was not copied.",
      { to: name, at: time },
    ),
  ),
  pruned: optional(
    object(
      "When the log was last pruned. All events from before a time are in its exports. Absent where it never was.",
      {
        before: time,
        at: time,
      },
    ),
  ),
  queues: optional(
    object(
      "When this service last accepted a call for later. The outcome of a call may show a long time after it was sent. Absent where it never did.",
      { at: time },
    ),
  ),
  capabilities: optional(recordedCapabilities),
  writes: optional(writes),
});

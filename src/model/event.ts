import type { ActionId } from "./action.ts";
import type { EmailKey } from "./address.ts";
import {
  anyOf,
  described,
  extended,
  type Fields,
  integer,
  list,
  literal,
  number,
  type ObjectParts,
  object,
  oneOf,
  optional,
  type Static,
  string,
  typed,
} from "./declare.ts";
import type { Reason } from "./fact.ts";
import type { Finding } from "./finding.ts";
import {
  actor,
  allowance,
  capabilities,
  failure,
  intent,
  name,
  ownership,
  people,
  profile,
  roles,
  seenFinding,
  sequence,
  serverDate,
  type TeamKey,
  time,
  writes,
} from "./recorded.ts";

const text = string();
const action = typed<ActionId>(name);
const address = typed<EmailKey>(name);
const team = typed<TeamKey>(name);

function event<const Type extends string, const F extends Fields>(type: Type, ...declared: ObjectParts<F>) {
  return extended({ type: literal(type), at: time }, object(...declared));
}

export type RunStarted = Static<typeof runStarted>;
export const runStarted = event("run-started", {
  run: name,
  plan: text,
  service: name,
  actions: integer({ minimum: 0 }),
});

/** A whole number that only grows, such as that of a pipeline's run. */
export type Sequenced = Static<typeof sequenced>;
export const sequenced = event("sequenced", "An apply named its place among all applies.", { sequence });

/** Durable before the first call of it: no file is applied twice. */
export type PlanFileBegun = Static<typeof planFileBegun>;
export const planFileBegun = event("plan-file-begun", "A plan file is about to be applied.", {
  file: described(name, "The id of the file."),
});

/** Durable before the first call that they let pass. The list that a code covered counts until its calls are sent. */
export type AllowancesUsed = Static<typeof allowancesUsed>;
export const allowancesUsed = event(
  "allowances-used",
  "What a person has allowed of this plan, and what that covers.",
  {
    allowances: list(allowance, { minItems: 1 }),
  },
);

/** Durable before the first call of it: nobody whom it names is forgotten if they are dropped. */
export type RosterApplied = Static<typeof rosterApplied>;
export const rosterApplied = event("roster-applied", "A roster is about to be applied as a whole.", {
  digest: name,
  /** Its users, and those who were dropped before and are still to be settled. */
  people,
});

/** What was recorded of them counts for who they are now. */
export type RecordsMoved = Static<typeof recordsMoved>;
export const recordsMoved = event("records-moved", "Users with a new address, teams with a new name.", {
  people: list(object({ from: address, to: address, email: name })),
  teams: list(object({ from: team, to: team, name })),
});

/** The records of users, teams, members and keys from before are dropped. Open calls stay open. */
export type EpochStarted = Static<typeof epochStarted>;
export const epochStarted = event("epoch-started", "A person says that the service starts anew.", {
  /** The base address of the service. */
  service: name,
});

/** People and teams of the roster, leavers among them, whom this run met in the service and whom the state did not know as such. */
export type UsersObserved = Static<typeof usersObserved>;
export const usersObserved = event("users-observed", {
  /** The base address of the service where they were met. */
  service: name,
  people: list(object({ address, email: name, account: name, identifier: optional(name) })),
  teams: list(object({ team, name, account: name, identifier: optional(name) })),
});

/** Where the state did not know it. */
export type PeopleGone = Static<typeof peopleGone>;
export const peopleGone = event("people-gone", "Recorded users that this run proved absent from the service.", {
  people: list(address),
});

/** Those that the roster names, where the state knew nothing of them or the read equals the roster. Later reads are compared with it. */
export type AccessSeen = Static<typeof accessSeen>;
export const accessSeen = event("access-seen", "Users, members and keys that a complete read showed.", {
  /** The base address of the service. */
  service: name,
  /** Users whom a run created, and whom no read had shown yet. */
  users: list(address),
  /** Members whom no read had shown yet, with the prefix of their team key. */
  members: list(object({ team, address, prefix: name })),
  keys: list(object({ prefix: name, address, roles })),
});

/** Where the state knew less or otherwise. */
export type ServiceLearned = Static<typeof serviceLearned>;
export const serviceLearned = event("service-learned", "What the reads of a run have shown of the service.", {
  /** The base address of the service. */
  service: name,
  capabilities,
});

/** Where this run has learned more of it. */
export type WritesLearned = Static<typeof writesLearned>;
export const writesLearned = event("writes-learned", "How the service takes writes.", { writes });

/** What a look at the service has shown, where the state did not know it yet. */
export type FindingsSeen = Static<typeof findingsSeen>;
export const findingsSeen = event("findings-seen", "New differences that a run saw, and those that are gone.", {
  /** The base address of the service. */
  service: name,
  /** What matters most first. */
  seen: list(seenFinding),
  gone: list(name, { description: "Fingerprints." }),
});

export type Intended = Static<typeof intended>;
export const intended = event("intended", "Durable before its call is sent.", {
  /** Until when the call may be on its way, at the latest; absent where no server tells its time. */
  dated: optional(serverDate),
  /** Until when the call may be sent, where that is not at once. */
  until: optional(time),
  run: name,
  action,
  intent,
});

/** Durable before that is read: a user who is found after a crash was met, and not created by this call. */
export type Declined = Static<typeof declined>;
export const declined = event("declined", "The service did not create a user. The reason is read next.", {
  action,
  failure,
});

/** One person's outcome of an add-members call. */
export type AddedMember = Static<typeof addedMember>;
export const addedMember = object({
  address,
  outcome: anyOf(object({ added: literal(true) }), object({ added: literal(false), failure })),
  prefix: optional(name),
  roles: optional(roles),
});

export type LearnedOutcome = Static<typeof learned>;
export const learned = described(
  anyOf(
    object({
      kind: literal("create-user"),
      address,
      was: optional(described(literal("there-before"), "The call created no user: the service had this user already.")),
      identifier: optional(name),
      prefix: optional(name),
      roles: optional(roles),
      answered: profile,
      /** The identifier of the created team. */
      teamIdentifier: optional(name),
    }),
    object({ kind: literal("add-members"), team, members: list(addedMember) }),
    object({ kind: literal("replace-roles"), prefix: name, roles: optional(roles) }),
  ),
  "What an answer, or a read that resolved a call, has shown.",
);

/** The outcome of a call of an earlier run, or of a lost answer of this one, learned by reading. */
export type Settled = Static<typeof settled>;
export const settled = event("settled", {
  /** The run that announced the call. */
  run: name,
  action,
  as: anyOf(
    object({ done: literal(true), learned }),
    object({
      done: literal(false),
      /** A replacement of roles that reads do not show: it may have been done all the same. */
      unproven: optional(literal(true)),
    }),
  ),
  except: optional(
    list(address, {
      minItems: 1,
      description: "People of an add-members call for which reading gave no answer yet. For them the call stays open.",
    }),
  ),
});

export type Succeeded = Static<typeof succeeded>;
export const succeeded = event("succeeded", { action, learned });

/** The service refused, or the call was never sent: it had no effect. */
export type Failed = Static<typeof failed>;
export const failed = event("failed", { action, failure });

/** In a call of their own. The end of the action is told later. */
export type MemberRefused = Static<typeof memberRefused>;
export const memberRefused = event("member-refused", "The service would not add one person to a team.", {
  action,
  address,
  failure,
});

/** The call was sent and its outcome is not known. */
export type UnknownOutcome = Static<typeof unknownOutcome>;
export const unknownOutcome = event("unknown-outcome", "Resolved by reading. The request is never sent again.", {
  action,
  failure,
  accepted: optional(described(literal(true), "The service took the call and may do it later.")),
  /** When it had ended, at the latest; absent where no server tells its time. */
  dated: optional(serverDate),
  /** From when on another run may take it as not done, if reads do not show it by then. */
  decidedFrom: optional(time),
});

export type Skipped = Static<typeof skipped>;
export const skipped = event("skipped", {
  action,
  /** The action whose end is the cause; absent where the run itself was stopped. */
  cause: optional(action),
  why: text,
});

/** A fact that the action rests on has moved. */
export type Stale = Static<typeof stale>;
export const stale = event("stale", { action, why: text });

export type Unneeded = Static<typeof unneeded>;
export const unneeded = event("unneeded", {
  action,
  why: text,
  shown: optional(
    object("The key that was shown with exactly the roles that the action asks for.", { prefix: name, roles }),
  ),
});

export type KeyLearned = Static<typeof keyLearned>;
export const keyLearned = event("key-learned", {
  address,
  /** Absent for the user's own key. */
  team: optional(team),
  prefix: name,
  /** The roles that it was shown with. */
  roles: optional(roles),
});

export type TeamIdentified = Static<typeof teamIdentified>;
export const teamIdentified = event("team-identified", { team, name, account: name, identifier: name });

/** What a key read as after our replacement of its roles. */
export type KeyRead = Static<typeof keyRead>;
export const keyRead = event("key-read", {
  prefix: name,
  roles,
  provisional: optional(described(literal(true), "It was read so soon that it may be what the key had before.")),
});

const place = { file: text, line: integer(), column: integer() };

/** A finding as it is written: what it is about stands there as text. */
export type WrittenFinding = Static<typeof finding>;
export const finding = object({
  kind: oneOf("task", "notice"),
  code: typed<Finding["code"]>(name),
  fingerprint: name,
  subject: text,
  message: text,
  because: list(
    object({
      ...place,
      as: typed<Reason["as"]>(name),
      name: optional(text),
      person: optional(typed<EmailKey>(text)),
    }),
  ),
  restsOn: list(
    object({
      about: text,
      fact: anyOf(
        object({ known: literal("observed"), value: text, by: text }),
        object({ known: literal("recorded"), value: text, at: text }),
        object({ known: literal("declared"), value: text, place: object(place) }),
        object({ known: literal("unknown"), why: text }),
      ),
    }),
  ),
  roles: optional(roles),
  suggestedYaml: optional(text),
  allow: optional(list(text)),
  ownership: optional(ownership),
});

/** A finding that only the run could make. */
export const found = event("found", { finding: typed<Finding>(finding) });

/** The run waits, and why. */
export const waiting = event("waiting", { milliseconds: number({ minimum: 0 }), why: text });

/** `pending`: not shown yet. `diverged`: shown otherwise. `unverified`: it could not be read again. */
export type Convergence = Static<typeof convergence>;
const convergence = oneOf("converged", "pending", "diverged", "unverified");

/** What was touched, read again. */
export type Verified = Static<typeof verified>;
export const verified = event("verified", {
  result: convergence,
  /** What does not show as asked yet, one sentence each. */
  remarks: list(text),
});

export type RunFinished = Static<typeof runFinished>;
export const runFinished = event("run-finished", {
  ended: oneOf("completed", "stopped", "interrupted"),
  why: optional(text),
  /** The service refused our key or our permission, and that ended the run. */
  accessRefused: optional(literal(true)),
});

/**
 * Everything that happens in a run, in order. State, audit, screen, summary and exit code are folds over
 * this stream.
 */
export type RunEvent = Static<typeof runEvent>;
export const runEvent = anyOf(
  runStarted,
  sequenced,
  planFileBegun,
  rosterApplied,
  allowancesUsed,
  recordsMoved,
  epochStarted,
  usersObserved,
  accessSeen,
  serviceLearned,
  writesLearned,
  findingsSeen,
  intended,
  declined,
  settled,
  succeeded,
  failed,
  memberRefused,
  unknownOutcome,
  skipped,
  stale,
  unneeded,
  keyLearned,
  teamIdentified,
  keyRead,
  found,
  waiting,
  verified,
  runFinished,
);

/** The first event of every log. */
export type LogStarted = Static<typeof logStarted>;
export const logStarted = event("log-started", {
  version: described(literal(3), "The version of this format."),
  lineage: described(name, "Names this log apart from every other, also from one that begins anew at its place."),
});

export type CommandStarted = Static<typeof commandStarted>;
export const commandStarted = event("command-started", "The first event of a command that records anything.", {
  run: name,
  /** Such as `apply` or `state resolve`. */
  command: name,
  actor: optional(actor),
  commit: optional(described(text, "The commit of the roster, where a pipeline or git names it.")),
  pipeline: optional(described(text, "Where the pipeline shows this run.")),
  changeRequest: optional(described(text, "The address or number of the change request that the run applies.")),
  approvers: optional(list(text, { description: "Who approved it, as the script of the pipeline verified." })),
  allowed: optional(list(text, { description: "The codes that a person passed." })),
  /** Why they were allowed. */
  reason: optional(object({ text, source: oneOf("flag", "variable", "library") })),
});

/** `none`: the command had no plan to apply. `aborted`: it ended before the plan did. */
export type CommandEnded = Static<typeof commandEnded>;
export const commandEnded = event(
  "command-ended",
  "The last event of a command. Where it is missing the command died.",
  { plan: oneOf("completed", "stopped", "interrupted", "aborted", "none") },
);

export type CheckpointTaken = Static<typeof checkpointTaken>;
export const checkpointTaken = event(
  "checkpoint-taken",
  "The state that all events up to a position add up to was written down.",
  {
    /** The line up to which it counts. */
    head: object({ position: integer({ minimum: 1 }), hash: name }),
    digest: described(name, "Of the state."),
  },
);

/** Who ran it is in the first event of its command. */
export type Pruned = Static<typeof pruned>;
export const pruned = event("pruned", "Older events were exported. A checkpoint takes their place.", {
  before: described(time, "All of them are from before this time."),
  /** The first of them. */
  from: integer({ minimum: 1 }),
  /** The last of them. */
  head: object({ position: integer({ minimum: 1 }), hash: name }),
  digest: described(name, "Of the checkpoint."),
});

export type MovedTo = Static<typeof movedTo>;
export const movedTo = event("moved-to", "The log goes on elsewhere: nothing is added here any more.", {
  to: described(name, "The new place, without credentials."),
});

export type EndpointChanged = Static<typeof endpointChanged>;
export const endpointChanged = event("endpoint-changed", "The service has another address now.", { service: name });

/** What a log holds: what runs did and saw, and what the log says of itself. */
export type LogEvent = Static<typeof logEvent>;
export const logEvent = anyOf(
  runEvent,
  logStarted,
  commandStarted,
  commandEnded,
  peopleGone,
  checkpointTaken,
  pruned,
  movedTo,
  endpointChanged,
);

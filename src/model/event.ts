import type { ActionId } from "./action.ts";
import {
  anyOf,
  count,
  described,
  type Extended,
  extended,
  integer,
  list,
  literal,
  number,
  object,
  oneOf,
  optional,
  type Schema,
  type Static,
  typed,
} from "./declare.ts";
import type { Finding } from "./finding.ts";
import {
  actor,
  address,
  capabilities,
  failure,
  intent,
  name,
  people,
  profile,
  roles,
  seenFinding,
  serverDate,
  team,
  text,
  time,
  writes,
} from "./recorded.ts";
import { allowance, allowanceReason, logHead, sequence } from "./state.ts";

const action = typed<ActionId>(name);

type Declared = Readonly<Record<string, Schema<object>>>;

type Events<E extends Declared> = {
  readonly [Type in keyof E]: Schema<
    Extended<{ readonly type: Schema<Type>; readonly at: Schema<string> }, Static<E[Type]>>
  >;
};

type AnyOf<E> = Static<E[keyof E]>;

function events<const E extends Declared>(declared: E): Events<E> {
  const whole = Object.entries(declared).map(([type, fields]) => [
    type,
    extended({ type: literal(type), at: time }, fields),
  ]);
  return Object.fromEntries(whole) as Events<E>;
}

const provisionalKey = described(
  literal(true),
  "Another call under way may have made the key: its roles are not replaced yet.",
);

export type AddedMember = Static<typeof addedMember>;
export const addedMember = object({
  address,
  outcome: anyOf(object({ added: literal(true) }), object({ added: literal(false), failure })),
  prefix: optional(name),
  roles: optional(roles),
  provisional: optional(provisionalKey),
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
      provisional: optional(provisionalKey),
      answered: profile,
      team: optional(described(team, "The team that was created with the user.")),
      teamIdentifier: optional(name),
    }),
    object({ kind: literal("add-members"), team, members: list(addedMember) }),
    object({ kind: literal("replace-roles"), prefix: name, roles: optional(roles) }),
  ),
  "What an answer, or a read that resolved a call, has shown.",
);

/** A finding of a run as it is written: what it is about stands there as text, and what it rests on are the events before it. */
export type WrittenFinding = Static<typeof writtenFinding>;
export const writtenFinding = object({
  kind: oneOf("task", "notice"),
  code: typed<Finding["code"]>(name),
  fingerprint: name,
  subject: text,
  message: text,
  suggestedYaml: optional(text),
});

export type Convergence = Static<typeof convergence>;
export const convergence = described(
  oneOf("converged", "pending", "diverged", "unverified"),
  "`pending`: not shown yet. `diverged`: shown otherwise. `unverified`: it could not be read again.",
);

export const runEvents = events({
  "run-started": object({ run: name, plan: text, service: name, actions: count() }),
  sequenced: object("An apply named its place among all applies.", { sequence }),
  "plan-file-begun": object("A plan file is about to be applied.", { file: described(name, "Its id.") }),
  "roster-applied": object("A roster is about to be applied as a whole.", {
    digest: name,
    /** Its users, and those who were dropped before and are still open. */
    people,
  }),
  "allowances-used": object("What a person has allowed of this plan, and what that covers.", {
    allowances: list(allowance, { minItems: 1 }),
  }),
  "records-moved": object("Users with a new address, teams with a new name.", {
    people: list(object({ from: address, to: address, email: name })),
    teams: list(object({ from: team, to: team, name })),
  }),
  "epoch-started": object("A person says that the service starts anew.", { service: name }),
  "users-observed": object("People and teams of the roster that this run saw, and that the state did not know.", {
    service: name,
    people: list(object({ address, email: name, account: name, identifier: optional(name) })),
    teams: list(object({ team, name, account: name, identifier: optional(name) })),
  }),
  "access-seen": object("Users, members and keys that a complete read showed.", {
    service: name,
    /** Users whom a run created, and whom no read had shown yet. */
    users: list(address),
    /** Members whom no read had shown yet, with the prefix of their team key. */
    members: list(object({ team, address, prefix: name })),
    keys: list(object({ prefix: name, address, roles })),
  }),
  "service-learned": object("What the reads of a run have shown of the service.", { service: name, capabilities }),
  "writes-learned": object("How the service takes writes.", { writes }),
  "findings-seen": object("New differences that a run saw, and those that are gone.", {
    service: name,
    seen: list(seenFinding),
    gone: list(name, { description: "Fingerprints." }),
  }),
  intended: object("Durable before its call is sent.", {
    /** Until when the call may be on its way, at the latest; absent where no server tells its time. */
    dated: optional(serverDate),
    until: optional(described(time, "Until when the call may be sent, where that is not at once.")),
    run: name,
    action,
    intent,
  }),
  declined: object("The service did not create a user. The reason is read next.", { action, failure }),
  resolved: object("The outcome of a call of an earlier run, or of a lost answer of this one, learned by reading.", {
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
        description:
          "People of an add-members call for which reading gave no answer yet. For them the call stays open.",
      }),
    ),
  }),
  succeeded: object({ action, learned }),
  failed: object("The service refused, or the call was never sent: it had no effect.", { action, failure }),
  "member-refused": object("The service would not add one person to a team.", { action, address, failure }),
  "unknown-outcome": object("Resolved by reading. The request is never sent again.", {
    action,
    failure,
    accepted: optional(described(literal(true), "The service took the call and may do it later.")),
    /** When it had ended, at the latest; absent where no server tells its time. */
    dated: optional(serverDate),
    decidedFrom: optional(described(time, "If reads do not show it by then, another run takes it as not done.")),
  }),
  skipped: object("An action before it did not succeed, or the run was stopped.", {
    action,
    cause: optional(described(action, "The action whose end is the cause. Absent if the run itself was stopped.")),
    why: text,
  }),
  stale: object("A fact that the action rests on has changed.", { action, why: text }),
  unneeded: object("Nothing was left to do.", {
    action,
    why: text,
    shown: optional(
      object("The key that was shown with exactly the roles that the action asks for.", { prefix: name, roles }),
    ),
  }),
  "key-learned": object({
    address,
    team: optional(team),
    prefix: name,
    roles: optional(roles),
    provisional: optional(provisionalKey),
  }),
  "team-identified": object({ team, name, account: name, identifier: name }),
  "key-read": object({
    prefix: name,
    roles,
    provisional: optional(described(literal(true), "It was read so soon that it may be what the key had before.")),
  }),
  found: object("A finding that only the run could make.", { finding: typed<Finding>(writtenFinding) }),
  waiting: object({ milliseconds: number({ minimum: 0 }), why: text }),
  verified: object("What was touched, read again.", {
    result: convergence,
    remarks: list(text, { description: "What does not show as asked yet, one sentence each." }),
  }),
  "run-finished": object({
    ended: oneOf("completed", "stopped", "interrupted"),
    why: optional(text),
    accessRefused: optional(literal(true)),
  }),
});

/** Everything that happens in a run, in order. State, audit, screen, summary and exit code are folds over this stream. */
export type RunEvent = AnyOf<typeof runEvents>;

/** What the log says of itself and of its commands, besides what runs did and saw. */
export const logEvents = events({
  "log-started": object({
    version: described(literal(3), "The version of this format."),
    lineage: described(name, "Names this log apart from every other, also from one that begins anew at its place."),
  }),
  "command-started": object("The first event of a command that records anything.", {
    run: name,
    command: name,
    actor: optional(actor),
    commit: optional(described(text, "The commit of the roster, where a pipeline or git names it.")),
    pipeline: optional(described(text, "Where the pipeline shows this run.")),
    changeRequest: optional(described(text, "The address or number of the change request that the run applies.")),
    approvers: optional(list(text, { description: "Who approved it, as the script of the pipeline verified." })),
    allowed: optional(list(text, { description: "The codes that a person passed." })),
    reason: optional(allowanceReason),
  }),
  "command-ended": object("The last event of a command. Where it is missing the command died.", {
    plan: oneOf("completed", "stopped", "interrupted", "aborted", "none"),
  }),
  "people-gone": object("Recorded users that this run proved absent from the service.", { people: list(address) }),
  "checkpoint-taken": object("The state that all events up to a position add up to was written down.", {
    head: logHead,
    digest: described(name, "Of the state."),
  }),
  pruned: object("Older events were exported. A checkpoint takes their place.", {
    before: described(time, "All of them are from before this time."),
    from: integer({ minimum: 1 }),
    head: logHead,
    digest: described(name, "Of the checkpoint."),
  }),
  "moved-to": object("The log goes on elsewhere: nothing is added here any more.", {
    to: described(name, "The new place, without credentials."),
  }),
  "endpoint-changed": object("The service has another address now.", { service: name }),
});

export type LogEvent = RunEvent | AnyOf<typeof logEvents>;
export const logEvent: Schema<LogEvent> = anyOf(...Object.values<Schema<LogEvent>>({ ...runEvents, ...logEvents }));

export type EventOf<Type extends LogEvent["type"]> = Extract<LogEvent, { readonly type: Type }>;

import { intent, serverDate } from "./call.ts";
import { capabilities, writes } from "./capabilities.ts";
import * as t from "./declare.ts";
import { failure } from "./failure.ts";
import { type Finding, seenFinding } from "./finding.ts";
import { allowance, allowanceReason, logHead, sequence } from "./state.ts";
import { actor, address, name, people, profile, roles, team, text, time } from "./values.ts";

const action = name;

type Events<E> = {
  readonly [Type in keyof E]: t.Schema<
    t.Extended<{ readonly type: t.Schema<Type>; readonly at: t.Schema<string> }, t.Static<E[Type]>>
  >;
};

function events<const E extends Readonly<Record<string, t.Schema<object>>>>(declared: E): Events<E> {
  const whole = Object.entries(declared).map(([type, fields]) => [
    type,
    t.extended({ type: t.literal(type), at: time }, fields),
  ]);
  return Object.fromEntries(whole) as Events<E>;
}

const provisionalKey = t.described(
  t.literal(true),
  "Another call under way may have made the key: its roles are not replaced yet.",
);

export type AddedMember = t.Static<typeof addedMember>;
export const addedMember = t.object({
  address,
  outcome: t.anyOf(t.object({ added: t.literal(true) }), t.object({ added: t.literal(false), failure })),
  prefix: t.optional(name),
  roles: t.optional(roles),
  provisional: t.optional(provisionalKey),
});

export type LearnedOutcome = t.Static<typeof learned>;
export const learned = t.described(
  t.anyOf(
    t.object({
      kind: t.literal("create-user"),
      address,
      was: t.optional(t.literal("there-before"), "The call created no user: the service had this user already."),
      identifier: t.optional(name),
      prefix: t.optional(name),
      roles: t.optional(roles),
      provisional: t.optional(provisionalKey),
      answered: profile,
      team: t.optional(team, "The team that was created with the user."),
      teamIdentifier: t.optional(name),
    }),
    t.object({ kind: t.literal("add-members"), team, members: t.list(addedMember) }),
    t.object({ kind: t.literal("replace-roles"), prefix: name, roles: t.optional(roles) }),
  ),
  "What an answer, or a read that resolved a call, has shown.",
);

/** As a run writes it: what it rests on are the events before it. */
export type WrittenFinding = t.Static<typeof writtenFinding>;
export const writtenFinding = t.object({
  kind: t.oneOf("task", "notice"),
  code: t.typed<Finding["code"]>(name),
  fingerprint: name,
  subject: text,
  message: text,
  suggestedYaml: t.optional(text),
});

export type Convergence = t.Static<typeof convergence>;
export const convergence = t.described(
  t.oneOf("converged", "pending", "diverged", "unverified"),
  "`pending`: not shown yet. `diverged`: shown otherwise. `unverified`: it could not be read again.",
);

export const runEvents = events({
  "run-started": t.object({ run: name, plan: text, service: name, actions: t.count() }),
  sequenced: t.object("An apply named its place among all applies.", { sequence }),
  "plan-file-begun": t.object("A plan file is about to be applied.", { file: t.described(name, "Its id.") }),
  "roster-applied": t.object("A roster is about to be applied as a whole.", {
    digest: name,
    /** Its users, and those who were dropped before and are still open. */
    people,
  }),
  "allowances-used": t.object("What a person has allowed of this plan, and what that covers.", {
    allowances: t.list(allowance, { minItems: 1 }),
  }),
  "records-moved": t.object("Users with a new address, teams with a new name.", {
    people: t.list(t.object({ from: address, to: address, email: name })),
    teams: t.list(t.object({ from: team, to: team, name })),
  }),
  "epoch-started": t.object("A person says that the service starts anew.", { service: name }),
  "users-observed": t.object("People and teams of the roster that this run saw, and that the state did not know.", {
    service: name,
    people: t.list(t.object({ address, email: name, account: name, identifier: t.optional(name) })),
    teams: t.list(t.object({ team, name, account: name, identifier: t.optional(name) })),
  }),
  "access-seen": t.object("Users, members and keys that a complete read showed.", {
    service: name,
    /** Users whom a run created, and whom no read had shown yet. */
    users: t.list(address),
    /** Members whom no read had shown yet, with the prefix of their team key. */
    members: t.list(t.object({ team, address, prefix: name })),
    keys: t.list(t.object({ prefix: name, address, roles })),
  }),
  "service-learned": t.object("What the reads of a run have shown of the service.", { service: name, capabilities }),
  "writes-learned": t.object("How the service takes writes.", { writes }),
  "findings-seen": t.object("New differences that a run saw, and those that are gone.", {
    service: name,
    seen: t.list(seenFinding),
    gone: t.list(name, { description: "Fingerprints." }),
  }),
  intended: t.object("Durable before its call is sent.", {
    /** Until when the call may be on its way, at the latest; absent where no server tells its time. */
    dated: t.optional(serverDate),
    until: t.optional(time, "Until when the call may be sent, where that is not at once."),
    run: name,
    action,
    intent,
  }),
  declined: t.object("The service did not create a user. The reason is read next.", { action, failure }),
  resolved: t.object("The outcome of a call of an earlier run, or of a lost answer of this one, learned by reading.", {
    run: name,
    action,
    as: t.anyOf(
      t.object({ done: t.literal(true), learned }),
      t.object({
        done: t.literal(false),
        /** A replacement of roles that reads do not show: it may have been done all the same. */
        unproven: t.optional(t.literal(true)),
      }),
    ),
    except: t.optional(
      t.list(address, { minItems: 1 }),
      "People of an add-members call for which reading gave no answer yet. For them the call stays open.",
    ),
  }),
  succeeded: t.object({ action, learned }),
  failed: t.object("The service refused, or the call was never sent: it had no effect.", { action, failure }),
  "member-refused": t.object("The service would not add one person to a team.", { action, address, failure }),
  "unknown-outcome": t.object("Resolved by reading. The request is never sent again.", {
    action,
    failure,
    accepted: t.optional(t.literal(true), "The service took the call and may do it later."),
    /** When it had ended, at the latest; absent where no server tells its time. */
    dated: t.optional(serverDate),
    decidedFrom: t.optional(time, "If reads do not show it by then, another run takes it as not done."),
  }),
  skipped: t.object("An action before it did not succeed, or the run was stopped.", {
    action,
    cause: t.optional(action, "The action whose end is the cause. Absent if the run itself was stopped."),
    why: text,
  }),
  stale: t.object("A fact that the action rests on has changed.", { action, why: text }),
  unneeded: t.object("Nothing was left to do.", {
    action,
    why: text,
    shown: t.optional(
      t.object("The key that was shown with exactly the roles that the action asks for.", { prefix: name, roles }),
    ),
  }),
  "key-learned": t.object({
    address,
    team: t.optional(team),
    prefix: name,
    roles: t.optional(roles),
    provisional: t.optional(provisionalKey),
  }),
  "team-identified": t.object({ team, name, account: name, identifier: name }),
  "key-read": t.object({
    prefix: name,
    roles,
    provisional: t.optional(t.literal(true), "It was read so soon that it may be what the key had before."),
  }),
  found: t.object("A finding that only the run could make.", { finding: t.typed<Finding>(writtenFinding) }),
  waiting: t.object({ milliseconds: t.number({ minimum: 0 }), why: text }),
  verified: t.object("What was touched, read again.", {
    result: convergence,
    remarks: t.list(text, { description: "What does not show as asked yet, one sentence each." }),
  }),
  "run-finished": t.object({
    ended: t.oneOf("completed", "stopped", "interrupted"),
    why: t.optional(text),
    accessRefused: t.optional(t.literal(true)),
    logLost: t.optional(t.literal(true), "The last results may not be in the log."),
  }),
});

/** Everything that happens in a run, in order. State, audit, screen, summary and exit code are folds over this stream. */
export type RunEvent = t.Static<(typeof runEvents)[keyof typeof runEvents]>;

/** What the log says of itself and of its commands. */
export const logEvents = events({
  "log-started": t.object({
    version: t.described(t.literal(3), "The version of this format."),
    lineage: t.described(name, "Names this log apart from every other, also from one that begins anew at its place."),
  }),
  "command-started": t.object("The first event of a command that records anything.", {
    run: name,
    command: name,
    actor: t.optional(actor),
    commit: t.optional(text, "The commit of the roster, where a pipeline or git names it."),
    pipeline: t.optional(text, "Where the pipeline shows this run."),
    changeRequest: t.optional(text, "The address or number of the change request that the run applies."),
    approvers: t.optional(t.list(text, { description: "Who approved it, as the script of the pipeline verified." })),
    allowed: t.optional(t.list(text, { description: "The codes that a person passed." })),
    reason: t.optional(allowanceReason),
  }),
  "command-ended": t.object("The last event of a command. Where it is missing the command died.", {
    plan: t.oneOf("completed", "stopped", "interrupted", "aborted", "none"),
  }),
  "people-gone": t.object("Recorded users that this run proved absent from the service.", { people: t.list(address) }),
  "checkpoint-taken": t.object("The state that all events up to a position add up to was written down.", {
    head: logHead,
    digest: t.described(name, "Of the state."),
  }),
  pruned: t.object("Older events were exported. A checkpoint takes their place.", {
    before: t.described(time, "All of them are from before this time."),
    from: t.integer({ minimum: 1 }),
    head: logHead,
    digest: t.described(name, "Of the checkpoint."),
  }),
  "moved-to": t.object("The log goes on elsewhere: nothing is added here any more.", {
    to: t.described(name, "The new place, without credentials."),
  }),
  "endpoint-changed": t.object("The service has another address now.", { service: name }),
});

export type LogEvent = RunEvent | t.Static<(typeof logEvents)[keyof typeof logEvents]>;
export const logEvent: t.Schema<LogEvent> = t.anyOf(
  ...Object.values<t.Schema<LogEvent>>({ ...runEvents, ...logEvents }),
);

export type EventOf<Type extends LogEvent["type"]> = Extract<LogEvent, { readonly type: Type }>;

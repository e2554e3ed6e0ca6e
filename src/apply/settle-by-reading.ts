import {
  assessCall,
  assessDeclinedCreation,
  type CallEvidence,
  type CallVerdict,
  derivedEvents,
  existsWithoutTeam,
  type IntentAge,
} from "../journal/settle.ts";
import type { ActionId, CreateUser } from "../model/action.ts";
import { type Capabilities, readDelay } from "../model/capabilities.ts";
import type { CreationIntent, Intent, LearnedOutcome, RunEvent } from "../model/event.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { shownTeamKey } from "../model/team.ts";
import type { AcceptedForLater, UserQuery } from "../ports/account-service.ts";
import type { ApplySession } from "./apply-session.ts";
import { type LookupResults, onlyUser } from "./learned-facts.ts";
import { waitUnlessStopped } from "./run-journal.ts";
import type { AcknowledgedWrite, AcknowledgedWrites, WriteBehaviourTracker } from "./write-behaviour.ts";

/** A call whose outcome is not known, and the people who tell it. */
export interface UncertainCall {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly people: readonly UserQuery[];
}

/** By the monotonic clock, when a call was announced and when its answer came or was given up. No clock that is set counts too much by it. */
export interface CallTimes {
  readonly announced: number;
  readonly ended: number;
}

export interface UnknownResult {
  readonly is: "unknown";
  readonly failure: Failure;
  readonly accepted: AcceptedForLater | undefined;
  readonly times: CallTimes;
}

/** How long and how often is read until a call is settled. */
interface SettlingReads {
  /** Milliseconds before each read. */
  readonly pauses: readonly number[];
  /** What the waits are for. */
  readonly why: string;
  /** Later writes of the same kind say nothing of one that stands in a queue. */
  readonly proof: "later-writes" | "window-alone";
}

/** Milliseconds before each read, for a call that was just sent: 30 s as a whole. */
const pausesAfterSending = [0, 500, 1000, 2000, 2000, 5500, 8000, 11_000];

/** The same for a call that the service took for later, where it does not say when to ask. */
const pausesAfterAcceptance = [500, 1000, 2000, 4000, 8000, 14_500];

/** How long a call that was taken for later is waited for, in milliseconds. */
const maxAcceptedWait = 30_000;

/**
 * Settles a call of unknown outcome by reading, for half a minute at the most, and never by sending it again; undefined where reading
 * cannot tell. What was settled is recorded, with what it has taught.
 */
export async function settleByReading(
  session: ApplySession,
  doubt: UncertainCall,
  unknown: UnknownResult,
): Promise<CallVerdict | undefined> {
  const patience = settlingReads(unknown, doubt.intent);
  const verdict = await readUntilSettled(session, doubt, { ...patience, times: unknown.times });
  if (verdict === undefined) return undefined;
  const { journal } = session;
  const at = journal.now();
  const { action, intent } = doubt;
  const settled: RunEvent = { type: "settled", at, run: journal.run, action, ...verdict };
  journal.record([settled, ...(verdict.as.done ? derivedEvents(intent, verdict.as.learned, at) : [])]);
  return verdict;
}

function settlingReads({ accepted, failure }: UnknownResult, { kind }: Intent): SettlingReads {
  if (accepted !== undefined) {
    const why = "the service accepted the call for later, and reads do not show the change yet";
    return { pauses: acceptedPauses(accepted), why, proof: "window-alone" };
  }
  const what = failure.code === "misunderstood" ? "roster could not read the answer" : "the answer was lost";
  // The next plan compares the roles of keys anyway: one read tells whether this is needed.
  const pauses = kind === "replace-roles" ? [0] : pausesAfterSending;
  return { pauses, why: `${what}, and reads do not show the outcome yet`, proof: "later-writes" };
}

function acceptedPauses({ askAfter }: AcceptedForLater): readonly number[] {
  if (askAfter === undefined) return pausesAfterAcceptance;
  const pause = Math.min(Math.max(askAfter, 1000), maxAcceptedWait);
  return Array.from({ length: Math.max(1, Math.floor(maxAcceptedWait / pause)) }, () => pause);
}

/** Reads what an answer left open; undefined where reading cannot tell. Records nothing. `pauses`: milliseconds before each read. */
export function readOutcome(
  session: ApplySession,
  doubt: Omit<UncertainCall, "action">,
  {
    pauses = pausesAfterSending,
    ...reading
  }: Pick<SettlingReads, "why"> & Partial<Pick<SettlingReads, "pauses">> & { readonly times: CallTimes },
): Promise<CallVerdict | undefined> {
  return readUntilSettled(session, doubt, { pauses, ...reading, proof: "later-writes" });
}

async function readUntilSettled(
  { journal, reads, writes }: ApplySession,
  { intent, people }: Omit<UncertainCall, "action">,
  { pauses, why, times, proof }: SettlingReads & { readonly times: CallTimes },
): Promise<CallVerdict | undefined> {
  let partly: CallVerdict | undefined;
  const isDecided = isDecidedBy(writes.behaviour, times);
  for (const pause of pauses) {
    await waitUnlessStopped(journal, pause, why);
    if (journal.stopped !== undefined) return partly;
    const witnesses = acknowledgedSince(intent, { proof, times }, writes.acknowledged);
    const readAt = journal.clock.monotonic();
    const shown = await reads.forSettling([...people, ...witnesses.map(({ person }) => person)]);
    if (!shown.ok) {
      if (stopsTheRun(shown.error)) journal.stop(shown.error);
      continue;
    }
    const age: IntentAge = isDecided(readAt, shown.value, witnesses) ? "settled" : "fresh";
    const verdict = settlementVerdict(intent, evidenceFromLookup(shown.value, reads.capabilities), age);
    if (verdict !== undefined && verdict.except === undefined) return verdict;
    partly = verdict ?? partly;
  }
  return partly;
}

/** Roles that do not read as wanted yet may do so a moment later. */
function settlementVerdict(intent: Intent, evidence: CallEvidence, age: IntentAge): CallVerdict | undefined {
  const verdict = assessCall(intent, evidence, age);
  return intent.kind === "replace-roles" && verdict?.as.done !== true ? undefined : verdict;
}

/** Whether what a read, at a time of the monotonic clock, does not show is decided by then. To be called for each read, in order. */
type Decision = (readAt: number, shown: LookupResults, witnesses: readonly AcknowledgedWrite[]) => boolean;

/**
 * A call that no read shows was not done once the consistency window is over; or where reads that are recent enough to show a later
 * write of ours do not show it, twice, the second time after as long again.
 */
function isDecidedBy(behaviour: WriteBehaviourTracker, { announced, ended }: CallTimes): Decision {
  let firstProof: number | undefined;
  return (readAt, shown, witnesses) => {
    if (readAt - ended >= behaviour.decidedAfter) return true;
    const age = readAt - announced;
    if (age < readDelay || !witnesses.some((write) => isWriteShown(write, shown))) return false;
    firstProof ??= age;
    return age >= 2 * firstProof;
  };
}

function acknowledgedSince(
  intent: Intent,
  { proof, times }: Pick<SettlingReads, "proof"> & { readonly times: CallTimes },
  acknowledged: AcknowledgedWrites,
): readonly AcknowledgedWrite[] {
  return proof === "window-alone" ? [] : acknowledged.since(times.announced, acknowledgedKind(intent));
}

function acknowledgedKind(intent: Intent): AcknowledgedWrite["kind"] {
  if (intent.kind !== "create-user") return "addition";
  return intent.founds === undefined ? "creation" : "founding";
}

/** Whether a read shows what a write has done, all of it. */
function isWriteShown({ person, team }: AcknowledgedWrite, shown: LookupResults): boolean {
  const user = onlyUser(shown, person.address);
  if (user === undefined) return false;
  return team === undefined || shownTeamKey(user, team).is === "shown";
}

const unknownCapabilities: Capabilities = {
  keysOnUsers: "unknown",
  rolesOnKeys: "unknown",
  teamsOnKeys: "unknown",
  titles: "unknown",
  totals: "unknown",
  paging: { firstPage: "unknown" },
};

/** What was shown, as evidence of what became of a call. */
function evidenceFromLookup(shown: LookupResults, capabilities: Capabilities = unknownCapabilities): CallEvidence {
  return {
    usersAt(address) {
      const looked = shown(address);
      if (looked.is === "user") return [looked.user];
      return looked.is === "several" ? looked.users : [];
    },
    isAbsent: (address) => shown(address).is === "absent",
    capabilities,
  };
}

export type CreationLearned = Extract<LearnedOutcome, { readonly kind: "create-user" }>;

/** Who is at the address of a creation that the service refused. */
export type ExistingUserResult =
  | { readonly is: "there"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "nobody"; readonly failure: Failure }
  /** No read succeeded, and the service answered that they are there: the next run must look. */
  | { readonly is: "unread"; readonly failure: Failure };

/** A creation that the service refused. */
export interface RefusedCreation {
  readonly intent: CreationIntent;
  readonly failure: Failure;
  /** When its answer came, by the monotonic clock. */
  readonly endedAt: number;
}

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const existingUserPauses = { conflict: [0, 500, 1000, 2000, 2000], refused: [0] };

/**
 * Looks whether a user is at the address of a refused creation; never sends it again. That it was declined is durable before the
 * first read, so that a later run does not take a user who was there before for created by us.
 */
export async function findExistingUser(
  { journal, reads, writes }: ApplySession,
  action: CreateUser,
  { intent, failure, endedAt }: RefusedCreation,
): Promise<ExistingUserResult> {
  const people = [{ address: action.address, email: action.user.email }];
  journal.record([{ type: "declined", at: journal.now(), action: action.id, failure }]);
  await journal.written();
  let explained: Failure | undefined;
  for (const pause of failure.code === "conflict" ? existingUserPauses.conflict : existingUserPauses.refused) {
    await waitUnlessStopped(
      journal,
      pause,
      `the service reports that ${action.user.email} exists, but does not show the user yet`,
    );
    if (journal.stopped !== undefined) return unreadResult(failure);
    const shown = await reads.forSettling(people);
    if (!shown.ok) {
      explained = undefined;
      if (stopsTheRun(shown.error)) journal.stop(shown.error);
      continue;
    }
    const there = existingUser(action, { intent, failure }, shown.value, reads.capabilities);
    if (there !== undefined) return there;
    const isOver = journal.clock.monotonic() - endedAt >= writes.behaviour.decidedAfter;
    explained = isOver ? explainRefusal(action, shown.value, failure) : explainIfCertain(action, shown.value, failure);
  }
  return explained === undefined ? unreadResult(failure) : { is: "nobody", failure: explained };
}

/** A conflict may be answered although the call was done: then nothing is known before the consistency window is over. */
function explainIfCertain(action: CreateUser, shown: LookupResults, failure: Failure): Failure | undefined {
  const isCertain = failure.code !== "conflict" || isSurelyNotCreated(action, shown);
  return isCertain ? explainRefusal(action, shown, failure) : undefined;
}

/**
 * Whether reads show a user at the address that this call has surely not created: a deleted user, one of another account, or somebody
 * with keys, of which none is of the team that the call asked for.
 */
function isSurelyNotCreated({ address, account, founds }: CreateUser, shown: LookupResults): boolean {
  const looked = shown(address);
  if (looked.is !== "user") return false;
  const { user } = looked;
  if (accountStatus(user.status) === "deleted" || (user.account !== undefined && user.account !== account)) return true;
  return founds !== undefined && existsWithoutTeam(user, founds);
}

/** Any other refusal than that somebody is there has created nobody, whatever could be read. */
function unreadResult(failure: Failure): ExistingUserResult {
  return { is: failure.code === "conflict" ? "unread" : "nobody", failure };
}

function existingUser(
  action: CreateUser,
  { intent, failure }: Pick<RefusedCreation, "intent" | "failure">,
  shown: LookupResults,
  capabilities: Capabilities | undefined,
): Extract<ExistingUserResult, { is: "there" }> | undefined {
  const user = onlyUser(shown, action.address);
  if (user === undefined || accountStatus(user.status) === "deleted") return undefined;
  if (user.account !== undefined && user.account !== action.account) return undefined;
  const verdict = assessDeclinedCreation(intent, failure, evidenceFromLookup(shown, capabilities), "fresh");
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return undefined;
  return { is: "there", user, learned: verdict.as.learned };
}

/** The service's own words stay; what reading adds to them comes after. */
function explainRefusal(
  { address, user, founds, account }: CreateUser,
  shown: LookupResults,
  failure: Failure,
): Failure {
  const looked = shown(address);
  if (looked.is === "absent") {
    const blocked =
      "a deleted user may block the address. Restore or purge that user in the service, or use another address";
    const hint = `Reads do not show ${user.email}. ${failure.code === "conflict" ? "A" : "If the service means the address, a"}${blocked}`;
    return { ...failure, hint };
  }
  if (looked.is !== "user") return failure;
  const there = looked.user;
  if (accountStatus(there.status) === "deleted") {
    const message = `${failure.message}. The service shows ${user.email} as deleted, which blocks the address`;
    return { ...failure, message, hint: "Restore or purge the user in the service, or use another address" };
  }
  if (there.account !== undefined && there.account !== account) {
    return { ...failure, message: `${failure.message}. ${user.email} is in the account ${there.account}` };
  }
  if (founds === undefined) return failure;
  const message = `${failure.message}. ${user.email} exists already, so roster cannot create the team ${founds.name} with them`;
  return {
    ...failure,
    message,
    hint: "Plan again. The team needs another new member as its founder, or its `identifier`",
  };
}

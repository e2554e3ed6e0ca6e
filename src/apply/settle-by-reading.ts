import { assessCall, type CallEvidence, type CallVerdict, derivedEvents, type IntentAge } from "../journal/settle.ts";
import type { ActionId } from "../model/action.ts";
import { type Capabilities, promptReadTime, promptWritesNeeded } from "../model/capabilities.ts";
import type { Intent, RunEvent } from "../model/event.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { shownTeamKey } from "../model/team.ts";
import type { AcceptedForLater, UserQuery } from "../ports/account-service.ts";
import type { ApplySession } from "./apply-session.ts";
import { type LookupResults, onlyUser } from "./people-lookup.ts";
import type { RunJournal } from "./run-journal.ts";
import type { AcknowledgedWrite, AcknowledgedWrites, WriteBehaviourTracker } from "./write-behaviour.ts";

/** A call whose outcome is not known, and the people who tell it. */
export interface UncertainCall {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly people: readonly UserQuery[];
}

/** Milliseconds since the epoch, when a call was announced and when its answer came or was given up. */
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

/** Reads what an answer left open; undefined where reading cannot tell. Records nothing. */
export function readUnreported(
  session: ApplySession,
  doubt: Omit<UncertainCall, "action">,
  { times, why }: { readonly times: CallTimes; readonly why: string },
): Promise<CallVerdict | undefined> {
  return readUntilSettled(session, doubt, { pauses: pausesAfterSending, why, times, proof: "later-writes" });
}

/**
 * What one read shows of a call: that it was done, at least in part; that the call has left no trace; or not enough to tell. A read may
 * be late, and an addition that is sent twice mails twice: of an addition it says nothing unless it shows the other writes of this run, or,
 * where there are none, unless reads of this service are known to be prompt.
 */
export async function readEffect(
  { reads, writes }: Pick<ApplySession, "reads" | "writes">,
  { intent, people }: Pick<UncertainCall, "intent" | "people">,
): Promise<"done" | "no-trace" | "unclear"> {
  const others = intent.kind === "add-members" ? recentWrites(writes.acknowledged) : [];
  const shown = await reads.forSettling([...people, ...others.map(({ person }) => person)]);
  if (!shown.ok) return "unclear";
  const verdict = assessCall(intent, evidenceFromLookup(shown.value, reads.capabilities), "settled");
  if (verdict === undefined) return "unclear";
  if (verdict.as.done) return "done";
  const mayBeLate = intent.kind === "add-members" && others.length === 0 && !readsArePrompt(writes.behaviour);
  return !mayBeLate && others.every((write) => isWriteShown(write, shown.value)) ? "no-trace" : "unclear";
}

/** A person or many writes of earlier runs say that reads show a write within seconds. */
function readsArePrompt({ known, window }: WriteBehaviourTracker): boolean {
  return known.prompt >= promptWritesNeeded || window <= promptReadTime;
}

function recentWrites(acknowledged: AcknowledgedWrites): readonly AcknowledgedWrite[] {
  return (["creation", "founding", "addition"] as const).flatMap((kind) => acknowledged.since(0, kind));
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
    const readAt = journal.clock.now();
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

/** Whether what a read does not show is decided by then. To be called for each read, in order. */
type Decision = (readAt: number, shown: LookupResults, witnesses: readonly AcknowledgedWrite[]) => boolean;

/**
 * A call that no read shows was not done once the consistency window is over; or where reads that are recent enough to show a later
 * write of ours do not show it, twice, the second time after as long again.
 */
function isDecidedBy(behaviour: WriteBehaviourTracker, { announced, ended }: CallTimes): Decision {
  let firstProof: number | undefined;
  return (readAt, shown, witnesses) => {
    if (readAt >= behaviour.decidedFrom(ended)) return true;
    const age = readAt - announced;
    if (age < promptReadTime || !witnesses.some((write) => isWriteShown(write, shown))) return false;
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

/** A wait of nothing is not recorded. */
export async function waitUnlessStopped(journal: RunJournal, milliseconds: number, why: string): Promise<void> {
  if (milliseconds > 0 && journal.stopped === undefined) await journal.wait(milliseconds, why);
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
export function evidenceFromLookup(
  shown: LookupResults,
  capabilities: Capabilities = unknownCapabilities,
): CallEvidence {
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

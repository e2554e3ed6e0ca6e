import { type FindingTexts, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { CreationIntent, Intent } from "../model/call.ts";
import { callTimeout, type WriteBehaviour } from "../model/capabilities.ts";
import type { EventOf, LearnedOutcome } from "../model/event.ts";
import { memberSubject, type Reason, teamSubject, userSubject } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import type { FindingInput } from "../model/finding.ts";
import { sha256 } from "../model/json.ts";
import { accountStatus, shownOwnKey, shownTeam } from "../model/key.ts";
import type { ActionId } from "../model/plan.ts";
import { presentMembers } from "../model/snapshot.ts";
import { callIdOf } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import { type Moment, stopwatch } from "../ports/clock.ts";
import { maxRenewals, readDelay, type WriteResult } from "../service/port.ts";
import {
  assessCall,
  assessDeclinedCreation,
  creationEffect,
  type Effect,
  type Evidence,
  isShown,
  onlyUser,
  resolvedBy,
  type Shown,
  standingOf,
  type Verdict,
} from "./assess.ts";
import type { RunKnowledge } from "./knowledge.ts";
import { queriesOf, queryOf, type RunSession, readPeople, readUntil, type UpcomingCall } from "./session.ts";

interface WriteCall<T> extends UpcomingCall {
  readonly call: (announced: Moment) => Promise<WriteResult<T>>;
  /** Why an answer of success is about somebody or something else; undefined where it is not. */
  readonly contradiction: (answer: T) => string | undefined;
  /** Whether an answer of success shows that the call had been done before it was announced for the last time. */
  readonly wasDoneBefore?: (answer: T, times: CallTimes) => boolean;
}

/** How a call ended. Only an unknown outcome is recorded by then. */
export type SendResult<T> =
  | { readonly is: "done"; readonly answer: T; readonly times: CallTimes }
  /** It had no effect. */
  | { readonly is: "refused"; readonly failure: Failure; readonly times: CallTimes }
  | UnknownResult
  | { readonly is: "not-started" };

/** Why an action cannot be done: how another one ended. */
export interface SkipCause {
  readonly action: ActionId;
  readonly why: string;
}

/** How an action that was handed out has ended: `done` also where it was not needed. */
export type ActionEnd =
  /** `without`: the people of the call whom it did not reach. */
  | { readonly is: "done"; readonly without?: readonly EmailKey[] }
  /** `failure`: what the call was answered with. `cause`: where the action was itself kept from being done by another one. */
  | { readonly is: "not-done"; readonly failure?: Failure; readonly cause?: SkipCause };

/** How an action that was taken up has ended. `not-started`: its call was not sent, because the run was stopped before. */
export type ActionResult = ActionEnd | { readonly is: "not-started" };

/**
 * Sends a call once, its intent durable before it. A call that could not leave in time, or whose key was refused, had no effect and is
 * sent again, announced anew. So is a throttled one, once it is known not to have been done. A call whose outcome is unknown is not sent again.
 */
export async function send<T>(session: RunSession, sending: WriteCall<T>): Promise<SendResult<T>> {
  const written = await announceAndCall(session, sending);
  if (written === "not-started") return { is: "not-started" };
  const { answer, times } = written;
  if (answer.outcome === "failed") return { is: "refused", failure: answer.failure, times };
  if (answer.outcome === "unknown") return recordUnknown(session, sending, { ...answer, times });
  if (answer.outcome === "throttled") {
    const isKnown = session.knowledge.throttling !== undefined;
    const failure = isKnown ? answer.failure : withHint(answer.failure, settingHint);
    return recordUnknown(session, sending, { failure, times });
  }
  const contradiction = sending.contradiction(answer.value);
  if (contradiction === undefined) return { is: "done", answer: answer.value, times };
  return recordUnknown(session, sending, { failure: misunderstood(contradiction), times });
}

export function misunderstood(contradiction: string): Failure {
  return {
    code: "misunderstood",
    message: `The answer does not match the call: ${contradiction}`,
    hint: "Check for a proxy or a cache between roster and the service that mixes up answers",
  };
}

/** Where it is not known whether throttled writes take effect, a person may know it. */
const settingHint =
  "If your service never makes a throttled change, set `service.throttling: no-effect` in the settings file";

function withHint(failure: Failure, more: string): Failure {
  const { hint } = failure;
  return { ...failure, hint: hint === undefined ? more : `${hint}. ${more}` };
}

/** After so many answers about somebody or something else nothing can be believed. */
const maxMisunderstood = 3;

/** Records that the outcome of a call is not known yet, and from when on another apply can know it by reading. */
export function recordUnknown(
  session: RunSession,
  { action, intent }: UpcomingCall,
  { failure, accepted, times }: Omit<UnknownResult, "is">,
): UnknownResult {
  const { journal, knowledge, clock } = session;
  // The next plan compares the roles of a key, whatever became of the call.
  const isOpen = intent.kind !== "replace-roles";
  const dated = isOpen ? journal.dated() : undefined;
  const left = knowledge.decidedAfter - (clock.monotonic() - times.ended);
  const decidedFrom = dated && new Date(clock.now() + left).toISOString();
  const timeless =
    "The service does not show its time (header `Date`). So waiting alone does not show if the call took effect";
  const resolve = `${session.resolve} ${callIdOf({ run: journal.run, action })}`;
  const hint =
    decidedFrom === undefined
      ? `${timeless}. Look in the service, and run \`${resolve}\` with \`done\` or \`not-done\``
      : `Run apply again after ${decidedFrom}. The run then reads if the call took effect, before it sends anything`;
  const told = isOpen ? withHint(failure, hint) : failure;
  const more = { dated, decidedFrom, accepted: accepted && (true as const) };
  journal.record([{ type: "unknown-outcome", at: journal.now(), action, failure: told, ...more }]);
  if (failure.code === "misunderstood" && knowledge.misunderstood >= maxMisunderstood)
    journal.stop(`${maxMisunderstood} answers did not match their calls. The last one: ${failure.message}`);
  return { is: "unknown", failure, accepted, times };
}

export function recordSuccess({ journal }: RunSession, action: ActionId, learned: LearnedOutcome): void {
  journal.record([{ type: "succeeded", at: journal.now(), action, learned }]);
}

export function recordFailure({ journal }: RunSession, action: ActionId, failure: Failure): ActionEnd {
  journal.record([{ type: "failed", at: journal.now(), action, failure }]);
  return { is: "not-done", failure };
}

/** `cause`: the action that should have taught what is missing, where it is known. */
export function recordSkipped(
  { journal }: RunSession,
  action: ActionId,
  cause: ActionId | undefined,
  why: string,
): ActionEnd {
  journal.record([{ type: "skipped", at: journal.now(), action, cause, why }]);
  return { is: "not-done", cause: { action: cause ?? action, why } };
}

/** Records at once what a call has taught of how the service takes writes, unless it is known. */
export function learnWrites({ journal, knowledge }: RunSession, more: WriteBehaviour): void {
  const writes = { ...knowledge.writes, ...more };
  const { throttling, membersNamedBy } = knowledge.writes;
  if (writes.throttling === throttling && writes.membersNamedBy === membersNamedBy) return;
  journal.record([{ type: "writes-learned", at: journal.now(), writes }]);
}

/** How often a call is announced that could not leave in time, or whose key is refused while another one takes its place. */
const maxUntried = 8;

interface WriteAttempt<T> {
  readonly answer: WriteResult<T>;
  readonly times: CallTimes;
}

async function announceAndCall<T>(
  session: RunSession,
  sending: WriteCall<T>,
): Promise<WriteAttempt<T> | "not-started"> {
  const { journal, clock, concurrency } = session;
  const { action, intent, call } = sending;
  const elapsed = stopwatch(clock);
  let last: WriteAttempt<T> | "not-started" = "not-started";
  let tries = 0;
  let untried = 0;
  let renewals = 0;
  let wasReadAsUndone = false;
  const announce = () => journal.announce({ action, intent });
  for (let announced = await announce(); announced !== undefined; announced = await announce()) {
    const answer: WriteResult<T> = await call(announced);
    last = { answer, times: { announced: announced.monotonic, ended: clock.monotonic() } };
    if (answer.outcome === "failed" && answer.sendAgain !== undefined) {
      untried += 1;
      if (answer.sendAgain === "new-key") renewals += 1;
      // It had no effect, and does not count as a try.
      if (untried < maxUntried && renewals <= maxRenewals) continue;
    }
    tries += 1;
    if (wasReadAsUndone) last = { ...last, answer: await checkSecondAnswer(session, sending, last) };
    if (last.answer.outcome !== "throttled") return last;
    concurrency.throttled();
    const next = await afterThrottling(session, sending, { ...last, tries, elapsed: elapsed() });
    if (next === "unknown") return last;
    if (next === "failed") return { ...last, answer: { outcome: "failed", failure: last.answer.failure } };
    wasReadAsUndone = next === "read-as-undone";
  }
  return last;
}

/** How often one call is sent at the most, and how long that may take as a whole, in milliseconds. */
const maxTries = 4;
const maxThrottledTime = 60_000;

const firstBackoff = 500;

/** So many throttled writes that reads have shown not to be done prove that throttling has no effect. */
const minWithoutEffect = 3;

/** Milliseconds before each read: two that are proof need twice the age of the first one. */
const pausesAfterThrottling = [0, 2500, 3000];

/**
 * What becomes of a throttled call. It is sent again where that does no harm, or where reads have shown that it was not done; it has
 * failed where it is known to have had no effect; else its outcome is unknown.
 */
async function afterThrottling<T>(
  session: RunSession,
  sending: WriteCall<T>,
  last: WriteAttempt<T> & { readonly tries: number; readonly elapsed: number },
): Promise<"harmless" | "read-as-undone" | "failed" | "unknown"> {
  const { answer, times, tries, elapsed } = last;
  const { journal, knowledge, clock } = session;
  const isHarmless = () => sending.intent.kind === "replace-roles" || knowledge.throttling === "no-effect";
  const gaveUp = knowledge.throttling === "no-effect" ? "failed" : "unknown";
  const askAfter = answer.outcome === "throttled" ? answer.askAfter : undefined;
  const backoff = firstBackoff * 2 ** (tries - 1);
  // The same for the same call, so that calls throttled together do not all come back together.
  const jitter = Number.parseInt(sha256(`${sending.action} ${tries}`).slice(0, 8), 16) / 0x1_0000_0000;
  const pause = Math.ceil((askAfter ?? backoff / 2) + (backoff / 2) * jitter);
  const isOver = tries >= maxTries || elapsed + pause > maxThrottledTime || journal.stopped !== undefined;
  if (isOver || (!isHarmless() && knowledge.throttling === "may-have-effect")) return gaveUp;
  const enough = isHarmless() ? pause : Math.max(pause, times.announced + readDelay - clock.monotonic());
  await journal.pause(enough, "the service asks roster to retry later");
  if (isHarmless()) return "harmless";
  const verdict = await readOutcome(session, sending.intent, {
    times,
    why: "then roster reads the service to see if the call was done",
    pauses: pausesAfterThrottling,
  });
  if (verdict?.as.done === true) learnWrites(session, { throttling: "may-have-effect" });
  if (verdict?.as.done !== false) return isHarmless() ? "harmless" : "unknown";
  knowledge.throttledWithoutEffect += 1;
  if (knowledge.throttledWithoutEffect >= minWithoutEffect && knowledge.writes.throttling === undefined)
    learnWrites(session, { throttling: "no-effect" });
  return "read-as-undone";
}

/**
 * The answer to a call that was sent again after it had been throttled. Where it is refused as if it had been done before, only reading
 * shows whether it was.
 */
async function checkSecondAnswer<T>(
  session: RunSession,
  sending: WriteCall<T>,
  { answer, times }: WriteAttempt<T>,
): Promise<WriteResult<T>> {
  const hadEffect = () => learnWrites(session, { throttling: "may-have-effect" });
  if (answer.outcome === "done" && sending.wasDoneBefore?.(answer.value, times) === true) hadEffect();
  if (answer.outcome !== "failed") return answer;
  const { failure } = answer;
  if (failure.code !== "conflict" && failure.code !== "refused") return answer;
  // Reads had shown before that it was not there: what is there now is most likely the throttled call's.
  const isThere = async () => (await readOutcome(session, sending.intent, { times, why: "", pauses: [0] }))?.as.done;
  if (failure.code === "conflict" || (await isThere()) === true) hadEffect();
  return { outcome: "unknown", failure };
}

/** By the monotonic clock, when a call was announced and when its answer came or was given up. No clock that is set counts too much by it. */
export interface CallTimes {
  readonly announced: number;
  readonly ended: number;
}

export interface UnknownResult {
  readonly is: "unknown";
  readonly failure: Failure;
  readonly accepted?: { readonly askAfter?: number } | undefined;
  readonly times: CallTimes;
}

interface OutcomeReads {
  readonly times: CallTimes;
  readonly why: string;
  /** Milliseconds before each read. */
  readonly pauses?: readonly number[];
  /** What the answer says that the call has done besides. `prove-nothing`: nothing that a read shows beside the call says that it was not done. */
  readonly witnesses?: readonly Effect[] | "prove-nothing";
}

/** Milliseconds before each read, for a call that was just sent: 30 s as a whole. */
const pausesAfterSending = [0, 500, 1000, 2000, 2000, 5500, 8000, 11_000];

/** The same for a call that the service took for later, where it does not say when to ask. */
const pausesAfterAcceptance = [500, 1000, 2000, 4000, 8000, 14_500];

/** How long a call that was taken for later is waited for, in milliseconds. */
const maxAcceptedWait = 30_000;

/**
 * Resolves a call of unknown outcome by reading, for half a minute at the most, and never by sending it again; undefined where reading
 * cannot tell. What was resolved is recorded, with what it has taught.
 */
export async function resolveByReading(
  session: RunSession,
  call: UpcomingCall,
  { accepted, failure, times }: UnknownResult,
): Promise<Verdict | undefined> {
  const { journal } = session;
  const { intent } = call;
  const answered = hasArrived(failure) ? "the answer does not say if the call was done" : "the answer was lost";
  const unclear = failure.code === "misunderstood" ? "roster could not read the answer" : answered;
  const cause = accepted === undefined ? unclear : "the service accepted the call for later";
  // The next plan compares the roles of keys anyway: one read tells whether this is needed.
  const soon = intent.kind === "replace-roles" ? [0] : pausesAfterSending;
  const verdict = await readOutcome(session, intent, {
    times,
    why: `then roster reads the service, because ${cause}`,
    pauses: accepted === undefined ? soon : acceptedPauses(accepted),
    witnesses: accepted === undefined && hasArrived(failure) ? [] : "prove-nothing",
  });
  if (verdict !== undefined) journal.record([resolvedBy({ run: journal.run, ...call }, verdict, journal.now())]);
  return verdict;
}

/**
 * Whether the service has answered the call, so that nothing of it is on its way any more. A call whose connection was cut may wait in
 * a proxy and arrive later, also where a gateway says so (502, 504).
 */
function hasArrived({ status }: Failure): boolean {
  return status !== undefined && status !== 502 && status !== 504;
}

function acceptedPauses({ askAfter }: NonNullable<UnknownResult["accepted"]>): readonly number[] {
  if (askAfter === undefined) return pausesAfterAcceptance;
  const pause = Math.min(Math.max(askAfter, 1000), maxAcceptedWait);
  return Array.from({ length: Math.max(1, Math.floor(maxAcceptedWait / pause)) }, () => pause);
}

/** Reads what a call of unknown outcome, or its answer, left open; undefined where reading cannot tell. Records nothing. */
export async function readOutcome(
  session: RunSession,
  intent: Intent,
  { times, why, pauses = pausesAfterSending, witnesses: known = [] }: OutcomeReads,
): Promise<Verdict | undefined> {
  const { knowledge, plan } = session;
  const isDecided = isDecidedBy(knowledge, times);
  let witnesses: readonly Effect[] = [];
  const people = () => {
    if (known !== "prove-nothing")
      witnesses = [...known, ...knowledge.neighboursOf(intent, times.announced)].slice(0, 3);
    return [...queriesOf(intent, plan), ...witnesses.map(({ address }) => queryOf(address, plan))];
  };
  let partly: Verdict | undefined;
  const verdict = await readUntil(session, pauses, why, people, async (shown, readAt) => {
    const age = isDecided(readAt, shown, witnesses) ? "decided" : "fresh";
    const said = assessCall(intent, evidenceOf(session, shown), age);
    if (said === undefined) return undefined;
    // Roles that do not read as wanted yet may do so a moment later.
    if (!said.as.done && intent.kind === "replace-roles") return undefined;
    if (!said.as.done && intent.kind === "create-user" && !(await isUnlisted(session, intent))) return undefined;
    if (said.except !== undefined) partly = said;
    return said.except === undefined ? said : undefined;
  });
  return verdict ?? partly;
}

/** Whether the details of the account do not show somebody either: a search may be cut off, and still find everybody else. */
async function isUnlisted({ service, signal }: RunSession, { account, address }: CreationIntent): Promise<boolean> {
  const details = await service.readAccount(account, signal);
  return details.ok && !presentMembers(details.value).includes(address);
}

/**
 * Tells for each read, in order, whether what it does not show is decided by then. A call that no read shows was not done once the
 * consistency window is over; or where reads that are recent enough to show a later write of ours do not show it, twice, the second
 * time after as long again. `readAt`: by the monotonic clock.
 */
function isDecidedBy(knowledge: RunKnowledge, { announced, ended }: CallTimes) {
  let firstProof: number | undefined;
  return (readAt: number, shown: Shown, witnesses: readonly Effect[]): boolean => {
    if (readAt - ended >= knowledge.decidedAfter) return true;
    const age = readAt - announced;
    if (age < readDelay || !witnesses.some((effect) => isShown(effect, shown))) return false;
    firstProof ??= age;
    return age >= 2 * firstProof;
  };
}

export type CreationLearned = Extract<LearnedOutcome, { readonly kind: "create-user" }>;

/** Who is at the address of a creation that the service refused. */
type ExistingUser =
  | { readonly is: "present"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "absent"; readonly failure: Failure }
  /** No read succeeded, and the service answered that they are there: the next run must look. */
  | { readonly is: "unknown" };

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const existingUserPauses = { conflict: [0, 500, 1000, 2000, 2000], refused: [0] };

/**
 * Looks whether a user is at the address of a refused creation; never sends it again. That it was declined is durable before the
 * first read, so that a later run does not take a user who was there before for created by us.
 */
export async function findExistingUser(
  session: RunSession,
  action: ActionId,
  intent: CreationIntent,
  failure: Failure,
  times: CallTimes,
): Promise<ExistingUser> {
  const { journal, knowledge, clock, plan } = session;
  journal.record([{ type: "declined", at: journal.now(), action, failure }]);
  await journal.written();
  const pauses = existingUserPauses[failure.code === "conflict" ? "conflict" : "refused"];
  const why = `the service reports that ${intent.email} exists, but does not show the user yet`;
  let explained: Failure | undefined;
  const people = () => queriesOf(intent, plan);
  const found = await readUntil(session, pauses, why, people, (shown) => {
    const user = onlyUser(shown, intent.address);
    const verdict = assessDeclinedCreation(intent, failure, evidenceOf(session, shown), "fresh");
    const learned = verdict?.as.done === true ? verdict.as.learned : undefined;
    if (user !== undefined && learned?.kind === "create-user") return { is: "present", user, learned } as const;
    // A conflict may be answered although the call was done: then nothing is known before the consistency window is over.
    const isOver = clock.monotonic() - times.ended >= knowledge.decidedAfter;
    const isAnother = user !== undefined && standingOf(creationEffect(intent), user).is !== "present";
    const isCertain = failure.code !== "conflict" || isOver || isAnother;
    explained = isCertain ? explainRefusal(intent, shown, failure) : undefined;
    return undefined;
  });
  if (found !== undefined) return found;
  if (explained !== undefined && journal.stopped === undefined) return { is: "absent", failure: explained };
  // Any other refusal than that somebody is there has created nobody, whatever could be read.
  return failure.code === "conflict" ? { is: "unknown" } : { is: "absent", failure };
}

function evidenceOf({ capabilities, journal, knowledge }: RunSession, shown: Shown): Evidence {
  const { recorded, window } = knowledge;
  const shownUntil = Date.parse(journal.now()) - window;
  return { shown, teamsOnKeys: capabilities.teamsOnKeys ?? "unknown", recorded, shownUntil };
}

/** A refusal that names a field of the user, and no address: then a deleted user is not the cause. */
const otherField =
  /^(?!.*(?:mail|address|user ?name)).*\b(?:title|first ?name|last ?name|external ?identifier|source|roles?)\b/isu;

/** The service's own words stay; what reading adds to them comes after. */
function explainRefusal({ address, email, createsTeam, account }: CreationIntent, shown: Shown, failure: Failure) {
  const found = shown(address);
  if (found.is === "absent") {
    if (failure.code !== "conflict" && otherField.test(failure.serviceSays ?? ""))
      return { ...failure, hint: "In the roster, correct the field that the service names in its answer" };
    const cause = failure.code === "conflict" ? "A" : "If the service refuses the address, a";
    const blocked =
      "deleted user may block this address. Restore or purge that user in the service, or use another address";
    return { ...failure, hint: `The service does not show ${email}. ${cause} ${blocked}` };
  }
  if (found.is !== "present") return failure;
  const { user } = found;
  if (accountStatus(user.status) === "deleted") {
    const message = `${failure.message}. The service shows ${email} as deleted, which blocks the address`;
    return { ...failure, message, hint: "Restore or purge the user in the service, or use another address" };
  }
  if (user.account !== undefined && user.account !== account)
    return { ...failure, message: `${failure.message}. ${email} is in the account ${user.account}` };
  if (createsTeam === undefined) return failure;
  const message = `${failure.message}. ${email} exists already, so roster cannot create the team ${createsTeam.name} with this user`;
  return {
    ...failure,
    message,
    hint: "Plan again. The team needs another new member as its first member, or its `identifier`",
  };
}

/** What an answer did not show, and a later call needs: a person's key, or the identifier of a team that was created with them. */
export interface MissingFact {
  readonly of: "key" | "team";
  readonly person: AddressedUser;
  /** Of a key: without a team, it is the person's own. */
  readonly team?: TeamIdentity | undefined;
  /** Prefixes of an answer that showed several keys, one of which is it. */
  readonly ambiguousKeys?: readonly string[];
}

/** Milliseconds before each read of what a call has just given: half a minute as a whole. */
const lookupPauses = [0, 1000, 2000, 4000, 8000, 15_000];

/** The same once reads of this run have not shown it for so long: then reads of this service are late. */
const lookupPausesWhenLate = [0, 1000];

/** How long the answers to other calls are waited for, in milliseconds, where a read can tell whose a key is. */
const rivalPatience = 1000;

/**
 * The keys that later calls need of those that an action gave, and that nothing has surely shown yet. A key that an answer shows while other
 * calls are under way may be one that these have made: it counts once they have their answers, and none of them was about something else.
 */
export async function missingKeys(
  { knowledge, clock, plan, neededKeys }: RunSession,
  action: ActionId,
  given: readonly EmailKey[],
  team: TeamIdentity | undefined,
): Promise<readonly MissingFact[]> {
  const people = given.filter((address) => neededKeys.get(action)?.has(address));
  const isOpen = () => people.some((address) => !knowledge.isAnswered(address, team?.team));
  const answered = async () => {
    while (isOpen()) await knowledge.nextAnswer();
  };
  if (isOpen()) {
    const patience = new AbortController();
    const longest = knowledge.keysAreHidden ? callTimeout : rivalPatience;
    await Promise.race([answered(), clock.wait(longest, patience.signal)]);
    patience.abort("answered");
  }
  const unknown = people.filter((address) => knowledge.givenKey(address, team?.team) === undefined);
  return unknown.map((address) => ({ of: "key", person: queryOf(address, plan), team }));
}

/** Learns by reading what an answer did not show, in one search for all of it; what stays unknown becomes findings. */
export async function readMissingFacts(
  session: RunSession,
  missing: readonly MissingFact[],
  { account, because }: { readonly account: string; readonly because: readonly Reason[] },
): Promise<void> {
  const { journal, knowledge, lookForKeys, clock, signal } = session;
  const hidden: MissingFact[] = [];
  let pending = missing;
  for (const pause of knowledge.readsAreLate ? lookupPausesWhenLate : lookupPauses) {
    if (pending.length === 0) break;
    if (pause > 0) await clock.wait(pause, signal);
    if (journal.stopped !== undefined) return;
    const people = pending.map(({ person }) => person);
    const shown = knowledge.keysAreHidden ? undefined : await readPeople(journal, lookForKeys, people);
    const users = people.flatMap(({ address }) => (shown && onlyUser(shown, address)) ?? []);
    // A service that hides keys once need not be asked for them again.
    if (users.length > 0 && users.every(({ keys }) => keys === undefined)) knowledge.keysAreHidden = true;
    const readings = pending.map((one) => {
      return { one, reading: shown === undefined ? "hidden" : readingOf(one, shown, { account, at: journal.now() }) };
    });
    journal.record(readings.flatMap(({ reading }) => (typeof reading === "string" ? [] : [reading])));
    hidden.push(...readings.flatMap(({ one, reading }) => (reading === "hidden" ? [one] : [])));
    pending = readings.flatMap(({ one, reading }) => (reading === "pending" ? [one] : []));
  }
  if (pending.length > 0) knowledge.readsAreLate = true;
  if (journal.stopped !== undefined) return;
  const unknown = hidden.filter(
    ({ of, person, team }) => of === "team" || !knowledge.givenKey(person.address, team?.team),
  );
  // An identifier is written at the team.
  const reasons = { key: because, team: because.filter(({ as }) => as === "team") };
  const about = (one: MissingFact) => ({ subject: subjectOf(one), because: reasons[one.of] });
  for (const one of unknown) journal.found({ ...hiddenTexts(one), ...about(one) });
  for (const one of pending) journal.found({ ...pendingTexts(one), ...about(one), kind: "task" });
}

/** What one read teaches of it. `pending`: it may show a moment later. */
function readingOf(
  { of, person: { address }, team }: MissingFact,
  shown: Shown,
  { account, at }: { readonly account: string; readonly at: string },
): EventOf<"key-learned"> | EventOf<"team-identified"> | "pending" | "hidden" {
  const found = shown(address);
  if (found.is !== "present") return found.is === "unknown" && found.users.length > 0 ? "hidden" : "pending";
  const { user } = found;
  const standing = team === undefined ? undefined : standingOf({ of: "membership", address, team }, user);
  if (standing?.is === "absent" || (standing === undefined && user.keys?.length === 0)) return "pending";
  const ofTeam = standing?.is === "present" ? standing.key : undefined;
  const key = team === undefined ? shownOwnKey(user) : ofTeam;
  if (of === "key" || team === undefined) {
    const { prefix, roles } = key ?? {};
    return prefix === undefined ? "hidden" : { type: "key-learned", at, address, team: team?.team, prefix, roles };
  }
  const identifier = key && shownTeam(key)?.identifier;
  if (identifier === undefined) return "hidden";
  return { type: "team-identified", at, team: team.team, name: team.name, account, identifier };
}

function subjectOf({ of, person: { address }, team }: MissingFact): FindingInput["subject"] {
  if (team === undefined) return userSubject(address);
  return of === "team" ? teamSubject(team.team) : memberSubject(address, team.team);
}

function pendingTexts({ of, person: { email }, team }: MissingFact): FindingTexts {
  if (team === undefined) return say("write-pending/own-key", { email });
  if (of === "team") return say("write-pending/identifier", { team: team.name });
  return say("write-pending/team-key", { email, team: team.name });
}

/** Of a creation whose answer showed several keys, it is not known which one is new. */
function hiddenTexts({ of, person: { email }, team, ambiguousKeys = [] }: MissingFact): FindingTexts {
  if (of === "team" && team !== undefined)
    return say("team-identifier-unknown/created", { team: team.name, identifier: "IDENTIFIER" });
  const key = ambiguousKeys.join(" # or ") || "PREFIX";
  const texts =
    team === undefined
      ? say("key-prefix-unknown/own", { email, why: "the service does not show it", key })
      : say("key-prefix-unknown/member", { email, team: team.name, key });
  if (ambiguousKeys.length === 0) return texts;
  const whose = team === undefined ? "the user's own key" : `the user's key in ${team.name}`;
  const several = { email, count: ambiguousKeys.length, prefixes: ambiguousKeys.join(", "), whose };
  return { ...texts, ...say("key-prefix-unknown/several", several), suggestedYaml: texts.suggestedYaml };
}

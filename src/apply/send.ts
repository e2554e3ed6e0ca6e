import type { ActionCompletion } from "../journal/schedule.ts";
import { derivedEvents } from "../journal/settle.ts";
import type { ActionId } from "../model/action.ts";
import { maxRenewals, readDelay, type WriteBehaviour } from "../model/capabilities.ts";
import type { Intent, LearnedOutcome, RunEvent } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import type { UserQuery, WriteResult } from "../ports/account-service.ts";
import { type Moment, stopwatch } from "../ports/clock.ts";
import type { ApplySession } from "./apply-session.ts";
import type { RunJournal } from "./run-journal.ts";
import { type CallTimes, readOutcome, type UnknownResult } from "./settle-by-reading.ts";

/** One call that changes something. */
interface WriteCall<T> {
  readonly action: ActionId;
  readonly intent: Intent;
  /** The people whose reads would show it. */
  readonly people: readonly UserQuery[];
  readonly call: (announced: Moment) => Promise<WriteResult<T>>;
  /** Why an answer of success is about somebody or something else; undefined where it is not. */
  readonly contradiction: (answer: T) => string | undefined;
  /** Whether an answer of success shows that the call had been done before it was announced for the last time. */
  readonly wasDoneBefore?: (answer: T, times: CallTimes) => boolean;
}

/** How a call ended. Only an unknown outcome is recorded by then. */
export type SendResult<T> =
  | { readonly is: "answered"; readonly answer: T; readonly times: CallTimes }
  /** It had no effect. */
  | { readonly is: "refused"; readonly failure: Failure; readonly times: CallTimes }
  | UnknownResult
  | { readonly is: "not-started" };

/**
 * Sends a call once, its intent durable before it. A call that could not leave in time, or whose key was refused, had no effect and is
 * sent again, announced anew. So is a throttled one, once it is known not to have been done. A call whose outcome is unknown is not sent again.
 */
export async function send<T>(session: ApplySession, sending: WriteCall<T>): Promise<SendResult<T>> {
  const written = await announceAndCall(session, sending);
  if (written === "not-started") return { is: "not-started" };
  const { answer, times } = written;
  switch (answer.outcome) {
    case "done": {
      const contradiction = sending.contradiction(answer.value);
      if (contradiction === undefined) return { is: "answered", answer: answer.value, times };
      return recordUnknownOutcome(session, sending, {
        failure: misunderstoodFailure(contradiction),
        accepted: undefined,
        times,
      });
    }
    case "failed":
      return { is: "refused", failure: answer.failure, times };
    case "throttled": {
      const failure = withThrottlingHint(answer.failure, session.writes.behaviour.throttling);
      return recordUnknownOutcome(session, sending, { failure, accepted: undefined, times });
    }
    case "unknown":
      return recordUnknownOutcome(session, sending, { failure: answer.failure, accepted: answer.accepted, times });
  }
}

/** Where it is not known whether throttled writes take effect, a person may know it. */
function withThrottlingHint(failure: Failure, throttling: WriteBehaviour["throttling"]): Failure {
  if (throttling !== undefined) return failure;
  const setting =
    "If your service never makes a throttled change, set `service.throttling: no-effect` in the settings (in CI: outside the checkout)";
  return { ...failure, hint: failure.hint === undefined ? setting : `${failure.hint}. ${setting}` };
}

function misunderstoodFailure(why: string): Failure {
  return {
    code: "misunderstood",
    message: `The answer does not match the call: ${why}`,
    hint: "Check for a proxy or a cache between roster and the service that mixes up answers",
  };
}

/** Records that the outcome of a call is not known yet. */
export function recordUnknownOutcome(
  session: ApplySession,
  { action, intent }: Pick<WriteCall<unknown>, "action" | "intent">,
  { failure, accepted, times }: Omit<UnknownResult, "is">,
): UnknownResult {
  const { journal, writes } = session;
  // The next plan compares the roles of the key, whatever became of the call.
  const isReplacement = intent.kind === "replace-roles";
  if (accepted !== undefined) writes.behaviour.recordAccepted();
  if (failure.code === "misunderstood" && accepted === undefined) writes.misunderstood(failure);
  const later = accepted === undefined ? {} : ({ accepted: true } as const);
  const since = journal.clock.monotonic() - times.ended;
  journal.record([
    {
      type: "unknown-outcome",
      at: journal.now(),
      action,
      ...(isReplacement ? { failure } : decisionLater(session, action, failure, since)),
      ...later,
    },
  ]);
  return { is: "unknown", failure, accepted, times };
}

/** Says from when on another apply knows by reading if a call took effect that ended so many milliseconds ago. */
export function decisionLater(
  { journal, writes }: ApplySession,
  action: ActionId,
  failure: Failure,
  endedAgo: number,
): Pick<Extract<RunEvent, { readonly type: "unknown-outcome" }>, "failure" | "dated" | "decidedFrom"> {
  const dated = journal.dated();
  const hinted = (next: string) => {
    const { hint } = failure;
    return { ...failure, hint: hint === undefined ? next : `${hint}. ${next}` };
  };
  if (dated === undefined) return { failure: hinted(howToResolve(journal.callId(action))) };
  const left = writes.behaviour.decidedAfter - endedAgo;
  const decidedFrom = new Date(journal.clock.now() + left).toISOString();
  const when = `Run apply again after ${decidedFrom}. It then reads if the call took effect, and sends nothing before`;
  return { failure: hinted(when), dated, decidedFrom };
}

function howToResolve(call: string): string {
  return (
    "The service does not show its time (header `Date`). So waiting alone does not show if the call took effect. " +
    `Look in the service, and run \`roster state resolve ${call}\` with \`--as done\` or \`--as not-done\``
  );
}

/** Records what a call has done, with what it has taught beyond. */
export function recordSuccess(
  journal: RunJournal,
  { action, intent }: Pick<WriteCall<unknown>, "action" | "intent">,
  learned: LearnedOutcome,
): void {
  const at = journal.now();
  journal.record([{ type: "succeeded", at, action, learned }, ...derivedEvents(intent, learned, at)]);
}

/** Records that a call had no effect, which ends its action. */
export function recordFailure(journal: RunJournal, action: ActionId, failure: Failure): ActionResult {
  journal.record([{ type: "failed", at: journal.now(), action, failure }]);
  return { is: "ended", ended: { done: false }, failure };
}

/** How often a call is announced that could not leave in time, or whose key is refused while another one takes its place. */
const maxUntried = 8;

type SendAgain = NonNullable<Extract<WriteResult<never>, { readonly outcome: "failed" }>["sendAgain"]>;

function maySendAgain(untried: readonly SendAgain[]): boolean {
  return untried.length < maxUntried && untried.filter((why) => why === "new-key").length <= maxRenewals;
}

interface WriteAttempt<T> {
  readonly answer: WriteResult<T>;
  readonly times: CallTimes;
}

async function announceAndCall<T>(
  session: ApplySession,
  sending: WriteCall<T>,
): Promise<WriteAttempt<T> | "not-started"> {
  const { journal, writes } = session;
  const { clock } = journal;
  const { action, intent, call } = sending;
  const elapsed = stopwatch(clock);
  let last: WriteAttempt<T> | "not-started" = "not-started";
  let tries = 0;
  let wasReadAsUndone = false;
  const untried: SendAgain[] = [];
  const announce = () => journal.announce({ action, intent });
  for (let announced = await announce(); announced !== undefined; announced = await announce()) {
    const answer: WriteResult<T> = await call(announced);
    last = { answer, times: { announced: announced.monotonic, ended: clock.monotonic() } };
    if (answer.outcome === "failed" && answer.sendAgain !== undefined) {
      untried.push(answer.sendAgain);
      // It had no effect, and does not count as a try.
      if (maySendAgain(untried)) continue;
    }
    tries += 1;
    if (wasReadAsUndone) last = { ...last, answer: await checkSecondAnswer(session, sending, last) };
    if (last.answer.outcome !== "throttled") return last;
    writes.concurrency.throttled();
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

/** Milliseconds to wait before a throttled call is sent again. `fraction`: in [0, 1), so that not all come back together. */
function throttledBackoff(tries: number, asked: number | undefined, fraction: number): number {
  const backoff = firstBackoff * 2 ** (tries - 1);
  return Math.ceil((asked ?? backoff / 2) + (backoff / 2) * fraction);
}

/**
 * What becomes of a throttled call. It is sent again where that does no harm, or where reads have shown that it was not done; it has
 * failed where it is known to have had no effect; else its outcome is unknown.
 */
type AfterThrottling = "harmless" | "read-as-undone" | "failed" | "unknown";

async function afterThrottling<T>(
  session: ApplySession,
  sending: WriteCall<T>,
  last: WriteAttempt<T> & { readonly tries: number; readonly elapsed: number },
): Promise<AfterThrottling> {
  const { answer, times, tries, elapsed } = last;
  const { journal, writes } = session;
  const { behaviour } = writes;
  const asked = answer.outcome === "throttled" ? answer.askAfter : undefined;
  const isHarmless = () => sending.intent.kind === "replace-roles" || behaviour.throttling === "no-effect";
  const gaveUp = isHarmless() ? "failed" : "unknown";
  const pause = throttledBackoff(tries, asked, writes.jitter(`${sending.action} ${tries}`));
  const isOver = tries >= maxTries || elapsed + pause > maxThrottledTime || journal.stopped !== undefined;
  if (isOver || (!isHarmless() && behaviour.throttling === "may-have-effect")) return gaveUp;
  const enough = isHarmless() ? pause : Math.max(pause, times.announced + readDelay - journal.clock.monotonic());
  await journal.wait(enough, "the service asks roster to retry later");
  if (isHarmless()) return "harmless";
  const verdict = await readOutcome(session, sending, {
    times,
    why: "the service asked roster to retry later, and reads do not show yet if the call took effect",
    pauses: pausesAfterThrottling,
  });
  if (verdict?.as.done === true) behaviour.learnThrottling("may-have-effect");
  if (verdict?.as.done !== false) return isHarmless() ? "harmless" : "unknown";
  behaviour.throttledWithoutEffect();
  return "read-as-undone";
}

/** Milliseconds before each read: two that are proof need twice the age of the first one. */
const pausesAfterThrottling = [0, 2500, 3000];

/**
 * The answer to a call that was sent again after it had been throttled. Where it is refused as if it had been done before, only reading
 * tells whether it was.
 */
async function checkSecondAnswer<T>(
  session: ApplySession,
  sending: WriteCall<T>,
  { answer, times }: WriteAttempt<T>,
): Promise<WriteResult<T>> {
  const { behaviour } = session.writes;
  if (answer.outcome === "done") {
    if (sending.wasDoneBefore?.(answer.value, times) === true) behaviour.learnThrottling("may-have-effect");
    return answer;
  }
  if (answer.outcome !== "failed") return answer;
  const { failure } = answer;
  if (failure.code !== "conflict" && failure.code !== "refused") return answer;
  // Reads had shown before that it was not there: what is there now is most likely the throttled call's.
  const isThere = async () => (await readOutcome(session, sending, { times, why: "", pauses: [0] }))?.as.done === true;
  if (failure.code === "conflict" || (await isThere())) behaviour.learnThrottling("may-have-effect");
  return { outcome: "unknown", failure };
}

/** How an action that was taken up has ended. */
export type ActionResult =
  /** `failure`: what the call was answered with, where it did not succeed. */
  | { readonly is: "ended"; readonly ended: ActionCompletion; readonly failure?: Failure }
  /** Its call was not sent, because the run was stopped before. */
  | { readonly is: "not-started" };

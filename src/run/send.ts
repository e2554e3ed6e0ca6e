import { maxRenewals, readDelay, type WriteBehaviour } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { sha256 } from "../model/json.ts";
import type { ActionId } from "../model/plan.ts";
import { callIdOf } from "../model/state.ts";
import type { WriteResult } from "../ports/account-service.ts";
import { type Moment, stopwatch } from "../ports/clock.ts";
import type { UpcomingCall } from "./journal.ts";
import { type CallTimes, readOutcome, type UnknownResult } from "./resolve.ts";
import type { ActionEnd } from "./schedule.ts";
import type { RunSession } from "./session.ts";

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

/** `contradiction`: why the answer is about somebody or something else. */
export function misunderstood(contradiction: string): Failure {
  return {
    code: "misunderstood",
    message: `The answer does not match the call: ${contradiction}`,
    hint: "Check for a proxy or a cache between roster and the service that mixes up answers",
  };
}

/** Where it is not known whether throttled writes take effect, a person may know it. */
const settingHint =
  "If your service never makes a throttled change, set `service.throttling: no-effect` in the settings (in CI, outside the checkout)";

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
  const at = journal.now();
  const isAccepted = accepted === undefined ? undefined : (true as const);
  const record = (fields: Pick<EventOf<"unknown-outcome">, "failure" | "dated" | "decidedFrom">) =>
    journal.record([{ type: "unknown-outcome", at, action, ...fields, ...definedFields({ accepted: isAccepted }) }]);
  const dated = journal.dated();
  // The next plan compares the roles of the key, whatever became of the call.
  if (intent.kind === "replace-roles") record({ failure });
  else if (dated === undefined)
    record({ failure: withHint(failure, howToResolve(callIdOf({ run: journal.run, action }))) });
  else {
    const left = knowledge.decidedAfter - (clock.monotonic() - times.ended);
    const decidedFrom = new Date(clock.now() + left).toISOString();
    const when = `Run apply again after ${decidedFrom}. It then reads if the call took effect, and sends nothing before`;
    record({ failure: withHint(failure, when), dated, decidedFrom });
  }
  if (failure.code === "misunderstood" && knowledge.misunderstood >= maxMisunderstood)
    journal.stop(`${maxMisunderstood} answers did not match their calls. The last one: ${failure.message}`);
  return { is: "unknown", failure, accepted, times };
}

function howToResolve(call: string): string {
  return (
    "The service does not show its time (header `Date`). So waiting alone does not show if the call took effect. " +
    `Look in the service, and run \`roster state resolve ${call}\` with \`done\` or \`not-done\``
  );
}

export function recordSuccess({ journal }: RunSession, action: ActionId, learned: LearnedOutcome): void {
  journal.record([{ type: "succeeded", at: journal.now(), action, learned }]);
}

export function recordFailure({ journal }: RunSession, action: ActionId, failure: Failure): ActionEnd {
  journal.record([{ type: "failed", at: journal.now(), action, failure }]);
  return { is: "not-done", failure };
}

/** Records at once what a call has taught of how the service takes writes, unless it is known. */
export function learnWrites({ journal, knowledge }: RunSession, more: Partial<WriteBehaviour>): void {
  const writes = { ...knowledge.writes, ...more };
  const { throttling, membersNamedBy } = knowledge.writes;
  if (writes.throttling === throttling && writes.membersNamedBy === membersNamedBy) return;
  journal.record([{ type: "writes-learned", at: journal.now(), writes }]);
}

/** How often a call is announced that could not leave in time, or whose key is refused while another one takes its place. */
const maxUntried = 8;

type SendAgain = NonNullable<Extract<WriteResult<never>, { readonly outcome: "failed" }>["sendAgain"]>;

interface WriteAttempt<T> {
  readonly answer: WriteResult<T>;
  readonly times: CallTimes;
}

async function announceAndCall<T>(
  session: RunSession,
  sending: WriteCall<T>,
): Promise<WriteAttempt<T> | "not-started"> {
  const { journal, clock, concurrency, service, signal } = session;
  const { action, intent, call } = sending;
  const elapsed = stopwatch(clock);
  let last: WriteAttempt<T> | "not-started" = "not-started";
  let tries = 0;
  let wasReadAsUndone = false;
  const untried: SendAgain[] = [];
  const announce = async () => {
    await service.mayStart?.(signal);
    return journal.announce({ action, intent });
  };
  for (let announced = await announce(); announced !== undefined; announced = await announce()) {
    const answer: WriteResult<T> = await call(announced);
    last = { answer, times: { announced: announced.monotonic, ended: clock.monotonic() } };
    if (answer.outcome === "failed" && answer.sendAgain !== undefined) {
      untried.push(answer.sendAgain);
      const renewals = untried.filter((why) => why === "new-key").length;
      // It had no effect, and does not count as a try.
      if (untried.length < maxUntried && renewals <= maxRenewals) continue;
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
  const pause = pauseAfterThrottling(sending, tries, askAfter);
  const isOver = tries >= maxTries || elapsed + pause > maxThrottledTime || journal.stopped !== undefined;
  if (isOver || (!isHarmless() && knowledge.throttling === "may-have-effect")) return gaveUp;
  const enough = isHarmless() ? pause : Math.max(pause, times.announced + readDelay - clock.monotonic());
  await journal.pause(enough, "the service asks roster to retry later");
  if (isHarmless()) return "harmless";
  const verdict = await readOutcome(session, sending.intent, {
    times,
    why: "the service asked roster to retry later, and reads do not show yet if the call took effect",
    pauses: pausesAfterThrottling,
  });
  if (verdict?.as.done === true) learnWrites(session, { throttling: "may-have-effect" });
  if (verdict?.as.done !== false) return isHarmless() ? "harmless" : "unknown";
  knowledge.throttledWithoutEffect += 1;
  if (knowledge.throttledWithoutEffect >= minWithoutEffect && knowledge.writes.throttling === undefined)
    learnWrites(session, { throttling: "no-effect" });
  return "read-as-undone";
}

/** In milliseconds. The jitter is the same for the same call, so that calls throttled together do not all come back together. */
function pauseAfterThrottling({ action }: UpcomingCall, tries: number, askAfter: number | undefined): number {
  const backoff = firstBackoff * 2 ** (tries - 1);
  const jitter = Number.parseInt(sha256(`${action} ${tries}`).slice(0, 8), 16) / 0x1_0000_0000;
  return Math.ceil((askAfter ?? backoff / 2) + (backoff / 2) * jitter);
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

import { judgeCall } from "../journal/settle.ts";
import type { Evidence, Verdict } from "../journal/settling-evidence.ts";
import { taughtBy } from "../journal/taught.ts";
import type { ActionId } from "../model/action.ts";
import type { Capabilities } from "../model/capabilities.ts";
import { stopsTheRun } from "../model/failure.ts";
import type { Intent, RunEvent } from "../model/run-event.ts";
import { laterSettlingTime, settlingTime } from "../model/settling.ts";
import type { Accepted } from "../ports/account-service.ts";
import type { SoughtPerson } from "../ports/people-reader.ts";
import type { PeopleShown } from "./people-look.ts";
import type { RunContext } from "./run-context.ts";
import type { Unknown } from "./send.ts";

/** A call whose outcome is not known, and the people who tell it. */
export interface Doubt {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly people: readonly SoughtPerson[];
}

/** How long and how often is read until a call is settled. */
interface Patience {
  /** Milliseconds before each read. */
  readonly pauses: readonly number[];
  /** What the waits are for. */
  readonly why: string;
  /** From when on, in milliseconds since the epoch, what does not show was not done; absent where that cannot be told in this run. */
  readonly settledFrom?: number;
}

/** Milliseconds before each read, for a call that was just sent: until the settling time is over, and once after it. */
const pausesWhenSent = [0, 500, 1000, 2000, 2000, 4000];

/** The same for a call that the service took for later, where it does not say when to ask. */
const pausesWhenAccepted = [500, 1000, 2000, 4000, 8000, 14_500];

/** How long a call that was taken for later is waited for, in milliseconds. */
const acceptedPatience = 30_000;

/**
 * Settles a call of unknown outcome by reading, within seconds, and never by sending it again; undefined where reading
 * cannot tell. What was settled is recorded, with what it has taught.
 */
export async function settleInRun(context: RunContext, doubt: Doubt, unknown: Unknown): Promise<Verdict | undefined> {
  const verdict = await readUntilSettled(context, doubt, patienceFor(unknown, context));
  if (verdict === undefined) return undefined;
  const at = context.now();
  const { action, intent } = doubt;
  const settled: RunEvent = { type: "settled", at, run: context.work.run, action, ...verdict };
  await context.record([settled, ...(verdict.as.done ? taughtBy(intent, verdict.as.learned, at) : [])]);
  return verdict;
}

function patienceFor({ accepted, at }: Unknown, { queues }: RunContext): Patience {
  if (accepted === undefined) {
    const why = "the answer was lost, and reading does not show yet what became of the call";
    // Its answer may have been that it is taken for later.
    return { pauses: pausesWhenSent, why, settledFrom: at + (queues ? laterSettlingTime : settlingTime) };
  }
  return {
    pauses: pausesFor(accepted),
    why: "the service took the call for later, and reading does not show it done yet",
  };
}

function pausesFor({ askAfter }: Accepted): readonly number[] {
  if (askAfter === undefined) return pausesWhenAccepted;
  const pause = Math.min(Math.max(askAfter, 1000), acceptedPatience);
  return Array.from({ length: Math.max(1, Math.floor(acceptedPatience / pause)) }, () => pause);
}

/** Reads what an answer left untold, since `at`; undefined where reading cannot tell. Records nothing. */
export function readUntold(
  context: RunContext,
  doubt: Omit<Doubt, "action">,
  { at, why }: { readonly at: number; readonly why: string },
): Promise<Verdict | undefined> {
  return readUntilSettled(context, doubt, { pauses: pausesWhenSent, why, settledFrom: at + settlingTime });
}

async function readUntilSettled(
  context: RunContext,
  { intent, people }: Omit<Doubt, "action">,
  { pauses, why, settledFrom = Number.POSITIVE_INFINITY }: Patience,
): Promise<Verdict | undefined> {
  let partly: Verdict | undefined;
  for (const pause of pauses) {
    await waitFor(context, pause, why);
    if (context.stopped !== undefined) return partly;
    const readAt = context.clock.now();
    const shown = await context.settling(people);
    if (!shown.ok) {
      if (stopsTheRun(shown.error)) context.stop(shown.error);
      continue;
    }
    const age = readAt >= settledFrom ? "settled" : "fresh";
    const verdict = judgeCall(intent, evidenceOf(shown.value, context.work.capabilities), age);
    if (verdict !== undefined && verdict.except === undefined) return verdict;
    partly = verdict ?? partly;
  }
  return partly;
}

/** Waits and says why; a wait of nothing is not told. */
export async function waitFor(context: RunContext, milliseconds: number, why: string): Promise<void> {
  if (milliseconds === 0 || context.stopped !== undefined) return;
  await context.record([{ type: "waiting", at: context.now(), milliseconds, why }]);
  await context.clock.wait(milliseconds, context.signal);
}

const nothingKnown: Capabilities = {
  keysOnUsers: "unknown",
  rolesOnKeys: "unknown",
  teamsOnKeys: "unknown",
  titles: "unknown",
  totals: "unknown",
  paging: { firstPage: "unknown" },
};

/** What was shown, as evidence of what became of a call. */
export function evidenceOf(shown: PeopleShown, capabilities: Capabilities = nothingKnown): Evidence {
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

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { usersObserved } from "../../src/log/observed-events.ts";
import type { Plan } from "../../src/model/plan.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { observe } from "../../src/observe/observe.ts";
import { peopleReader } from "../../src/observe/read-users.ts";
import { makePlan } from "../../src/plan/make-plan.ts";
import type { AccountService } from "../../src/ports/account-service.ts";
import { type Clock, isoTime } from "../../src/ports/clock.ts";
import type { LogSession } from "../../src/ports/log.ts";
import { resolveOpen } from "../../src/run/assess.ts";
import { applyPlan } from "../../src/run/run.ts";
import { alwaysAsync } from "../support/always.ts";
import { type Crash, crashAtStep } from "../support/crash.ts";
import { walls } from "../support/drawn/draw.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt, tellingTime } from "../support/fixed-ports.ts";
import { birthsIn, laggingReads } from "../support/lagging-reads.ts";
import { memorySession } from "../support/memory-session.ts";
import { aContext } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { aFailure, type ServiceCall, simulatedService } from "../support/simulated-service.ts";
import { type WallDraw, wallTime } from "../support/virtual-time.ts";
import type { Hidden } from "../support/visibility.ts";

/** What goes wrong in one run. */
interface Trouble {
  /** The step at which the process is killed. */
  readonly killedAt: number;
  /** Of so many writes one loses its answer, after or before its effect; 0 for none. */
  readonly losesEvery: number;
  readonly losesEffect: boolean;
  /** Reads at once instead of waiting until open calls have settled. */
  readonly hurries: boolean;
  /** Makes one call at a time, and waits in earnest until reading settles what was lost. */
  readonly waits: boolean;
  /** How long it takes until the next run, in milliseconds. */
  readonly pause: number;
  /** How the clock of its machine goes. */
  readonly wall: WallDraw;
}

const trouble: fc.Arbitrary<Trouble> = fc.record({
  killedAt: fc.integer({ min: 1, max: 120 }),
  losesEvery: fc.nat(6),
  losesEffect: fc.boolean(),
  hurries: fc.boolean(),
  waits: fc.boolean(),
  pause: fc.constantFrom(0, 100, 2000, 10_000),
  wall: walls.map((wall) => wall ?? { ahead: 0 }),
});

/** Milliseconds that each durable write takes. */
const writeTimes = fc.constantFrom(0, 0, 300, 2000);

const calm: Trouble = {
  killedAt: Number.POSITIVE_INFINITY,
  losesEvery: 0,
  losesEffect: false,
  hurries: false,
  waits: false,
  // A call of a process that died may take effect as late as that of one that lives.
  pause: 60_000,
  wall: { ahead: 0 },
};

/** Milliseconds after which what reads do not show was not done. */
const consistency = 10_000;

/** How long reads may lag behind writes: less than that. */
const lags = fc.constantFrom(0, 1000, 4000, 8000);

const hiding: fc.Arbitrary<readonly Hidden[]> = fc.constantFrom<readonly Hidden[]>(
  [],
  [],
  ["created-key", "created-team", "added-keys"],
  ["added-members", "created-identifier"],
  ["team-identifiers"],
  ["user-identifiers"],
  ["teams"],
  ["keys"],
);

interface Ports {
  readonly service: AccountService;
  readonly session: LogSession;
  readonly run: string;
  readonly machine: Clock;
  /** The clock of the reads before the plan. */
  readonly reads: Clock;
  readonly waits: boolean;
}

/** Runs apply again and again, in trouble at first, over one world and one state; returns what it came to. */
async function story(input: {
  readonly situation: Parameters<typeof worldOf>[0];
  readonly troubles: readonly Trouble[];
  readonly lag: number;
  readonly hides: readonly Hidden[];
  readonly writeTime: number;
}) {
  const { situation, troubles, lag, hides, writeTime } = input;
  const roster = rosterOf(situation);
  const clock = clockAt(noon);
  const world = worldOf(situation);
  const births = birthsIn(world, clock, lag);
  const refusals: string[] = [];
  const mails: string[] = [];
  let state: State = emptyState("l");
  let plan: Plan | undefined;
  for (const [index, trouble_] of troubles.entries()) {
    const crash = crashAtStep(trouble_.killedAt);
    const wall = wallTime(trouble_.wall, clock.now());
    const machine: Clock = { ...clock, now: () => wall(clock.now()) };
    let writes = 0;
    const loses = (route: string) => {
      if (!/create|add|replace/.test(route)) return false;
      writes += 1;
      return trouble_.losesEvery > 0 && writes % trouble_.losesEvery === 0;
    };
    const lost = { outcome: "unknown", failure: aFailure("unreachable", "the answer was lost") } as const;
    const losing = new Set<ServiceCall>();
    const simulated = simulatedService({
      world,
      hides,
      async before(call) {
        await crash.step();
        clock.move(10);
        if (!loses(call.route)) return undefined;
        losing.add(call);
        return trouble_.losesEffect ? lost : undefined;
      },
      async after(call) {
        births.note();
        await crash.step();
        return losing.has(call) ? lost : undefined;
      },
    });
    const service = tellingTime(laggingReads(simulated, births), clock);
    const session = memorySession(state, () => clock.move(writeTime));
    const reads = trouble_.hurries ? hasty(machine) : machine;
    const { waits } = trouble_;
    const ran = runOnce({ service, session: mortal(session, crash), run: `r${index}`, machine, reads, waits });
    const ended = await Promise.race([ran, crash.happened]);
    if (ended !== "crashed") plan = ended;
    births.note();
    state = session.saved();
    refusals.push(...simulated.refusals);
    mails.push(...simulated.outbox.map(({ email, team }) => `${email} ${team}`));
    clock.move(trouble_.pause);
    // Until then every clock that was ahead has come past the consistency window.
    if (trouble_ !== calm && troubles[index + 1] === calm) clock.move(2 * 3_600_000);
  }
  return { state, plan, refusals, mails };

  async function runOnce(ports: Ports): Promise<Plan> {
    const { service, session, run, machine, reads, waits } = ports;
    const reading = { service, clock: reads, progress: () => undefined, parallelism: 4 };
    const question = { roster, state: session.state, everyone: "when-needed" } as const;
    const snapshot = await observe(question, reading);
    if (!snapshot.ok) throw new Error(snapshot.error.message);
    const settled = resolveOpen(session.state, snapshot.value, { at: isoTime(machine), consistency });
    const known = applyEvents(session.state, settled);
    const context = aContext({ roster, snapshot: snapshot.value, state: known, allows: ["unproven-absence:*"] });
    const made = makePlan(context);
    if (!made.ok) throw new Error(made.error.message);
    const seen = usersObserved(roster, snapshot.value, known, { at: isoTime(machine), allowed: [] });
    await session.append([...settled, ...(seen === undefined ? [] : [seen])]);
    const { readAt: factsAt, capabilities } = snapshot.value;
    const { privilegedRoles } = context.policy;
    const work = { plan: made.value, run, factsAt, capabilities, privilegedRoles };
    const people = peopleReader({ service, parallelism: 4, known: snapshot.value.users });
    const writing = {
      service,
      people,
      session,
      clock: waits ? machine : hasty(machine),
      parallelism: waits ? 1 : 4,
    };
    const events = applyPlan(work, writing);
    while (!(await events.next()).done);
    return made.value;
  }
}

/** Waiting takes no time: else one action's wait would make every call that is under way beside it last as long. */
function hasty(clock: Clock): Clock {
  return { ...clock, wait: async () => undefined };
}

/** A session that takes its time, whose process can be killed before, during and right after an append. */
function mortal(session: LogSession, crash: Crash): LogSession {
  return {
    ...session,
    async append(events) {
      await crash.step();
      await new Promise<void>((resolve) => setImmediate(resolve));
      await crash.step();
      await session.append(events);
      await crash.step();
    },
  };
}

const settings = { seed: 7, numRuns: runs(250) };

describe("a run that can be killed anywhere, then run again", () => {
  test("creates nobody twice and invites nobody twice, whatever the service hides and however late it shows", async () => {
    await alwaysAsync(
      settings,
      situations,
      fc.array(trouble, { minLength: 1, maxLength: 3 }),
      lags,
      hiding,
      writeTimes,
      async (situation, troubles, lag, hides, writeTime) => {
        const all = [...troubles, calm, calm];
        const { refusals, mails } = await story({ situation, troubles: all, lag, hides, writeTime });
        expect(refusals.filter((text) => text.includes("already"))).toEqual([]);
        expect(new Set(mails).size).toBe(mails.length);
      },
    );
  });

  test("creates nobody twice where a slow store announces calls long before they are sent, and reads show them late", async () => {
    await alwaysAsync(
      { seed: 7, numRuns: runs(60) },
      situations,
      fc.array(trouble, { minLength: 1, maxLength: 3 }),
      async (situation, troubles) => {
        const all = [...troubles, calm, calm];
        const { refusals, mails } = await story({ situation, troubles: all, lag: 8000, hides: [], writeTime: 2000 });
        expect(refusals.filter((text) => text.includes("already"))).toEqual([]);
        expect(new Set(mails).size).toBe(mails.length);
      },
    );
  });

  test("comes to what one undisturbed run comes to, where the service shows what it has", async () => {
    await alwaysAsync(
      settings,
      situations,
      fc.array(trouble, { minLength: 1, maxLength: 3 }),
      lags,
      writeTimes,
      async (situation, troubles, lag, writeTime) => {
        const { state, plan } = await story({
          situation,
          troubles: [...troubles, calm, calm, calm, calm],
          lag,
          hides: [],
          writeTime,
        });
        expect(state.open).toEqual([]);
        expect(plan?.actions).toEqual([]);
      },
    );
  });
});

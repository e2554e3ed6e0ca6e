import { foldAddress } from "../../src/model/address.ts";
import type { OpenIntent } from "../../src/model/call.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { sha256 } from "../../src/model/json.ts";
import type { State } from "../../src/model/state.ts";
import { type Dice, diceOf } from "../support/dice.ts";
import { settled } from "../support/settled.ts";
import { type Company, drawnCompany } from "./company.ts";
import { applyBy, breakLock, resolveAsNotDone, stateOn } from "./doors.ts";
import { type Came, type Ledger, newLedger } from "./ledger.ts";
import { type Blow, type SimulatedPlace, type SimulatedProcess, simulatedPlace } from "./machine.ts";
import { drawnWays, type Service, simulatedService, type Ways, type WireAnswer } from "./service.ts";
import { type SimulatedTime, simulatedTime } from "./time.ts";
import { newTruth, type Truth } from "./truth.ts";
import { simulatedWire } from "./wire.ts";

export interface Played {
  readonly people: number;
  readonly applies: number;
  /** Applies whose process died, or was stopped in its midst. */
  readonly crashes: number;
  /** Of them: those that slept while another took the lock over, and then went on. */
  readonly overtaken: number;
  /** Calls that were lost, late, refused or left without an answer, disks that failed, and losses of power. */
  readonly faults: number;
  readonly breaches: readonly string[];
  /** Of all that was asked, answered, told and kept. */
  readonly digest: string;
}

/**
 * One company with its service, its disk and its time, from the first apply until the roster is reached, through whatever the seed has
 * in store: the same seed gives the same bytes. `tell` hears of everything.
 */
export async function play(seed: number, tell: (line: string) => void = () => undefined): Promise<Played> {
  const stage = stageOf(seed, tell);
  const { time, place, company, ledger, count } = stage;
  const people = company.people().length;
  try {
    await time.withIntervals(() => story(stage));
  } catch (error) {
    ledger.breach(`it throws: ${error instanceof Error ? error.stack : String(error)}`);
  }
  const digest = sha256(JSON.stringify([ledger.told, place.disk().content()]));
  return { people, ...count, breaches: ledger.breaches, digest };
}

/** First everything goes wrong now and then, and the roster changes; then nothing does, and it must be reached. */
async function story(stage: Stage): Promise<void> {
  const { dice, time, company, ledger } = stage;
  const rounds = dice.between(4, 10);
  for (let round = 1; round <= rounds; round += 1) {
    if (round > 1) await time.pass(dice.one([0, 100, 4000, 70_000, 17 * minute] as const) ?? 0);
    if (round > 1 && dice.chance(0.3)) company.edit();
    if (round > 2 && stage.deleted === undefined && dice.chance(0.08)) await time.until(deleteSomebody(stage));
    await troubledApply(stage);
    await ledger.settle();
    if (ledger.breaches.length > 0) return;
    if (dice.chance(0.5)) await misjudgeCreations(stage);
  }
  await calmApplies(stage);
  await ledger.settle();
}

/** An administrator deletes somebody whom the state knows for good: they must never be created again. */
async function deleteSomebody(stage: Stage): Promise<void> {
  const { dice, place, company, service, ledger } = stage;
  const state = await stateOn(place.durableImage(), place);
  if (typeof state === "string") return;
  stage.deleted = dice.one(company.people().filter((email) => state.users.has(foldAddress(email))));
  if (stage.deleted === undefined) return;
  ledger.note(`${stage.deleted} is deleted in the service`);
  service.remove(stage.deleted);
}

/** A person says too early that creations with a team were not done. By the next apply reads show those that were. */
async function misjudgeCreations({ time, place, ways, ledger }: Stage): Promise<void> {
  await time.until(breakLock(place));
  const person = place.start({ wall: { ahead: 0 }, syncTime: 0 });
  const isMeant = ({ intent }: OpenIntent) => intent.kind === "create-user" && intent.createsTeam !== undefined;
  const misjudged = await time.until(resolveAsNotDone(person, isMeant));
  if (misjudged.length === 0) return;
  ledger.note(`a person resolves as not done: ${misjudged.join(", ")}`);
  await time.pass(minute + Math.max(ways.lag.searches, ways.lag.lists));
}

async function troubledApply(stage: Stage): Promise<void> {
  const { dice, count } = stage;
  const trouble = dice.chance(0.5) ? (dice.one([0.1, 0.25, 0.5] as const) ?? 0) : 0;
  const blow = drawnBlow(dice);
  const breakStaleAfterMs = dice.chance(0.5) ? 2 * minute : undefined;
  const life = begin(stage, { trouble, blow, ahead: drawnAhead(stage), breakStaleAfterMs });
  const came = await end(stage, life, "until it stops");
  if (came === "stopped") await secondWriter(stage, life, trouble);
  if (came === "died") count.crashes += 1;
  if (life.process.hadDiskErrors() || (came === "died" && blow?.is === "death" && blow.power === "lost"))
    count.faults += 1;
  await look(stage);
}

async function look({ ledger, truth }: Stage): Promise<State | undefined> {
  const state = await ledger.look();
  if (state !== undefined) truth.noteOpen(state);
  return state;
}

/** While one process sleeps another takes the lock over; the first wakes before, within or after the work of the other. */
async function secondWriter(stage: Stage, first: Life, trouble: number): Promise<void> {
  const { dice, time, place, ledger, count } = stage;
  await look(stage);
  count.crashes += 1;
  count.overtaken += 1;
  first.isOvertaken = true;
  await time.pass(dice.one([300, 1500, 5000, 130_000, 20 * minute] as const) ?? 0);
  if (dice.chance(0.5)) await time.until(breakLock(place));
  const at = dice.between(1, 80);
  const blow = dice.one<Blow | undefined>([
    undefined,
    { is: "stop", at },
    { is: "stop", at },
    { is: "death", at, power: "lost" },
  ]);
  const second = begin(stage, { trouble, blow, ahead: drawnAhead(stage), breakStaleAfterMs: 2 * minute });
  const came = await end(stage, second, "until it stops");
  second.isOvertaken = came === "stopped";
  ledger.note("whoever slept wakes");
  first.process.wake();
  second.process.wake();
  const both = [end(stage, first, "to its end"), ...(came === "stopped" ? [end(stage, second, "to its end")] : [])];
  await Promise.all(both);
}

/** Nothing befalls these. */
async function calmApplies(stage: Stage): Promise<void> {
  const { time, place, service, ledger, ways, company, truth, deleted } = stage;
  const showsAll = ways.showsKeys && ways.tellsTime;
  for (let round = 1; round <= 6; round += 1) {
    await time.pass(120 * minute);
    await time.until(breakLock(place));
    const before = service.writes();
    const came = await end(stage, begin(stage, { trouble: 0 }), "to its end");
    const state = await look(stage);
    if (round === 1 || service.writes() > before || typeof came === "string") continue;
    if (showsAll) ledger.reached(came, company, deleted);
    if (state !== undefined) for (const what of truth.untrueIn(state)) ledger.breach(what);
    return;
  }
  ledger.breach("six calm applies in a row change something");
}

interface Life {
  readonly number: number;
  readonly process: SimulatedProcess;
  readonly ended: Promise<Came>;
  /** Prefixes of keys in answers that have come. */
  readonly given: Set<string>;
  /** Another has the lock, or may have it: what this one tells need not be kept. */
  isOvertaken: boolean;
}

interface Circumstances {
  readonly trouble: number;
  readonly blow?: Blow | undefined;
  /** Milliseconds by which the clock of its machine is ahead. */
  readonly ahead?: number;
  readonly breakStaleAfterMs?: number | undefined;
}

function begin(stage: Stage, { trouble, blow, ahead = 0, breakStaleAfterMs }: Circumstances): Life {
  const { dice, time, place, service, company, ledger, count, parallelism, syncTime } = stage;
  count.applies += 1;
  const process = place.start({ wall: { ahead }, blow, syncTime });
  const given = new Set<string>();
  const openTransport = simulatedWire(process, {
    time,
    dice,
    service,
    trouble,
    leaving: (request) => ledger.leaves(request, dice.chance(0.25)),
    answered(answer) {
      for (const prefix of answer.gave) given.add(prefix);
      ledger.note(`  <- ${answer.status} ${answer.body}`);
    },
    lastAnswers: stage.lastAnswers,
    befell(fate) {
      count.faults += 1;
      ledger.note(`  ${fate}`);
    },
  });
  ledger.note(`apply ${count.applies} ${JSON.stringify({ trouble, blow, ahead, breakStaleAfterMs })}`);
  const roster = company.text();
  const life: Life = { number: count.applies, process, ended: run(), given, isOvertaken: false };
  return life;

  async function run(): Promise<Came> {
    const { events, result } = await applyBy({ process, roster, parallelism, openTransport, breakStaleAfterMs });
    void listen(events);
    return settled(() => result);
  }

  async function listen(events: AsyncIterable<RunEvent>): Promise<void> {
    const untrue = stage.truth.listener();
    for await (const event of events) {
      if (process.state() === "dead") return;
      ledger.note(`  ${JSON.stringify(event)}`);
      const lies = untrue(event);
      // Another run may have done since what a sleeper hears of late.
      if (!life.isOvertaken) for (const what of lies) ledger.breach(what);
      // Where the place of the state is lost, what was learned is told all the same.
      if (!life.isOvertaken && !process.hadDiskErrors()) ledger.learned(event, given);
    }
  }
}

/** Lets an apply go on, and looks at what comes of it. */
async function end(stage: Stage, life: Life, how: "to its end" | "until it stops"): Promise<Came | "died" | "stopped"> {
  const { time, ledger } = stage;
  const { process, ended, given } = life;
  const ends: Promise<Came | "died" | "stopped">[] = [ended, process.died];
  const came = await time.until(Promise.race(how === "to its end" ? ends : [...ends, process.stopped]));
  await ledger.settle();
  if (typeof came === "string") {
    ledger.note(`== apply ${life.number} ${came} at step ${process.steps()}`);
    return came;
  }
  ledger.ended(came, life.isOvertaken || process.hadDiskErrors() ? "disturbed" : "alone");
  if (came.ok || came.error.code !== "state") ledger.learned("everything", given);
  return came;
}

/** Where nobody sets the clocks, those of some machines are wrong. */
function drawnAhead({ dice, clocks }: Stage): number {
  return clocks === "drift" && dice.chance(0.5) ? dice.between(-90, 7200) * 1000 : 0;
}

function drawnBlow(dice: Dice): Blow | undefined {
  const at = dice.between(1, dice.one([15, 40, 90] as const) ?? 40);
  const drawn = dice.below(100);
  if (drawn < 42) return { is: "death", at, power: dice.chance(0.5) ? "lost" : "kept" };
  if (drawn < 56) return { is: "stop", at };
  if (drawn >= 62) return undefined;
  return { is: "disk-error", at, code: dice.one(["ENOSPC", "EIO"] as const) ?? "EIO", calls: dice.between(1, 6) };
}

interface Stage {
  readonly dice: Dice;
  readonly time: SimulatedTime;
  readonly place: SimulatedPlace;
  readonly ways: Ways;
  readonly service: Service;
  readonly company: Company;
  readonly ledger: Ledger;
  readonly truth: Truth;
  readonly count: { applies: number; crashes: number; overtaken: number; faults: number };
  readonly parallelism: number;
  readonly clocks: "right" | "drift";
  /** Milliseconds that it takes until something is durable. */
  readonly syncTime: number;
  readonly lastAnswers: Map<string, WireAnswer>;
  deleted: string | undefined;
}

const minute = 60_000;
const start = Date.parse("2026-11-20T12:00:00Z");

function stageOf(seed: number, tell: (line: string) => void): Stage {
  const dice = diceOf(seed);
  const time = simulatedTime(dice, start, (milliseconds) => place.pass(milliseconds));
  const place = simulatedPlace(dice, time);
  const ways = drawnWays(dice);
  const service = simulatedService(ways, time.now);
  const company = drawnCompany(dice, service);
  const ledger = newLedger(service, place, (line) => tell(`${new Date(time.now()).toISOString()} ${line}`));
  const parallelism = dice.one([1, 4, 10] as const) ?? 4;
  const clocks = dice.chance(0.5) ? "drift" : "right";
  const syncTime = dice.one([0, 0, 0, 0, 3, 40, 700, 2500] as const) ?? 0;
  const count = { applies: 0, crashes: 0, overtaken: 0, faults: 0 };
  tell(`${JSON.stringify({ ways, parallelism, clocks, syncTime })}\n${company.text()}`);
  return {
    dice,
    time,
    place,
    ways,
    service,
    company,
    ledger,
    truth: newTruth(service, ways, time.now),
    count,
    parallelism,
    clocks,
    syncTime,
    lastAnswers: new Map(),
    deleted: undefined,
  };
}

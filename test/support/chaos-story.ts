import type { ChaosDraw, RunDraw, ServiceDraw } from "./chaos-draw.ts";
import { faultsOf } from "./chaos-faults.ts";
import { type Stage, setStage } from "./chaos-stage.ts";
import { tamper } from "./chaos-tampering.ts";
import { judgeEnd, judgeFinally, judgeMoment } from "./chaos-verdict.ts";

/** Longer than the consistency window, after which reads tell what was not done. */
const calmPause = 16 * 60_000;

/** Until then every clock that was ahead of the right one has come past the consistency window. */
const wrongClockPause = 2 * 3_600_000;

/** Longer than reads may lag: who forgets what was done needs reads that show it. */
const forgettingPause = 10_000;

/** Plays a draw to its end and tells everything that should not have been, in one sentence each. */
export async function story(draw: ChaosDraw, tell: Stage["tell"] = () => undefined): Promise<readonly string[]> {
  const stage = await setStage(draw, tell);
  try {
    for (const [index, run] of draw.runs.entries()) await disturbedRun(stage, run, `run ${index + 1}`);
    if (draw.runs.some(({ wall }) => wall !== undefined)) await stage.time.pass(wrongClockPause);
    await calmRuns(stage, Math.max(...draw.runs.map(({ edition }) => edition)));
    return stage.troubles;
  } finally {
    await stage.close();
  }
}

async function disturbedRun(stage: Stage, run: RunDraw, where: string): Promise<void> {
  const { draw, time, witness, troubles } = stage;
  for (const one of tamperingOf(draw, run)) tamper(one, stage);
  await stage.putRoster(run.edition);
  const recorded = await recordedPeople(stage);
  const before = witness.creations.length;
  const fault = faultsOf(run, draw.service);
  const ran = await stage.run(["apply", "--auto-approve"], {
    parallelism: run.parallelism,
    fault,
    stateFault: run.stateFault,
    wall: run.wall,
  });
  if (ran === "killed") stage.tell(`${where}: killed`);
  else judgeEnd(stage, ran, run.edition, where);
  for (const address of witness.creations.slice(before)) {
    if (recorded.has(address)) troubles.push(`${where}: creates ${address}, who was recorded`);
  }
  await judgeMoment(stage, where);
  if (run.losesState && draw.service.showsAll) {
    await stage.keeping.lose();
    await time.pass(forgettingPause);
  }
  await time.pass(run.pause);
}

/**
 * A service that does not show everything is left alone: what nobody can see, nobody can be right about. Whoever forgets what was done
 * cannot tell somebody who is gone from somebody who never came.
 */
function tamperingOf({ runs, service }: ChaosDraw, { tampering }: RunDraw): RunDraw["tampering"] {
  if (!service.showsAll) return [];
  const forgets = runs.some(({ losesState }) => losesState);
  return tampering.filter(({ does }) => !forgets || does !== "deletes-user");
}

async function recordedPeople(stage: Stage): Promise<ReadonlySet<string>> {
  const state = await stage.keeping.read();
  return typeof state === "string" ? new Set() : new Set(state.users.keys());
}

/** Runs without any disturbance must come to the roster, or say what is missing. */
async function calmRuns(stage: Stage, edition: number): Promise<void> {
  await stage.putRoster(edition);
  const calm = async (args: readonly string[]) => {
    await stage.time.pass(calmPause);
    const ran = await stage.run(args, { parallelism: 4 });
    if (ran === "killed") throw new Error("a calm run is not killed");
    return ran;
  };
  let last = await calm(["apply", "--auto-approve"]);
  for (let index = 1; index < calmRunsFor(stage.draw.service); index += 1) {
    judgeEnd(stage, last, edition, `calm run ${index}`);
    await judgeMoment(stage, `calm run ${index}`);
    last = await calm(["apply", "--auto-approve"]);
  }
  judgeEnd(stage, last, edition, "the last run");
  await judgeMoment(stage, "the last run");
  judgeFinally(stage, last, await calm(["plan", "--detailed-exitcode"]), edition);
}

/** A service that is late with what was just done needs one more: people, then memberships, then the roles of keys. */
function calmRunsFor({ knobs }: ServiceDraw): number {
  const isLate = Object.entries(knobs).some(([name, value]) => name.endsWith("LagMs") && value !== 0);
  return isLate ? 3 : 2;
}

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { fileStore } from "../../src/log/file/store.ts";
import type { LogSession } from "../../src/log/port.ts";
import { outcomeOf } from "../../src/log/store-error.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { Result } from "../../src/model/result.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "./event-builders.ts";
import { clockAt, countingRandomness } from "./fixed-ports.ts";
import { memoryPlace } from "./memory-place.ts";

export const aRun = { run: "r1", operation: "apply", at: noon };

export const creation: readonly RunEvent[] = [
  runStarted("r1"),
  intended("r1", "c", creationIntent("ada")),
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" })),
];

/** A directory of its own for a test, with a state that is to be `deep/log.jsonl` in it. */
export type StatePlace = Awaited<ReturnType<typeof statePlace>>;

export async function statePlace() {
  const directory = await mkdtemp(join(memoryPlace, "roster-state-"));
  const deep = join(directory, "deep");
  const path = join(deep, "log.jsonl");
  const crashed: LogSession[] = [];
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true });
    for (const dead of crashed) await dead.close();
  });
  const store = (at = path) => fileStore({ path: at, clock: clockAt(noon), randomness: countingRandomness() });
  const session = async (at = path) => unwrap(await store(at).lock(aRun));
  return {
    directory,
    /** The directory of the state, which is not made yet. */
    deep,
    path,
    store,
    session,
    /** Appends events and dies: the lock goes, nothing is closed. */
    async crashAfter(events: readonly RunEvent[]) {
      const crashing = await session();
      crashed.push(crashing);
      await crashing.append(events);
      await rm(`${path}.lock`, { recursive: true });
    },
    /** The files beside each other. */
    kept: async () => (await readdir(deep)).sort(),
  };
}

export function unwrap<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new Error(`${result.error.message} (${result.error.request})`);
  return result.value;
}

export async function failureOf(result: Promise<Result<unknown, Failure>>): Promise<Failure> {
  const settled = await result;
  if (settled.ok) throw new Error("it did not fail");
  return settled.error;
}

/** Why work with a store does not go on. */
export function thrownBy(work: Promise<unknown>): Promise<Failure> {
  return failureOf(outcomeOf(() => work));
}

import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { localFiles } from "../../../../src/files/file-system.ts";
import type { StateStore } from "../../../../src/ports/state-store.ts";
import { fileStore } from "../../../../src/state/file/store.ts";
import type { LocalSystem } from "../../../../src/state/lock.ts";
import { noon } from "../../../support/event-builders.ts";
import { closingDisk } from "../../../support/faulty-disk.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";
import { describeStore } from "../../../support/store-contract.ts";
import type { StorePlace } from "../../../support/store-kind.ts";

const deadAfter = 60_000;

describeStore({ name: "file", place, secrets: [], deadAfter, fencedBy: "unlock" });

async function lastSignsMoveBack(lock: string, milliseconds: number): Promise<void> {
  for (const sign of await signsIn(lock)) {
    const then = new Date((await stat(sign)).mtimeMs - milliseconds);
    await utimes(sign, then, then);
  }
}

/** A living holder gives its next sign soon, however busy the machine is with others. */
async function nextSigns(lock: string): Promise<void> {
  for (const sign of await signsIn(lock))
    await vi.waitUntil(async () => (await stat(sign)).mtimeMs > Date.now() - deadAfter / 2, { timeout: 50_000 });
}

async function signsIn(lock: string): Promise<readonly string[]> {
  return (await readdir(lock)).map((holder) => join(lock, holder, "owner.json"));
}

let identifiers = 0;
const randomness = {
  fraction: () => 0.5,
  identifier() {
    identifiers += 1;
    return `id-${identifiers}`;
  },
};

async function place(): Promise<StorePlace> {
  const directory = await mkdtemp(join(tmpdir(), "roster-state-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "state.json");
  const { disk, close } = closingDisk(localFiles);
  onTestFinished(close);
  const machine = simulatedMachine(disk);
  const processes = new Map<StateStore, LocalSystem>();
  let someSign = false;

  async function open(signEvery: number): Promise<StateStore> {
    const system = machine.start();
    const store = fileStore({ path, clock: clockAt(noon), randomness, signEvery, system });
    processes.set(store, system);
    return store;
  }

  return {
    open() {
      someSign = true;
      return open(20);
    },
    openSilent: () => open(3_600_000),
    async pass(milliseconds) {
      await lastSignsMoveBack(`${path}.lock`, milliseconds);
      if (someSign) await nextSigns(`${path}.lock`);
    },
    async kill(store) {
      const process = processes.get(store);
      if (process !== undefined) machine.bury(process);
    },
    async content() {
      const texts = [path, `${path}.journal`].map((file) => readFile(file, "utf8").catch(() => ""));
      return (await Promise.all(texts)).join("");
    },
    damage: () => writeFile(path, "{"),
  };
}

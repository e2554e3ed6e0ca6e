import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { localFiles } from "../../../../src/files/file-system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import type { LocalSystem } from "../../../../src/log/lock-holder.ts";
import type { RosterLog } from "../../../../src/log/port.ts";
import { noon } from "../../../support/event-builders.ts";
import { closingDisk } from "../../../support/faulty-disk.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { memoryPlace } from "../../../support/memory-place.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";
import { describeStore } from "../../../support/store-contract.ts";
import type { StorePlace } from "../../../support/store-kind.ts";
import { randomness } from "../../../support/store-script.ts";

describeStore({ name: "file", place, secrets: [], deadAfter: 60_000 });

/** Lets a lock be silent for so long. A living holder gives its next sign soon, however busy the machine is with others. */
async function silence(lock: string, milliseconds: number, holderIs: "alive" | "silent"): Promise<void> {
  for (const holder of await readdir(lock)) {
    const sign = join(lock, holder, "owner.json");
    const last = (await stat(sign)).mtimeMs;
    const then = new Date(last - milliseconds);
    await utimes(sign, then, then);
    if (holderIs === "alive") await vi.waitUntil(async () => (await stat(sign)).mtimeMs >= last, { timeout: 60_000 });
  }
}

async function place(): Promise<StorePlace> {
  const directory = await mkdtemp(join(memoryPlace, "roster-state-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "log.jsonl");
  const { disk, close } = closingDisk(localFiles);
  onTestFinished(close);
  const machine = simulatedMachine(disk);
  const processes = new Map<RosterLog, LocalSystem>();
  let holderIs: "alive" | "silent" = "silent";

  async function open(signEvery: number): Promise<RosterLog> {
    const system = machine.start();
    const store = fileStore({ path, clock: clockAt(noon), randomness, signEvery, system });
    processes.set(store, system);
    return store;
  }

  return {
    open() {
      holderIs = "alive";
      return open(20);
    },
    openSilent: () => open(3_600_000),
    pass: (milliseconds) => silence(`${path}.lock`, milliseconds, holderIs),
    async kill(store) {
      const process = processes.get(store);
      if (process !== undefined) machine.bury(process);
    },
    async content() {
      const texts = [path, `${path}.checkpoint`].map((file) => readFile(file, "utf8").catch(() => ""));
      return (await Promise.all(texts)).join("");
    },
    damage: async () => writeFile(path, `${(await readFile(path, "utf8")).slice(0, -10)}\n`),
  };
}

import { type ApplyRun, apply } from "../../src/library/apply.ts";
import { openService } from "../../src/library/connect.ts";
import { newEnvironment } from "../../src/library/environment.ts";
import { loadRoster } from "../../src/library/load-roster.ts";
import { openLog } from "../../src/library/log.ts";
import { readPolicy } from "../../src/library/policy.ts";
import { fileStore } from "../../src/log/file/store.ts";
import { resolveCall } from "../../src/log/operator-resolution.ts";
import type { OpenIntent } from "../../src/model/call.ts";
import type { State } from "../../src/model/state.ts";
import type { OpenTransport } from "../../src/service/client.ts";
import type { MemoryDisk } from "../support/memory-disk.ts";
import type { SimulatedPlace, Worker } from "./machine.ts";

/** Where a simulation keeps what roster keeps. Nothing else here knows of its files. */
const path = "/.roster/log.jsonl";

function storeOf({ clock, randomness, system }: Worker) {
  return fileStore({ path, clock, randomness, system });
}

/** What the state on a disk is, or why it cannot be read. */
export async function stateOn(disk: MemoryDisk, place: SimulatedPlace): Promise<State | string> {
  const read = await storeOf(place.onlooker(disk)).read();
  return read.ok ? read.value : read.error.message;
}

export async function breakLock(place: SimulatedPlace): Promise<void> {
  const store = storeOf(place.onlooker(place.disk()));
  const holder = await store.holder();
  if (holder.ok && holder.value !== "nobody") await store.breakLease(holder.value.id);
}

/** A person says of open calls that they did nothing. Answers of which. */
export async function resolveAsNotDone(person: Worker, isMeant: (open: OpenIntent) => boolean) {
  const at = new Date(person.clock.now()).toISOString();
  const run = person.randomness.identifier();
  const lock = await storeOf(person).lock({ run, operation: "state resolve", at });
  if (!lock.ok) return [];
  const meant = lock.value.state.open.filter(isMeant);
  for (const open of meant) {
    const events = resolveCall(open, "not-done", [], at);
    if (events.ok) await lock.value.append(events.value);
  }
  await lock.value.close();
  return meant.map(({ action }) => action);
}

/** A whole apply by one process: load, connect, read, plan, run under the lock, close. */
export async function applyBy({
  process,
  roster,
  parallelism,
  openTransport,
  breakStaleAfterMs,
}: {
  readonly process: Worker;
  readonly roster: string;
  readonly parallelism: number;
  readonly openTransport: OpenTransport;
  readonly breakStaleAfterMs?: number | undefined;
}): Promise<ApplyRun> {
  const { clock, randomness } = process;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const loaded = await loadRoster({ files: [{ file: "roster.yaml", text: roster }], today });
  const environment = { ...newEnvironment({ clock, randomness }), openTransport };
  const key = { name: "the simulation", ask: async () => "k.s" };
  const endpoint = "https://service.example";
  const log = await openLog({ url: "memory:", clock, randomness });
  const guards = { nearDuplicate: "off", maxNewUsers: "off", maxInvitations: "off", maxRoleRemovals: "off" } as const;
  return apply({
    roster: loaded,
    // As they are given to programs, but for the wire of one and the disk of the other.
    service: await openService({ endpoint, key, network: {}, parallelism }, environment),
    log: { ...log, store: storeOf(process) },
    approve: "any",
    policy: readPolicy({ guards, today }),
    breakStaleAfterMs,
  });
}

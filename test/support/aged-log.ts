import { expect } from "vitest";
import { verifyLog } from "../../src/log/checkpoint.ts";
import type { LogCut, RosterLog } from "../../src/log/port.ts";
import { cutAt, findCut } from "../../src/log/prune.ts";
import { created, creationIntent, intended, noon, succeeded } from "./event-builders.ts";
import { addressOf } from "./roster-builders.ts";
import { aRun, creation, unwrap } from "./state-place.ts";
import { saving } from "./store-kind.ts";

/** Later than the clocks of all places. */
export const pruneTime = "2099-11-21T00:00:00.000Z";
export const pruneRun = { ...aRun, run: "r3", operation: "state prune", at: "2099-11-22T12:00:00.000Z" };

/** Ada is created and gone, Bo is created and stays; the creation of Cy is open. */
export async function ageLog(open: () => Promise<RosterLog>): Promise<void> {
  await saving(await open(), [
    ...creation,
    intended("r1", "d", creationIntent("bo")),
    succeeded("d", created("bo", { identifier: "u-2", prefix: "k-2" })),
    { type: "people-gone", at: noon, people: [addressOf("ada")] },
  ]);
  await saving(await open(), [intended("r2", "e", creationIntent("cy"))]);
}

export async function cutOf(store: RosterLog): Promise<{ readonly cut: LogCut; readonly exported: string }> {
  const head = await findCut(store, pruneTime);
  if (head === undefined) throw new Error("there is nothing to prune");
  let exported = "";
  const write = async (text: string) => {
    exported += text;
  };
  const cut = await cutAt(store, head, pruneTime, pruneRun.at, write);
  return { cut, exported };
}

export async function pruneLog(store: RosterLog): Promise<string> {
  const session = unwrap(await store.lock(pruneRun));
  try {
    const { cut, exported } = await cutOf(store);
    await session.prune(cut);
    return exported;
  } finally {
    await session.close();
  }
}

/** It is the old log or the new one, whole, and a prune can be repeated. */
export async function expectPruned(store: RosterLog): Promise<"old" | "new"> {
  const [ada, bo] = [addressOf("ada"), addressOf("bo")];
  const holder = unwrap(await store.holder());
  if (holder !== "nobody") unwrap(await store.breakLease(holder.id));
  const users = [...unwrap(await store.read()).users.keys()];
  await verifyLog(store);
  const isOld = users.includes(ada);
  expect(users).toEqual(isOld ? [ada, bo] : [bo]);
  if (isOld) await pruneLog(store);
  expect([...unwrap(await store.read()).users.keys()]).toEqual([bo]);
  expect(unwrap(await store.read()).open.map(({ action }) => action)).toEqual(["e"]);
  await verifyLog(store);
  return isOld ? "old" : "new";
}

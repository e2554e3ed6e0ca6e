import { encodeState } from "../../codec/state.ts";
import { addressOfService } from "../../library/connect.ts";
import { changeEndpoint } from "../../library/correct-log.ts";
import { errorFromFailure, orThrow } from "../../library/error.ts";
import { lockedBy } from "../../log/lock-holder.ts";
import type { LockHolder } from "../../log/port.ts";
import { recordedStateDocument } from "../../report/document/state.ts";
import { plain } from "../../report/document/tree.ts";
import { safeJson } from "../../report/safe.ts";
import { renderDocument } from "../../report/text/text.ts";
import { recordedIds } from "../../roster/import/recorded-ids.ts";
import type { Flags, SomeFlags } from "../flags.ts";
import { configuredLog, withLock } from "../log.ts";
import type { Command } from "../run-command.ts";

export async function stateShow(
  command: Command,
  { format, ...flags }: SomeFlags & { readonly format: "text" | "json" | "yaml" },
): Promise<void> {
  const { store, address } = await configuredLog(command, flags, "allowed");
  const state = orThrow(await store.read());
  const text =
    format === "yaml"
      ? recordedIds(state, address)
      : renderDocument(recordedStateDocument(state, address), { paint: plain });
  command.tell({ ownWords: { json: safeJson(encodeState(state)), text } });
}

export async function stateUnlock(command: Command, id: string | undefined, flags: Flags): Promise<void> {
  const { store, address } = await configuredLog(command, flags, "allowed");
  const holder = orThrow(await store.holder());
  if (id !== undefined) {
    const isBeginning = holder !== "nobody" && id.length >= 8 && holder.id.startsWith(id);
    const broken = orThrow(await store.breakLease(isBeginning ? holder.id : id));
    return command.tell({ state: { did: "unlock", address, holder: reportedHolder(broken) } });
  }
  const held = holder === "nobody" ? undefined : reportedHolder(holder);
  command.tell({ state: { did: "look-at-lock", address, holder: held } });
  if (holder !== "nobody") throw errorFromFailure(lockedBy(address, holder).failure);
}

function reportedHolder({ silentFor, ...holder }: LockHolder) {
  return { ...holder, silentFor: silentFor && Math.round(silentFor) };
}

export async function stateSetEndpoint(command: Command, endpoint: string, flags: Flags): Promise<void> {
  const to = addressOfService(endpoint);
  const log = await configuredLog(command, flags);
  await withLock(command, log, "state set-endpoint", flags, async (lock) => {
    const from = await changeEndpoint(lock, to);
    command.tell({ state: { did: "set-endpoint", address: log.address, from, to } });
  });
}

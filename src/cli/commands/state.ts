import { encodeState } from "../../codec/state.ts";
import type { State } from "../../model/state.ts";
import type { StateSession, StateStore } from "../../ports/state-store.ts";
import { safeJson } from "../../report/safe.ts";
import { formatLockHolder } from "../../report/state.ts";
import { renderState } from "../../report/text/state.ts";
import { baseAddress, endpointProblem } from "../../service/endpoint.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readSettings } from "../settings/settings.ts";
import { type LockFlags, type LockWaitOptions, readLockOptions, takeLock } from "../stores/lock.ts";
import { openStore, openUsableStore, type StateFlags, stateResult, withStore } from "../stores/open-store.ts";

/** Shows what the state records. Takes no lock and writes nothing. */
export async function stateShow(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return finish({ ...stateResult, stop: settings.error }, flags, host);
  const store = await openStore(settings.value, host);
  if (!store.ok) return finish({ ...stateResult, stop: store.error }, flags, host);
  const state = await store.value.read().finally(() => store.value.close());
  if (!state.ok) return finish({ ...stateResult, stop: errorFromFailure(state.error) }, flags, host);
  const { value } = state;
  const ownWords = { json: safeJson(encodeState(value)), text: renderState(value, store.value.address) };
  return finish({ ...stateResult, ownWords }, flags, host);
}

/** Reads everything that the store keeps, as carefully as a run would. Takes no lock and writes nothing. */
export async function stateVerify(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  const conclusion = await withStore(flags, host, async (store) => {
    const verified = await store.verify();
    if (!verified.ok) return { ...stateResult, stop: errorFromFailure(verified.error) };
    const { state, parts } = verified.value;
    const { lineage, serial, moved, open } = state;
    const elsewhere = moved === undefined ? {} : { movedTo: moved.to };
    const told = { address: store.address, lineage, serial, ...elsewhere, parts, open: open.length };
    return { ...stateResult, state: { did: "verify", ...told } };
  });
  return finish(conclusion, flags, host);
}

/** Breaks the lock of an id on a person's word; without an id it says who holds the lock, and breaks nothing. */
export async function stateUnlock(
  id: string | undefined,
  flags: StateFlags & OutputFlags,
  host: Host,
): Promise<number> {
  const conclusion = await withStore(flags, host, (store) =>
    id === undefined ? showHolder(store) : unlock(store, id),
  );
  return finish(conclusion, flags, host);
}

async function unlock(store: StateStore, id: string): Promise<CommandResult> {
  const broken = await store.unlock(id);
  if (!broken.ok) return { ...stateResult, stop: errorFromFailure(broken.error) };
  return { ...stateResult, state: { did: "unlock", address: store.address, holder: broken.value } };
}

async function showHolder(store: StateStore): Promise<CommandResult> {
  const looked = await store.holder();
  if (!looked.ok) return { ...stateResult, stop: errorFromFailure(looked.error) };
  const holder = looked.value;
  const told: CommandResult = { ...stateResult, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return told;
  const problem = {
    code: "locked",
    message: `the state is locked: ${formatLockHolder(holder)}`,
    request: store.address,
    hint: `\`roster state unlock ${holder.id}\` breaks its lock: only where it is certain that this run has ended`,
  };
  return { ...told, stop: { reason: "locked", problem } };
}

export interface ReaddressFlags extends StateFlags, LockFlags, OutputFlags {}

/** Takes a person's word that the service which a state is about has got another address. Asks no service. */
export async function stateReaddress(endpoint: string, flags: ReaddressFlags, host: Host): Promise<number> {
  return finish(await readdressResult(endpoint, flags, host), flags, host);
}

async function readdressResult(endpoint: string, flags: ReaddressFlags, host: Host): Promise<CommandResult> {
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...stateResult, stop: patience.error };
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) return { ...stateResult, stop: invalidSetting("bad-endpoint", wrong) };
  const { address: to } = baseAddress(new URL(endpoint));
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return { ...stateResult, stop: settings.error };
  const store = await openUsableStore(settings.value, host);
  if (!store.ok) return { ...stateResult, stop: store.error };
  return lockAndReaddress(store.value, to, patience.value, host).finally(() => store.value.close());
}

async function lockAndReaddress(
  store: StateStore,
  to: string,
  patience: LockWaitOptions,
  host: Host,
): Promise<CommandResult> {
  const run = { run: host.randomness.identifier(), operation: "state readdress" };
  const locked = await takeLock(store, run, patience, { host, signal: host.interruption.signal });
  if (!locked.ok) return { ...stateResult, stop: errorFromFailure(locked.error) };
  return readdress(locked.value, to, store.address);
}

async function readdress(session: StateSession, to: string, address: string): Promise<CommandResult> {
  const { state } = session;
  const refused = readdressProblem(state, to, address);
  const closed = await (refused === undefined ? session.close({ ...state, service: to }) : session.close());
  if (refused !== undefined) return { ...stateResult, stop: refused };
  if (!closed.ok) return { ...stateResult, stop: errorFromFailure(closed.error) };
  return { ...stateResult, state: { did: "readdress", address, from: state.service ?? "", to } };
}

function readdressProblem({ service }: State, to: string, address: string): CommandError | undefined {
  if (service === undefined) {
    const message = `The state at ${address} remembers no service.`;
    return invalidSetting("no-service-remembered", message, "It takes the one that the next apply is about.");
  }
  if (service !== to) return undefined;
  return invalidSetting(
    "same-service",
    `The state at ${address} is about ${to} already.`,
    "There is nothing to change.",
  );
}

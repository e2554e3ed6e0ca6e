import type { State } from "../../model/state.ts";
import type { StateSession, StateStore } from "../../ports/state-store.ts";
import { baseAddress, endpointProblem } from "../../service/endpoint.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readSettings } from "../settings/settings.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../stop.ts";
import { type LockFlags, type LockWaitOptions, readLockOptions } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { openUsableStore } from "../stores/usable-store.ts";
import { type StateFlags, stateResult } from "../stores/with-store.ts";

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
  const refused = unfit(state, to, address);
  const closed = await (refused === undefined ? session.close({ ...state, service: to }) : session.close());
  if (refused !== undefined) return { ...stateResult, stop: refused };
  if (!closed.ok) return { ...stateResult, stop: errorFromFailure(closed.error) };
  return { ...stateResult, state: { did: "readdress", address, from: state.service ?? "", to } };
}

function unfit({ service }: State, to: string, address: string): CommandError | undefined {
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

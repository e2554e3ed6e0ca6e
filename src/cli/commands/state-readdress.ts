import type { State } from "../../model/state.ts";
import type { StateSession, StateStore } from "../../ports/state-store.ts";
import { baseAddress, endpointProblem } from "../../service/endpoint.ts";
import type { Host } from "../host.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readSettings } from "../settings/settings.ts";
import { invalidSetting, type Stop, stopFor } from "../stop.ts";
import { type LockFlags, type LockPatience, readLockPatience } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { openUsableStore } from "../stores/usable-store.ts";
import { aboutState, type StateFlags } from "../stores/with-store.ts";

export interface ReaddressFlags extends StateFlags, LockFlags, OutputFlags {}

/** Takes a person's word that the service which a state is about has got another address. Asks no service. */
export async function stateReaddress(endpoint: string, flags: ReaddressFlags, host: Host): Promise<number> {
  return conclude(await conclusionOf(endpoint, flags, host), flags, host);
}

async function conclusionOf(endpoint: string, flags: ReaddressFlags, host: Host): Promise<Conclusion> {
  const patience = readLockPatience(flags, host);
  if (!patience.ok) return { ...aboutState, stop: patience.error };
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) return { ...aboutState, stop: invalidSetting("bad-endpoint", wrong) };
  const { address: to } = baseAddress(new URL(endpoint));
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return { ...aboutState, stop: settings.error };
  const store = await openUsableStore(settings.value, host);
  if (!store.ok) return { ...aboutState, stop: store.error };
  return lockAndReaddress(store.value, to, patience.value, host).finally(() => store.value.close());
}

async function lockAndReaddress(
  store: StateStore,
  to: string,
  patience: LockPatience,
  host: Host,
): Promise<Conclusion> {
  const run = { run: host.randomness.identifier(), operation: "state readdress" };
  const locked = await takeLock(store, run, patience, { host, signal: host.interruption.signal });
  if (!locked.ok) return { ...aboutState, stop: stopFor(locked.error) };
  return readdress(locked.value, to, store.address);
}

async function readdress(session: StateSession, to: string, address: string): Promise<Conclusion> {
  const { state } = session;
  const refused = unfit(state, to, address);
  const closed = await (refused === undefined ? session.close({ ...state, service: to }) : session.close());
  if (refused !== undefined) return { ...aboutState, stop: refused };
  if (!closed.ok) return { ...aboutState, stop: stopFor(closed.error) };
  return { ...aboutState, state: { did: "readdress", address, from: state.service ?? "", to } };
}

function unfit({ service }: State, to: string, address: string): Stop | undefined {
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

import type { NetworkOptions } from "../../network/connector.ts";
import { decisiveFailure, diagnose } from "../../report/doctor/diagnose.ts";
import type { DoctorObservations, ObservedConnection, ResponseShape } from "../../report/doctor/observations.ts";
import { visit } from "../doctor-visit.ts";
import type { Host } from "../host.ts";
import { debugTrace } from "../onlooking/debug-trace.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type Connection, type PreparedConnection, prepareConnection } from "../planning/connection.ts";
import { readSettings, type SettingFlags, type Settings } from "../settings/settings.ts";
import { errorFromFailure } from "../stop.ts";
import { openStore } from "../stores/state-store.ts";

export interface DoctorFlags extends SettingFlags, OutputFlags {
  readonly debug?: boolean;
}

/** Asks a service how it answers and says what that means for a plan. Reads alone; needs no roster and no state, and shows what a state has learned. */
export async function doctor(flags: DoctorFlags, host: Host): Promise<number> {
  return finish(await doctorResult(flags, host), flags, host);
}

async function doctorResult(flags: DoctorFlags, host: Host): Promise<CommandResult> {
  const so = { command: "doctor", tells: "success-only", diagnostics: [] } as const;
  const settings = await readSettings(flags, host);
  if (!settings.ok) return { ...so, stop: settings.error };
  const prepared = await prepareConnection(settings.value, host);
  if (!prepared.ok) return { ...so, stop: prepared.error };
  const answers: ResponseShape[] = [];
  const watch = (answer: ResponseShape) => void answers.push(answer);
  const service = prepared.value.open({ ...debugTrace(flags, host), watch });
  try {
    const seen = await visit({
      ...visitOf(settings.value, prepared.value, flags, host),
      service,
      answers,
      signal: host.interruption.signal,
    });
    const failure = decisiveFailure(seen);
    const writes = await seenWrites(settings.value, service.address, host);
    const examination = diagnose({ ...seen, ...writes });
    return failure === undefined ? { ...so, examination } : { ...so, examination, stop: errorFromFailure(failure) };
  } finally {
    await service.close();
  }
}

/** A state that cannot be read, or is of another service, says nothing of this one: no reason to say more. */
async function seenWrites(
  settings: Settings,
  address: string,
  host: Host,
): Promise<Pick<DoctorObservations, "writes">> {
  const store = settings.state === undefined ? undefined : await openStore(settings, host);
  if (store?.ok !== true) return {};
  const state = await store.value.read().finally(() => store.value.close());
  if (!state.ok || (state.value.service ?? address) !== address) return {};
  const { writes: learned } = state.value;
  const { consistency: set } = settings;
  return { writes: { ...(learned === undefined ? {} : { learned }), ...(set === undefined ? {} : { set }) } };
}

function visitOf(settings: Settings, { endpoint, way, open }: PreparedConnection, flags: DoctorFlags, host: Host) {
  const named = settings.account === undefined ? [...settings.accounts.values()] : [settings.account];
  const alias = (account: string) => settings.accounts.get(account) ?? account;
  const connectTo = (address: string): Connection => open({ ...debugTrace(flags, host), endpoint: new URL(address) });
  return {
    endpoint,
    way: transportSeen(way, settings),
    node: process.version,
    accounts: named.map(alias),
    connectTo,
    clock: host.clock,
  };
}

function transportSeen({ proxy }: NetworkOptions, { network: { ca } }: Settings): ObservedConnection {
  return {
    ...(proxy === undefined ? {} : { proxy: proxy.shown }),
    ...(ca === undefined ? {} : { authorities: ca.value }),
  };
}

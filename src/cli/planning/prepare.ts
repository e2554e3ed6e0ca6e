import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isoDate } from "../../ports/clock.ts";
import type { ProgressObserver } from "../../ports/onlooker.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import { debugTrace } from "../onlooking/debug-trace.ts";
import { onlookerFor } from "../onlooking/onlooker.ts";
import type { Conclusion } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type DeadlineFlags, type Halting, startHalting } from "../running/halting.ts";
import { variable } from "../settings/environment.ts";
import { readSettings, type SettingFlags, type Settings } from "../settings/settings.ts";
import type { Meets } from "../settings/settings-trust.ts";
import type { Stop } from "../stop.ts";
import { openUsableStore } from "../stores/usable-store.ts";
import { type Connection, connect } from "./connection.ts";
import { type LoadedRoster, loadRoster } from "./load-roster.ts";
import { type PolicyFlags, readPolicy } from "./selectors.ts";

export interface PlanningFlags extends SettingFlags, PolicyFlags, DeadlineFlags, OutputFlags {
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

/** What every command that plans works with. Nothing was sent and no state was read yet. */
export interface Prepared extends Wishes {
  readonly loaded: LoadedRoster;
  readonly store: StateStore;
  readonly service: Connection;
  /** Milliseconds that each answer to a read took so far. */
  readonly readTimes: readonly number[];
}

/** What flags, variables and the settings file say, and who looks on. */
interface Wishes {
  readonly settings: Settings;
  readonly policy: Policy;
  readonly halting: Halting;
  readonly onlooker: ProgressObserver;
}

/** Finds everything that could be wrong before the first call, and hands over to `work`; what is open is closed after it. */
export async function prepared(
  begun: Conclusion,
  { paths, flags, host }: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  work: (so: Conclusion, ready: Prepared) => Promise<Conclusion>,
): Promise<Conclusion> {
  return wishing(begun, { flags, host }, async (wishes) => {
    const loaded = await loadRoster(paths, wishes.settings, host);
    if (!loaded.ok) return { ...begun, stop: loaded.error };
    const so = { ...begun, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
    return connected(so, { ...wishes, loaded: loaded.value }, { flags, host }, work);
  });
}

/** The same for what needs no roster. */
export async function preparedWithoutRoster(
  begun: Conclusion,
  { flags, host }: { readonly flags: PlanningFlags; readonly host: Host },
  work: (so: Conclusion, ready: Omit<Prepared, "loaded">) => Promise<Conclusion>,
): Promise<Conclusion> {
  return wishing(begun, { flags, host }, (wishes) => connected(begun, wishes, { flags, host }, work));
}

/** The same for what meets neither the service nor the state; `host` has the clock by which it is planned. */
export async function preparedForNeither(
  begun: Conclusion,
  { paths, flags, host }: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  work: (so: Conclusion, ready: Omit<Prepared, "store" | "service" | "readTimes">) => Promise<Conclusion>,
): Promise<Conclusion> {
  return wishing(begun, { flags, host, meets: "neither" }, async (wishes) => {
    const loaded = await loadRoster(paths, wishes.settings, host);
    if (!loaded.ok) return { ...begun, stop: loaded.error };
    const so = { ...begun, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
    return work(so, { ...wishes, loaded: loaded.value });
  });
}

interface Wishing {
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly meets?: Meets;
}

async function wishing(
  begun: Conclusion,
  { flags, host, meets }: Wishing,
  work: (wishes: Wishes) => Promise<Conclusion>,
): Promise<Conclusion> {
  const wishes = await readWishes({ flags, host, ...(meets === undefined ? {} : { meets }) });
  if (!wishes.ok) return { ...begun, stop: wishes.error };
  const { halting } = wishes.value;
  const onlooker = await onlookerFor(host, { ...flags, command: begun.command });
  try {
    return inTime(await work({ ...wishes.value, onlooker }), halting);
  } finally {
    halting.end();
    await onlooker.end();
  }
}

async function readWishes({ flags, host, meets }: Wishing): Promise<Result<Omit<Wishes, "onlooker">, Stop>> {
  const settings = await readSettings(flags, host, meets);
  if (!settings.ok) return settings;
  const policy = readPolicy(flags, {
    reportUnmanaged: flags.unmanaged === true,
    guards: settings.value.guards,
    invitationDays: settings.value.invitationDays,
    consistency: settings.value.consistency,
    singleLabelDomains: settings.value.singleLabelDomains,
    allow: variable(host, "ROSTER_ALLOW"),
    today: isoDate(host.clock),
  });
  if (!policy.ok) return policy;
  const halting = startHalting(flags, host);
  if (!halting.ok) return problem(halting.error);
  return success({ settings: settings.value, policy: policy.value, halting: halting.value });
}

async function connected<Begun extends Wishes>(
  so: Conclusion,
  begun: Begun,
  { flags, host }: { readonly flags: PlanningFlags; readonly host: Host },
  work: (so: Conclusion, ready: Begun & Pick<Prepared, "store" | "service" | "readTimes">) => Promise<Conclusion>,
): Promise<Conclusion> {
  const store = await openUsableStore(begun.settings, { ...host, deadline: begun.halting.deadline });
  if (!store.ok) return { ...so, stop: store.error };
  try {
    const readTimes: number[] = [];
    const timed = (milliseconds: number) => void readTimes.push(milliseconds);
    const connection = await connect(begun.settings, host, { ...debugTrace(flags, host), timed });
    if (!connection.ok) return { ...so, stop: connection.error };
    const service = connection.value;
    return await work(so, { ...begun, store: store.value, service, readTimes }).finally(() => service.close());
  } finally {
    await store.value.close();
  }
}

/** A read that was broken off because the time was over says so. */
function inTime(concluded: Conclusion, halting: Halting): Conclusion {
  const late = concluded.stop?.problem?.code === "aborted" ? halting.outOfTime() : undefined;
  return late === undefined ? concluded : { ...concluded, stop: late };
}

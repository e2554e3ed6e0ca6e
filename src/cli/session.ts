import type { Policy } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { isoDate } from "../ports/clock.ts";
import type { ProgressObserver } from "../ports/progress.ts";
import type { StateStore } from "../ports/state-store.ts";
import { type Cancellation, type DeadlineFlags, startCancellation } from "./cancellation.ts";
import type { CommandError } from "./command-error.ts";
import { type Connection, connect } from "./connection.ts";
import type { Host } from "./host.ts";
import type { CommandResult } from "./output/finish.ts";
import type { OutputFlags } from "./output/output-flags.ts";
import { type LoadedRoster, loadRoster } from "./planning/load-roster.ts";
import { type PolicyFlags, readPolicy } from "./planning/policy-flags.ts";
import { debugTrace, progressObserverFor } from "./progress/progress-observer.ts";
import { variable } from "./settings/environment.ts";
import { readSettings, type SettingFlags, type Settings } from "./settings/settings.ts";
import type { SessionKind } from "./settings/settings-trust.ts";
import { openUsableStore } from "./stores/open-store.ts";

export interface PlanningFlags extends SettingFlags, PolicyFlags, DeadlineFlags, OutputFlags {
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

/** What every command that plans works with. Nothing was sent and no state was read yet. */
export interface CommandSession extends ResolvedOptions {
  readonly loaded: LoadedRoster;
  readonly store: StateStore;
  readonly service: Connection;
  /** Milliseconds that each answer to a read took so far. */
  readonly readTimes: readonly number[];
}

/** What flags, variables and the settings file say, and who looks on. */
interface ResolvedOptions {
  readonly settings: Settings;
  readonly policy: Policy;
  readonly halting: Cancellation;
  readonly onlooker: ProgressObserver;
}

/** Finds everything that could be wrong before the first call, and hands over to `work`; what is open is closed after it. */
export async function withSession(
  begun: CommandResult,
  { paths, flags, host }: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  work: (so: CommandResult, ready: CommandSession) => Promise<CommandResult>,
): Promise<CommandResult> {
  return withResolvedOptions(begun, { flags, host }, async (wishes) => {
    const loaded = await loadRoster(paths, wishes.settings, host);
    if (!loaded.ok) return { ...begun, stop: loaded.error };
    const so = { ...begun, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
    return withStoreAndService(so, { ...wishes, loaded: loaded.value }, { flags, host }, work);
  });
}

/** The same for what needs no roster. */
export async function withSessionWithoutRoster(
  begun: CommandResult,
  { flags, host }: { readonly flags: PlanningFlags; readonly host: Host },
  work: (so: CommandResult, ready: Omit<CommandSession, "loaded">) => Promise<CommandResult>,
): Promise<CommandResult> {
  return withResolvedOptions(begun, { flags, host }, (wishes) =>
    withStoreAndService(begun, wishes, { flags, host }, work),
  );
}

/** The same for what meets neither the service nor the state; `host` has the clock by which it is planned. */
export async function withOfflineSession(
  begun: CommandResult,
  { paths, flags, host }: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  work: (so: CommandResult, ready: Omit<CommandSession, "store" | "service" | "readTimes">) => Promise<CommandResult>,
): Promise<CommandResult> {
  return withResolvedOptions(begun, { flags, host, meets: "neither" }, async (wishes) => {
    const loaded = await loadRoster(paths, wishes.settings, host);
    if (!loaded.ok) return { ...begun, stop: loaded.error };
    const so = { ...begun, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
    return work(so, { ...wishes, loaded: loaded.value });
  });
}

interface OptionsInput {
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly meets?: SessionKind;
}

async function withResolvedOptions(
  begun: CommandResult,
  { flags, host, meets }: OptionsInput,
  work: (wishes: ResolvedOptions) => Promise<CommandResult>,
): Promise<CommandResult> {
  const wishes = await resolveOptions({ flags, host, ...(meets === undefined ? {} : { meets }) });
  if (!wishes.ok) return { ...begun, stop: wishes.error };
  const { halting } = wishes.value;
  const onlooker = await progressObserverFor(host, { ...flags, command: begun.command });
  try {
    return orDeadlineError(await work({ ...wishes.value, onlooker }), halting);
  } finally {
    halting.end();
    await onlooker.end();
  }
}

async function resolveOptions({
  flags,
  host,
  meets,
}: OptionsInput): Promise<Result<Omit<ResolvedOptions, "onlooker">, CommandError>> {
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
  const halting = startCancellation(flags, host);
  if (!halting.ok) return problem(halting.error);
  return success({ settings: settings.value, policy: policy.value, halting: halting.value });
}

async function withStoreAndService<Begun extends ResolvedOptions>(
  so: CommandResult,
  begun: Begun,
  { flags, host }: { readonly flags: PlanningFlags; readonly host: Host },
  work: (
    so: CommandResult,
    ready: Begun & Pick<CommandSession, "store" | "service" | "readTimes">,
  ) => Promise<CommandResult>,
): Promise<CommandResult> {
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
function orDeadlineError(concluded: CommandResult, halting: Cancellation): CommandResult {
  const late = concluded.stop?.problem?.code === "aborted" ? halting.outOfTime() : undefined;
  return late === undefined ? concluded : { ...concluded, stop: late };
}

import type { Connection, PreparedConnection } from "../library/connect.ts";
import { invalidSetting, type RosterError } from "../library/error.ts";
import type { LoadedRoster } from "../library/planning/load-roster.ts";
import { type RunWords, readPolicy } from "../library/planning/policy.ts";
import type { Policy } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import type { LogHead } from "../model/state.ts";
import type { ObservePorts } from "../observe/observe.ts";
import { isoDate } from "../ports/clock.ts";
import type { RosterLog } from "../ports/log.ts";
import type { Progress, ProgressObserver } from "../ports/operator.ts";
import { safe } from "../report/safe.ts";
import type { Host } from "./host.ts";
import type { CommandResult } from "./output/finish.ts";
import type { OutputFlags } from "./output/output-flags.ts";
import { loadRoster, rosterSummary } from "./planning/roster-files.ts";
import { askAgain, keySource, keySourceName, keyText } from "./settings/credentials.ts";
import { variable } from "./settings/environment.ts";
import { readSettings, type SettingFlags, type Settings } from "./settings/settings.ts";
import type { SessionKind } from "./settings/settings-file.ts";
import { openStore, openUsableStore } from "./stores/open-store.ts";
import { type Cancellation, cancellationAfter, type DeadlineFlags, startCancellation } from "./time-limits.ts";

/** What a command works with. Nothing is sent and no state is read by opening it. */
export type Session<Part extends keyof SessionParts = never> = SessionBase & Pick<SessionParts, Part>;

/** What a command that plans works with. */
export type PlanningSession = Session<"policy" | "observer" | "loaded" | "store" | "service">;

export const planningParts = ["policy", "observer", "loaded", "store", "service"] as const;

/** What every session has. */
interface SessionBase {
  readonly host: Host;
  readonly settings: Settings;
  /** Ends the work of the session: an interrupt, or the deadline where the session has a policy. */
  readonly cancellation: Cancellation;
  /** Where the log of the session ends, once it is closed; empty where nothing was added to it. */
  readonly heads: LogHead[];
  /** Adds something to close. What was added last is closed first. */
  onClose(close: CloseStep): void;
  /** Closes everything that is open. The error says what could not be saved. A second call does nothing. */
  close(): Promise<Result<undefined, RosterError>>;
}

/** What a session has if it is asked for. */
interface SessionParts {
  /** Guards, selection and what a person allows for this run. */
  readonly policy: Policy;
  readonly observer: ProgressObserver;
  readonly loaded: LoadedRoster;
  readonly store: RosterLog;
  readonly service: Connection;
}

type OpenParts = { readonly [Part in keyof SessionParts]: SessionParts[Part] | undefined };

/** The flags of every command that plans. */
export interface PlanningFlags extends SettingFlags, RunWords, DeadlineFlags, OutputFlags {
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

export interface SessionRequest<Part extends keyof SessionParts> {
  readonly command: CommandResult["command"];
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly needs: readonly Part[];
  /** Where the roster is; the settings say so if it is empty. */
  readonly paths?: readonly string[];
  /** What is left of standard input for the roster. */
  readonly stdin?: Host["stdin"];
  /** Which settings count. */
  readonly meets?: SessionKind;
  /** `allowed`: a state that was moved elsewhere may be read. */
  readonly movedState?: "allowed" | "refused";
}

/** Why a session could not be opened, and what is known of the roster. */
export interface OpeningError extends Partial<Pick<CommandResult, "roster" | "diagnostics">> {
  readonly stop: RosterError;
}

/** Opens what a command needs, or says what is wrong before the first call. */
export async function openSession<Part extends keyof SessionParts = never>(
  request: SessionRequest<Part>,
): Promise<Result<Session<Part>, OpeningError>> {
  const closing = newCloseSteps();
  let session: Result<SessionBase & OpenParts, OpeningError> | undefined;
  try {
    session = await openParts(request, closing);
  } finally {
    if (session?.ok !== true) await closing.run();
  }
  if (!session.ok) return session;
  if (!hasParts(session.value, request.needs)) throw new Error("A session does not have the requested parts.");
  return success(session.value);
}

function hasParts<Part extends keyof SessionParts>(
  session: SessionBase & OpenParts,
  needs: readonly Part[],
): session is SessionBase & OpenParts & Pick<SessionParts, Part> {
  return needs.every((part) => session[part] !== undefined);
}

async function openParts(
  request: SessionRequest<keyof SessionParts>,
  closing: CloseSteps,
): Promise<Result<SessionBase & OpenParts, OpeningError>> {
  const { flags, host, paths = [], stdin = host.stdin, movedState } = request;
  const needs = new Set(request.needs);
  const options = await openOptions(request);
  if (!options.ok) return problem({ stop: options.error });
  const { settings, policy, cancellation } = options.value;
  const observer = needs.has("observer") ? await openObserver(request) : undefined;
  closing.add(async () => observer?.end());
  closing.add(async () => cancellation.end());
  const read = needs.has("loaded") ? await readRoster(paths, settings, { ...host, stdin }) : noRoster;
  if (!read.ok) return problem({ stop: read.error });
  const { loaded, ...known } = read.value;
  const openState = movedState === "allowed" ? openStore : openUsableStore;
  const opened = needs.has("store") ? await openState(settings, host) : success(undefined);
  if (!opened.ok) return problem({ ...known, stop: opened.error });
  const store = opened.value;
  closing.add(async () => store?.close());
  const connected = needs.has("service") ? await connect(settings, host, debugTrace(flags, host)) : success(undefined);
  if (!connected.ok) return problem({ ...known, stop: connected.error });
  const service = connected.value;
  closing.add(async () => service?.close());
  const base = { host, settings, cancellation, heads: [], onClose: closing.add, close: closing.run };
  return success({ ...base, policy, observer, loaded, store, service });
}

interface OpenOptions extends Pick<SessionBase, "settings" | "cancellation"> {
  readonly policy: Policy | undefined;
}

/** What flags, variables and the settings file say. The deadline counts only together with a policy. */
async function openOptions({
  flags,
  host,
  needs,
  meets,
}: SessionRequest<keyof SessionParts>): Promise<Result<OpenOptions, RosterError>> {
  const settings = await readSettings(flags, host, meets);
  if (!settings.ok) return settings;
  const opened = { settings: settings.value, policy: undefined };
  if (!needs.includes("policy")) return success({ ...opened, cancellation: cancellationAfter(undefined, host) });
  const policy = policyOf(flags, settings.value, host);
  if (!policy.ok) return policy;
  const cancellation = startCancellation(flags, host);
  if (!cancellation.ok) return cancellation;
  return success({ ...opened, policy: policy.value, cancellation: cancellation.value });
}

/** The parts that need much code are loaded only for a session that has them. */
async function openObserver({ host, flags, command }: SessionRequest<keyof SessionParts>): Promise<ProgressObserver> {
  const { progressObserverFor } = await import("./output/progress-observer.ts");
  return progressObserverFor(host, { ...flags, command });
}

interface RosterRead extends Partial<Pick<CommandResult, "roster" | "diagnostics">> {
  readonly loaded?: LoadedRoster;
}

const noRoster: Result<RosterRead, RosterError> = success({});

async function readRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
): Promise<Result<RosterRead, RosterError>> {
  const read = await loadRoster(paths, settings, host);
  return read.ok ? success({ loaded: read.value, ...rosterSummary(read.value) }) : read;
}

function policyOf(
  flags: PlanningFlags,
  { guards, consistency, throttling }: Settings,
  host: Host,
): Result<Policy, RosterError> {
  return readPolicy(flags, {
    prefix: "--",
    reportUnmanaged: flags.unmanaged === true,
    guards,
    consistency,
    throttling,
    allowVariable: variable(host, "ROSTER_ALLOW"),
    reasonVariable: variable(host, "ROSTER_REASON"),
    today: isoDate(host.clock),
  });
}

/** Closes one thing. An error says what was lost by it. */
type CloseStep = () => Promise<RosterError | undefined> | Promise<void>;

interface CloseSteps {
  readonly add: (close: CloseStep) => void;
  readonly run: () => Promise<Result<undefined, RosterError>>;
}

/** Every step is run, also after one that threw. */
function newCloseSteps(): CloseSteps {
  const steps: CloseStep[] = [];
  const errors: RosterError[] = [];
  const runLast = async (): Promise<void> => {
    const step = steps.pop();
    if (step === undefined) return;
    try {
      const error = await step();
      if (error !== undefined) errors.push(error);
    } finally {
      await runLast();
    }
  };
  const run = async (): Promise<Result<undefined, RosterError>> => {
    await runLast();
    const error = errors.shift();
    return error === undefined ? success(undefined) : problem(error);
  };
  return { add: (close) => void steps.push(close), run };
}

/** A call of a command: its flags, where it runs, and what it opens sessions with. */
export interface CommandCall<Flags> {
  readonly flags: Flags;
  readonly host: Host;
  readonly open: typeof openSession;
}

/** Runs a command, and closes the sessions that it opened. What stopped the command counts before what could not be saved. */
export async function runCommand(
  command: (open: typeof openSession) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { value: result, sessions, unsaved } = await closeAfter(command);
  const stop = result.stop ?? unsaved[0];
  const [head] = sessions.flatMap(({ heads }) => heads);
  return orDeadlineError({ ...result, ...definedFields({ stop, head }) }, sessions);
}

interface Closed<Value> {
  readonly value: Value;
  readonly sessions: readonly Session[];
  /** What could not be saved. */
  readonly unsaved: readonly RosterError[];
}

/** Runs work that opens sessions, and closes them after it, also if it throws: the only place that closes them. */
export async function closeAfter<Value>(work: (open: typeof openSession) => Promise<Value>): Promise<Closed<Value>> {
  const sessions: Session[] = [];
  const unsaved: RosterError[] = [];
  let value: Value;
  try {
    value = await work(async (request) => {
      const opened = await openSession(request);
      if (opened.ok) sessions.push(opened.value);
      return opened;
    });
  } finally {
    for (const session of sessions) {
      const closed = await session.close();
      if (!closed.ok) unsaved.push(closed.error);
    }
  }
  return { value, sessions, unsaved };
}

/** A read that the deadline ended is reported as that. */
function orDeadlineError(result: CommandResult, sessions: readonly Session[]): CommandResult {
  if (result.stop?.problem?.code !== "aborted") return result;
  const [late] = sessions.flatMap(({ cancellation }) => cancellation.outOfTime() ?? []);
  return late === undefined ? result : { ...result, stop: late };
}

/** How a session reads its service. */
export function readPorts({
  service,
  host,
  observer,
  settings,
  cancellation,
}: Session<"service" | "observer">): ObservePorts & { readonly signal: AbortSignal } {
  const { parallelism } = settings;
  const progress = readProgress(observer);
  return { service, clock: host.clock, progress, parallelism, signal: cancellation.signal };
}

/** The part of an observer that reads report to. */
function readProgress(observer: ProgressObserver): Progress {
  return { report: (step) => observer.read(step) };
}

/** Connects the configured endpoint with the key, or says what is missing. Sends nothing yet. */
export async function connect(
  settings: Settings,
  host: Host,
  options: { readonly trace?: (line: string) => void },
): Promise<Result<Connection, RosterError>> {
  const prepared = await prepareConfigured(settings, host);
  return prepared.ok ? success(prepared.value.open(options)) : prepared;
}

/** The same, ready to be opened at the configured address or at another one. */
export async function prepareConfigured(
  settings: Settings,
  host: Host,
): Promise<Result<PreparedConnection, RosterError>> {
  const { endpointError, prepareConnection } = await import("../library/connect.ts");
  if (settings.endpoint === undefined) return problem(noEndpoint);
  const endpoint = settings.endpoint.value;
  // Before the key is asked for: that may run a program.
  const wrong = endpointError(endpoint);
  if (wrong !== undefined) return problem(wrong);
  const source = keySource(settings, host);
  if (!source.ok) return source;
  const text = await keyText(source.value, host);
  if (!text.ok) return text;
  const key = {
    text: text.value,
    from: keySourceName(source.value),
    again: askAgain(source.value, host),
  };
  const { network, parallelism, file } = settings;
  return prepareConnection({ endpoint, key, network, parallelism, shapes: file?.shapes }, host);
}

const noEndpoint = invalidSetting(
  "no-endpoint",
  "No service address is set.",
  "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.",
);

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { readFileOrPipe, readRegularFile, whyUnread } from "../files/regular-file.ts";
import type { KeySource, Service } from "../library/connect.ts";
import { invalidSetting, secretStaysHome } from "../library/error.ts";
import { type LoadedRoster, loadSources } from "../library/load-roster.ts";
import type { PlanOptions } from "../library/plan.ts";
import { policyOf } from "../library/policy.ts";
import { type FoundFile, readRosterFiles, settingsFileName } from "../library/roster-files.ts";
import type { Policy } from "../model/policy.ts";
import { shellWord } from "../model/state.ts";
import { isoDate } from "../ports/clock.ts";
import { safe } from "../report/safe.ts";
import type { Flags, SomeFlags } from "./flags.ts";
import { type Host, isPipeline, readStandardInput } from "./host.ts";
import type { ProgressObserver } from "./progress-observer.ts";
import { type Command, planCommands } from "./run-command.ts";
import { variable } from "./settings/environment.ts";
import { readSettings, type SessionKind, type Settings } from "./settings/settings.ts";
import { checkoutAround, isInside, nearestFile, placementOf, repositoryRoot } from "./trust.ts";

export interface Planning {
  readonly observer: ProgressObserver;
  readonly options: PlanOptions & { readonly policy: Policy };
}

export async function openPlanning(
  command: Command,
  paths: readonly string[],
  flags: Flags,
  stdin: Host["stdin"] = command.host.stdin,
): Promise<Planning> {
  const { host } = command;
  const { settings, policy: said, observer } = await openReading(command, flags);
  const policy = { ...said, ...planCommands(paths, flags, host) };
  const loaded = await loadRoster(paths, settings, { ...host, stdin });
  command.tell({ roster: loaded.counts, diagnostics: loaded.warnings });
  const { openLog } = await import("./log.ts");
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  const { signal } = command.cancellation;
  return { observer, options: { roster: loaded, service, log, policy, signal, progress: observer.read } };
}

/** What a command that reads the service needs first. The deadline counts from here on. */
export async function openReading(
  command: Command,
  flags: Flags,
  host = command.host,
  meets?: SessionKind,
): Promise<{ readonly settings: Settings; readonly policy: Policy; readonly observer: ProgressObserver }> {
  const settings = await readSettings(flags, host, meets);
  const policy = readPolicy(flags, settings, host);
  command.startDeadline(flags);
  return { settings, policy, observer: await command.observe(flags) };
}

export function readPolicy(flags: Flags, { guards, consistency, throttling }: Settings, host: Host): Policy {
  return policyOf(flags, {
    prefix: "--",
    reportUnmanaged: flags.unmanaged === true,
    guards,
    consistency,
    throttling,
    // A job may set the code of an import for all its commands.
    allowVariable: variable(host, "ROSTER_ALLOW")?.replace(/\bfeed-shrinks#\S+/gu, ""),
    reasonVariable: variable(host, "ROSTER_REASON"),
    today: isoDate(host.clock),
  });
}

/** The roster at the paths, or where the settings say. `not-asked`: no plan follows, which would know who is new. */
export async function loadRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
  service: "asked" | "not-asked" = "asked",
): Promise<LoadedRoster> {
  const sources = await findRosterFiles(paths.length > 0 ? paths : settings.roster, host);
  if (variable(host, "ROSTER_CONFIG") === undefined) await refuseOtherSettings(paths, sources, settings, host);
  const options = { ...settings, today: isoDate(host.clock) };
  return loadSources(sources, service === "asked" ? options : { ...options, newUsers: "checked" });
}

/** Who keeps settings beside roster files expects their guards to hold. What the settings in use name is taken as it is, but not what lies below. */
async function refuseOtherSettings(
  paths: readonly string[],
  sources: readonly FoundFile[],
  { file, roster }: Settings,
  { cwd, target }: Host,
): Promise<void> {
  const used = file && (await realpath(resolve(cwd, file.path)));
  const tops = [cwd, await realpath(cwd)];
  for (const path of paths.length > 0 ? paths : roster) {
    const at = resolve(cwd, path);
    const end = await realpath(at).catch(() => at);
    const below = sources.flatMap((one) => (isInside(one.path, end) ? [dirname(one.path)] : []));
    for (const from of new Set([at, ...below])) {
      const top = tops.find((one) => isInside(from, one)) ?? repositoryRoot(from) ?? from;
      const found = nearestFile(settingsFileName, from, top);
      // A link may lead to the directory whose settings are used.
      if (found === undefined || (await realpath(found)) === used) continue;
      if (paths.length === 0 && [at, end].some((one) => isInside(one, dirname(found)))) continue;
      const message = `roster does not use ${relative(cwd, found)} for the path ${path}: it looks for settings in this directory and above it. The guards of that file would not hold.`;
      const first =
        target === undefined
          ? `Pass \`-C ${shellWord(relative(cwd, dirname(found)))}\` in place of the path.`
          : "All targets of a fleet use the settings of this directory: move the guards there.";
      throw invalidSetting("usage", message, `${first} Or name the settings file to use in ROSTER_CONFIG.`);
    }
  }
}

/** In a pipeline, refuses a path that leads out of the checkout: an error would show lines of whatever file it names. */
export async function findRosterFiles(paths: readonly string[], host: Host): Promise<readonly FoundFile[]> {
  const { cwd } = host;
  const checkout = isPipeline(host) ? await checkoutAround(host) : undefined;
  for (const path of paths) {
    if (!checkout || path === "-" || !(await placementOf(resolve(cwd, path), checkout)).leadsOut) continue;
    const message = `CI is set, and the roster path ${path} is a symbolic link that leads out of the checkout.`;
    throw invalidSetting("untrusted", message, "Replace the link with the files, or name its target.");
  }
  return readRosterFiles(paths, { cwd, stdin: (maxBytes) => readStandardInput(host.stdin(), () => maxBytes) });
}

/** Connects the configured endpoint with the key, or throws what is missing. Sends nothing yet. */
export async function connectService(
  { endpoint, network, parallelism, file, ...settings }: Settings,
  host: Host,
  { debug }: Pick<SomeFlags, "debug">,
): Promise<Service> {
  const { openService } = await import("../library/connect.ts");
  if (endpoint === undefined) {
    const hint =
      "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.";
    throw invalidSetting("no-endpoint", "No service address is set.", hint);
  }
  const key = keySource({ ...settings, endpoint, file }, host);
  const trace = debug === true ? (line: string) => host.stderr.write(`${safe(line)}\n`) : undefined;
  const shapes = file?.service?.shapes;
  const { mayStart } = host;
  return openService({ endpoint: endpoint.value, key, network, parallelism, shapes, trace, mayStart }, host);
}

export function keySource(
  { endpoint, file, apiKeyCommand }: Pick<Settings, "endpoint" | "file" | "apiKeyCommand">,
  host: Host,
): KeySource {
  if (host.keySource !== undefined) return host.keySource();
  const text = variable(host, "ROSTER_API_KEY");
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (text !== undefined && path !== undefined)
    throw invalidSetting("bad-key", "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.", "Unset one of them.");
  if (text === undefined && path === undefined) {
    if (apiKeyCommand === undefined) {
      const hint =
        "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings file. You cannot pass a key as a flag.";
      throw invalidSetting("no-key", "No API key is set.", hint);
    }
    return keyOfCommand(apiKeyCommand, file?.directory ?? host.cwd, "apiKeyCommand");
  }
  if (endpoint?.from === "settings" && file?.insideCheckout === true) {
    const secret = "The key comes from the environment, but the endpoint";
    throw secretStaysHome(secret, file.path, "Set ROSTER_ENDPOINT or pass --endpoint URL");
  }
  return path === undefined
    ? { name: "ROSTER_API_KEY", ask: async () => text ?? "" }
    : keyInFile(path, host.cwd, "ROSTER_API_KEY_FILE");
}

export function keyInFile(written: string, cwd: string, name = written): KeySource {
  const path = resolve(cwd, written);
  return {
    name,
    ask: () => secretInFile(written, readFileOrPipe(path, limits)),
    again: () => secretInFile(written, readRegularFile(path, limits.largest)),
  };
}

export function keyOfCommand([command = "", ...args]: readonly string[], cwd: string, name = command): KeySource {
  // Without `promisify`: the built program loads this module of Node late, and promisify does not know what stands in for it.
  const ask = () =>
    new Promise<string>((done, reject) => {
      execFile(command, args, { cwd, timeout: 30_000 }, (error, stdout) => {
        if (error === null) return done(stdout);
        const why = "code" in error ? String(error.code) : "it was ended";
        reject(invalidSetting("no-key", `The apiKeyCommand ${command} returned no key: ${why}.`));
      });
    });
  return { name, ask, again: ask };
}

/** A key has some hundred bytes; a pipe is written by a program that may have to ask somebody. */
const limits = { largest: 64 * 1024, patience: 30_000 };

/** What a file of a secret holds. It may be a pipe, as `<(pass show roster)` is. */
async function secretInFile(path: string, reading: Promise<Buffer>): Promise<string> {
  try {
    return (await reading).toString("utf8");
  } catch (error) {
    throw invalidSetting("unreadable-file", `The key file ${path} cannot be read: ${whyUnread(error)}.`);
  }
}

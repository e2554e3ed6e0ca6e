import { isAbsolute, join } from "node:path";
import type { GuardSettings } from "../model/guard.ts";
import { problem, type Result, success } from "../model/result.ts";
import { unknownVariables, type Variable, variable } from "./environment.ts";
import { guardsInForce } from "./guard-settings.ts";
import { type Host, isPipeline } from "./host.ts";
import { findSettingsFile, type SettingsFile } from "./settings-file.ts";
import { invalid, invalidSetting, type Stop } from "./stop.ts";

/** The flags that say what a settings file or a variable could say too. */
export interface SettingFlags {
  readonly endpoint?: string | undefined;
  readonly state?: string | undefined;
  readonly account?: string | undefined;
  readonly parallelism?: string | undefined;
}

/** What is in force for one command: flags, then variables, then the settings file, then defaults. */
export interface Settings {
  readonly endpoint?: Setting;
  /** Absent where CI is set and nobody has named one. */
  readonly state?: Setting;
  readonly account?: string;
  readonly accounts: ReadonlyMap<string, string>;
  readonly parallelism: number;
  readonly roster: readonly string[];
  readonly apiKeyCommand?: readonly string[];
  readonly network: NetworkSettings;
  readonly guards: GuardSettings;
  readonly file?: SettingsFile;
}

/** What is said of the way to other machines, beside the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  /** Where the environment names no proxy. */
  readonly proxy?: string;
  /** A file of certificates of authorities. */
  readonly ca?: Setting;
}

export interface Setting {
  readonly value: string;
  readonly from: "flag" | "variable" | "settings" | "default";
  /** The settings file that says so, where a change to the checkout can edit it. */
  readonly editableIn?: string;
}

export async function readSettings(flags: SettingFlags, host: Host): Promise<Result<Settings, Stop>> {
  const strange = unknownVariables(host);
  if (strange.length > 0) return problem(invalid(strange));
  const found = await findSettingsFile(host);
  if (!found.ok) return found;
  const file = found.value;
  const refused = refusedInCheckout(file, host);
  if (refused !== undefined) return problem(refused);
  const parallelism = parallelismOf(flags.parallelism ?? variable(host, "ROSTER_PARALLELISM"), file);
  if (!parallelism.ok) return parallelism;
  const endpoint = first(flags.endpoint, "ROSTER_ENDPOINT", file?.endpoint, host);
  const state = stateOf(flags, file, host);
  const account = flags.account ?? variable(host, "ROSTER_ACCOUNT") ?? file?.account;
  return success({
    accounts: file?.accounts ?? new Map(),
    parallelism: parallelism.value,
    roster: file?.roster?.map((path) => fromDirectoryOf(file, path)) ?? ["."],
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(state === undefined ? {} : { state }),
    ...(account === undefined ? {} : { account }),
    ...(file?.apiKeyCommand === undefined ? {} : { apiKeyCommand: file.apiKeyCommand }),
    network: networkOf(file, host),
    guards: guardsInForce(file?.guards, file?.protect),
    ...(file === undefined ? {} : { file }),
  });
}

/** A pull request may edit the checkout: what redirects or runs something there is not taken from it in a pipeline. */
function refusedInCheckout(file: SettingsFile | undefined, host: Host): Stop | undefined {
  if (file === undefined || !file.insideCheckout || variable(host, "ROSTER_TRUST_SETTINGS") === "1") return undefined;
  const { apiKeyCommand, state, proxy, ca, guards, protect } = file;
  const named = Object.entries({ apiKeyCommand, state, proxy, ca, guards, protect }).flatMap(([key, set]) =>
    set === undefined ? [] : key,
  );
  const where = `${file.path}, which a change to the checkout can edit, sets`;
  if (isPipeline(host) && named.length > 0) return untrusted(`CI is set, and ${where} ${named.join(" and ")}.`);
  if (proxy === undefined || ca === undefined) return undefined;
  return untrusted(`${where} both proxy and ca: together they let somebody else read the key on its way.`);
}

function untrusted(why: string): Stop {
  return invalidSetting(
    "untrusted-settings",
    why,
    "Set it by flag or variable, move the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

function networkOf(file: SettingsFile | undefined, host: Host): NetworkSettings {
  const ca = first(undefined, "ROSTER_CA_FILE", file?.ca, host);
  const from = file === undefined || ca?.from !== "settings" ? ca : { ...ca, value: fromDirectoryOf(file, ca.value) };
  return {
    ...(file?.proxy === undefined ? {} : { proxy: file.proxy }),
    ...(from === undefined ? {} : { ca: from }),
  };
}

function stateOf(flags: SettingFlags, file: SettingsFile | undefined, host: Host): Setting | undefined {
  const said = first(flags.state, "ROSTER_STATE", file?.state, host);
  if (said?.from === "settings" && file !== undefined) {
    const editable = file.insideCheckout ? { editableIn: file.path } : {};
    return { ...said, value: stateFromSettings(file, said.value), ...editable };
  }
  if (said !== undefined || isPipeline(host)) return said;
  return { value: `file:${join(file?.shownDirectory ?? "", ".roster/state.json")}`, from: "default" };
}

function stateFromSettings(file: SettingsFile, address: string): string {
  return address.startsWith("file:") ? `file:${fromDirectoryOf(file, address.slice("file:".length))}` : address;
}

function first(flag: string | undefined, name: Variable, setting: string | undefined, host: Host): Setting | undefined {
  const said = variable(host, name);
  if (flag !== undefined) return { value: flag, from: "flag" };
  if (said !== undefined) return { value: said, from: "variable" };
  return setting === undefined ? undefined : { value: setting, from: "settings" };
}

function fromDirectoryOf(file: SettingsFile, path: string): string {
  return isAbsolute(path) ? path : join(file.shownDirectory, path);
}

function parallelismOf(said: string | undefined, file: SettingsFile | undefined): Result<number, Stop> {
  if (said === undefined) return success(file?.parallelism ?? 10);
  if (/^[1-9]\d?$/u.test(said) && Number(said) <= 64) return success(Number(said));
  return problem(invalidSetting("bad-parallelism", `The parallelism ${said} is not a whole number from 1 to 64.`));
}

import { realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { invalidInput, type RosterError } from "../../library/error.ts";
import type { Place } from "../../model/fact.ts";
import type { GuardSettings } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { AccountSettings } from "../../roster/decode-file.ts";
import type { SectionRule } from "../../roster/diagnostics.ts";
import { type Host, isPipeline } from "../host.ts";
import { durationOf } from "../time-limits.ts";
import { pathBelow } from "../trust/checkout.ts";
import { unknownVariables, type Variable, variable } from "./environment.ts";
import { guardsInForce } from "./guard-settings.ts";
import { findSettingsFile, refusedSettings, type SessionKind, type SettingsFile } from "./settings-file.ts";

/** The flags that say what a settings file or a variable could say too. */
export interface SettingFlags {
  readonly endpoint?: string | undefined;
  readonly state?: string | undefined;
  readonly account?: string | undefined;
  readonly parallelism?: string | undefined;
}

/** What is in force for one command: flags, then variables, then the settings file, then defaults. */
export interface Settings extends AccountSettings {
  readonly endpoint?: Setting;
  /** Absent where CI is set and nobody has named one. */
  readonly state?: Setting;
  readonly parallelism: number;
  /** Milliseconds within which reads of the service may not show a write; absent where that is learned. */
  readonly consistency?: number;
  /** A throttled write never takes effect. */
  readonly throttling?: "no-effect";
  readonly roster: readonly string[];
  readonly apiKeyCommand?: readonly string[];
  readonly network: NetworkSettings;
  readonly guards: GuardSettings;
  /** Absent where every file may carry everything. */
  readonly sections?: SectionSettings;
  readonly file?: SettingsFile;
}

/** How other machines are reached, besides the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  /** Where the environment names no proxy. */
  readonly proxy?: string;
  /** A file of certificates of authorities. */
  readonly ca?: Setting;
}

export interface SectionSettings {
  readonly rules: readonly SectionRule[];
  /** Where the paths of the rules start, without links. */
  readonly directory: string;
}

export interface Setting {
  readonly value: string;
  readonly from: "flag" | "variable" | "settings" | "default";
  /** The settings file that says so, where a change to the checkout can edit it. */
  readonly editableIn?: string;
}

/** The settings in force, or everything that is wrong with them. */
export async function readSettings(
  flags: SettingFlags,
  host: Host,
  meets?: SessionKind,
): Promise<Result<Settings, RosterError>> {
  const found = await findSettingsFile(host);
  const file = found.ok ? found.value : undefined;
  const untaken = found.ok ? await refusedSettings(file, host, meets) : found.error;
  const parallelism = parallelismOf(flags.parallelism ?? variable(host, "ROSTER_PARALLELISM"), file);
  const consistency = durationOf("ROSTER_CONSISTENCY", variable(host, "ROSTER_CONSISTENCY"));
  if (!consistency.ok) return consistency;
  const window = consistency.value ?? file?.consistency;
  const troubles = [...unknownVariables(host), ...untaken, ...(parallelism.ok ? [] : [parallelism.error])];
  if (!parallelism.ok || troubles.length > 0) return problem(invalidInput(troubles));
  const endpoint = first(flags.endpoint, "ROSTER_ENDPOINT", file?.endpoint, host);
  return success({
    ...accountsOf(flags, file, host),
    parallelism: parallelism.value,
    ...definedFields({ consistency: window, throttling: file?.throttling }),
    roster: file?.roster?.map((path) => fromDirectoryOf(file, path)) ?? ["."],
    ...(endpoint === undefined ? {} : { endpoint }),
    ...placeOfState(flags, file, host),
    ...(file?.apiKeyCommand === undefined ? {} : { apiKeyCommand: file.apiKeyCommand }),
    network: networkOf(file, host),
    guards: guardsInForce(file?.guards, file?.protect, file?.places.get("protect")),
    ...(await sectionsOf(file)),
    ...(file === undefined ? {} : { file }),
  });
}

const noAliases = { accounts: new Map<string, string>(), accountsAt: new Map<string, Place>() };

function accountsOf(flags: SettingFlags, file: SettingsFile | undefined, host: Host): AccountSettings {
  const said = flags.account ?? variable(host, "ROSTER_ACCOUNT");
  const { accounts, accountsAt } = file ?? noAliases;
  if (said !== undefined) return { account: said, accounts, accountsAt };
  if (file?.account === undefined) return { accounts, accountsAt };
  const at = file.accountAt === undefined ? {} : { accountAt: file.accountAt };
  return { account: file.account, ...at, accounts, accountsAt };
}

/** Settings from elsewhere speak of the checkout as its own would at its root: there is no other way from them to it. */
async function sectionsOf(file: SettingsFile | undefined): Promise<{ readonly sections?: SectionSettings }> {
  if (file?.sections === undefined) return {};
  const { root } = file.checkout;
  const directory = await realpath(file.directory);
  return { sections: { rules: file.sections, directory: pathBelow(root, directory) === undefined ? root : directory } };
}

function networkOf(file: SettingsFile | undefined, host: Host): NetworkSettings {
  const ca = first(undefined, "ROSTER_CA_FILE", file?.ca, host);
  const from = file === undefined || ca?.from !== "settings" ? ca : { ...ca, value: fromDirectoryOf(file, ca.value) };
  return {
    ...(file?.proxy === undefined ? {} : { proxy: file.proxy }),
    ...(from === undefined ? {} : { ca: from }),
  };
}

/** Where the log lives. */
function placeOfState(flags: SettingFlags, file: SettingsFile | undefined, host: Host): Pick<Settings, "state"> {
  const state = placeOf(first(flags.state, "ROSTER_STATE", file?.state, host), file) ?? defaultState(file, host);
  return state === undefined ? {} : { state };
}

/** A place that the settings file names is named from its directory. */
function placeOf(said: Setting | undefined, file: SettingsFile | undefined): Setting | undefined {
  if (said?.from !== "settings" || file === undefined) return said;
  const editable = file.insideCheckout ? { editableIn: file.path } : {};
  return { ...said, value: fileFromSettings(file, said.value), ...editable };
}

function fileFromSettings(file: SettingsFile, address: string): string {
  return address.startsWith("file:") ? `file:${fromDirectoryOf(file, address.slice("file:".length))}` : address;
}

function defaultState(file: SettingsFile | undefined, host: Host): Setting | undefined {
  if (isPipeline(host)) return undefined;
  return { value: `file:${join(file?.shownDirectory ?? "", ".roster/log.jsonl")}`, from: "default" };
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

function parallelismOf(said: string | undefined, file: SettingsFile | undefined): Result<number, Diagnostic> {
  if (said === undefined) return success(file?.parallelism ?? 10);
  if (/^[1-9]\d?$/u.test(said) && Number(said) <= 64) return success(Number(said));
  const message = `The parallelism ${said} is not a whole number from 1 to 64.`;
  return problem({ code: "bad-value", severity: "error", message });
}

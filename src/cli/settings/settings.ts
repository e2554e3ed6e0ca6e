import { realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { invalidInput, RosterError, rosterError } from "../../library/error.ts";
import type { NetworkSettings } from "../../library/network.ts";
import { guardsInForce } from "../../library/policy.ts";
import { definedFields } from "../../model/collections.ts";
import type { GuardSettings } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { AccountSettings } from "../../roster/decode-file.ts";
import type { SectionRule } from "../../roster/diagnostics.ts";
import type { SomeFlags } from "../flags.ts";
import { type Host, isPipeline } from "../host.ts";
import { durationOf } from "../time-limits.ts";
import { pathBelow } from "../trust/checkout.ts";
import { unknownVariables, type Variable, variable } from "./environment.ts";
import { findSettingsFile, refusedSettings, type SessionKind, type SettingsFile } from "./settings-file.ts";

/** What is in force for one command: flags, then variables, then the settings file, then defaults. */
export interface Settings extends AccountSettings {
  readonly endpoint: Setting | undefined;
  /** Absent where CI is set and nobody has named one. */
  readonly state: Setting | undefined;
  readonly parallelism: number;
  /** Milliseconds within which reads of the service may not show a write; absent where that is learned. */
  readonly consistency: number | undefined;
  /** A throttled write never takes effect. */
  readonly throttling: "no-effect" | undefined;
  readonly roster: readonly string[];
  readonly apiKeyCommand: readonly string[] | undefined;
  readonly network: Pick<NetworkSettings, "proxy"> & { readonly ca: Setting | undefined };
  readonly guards: GuardSettings;
  /** Absent where every file may carry everything. */
  readonly sections: SectionSettings | undefined;
  readonly file: SettingsFile | undefined;
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
  readonly editableIn?: string | undefined;
}

export async function readSettings(flags: SomeFlags, host: Host, meets?: SessionKind): Promise<Settings> {
  const found = await findSettingsFile(host).catch(rosterError);
  const file = found instanceof RosterError ? undefined : found;
  const untaken = found instanceof RosterError ? found.diagnostics : await refusedSettings(file, host, meets);
  const parallelism = parallelismOf(flags.parallelism ?? variable(host, "ROSTER_PARALLELISM"), file);
  const consistency =
    durationOf("ROSTER_CONSISTENCY", variable(host, "ROSTER_CONSISTENCY")) ?? file?.service?.consistency;
  const troubles = [...unknownVariables(host), ...untaken, ...(parallelism.ok ? [] : [parallelism.error])];
  if (!parallelism.ok || troubles.length > 0) throw invalidInput(troubles);
  return {
    ...accountsOf(flags, file, host),
    parallelism: parallelism.value,
    consistency,
    throttling: file?.service?.throttling,
    roster: file?.roster?.map((path) => fromDirectoryOf(file, path)) ?? ["."],
    endpoint: first(flags.endpoint, "ROSTER_ENDPOINT", file?.endpoint, host),
    state: placeOf(first(flags.state, "ROSTER_STATE", file?.state, host), file) ?? defaultState(file, host),
    apiKeyCommand: file?.apiKeyCommand,
    network: { proxy: file?.proxy, ca: authoritiesOf(file, host) },
    guards: guardsInForce(writtenGuards(file)),
    sections: await sectionsOf(file),
    file,
  };
}

function writtenGuards(file: SettingsFile | undefined): Parameters<typeof guardsInForce>[0] {
  const protectAt = file?.places.get("protect");
  const setAt = protectAt === undefined ? file?.guards?.setAt : { ...file?.guards?.setAt, protect: protectAt };
  return { ...file?.guards, ...definedFields({ protect: file?.protect, setAt }) };
}

export function accountIdentifiers({ account, accounts }: AccountSettings): readonly string[] {
  const named = account === undefined ? [] : [accounts.get(account) ?? account];
  return [...named, ...accounts.values()];
}

function accountsOf(flags: SomeFlags, file: SettingsFile | undefined, host: Host): AccountSettings {
  const aliases = file?.accounts ?? [];
  const accounts = new Map(aliases.map(({ name, value }) => [name.text, value.value]));
  const accountsAt = new Map(aliases.map(({ name, value }) => [name.text, value.at.place]));
  const account = flags.account ?? variable(host, "ROSTER_ACCOUNT");
  if (account !== undefined) return { account, accounts, accountsAt };
  if (file?.account === undefined) return { accounts, accountsAt };
  return { account: file.account.value, accountAt: file.account.at.place, accounts, accountsAt };
}

/** Settings from elsewhere speak of the checkout as its own would at its root: there is no other way from them to it. */
async function sectionsOf(file: SettingsFile | undefined): Promise<SectionSettings | undefined> {
  if (file?.sections === undefined) return undefined;
  const { root } = file.checkout;
  const directory = await realpath(file.directory);
  return { rules: file.sections, directory: pathBelow(root, directory) === undefined ? root : directory };
}

function authoritiesOf(file: SettingsFile | undefined, host: Host): Setting | undefined {
  const ca = first(undefined, "ROSTER_CA_FILE", file?.ca, host);
  return file === undefined || ca?.from !== "settings" ? ca : { ...ca, value: fromDirectoryOf(file, ca.value) };
}

function placeOf(said: Setting | undefined, file: SettingsFile | undefined): Setting | undefined {
  if (said?.from !== "settings" || file === undefined) return said;
  const path = said.value.startsWith("file:") ? said.value.slice("file:".length) : undefined;
  const value = path === undefined ? said.value : `file:${fromDirectoryOf(file, path)}`;
  return { ...said, value, editableIn: file.insideCheckout ? file.path : undefined };
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

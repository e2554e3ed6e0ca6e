import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidInput, invalidSetting, RosterError, rosterError } from "../../library/error.ts";
import { settingsFileName } from "../../library/load-roster.ts";
import type { NetworkSettings } from "../../library/network.ts";
import { guardsInForce } from "../../library/policy.ts";
import { definedFields } from "../../model/collections.ts";
import type { Place } from "../../model/fact.ts";
import type { GuardSettings } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { SettingReport } from "../../report/doctor/observations.ts";
import type { AccountSettings } from "../../roster/decode-file.ts";
import type { SectionRule } from "../../roster/diagnostics.ts";
import { readYaml, type YamlDocument } from "../../yaml/read.ts";
import { type MapNode, maxFileBytes, type Node } from "../../yaml/source-text.ts";
import { durationOf } from "../flag-values.ts";
import type { SomeFlags } from "../flags.ts";
import { type Host, isPipeline } from "../host.ts";
import {
  type Checkout,
  checkoutAround,
  nearestFile,
  pathBelow,
  placementOf,
  trustsCheckout,
} from "../trust/checkout.ts";
import { unknownVariables, type Variable, variable } from "./environment.ts";
import {
  decodeSettings,
  isSettingName,
  type SettingName,
  type SettingRow,
  settingRows,
  settingTable,
  type WrittenSettings,
} from "./setting-table.ts";

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

export interface SettingsPlace {
  readonly path: string;
  readonly directory: string;
  /** The directory relative to where the command runs; paths in the file start there. */
  readonly shownDirectory: string;
  /** A change to the checkout, such as a pull request, can edit this file, or put another in its place. */
  readonly insideCheckout: boolean;
  /** A link in the checkout leads to a file elsewhere. */
  readonly leadsOut: boolean;
  readonly foundBy: "ROSTER_CONFIG" | "search";
  readonly checkout: Checkout;
}

export interface SettingsFile extends WrittenSettings, SettingsPlace {
  /** Where each setting stands that the file names, whether or not its value says anything. */
  readonly places: ReadonlyMap<SettingName, Place>;
}

/** The file that ROSTER_CONFIG names, else the nearest one from here up to the repository's root. */
async function locateSettings(host: Host): Promise<SettingsPlace | undefined> {
  const named = variable(host, "ROSTER_CONFIG");
  const path = named === undefined ? nearestFile(settingsFileName, host.cwd) : resolve(host.cwd, named);
  if (path === undefined) return undefined;
  const checkout = await checkoutAround(host);
  const { isEditable, leadsOut } = await placementOf(path, checkout);
  const shown = relative(host.cwd, path);
  return {
    path: shown,
    directory: dirname(path),
    shownDirectory: dirname(shown),
    insideCheckout: isEditable,
    leadsOut,
    foundBy: named === undefined ? "search" : "ROSTER_CONFIG",
    checkout,
  };
}

async function readSettingsFile({ path, foundBy, leadsOut }: SettingsPlace, host: Host): Promise<YamlDocument> {
  // An error would show a line of it, such as a secret of the machine.
  if (leadsOut && isPipeline(host) && !trustsCheckout(host))
    throw invalidSetting(
      "untrusted",
      `CI is set, and the settings file ${path} is a symbolic link that leads out of the checkout. A change to the checkout could choose which file is read.`,
      "Replace the link with a file, or name the target in ROSTER_CONFIG.",
    );
  try {
    return readYaml(path, await readRegularFile(resolve(host.cwd, path), maxFileBytes));
  } catch (error) {
    const hint = foundBy === "search" ? undefined : "ROSTER_CONFIG names it.";
    throw invalidSetting("unreadable-file", `The settings ${path} cannot be read: ${whyUnread(error)}.`, hint);
  }
}

async function findSettingsFile(host: Host): Promise<SettingsFile | undefined> {
  // What fills it may be missing in this job alone. Without that file, none of its guards would count.
  if (host.env["ROSTER_CONFIG"] === "" && isPipeline(host))
    throw invalidSetting(
      "missing-setting",
      "ROSTER_CONFIG is set, but empty. With CI set, roster does not search for another settings file instead.",
      "Name the settings file in ROSTER_CONFIG, or do not set the variable.",
    );
  const place = await locateSettings(host);
  if (place === undefined) return undefined;
  const read = await readSettingsFile(place, host);
  const decoded = decodeSettings(read);
  if (!decoded.ok) throw invalidInput(decoded.error);
  const places = (read.tree?.entries ?? []).flatMap(({ key }): [SettingName, Place][] =>
    isSettingName(key.text) ? [[key.text, key.place]] : [],
  );
  return { ...decoded.value, ...place, places: new Map(places) };
}

/** Whether a command meets the service and the state, or plans with what was kept of both. */
export type SessionKind = "service-and-state" | "neither";

/** What of the settings in force must not be taken from where they stand. What a command never looks at is not in force. */
async function refusedSettings(
  file: SettingsFile | undefined,
  host: Host,
  meets: SessionKind = "service-and-state",
): Promise<readonly Diagnostic[]> {
  if (file === undefined || !file.insideCheckout || trustsCheckout(host)) return [];
  const isInForce = (name: SettingName) =>
    meets === "service-and-state" || settingTable[name].isAboutConnection !== true;
  const refused = isPipeline(host)
    ? [...file.places].filter(([name]) => settingTable[name].inPipelines === "refused" && isInForce(name))
    : [];
  const untaken = refused.map(([name, place]): Diagnostic => {
    const why = `CI is set, and ${file.path} in the checkout sets ${name}`;
    const { because, instead } = settingTable[name];
    return { ...untrusted(`${why}: ${because}.`, instead), place };
  });
  const elsewhere = isPipeline(host) ? await rosterElsewhere(file) : [];
  if (untaken.length + elsewhere.length > 0) return [...untaken, ...elsewhere];
  return meets === "neither" ? [] : refusedTogether(file);
}

/** An error in such a file would show lines of it, whatever it is. */
async function rosterElsewhere(file: SettingsFile): Promise<readonly Diagnostic[]> {
  const { path, roster = [], directory, checkout, places } = file;
  const place = places.get("roster");
  const standing = await Promise.all(roster.map((one) => placementOf(resolve(directory, one), checkout)));
  if (place === undefined || standing.every(({ isInside }) => isInside)) return [];
  const why = `CI is set, and ${path} in the checkout sets roster to a path outside it`;
  return [{ ...untrusted(`${why}. A change to the checkout could choose which files are read.`, "PATH"), place }];
}

function refusedTogether({ path, places }: SettingsFile): readonly Diagnostic[] {
  const place = places.get("ca");
  if (place === undefined || !places.has("proxy")) return [];
  const message = `${path} in the checkout sets both proxy and ca: together they could let another machine read the key.`;
  return [{ ...untrusted(message, "HTTPS_PROXY and ROSTER_CA_FILE"), place }];
}

function untrusted(message: string, instead?: string): Diagnostic {
  const first = instead === undefined ? "Move" : `Use ${instead}, move`;
  const hint = `${first} the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1.`;
  return { code: "untrusted", severity: "error", message, hint };
}

/** Every setting that is set, its value as it is written and where it comes from, also where something is wrong with it. Shows no secret. */
export async function shownSettings(flags: SomeFlags, host: Host): Promise<readonly SettingReport[]> {
  const place = await locateSettings(host);
  const file = place && (await readSettingsFile(place, host).catch(rosterError));
  const tree = file instanceof RosterError ? undefined : file?.tree;
  return settingRows.flatMap((row) => {
    const said = fromFlag(row, flags) ?? fromVariable(row, host) ?? fromFile(row, tree);
    if (said === undefined) return [];
    return [{ name: row.name, ...said, value: row.isSecret ? "set" : withoutPasswords(said.value) }];
  });
}

type SaidSetting = Omit<SettingReport, "name">;

function fromFlag({ name, flag }: SettingRow, flags: SomeFlags): SaidSetting | undefined {
  const [, value] = Object.entries(flags).find(([one]) => flag === true && one === name) ?? [];
  return typeof value === "string" ? { value, from: { kind: "flag", name: `--${name}` } } : undefined;
}

function fromVariable({ variables = [] }: SettingRow, { env }: Host): SaidSetting | undefined {
  const [said] = variables.flatMap((name): readonly SaidSetting[] => {
    const value = env[name]?.trim() ?? "";
    return value === "" ? [] : [{ value, from: { kind: "variable", name } }];
  });
  return said;
}

function fromFile({ setting, part }: SettingRow, tree: MapNode | undefined): SaidSetting | undefined {
  const whole = tree?.entries.find(({ key }) => key.text === setting);
  const inner = whole?.value.kind === "map" ? whole.value.entries.find(({ key }) => key.text === part) : undefined;
  const entry = part === undefined ? whole : inner;
  if (setting === undefined || entry === undefined) return undefined;
  return { value: nodeText(entry.value), from: { kind: "settings", place: entry.key.place } };
}

/** What stands in YAML, on one line: `[a, b]`, `{ ratio: 0.25, floor: 10 }`. */
function nodeText(node: Node): string {
  switch (node.kind) {
    case "scalar":
      return node.text;
    case "list":
      return `[${node.items.map(nodeText).join(", ")}]`;
    case "map":
      return `{ ${node.entries.map(({ key, value }) => `${key.text}: ${nodeText(value)}`).join(", ")} }`;
  }
}

function withoutPasswords(text: string): string {
  return text
    .replace(/(?<=:\/\/)[^/?#\s,]*@/gu, "…@")
    .replace(/(?<=[?&](?:password|token|secret|signature|sig|key)=)[^&#\s]+/giu, "…");
}

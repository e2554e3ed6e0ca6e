import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import type { NetworkSettings } from "../../library/connect.ts";
import { invalidInput, invalidSetting, RosterError, rosterError } from "../../library/error.ts";
import type { RosterOptions } from "../../library/load-roster.ts";
import { parallelismRange } from "../../library/options.ts";
import { guardsInForce } from "../../library/policy.ts";
import { settingsFileName } from "../../library/roster-files.ts";
import { definedFields } from "../../model/collections.ts";
import type { Place } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/failure.ts";
import type { GuardSettings } from "../../model/policy.ts";
import type { SettingReport } from "../../report/doctor/diagnose.ts";
import type { AccountSettings } from "../../roster/decode.ts";
import { readYaml } from "../../yaml/read.ts";
import { type MapNode, maxFileBytes, type Node, type YamlDocument } from "../../yaml/source-text.ts";
import { durationOf, readCount, type SomeFlags } from "../flags.ts";
import { type Host, isPipeline } from "../host.ts";
import { type Checkout, checkoutAround, nearestFile, pathBelow, placementOf, trustsCheckout } from "../trust.ts";
import { unknownVariables, variable } from "./environment.ts";
import {
  decodeSettings,
  entryOf,
  settingNames,
  settingRows,
  settingTable,
  type WrittenSettings,
} from "./setting-table.ts";

/** What is in force for one command: flags, then variables, then the settings file, then defaults. */
export interface Settings extends AccountSettings {
  readonly endpoint: Setting | undefined;
  /** Absent where CI is set and nobody has named one. */
  readonly state: Setting | undefined;
  readonly parallelism: number | undefined;
  /** Milliseconds within which reads of the service may not show a write; absent where that is learned. */
  readonly consistency: number | undefined;
  /** A throttled write never takes effect. */
  readonly throttling: "no-effect" | undefined;
  readonly roster: readonly string[];
  readonly apiKeyCommand: readonly string[] | undefined;
  readonly network: Pick<NetworkSettings, "proxy"> & { readonly ca: Setting | undefined };
  readonly guards: GuardSettings;
  /** Absent where every file may carry everything. */
  readonly sections: RosterOptions["sections"];
  readonly file: SettingsFile | undefined;
}

interface Setting {
  readonly value: string;
  readonly from: "flag" | "variable" | "settings" | "default";
  /** The settings file that says so, where a change to the checkout can edit it. */
  readonly editableIn?: string | undefined;
}

interface Outside extends Setting {
  readonly from: "flag" | "variable";
  /** Such as `--endpoint` or `ROSTER_ENDPOINT`. */
  readonly name: string;
}

/** Whether a command meets the service and the state, or plans with what was kept of both. */
export type SessionKind = "service-and-state" | "neither";

export async function readSettings(
  flags: SomeFlags,
  host: Host,
  meets: SessionKind = "service-and-state",
): Promise<Settings> {
  const found = await findSettingsFile(host).catch(rosterError);
  const file = found instanceof RosterError ? undefined : found;
  const outside = saidOutside(flags, host);
  const first = (name: string, setting: string | undefined): Setting | undefined =>
    outside.get(name) ?? (setting === undefined ? undefined : { value: setting, from: "settings" });
  const readNumbers = async () => {
    const calls = outside.get("parallelism");
    const window = outside.get("service.consistency");
    return {
      parallelism: calls === undefined ? file?.parallelism : readCount(calls.name, calls.value, parallelismRange),
      consistency: window === undefined ? file?.service?.consistency : durationOf(window.name, window.value),
    };
  };
  const numbers = await readNumbers().catch(rosterError);
  const problems = [
    ...unknownVariables(host),
    ...(found instanceof RosterError ? found.diagnostics : await refusedSettings(file, host, meets)),
    ...(numbers instanceof RosterError ? numbers.diagnostics : []),
  ];
  if (numbers instanceof RosterError || problems.length > 0) throw invalidInput(problems);
  return {
    ...accountsOf(outside.get("account")?.value, file),
    ...numbers,
    throttling: file?.service?.throttling,
    roster: file?.roster?.map((path) => fromDirectoryOf(file, path)) ?? ["."],
    endpoint: first("endpoint", file?.endpoint),
    state: stateOf(first("state", file?.state), file, host),
    apiKeyCommand: file?.apiKeyCommand,
    network: { proxy: file?.proxy, ca: first("ca", file?.ca && fromDirectoryOf(file, file.ca)) },
    guards: guardsInForce({ ...file?.guards, ...definedFields({ protect: file?.protect, setAt: file?.setAt }) }),
    sections: await sectionsOf(file),
    file,
  };
}

export function accountIdentifiers({ account, accounts }: AccountSettings): readonly string[] {
  const named = account === undefined ? [] : [accounts.get(account) ?? account];
  return [...new Set([...named, ...accounts.values()])];
}

/** What counts before the settings file, by the setting: a flag, then the first of its variables that is set. */
function saidOutside(flags: SomeFlags, host: Host): ReadonlyMap<string, Outside> {
  const outside = new Map<string, Outside>();
  for (const { name, flag, variables = [] } of settingRows) {
    const given: unknown = flag === true ? Reflect.get(flags, name) : undefined;
    const set = variables.find((one) => variable(host, one) !== undefined);
    if (typeof given === "string") outside.set(name, { value: given, from: "flag", name: `--${name}` });
    else if (set !== undefined) outside.set(name, { value: variable(host, set) ?? "", from: "variable", name: set });
  }
  return outside;
}

function accountsOf(account: string | undefined, file: SettingsFile | undefined): AccountSettings {
  const aliases = file?.accounts ?? [];
  const accounts = new Map(aliases.map(({ name, value }) => [name.text, value.value]));
  const accountsAt = new Map(aliases.map(({ name, value }) => [name.text, value.at.place]));
  if (account !== undefined) return { account, accounts, accountsAt };
  if (file?.account === undefined) return { accounts, accountsAt };
  return { account: file.account.value, accountAt: file.account.at.place, accounts, accountsAt };
}

/** Settings from elsewhere speak of the checkout as its own would at its root: there is no other way from them to it. */
async function sectionsOf(file: SettingsFile | undefined): Promise<RosterOptions["sections"]> {
  if (file?.sections === undefined) return undefined;
  const { root } = file.checkout;
  const directory = await realpath(file.directory);
  const start = pathBelow(root, directory) === undefined ? root : directory;
  return { rules: file.sections, pathOf: (path) => pathBelow(start, path) };
}

function stateOf(said: Setting | undefined, file: SettingsFile | undefined, host: Host): Setting | undefined {
  if (said === undefined && isPipeline(host)) return undefined;
  if (said === undefined)
    return { value: `file:${join(dirname(file?.path ?? ""), ".roster/log.jsonl")}`, from: "default" };
  if (said.from !== "settings" || file === undefined) return said;
  const [, path] = /^file:(.*)$/su.exec(said.value) ?? [];
  const value = path === undefined ? said.value : `file:${fromDirectoryOf(file, path)}`;
  return { ...said, value, editableIn: file.insideCheckout ? file.path : undefined };
}

/** Paths in the file start at its directory. */
function fromDirectoryOf(file: SettingsFile, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file.path), path);
}

interface SettingsPlace {
  /** As seen from where the command runs. */
  readonly path: string;
  readonly directory: string;
  /** A change to the checkout, such as a pull request, can edit this file, or put another in its place. */
  readonly insideCheckout: boolean;
  readonly checkout: Checkout;
}

interface SettingsFile extends WrittenSettings, SettingsPlace {
  readonly tree: MapNode | undefined;
}

/** The file that ROSTER_CONFIG names, else the nearest one from here up to the repository's root. */
async function locateSettings(
  host: Host,
): Promise<{ readonly place: SettingsPlace; readonly read: () => Promise<YamlDocument> } | undefined> {
  const named = variable(host, "ROSTER_CONFIG");
  const at = named === undefined ? nearestSettings(host.cwd) : resolve(host.cwd, named);
  if (at === undefined) return undefined;
  const path = relative(host.cwd, at);
  const checkout = await checkoutAround(host);
  const { isEditable, leadsOut } = await placementOf(at, checkout);
  const read = async () => {
    // An error would show a line of it, such as a secret of the machine.
    if (leadsOut && isPipeline(host) && !trustsCheckout(host)) {
      const message = `CI is set, and the settings file ${path} is a symbolic link that leads out of the checkout. A change to the checkout could choose which file is read.`;
      throw invalidSetting("untrusted", message, "Replace the link with a file, or name the target in ROSTER_CONFIG.");
    }
    try {
      return await readYaml(path, await readRegularFile(at, maxFileBytes));
    } catch (error) {
      const hint = named === undefined ? undefined : "ROSTER_CONFIG has this path. Correct it, or create the file.";
      throw invalidSetting("unreadable-file", `The settings ${path} cannot be read: ${whyUnread(error)}.`, hint);
    }
  };
  return { place: { path, directory: dirname(at), insideCheckout: isEditable, checkout }, read };
}

/** Under another name its guards would not count. */
function nearestSettings(cwd: string): string | undefined {
  const found = nearestFile(settingsFileName, cwd);
  const misnamed = ["roster.config.yml", "roster.config.json"].map((name) => nearestFile(name, cwd));
  const wrong = misnamed.find((path = "") => dirname(path).length > dirname(found ?? "").length);
  if (wrong === undefined) return found;
  const path = relative(cwd, wrong);
  const hint = `Rename it to ${settingsFileName}, or name it in ROSTER_CONFIG.`;
  throw invalidSetting("unreadable-file", `The settings file ${path} must be named ${settingsFileName}.`, hint);
}

async function findSettingsFile(host: Host): Promise<SettingsFile | undefined> {
  // What fills it may be missing in this job alone. Without that file, none of its guards would count.
  if (host.env["ROSTER_CONFIG"]?.trim() === "" && isPipeline(host))
    throw invalidSetting(
      "missing-setting",
      "ROSTER_CONFIG is set, but empty. With CI set, roster does not search for another settings file instead.",
      "Name the settings file in ROSTER_CONFIG, or do not set the variable.",
    );
  const located = await locateSettings(host);
  if (located === undefined) return undefined;
  const read = await located.read();
  const decoded = decodeSettings(read);
  if (!decoded.ok) throw invalidInput(decoded.error);
  return { ...decoded.value, ...located.place, tree: read.tree };
}

/** What of the settings in force must not be taken from where they stand. What a command never looks at is not in force. */
async function refusedSettings(
  file: SettingsFile | undefined,
  host: Host,
  meets: SessionKind,
): Promise<readonly Diagnostic[]> {
  if (file === undefined || !file.insideCheckout || trustsCheckout(host)) return [];
  const { path, roster = [], directory, checkout, tree } = file;
  const refused: Diagnostic[] = [];
  const refuse = (place: Place, message: string, instead?: string) => {
    const first = instead === undefined ? "Move" : `Use ${instead}, move`;
    const hint = `${first} the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1.`;
    refused.push({ code: "untrusted", severity: "error", message, hint, place });
  };
  for (const { key } of isPipeline(host) ? (tree?.entries ?? []) : []) {
    const name = settingNames.find((one) => one === key.text);
    if (name === undefined) continue;
    const { inPipelines, isAboutConnection = false, because, instead } = settingTable[name];
    if (inPipelines === "refused" && (meets === "service-and-state" || !isAboutConnection))
      refuse(key.place, `CI is set, and ${path} in the checkout sets ${name}: ${because}.`, instead);
  }
  const rosterAt = isPipeline(host) ? entryOf(tree, "roster")?.key.place : undefined;
  const named = rosterAt === undefined ? [] : roster;
  const standing = await Promise.all(named.map((one) => placementOf(resolve(directory, one), checkout)));
  // An error in such a file would show lines of it, whatever it is.
  if (rosterAt !== undefined && !standing.every(({ isInside }) => isInside))
    refuse(
      rosterAt,
      `CI is set, and ${path} in the checkout sets roster to a path outside it. A change to the checkout could choose which files are read.`,
      "PATH",
    );
  const ca = entryOf(tree, "ca")?.key.place;
  if (refused.length === 0 && meets !== "neither" && ca !== undefined && entryOf(tree, "proxy") !== undefined) {
    const message = `${path} in the checkout sets both proxy and ca: together they could let another machine read the key.`;
    refuse(ca, message, "HTTPS_PROXY and ROSTER_CA_FILE");
  }
  return refused;
}

/** Every setting that is set, its value as it is written and where it comes from, also where something is wrong with it. Shows no secret. */
export async function shownSettings(flags: SomeFlags, host: Host): Promise<readonly SettingReport[]> {
  const located = await locateSettings(host);
  const file = await located?.read().catch(rosterError);
  const tree = file instanceof RosterError ? undefined : file?.tree;
  const outside = saidOutside(flags, host);
  return settingRows.flatMap(({ name, setting, isSecret }): readonly SettingReport[] => {
    const shown = (value: string, from: SettingReport["from"]) => {
      const plain = value
        .replace(/(?<=:\/\/)[^/?#\s,]*@/gu, "…@")
        .replace(/(?<=[?&](?:password|token|secret|signature|sig|key)=)[^&#\s]+/giu, "…");
      return [{ name, value: isSecret ? "set" : plain, from }];
    };
    const said = outside.get(name);
    if (said !== undefined) return shown(said.value, { kind: said.from, name: said.name });
    const entry = setting === undefined ? undefined : entryOf(tree, setting);
    return entry === undefined ? [] : shown(nodeText(entry.value), { kind: "settings", place: entry.key.place });
  });
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

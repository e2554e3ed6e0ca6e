import { dirname, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidInput, invalidSetting } from "../../library/error.ts";
import { settingsFileName } from "../../library/load-roster.ts";
import type { Place } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/result.ts";
import { readYaml, type YamlDocument } from "../../yaml/read.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type Host, isPipeline } from "../host.ts";
import { type Checkout, checkoutAround, nearestFile, placementOf, trustsCheckout } from "../trust/checkout.ts";
import { variable } from "./environment.ts";
import {
  decodeSettings,
  isSettingName,
  type SettingName,
  settingTable,
  type WrittenSettings,
} from "./setting-table.ts";

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
export async function locateSettings(host: Host): Promise<SettingsPlace | undefined> {
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

export async function readSettingsFile({ path, foundBy, leadsOut }: SettingsPlace, host: Host): Promise<YamlDocument> {
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

export async function findSettingsFile(host: Host): Promise<SettingsFile | undefined> {
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
export async function refusedSettings(
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

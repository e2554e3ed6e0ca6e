import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readFleet } from "../fleet/read-fleet.ts";
import type { Host } from "../host.ts";
import { findRosterFiles } from "../planning/roster-files.ts";
import { findSettingsFile } from "../settings/settings-file.ts";

/** What the files of a roster name, each once, in the order of code units. */
export interface NamesInRoster {
  readonly people: readonly string[];
  readonly teams: readonly string[];
  /** Prefixes of keys. */
  readonly keys: readonly string[];
  readonly accounts: readonly string[];
  readonly roles: readonly string[];
}

/**
 * The names in these files of a roster, else in those that the settings name, else in those here and just below. As far as they
 * can be read: a file that is half-written, or no YAML at this moment, still has lines.
 */
export async function namesInRoster(named: readonly string[], host: Host): Promise<NamesInRoster> {
  const chosen = named.filter((path) => path !== "-");
  const sources = await findRosterFiles(chosen.length > 0 ? chosen : await pathsOfSettings(host), host);
  const text = sources.ok ? sources.value.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n") : "";
  return namesIn(text);
}

/** What selects targets of the fleet file that is named, else of the nearest one: their names, then their labels. */
export async function targetsInFleet(named: string | undefined, host: Host): Promise<readonly string[]> {
  const fleet = await readFleet(named === undefined ? {} : { fleet: named }, host);
  if (!fleet.ok) return [];
  const { all } = fleet.value;
  const labels = all.flatMap((target) => Object.entries(target.labels).map(([key, value]) => `${key}=${value}`));
  return [...all.map(({ name }) => name), ...new Set(labels)];
}

async function pathsOfSettings(host: Host): Promise<readonly string[]> {
  const settings = await findSettingsFile(host);
  const file = settings.ok ? settings.value : undefined;
  return file?.roster?.map((path) => join(file.shownDirectory, path)) ?? (await nearbyFiles(host));
}

/** Nobody who only presses a key wants a whole home directory to be read. */
async function nearbyFiles(host: Host): Promise<readonly string[]> {
  const here = await yamlFilesIn(".", host);
  const below = await Promise.all(here.directories.map((name) => yamlFilesIn(name, host)));
  return [...here.files, ...below.flatMap(({ files }) => files)].slice(0, mostNearby);
}

const mostNearby = 200;

async function yamlFilesIn(directory: string, host: Host) {
  const entries = await readdir(resolve(host.cwd, directory), { withFileTypes: true }).catch(() => []);
  const seen = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  const files = seen.filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name));
  return {
    files: files.map(({ name }) => join(directory, name)),
    directories: seen.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name)),
  };
}

/** The names in a text, told by the keys that stand before them. */
function namesIn(text: string): NamesInRoster {
  const found = {
    email: new Set<string>(),
    name: new Set<string>(),
    prefix: new Set<string>(),
    account: new Set<string>(),
  };
  for (const written of text.split("\n")) {
    const line = written.replace(/(?:^|\s)#[^"']*$/u, "");
    for (const [, key, value] of line.matchAll(pair)) {
      const name = nameOf(value ?? "", line);
      if (name === undefined) continue;
      if (key === "email" || key === "name" || key === "account") found[key].add(name);
      else found.prefix.add(name);
    }
  }
  const { email, name, prefix, account } = found;
  return {
    people: sorted(email),
    teams: sorted(name),
    keys: sorted(prefix),
    accounts: sorted(account),
    roles: sorted(rolesInText(text)),
  };
}

const pair =
  /(?<![\w-])["']?(email|name|prefix|key|account)["']?:\s+("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[{#][^\n]*)/gu;

function nameOf(written: string, line: string): string | undefined {
  const text = unquoted(written, line.includes("{") ? /[,}\]].*$|\s+#.*$/u : /,?\s*$|\s+#.*$/u);
  return text === undefined || text === "" || text.length > 200 || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)
    ? undefined
    : text;
}

function unquoted(written: string, end: RegExp): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  if (!written.startsWith('"')) return written.replace(end, "").trim();
  try {
    return String(JSON.parse(written));
  } catch {
    return undefined;
  }
}

function sorted(names: ReadonlySet<string>): readonly string[] {
  return [...names].sort();
}

/** The roles that a text of roster files names, told by the lines on which lists of roles stand; also where it is no YAML at this moment. */
function rolesInText(text: string): ReadonlySet<string> {
  const roles = new Set<string>();
  let place: CompletionContext = { isInSets: false, list: "none" };
  for (const line of text.split("\n")) {
    const read = readLine(line.replace(/(?:^|\s)#.*$/u, ""), place);
    for (const role of read.roles) roles.add(role);
    place = read.place;
  }
  return roles;
}

interface CompletionContext {
  /** Below `roleSets:`, where every list is one of roles. */
  readonly isInSets: boolean;
  /** A list that goes on from the line before: in brackets, or an item a line. */
  readonly list: "none" | "brackets" | "items";
}

interface ReadLine {
  readonly roles: readonly string[];
  readonly place: CompletionContext;
}

function readLine(line: string, before: CompletionContext): ReadLine {
  if (line.trim() === "") return { roles: [], place: before };
  const isInSets = /^\S/u.test(line) ? /^["']?roleSets["']?:/u.test(line) : before.isInSets;
  if (before.list === "brackets") return inBrackets(line, isInSets);
  if (before.list === "items" && /^\s*\[/u.test(line)) return inBrackets(line.replace("[", ""), isInSets);
  const item = /^\s*- +([^\s{[].*)$/u.exec(line);
  if (before.list === "items" && item !== null && !/:(?:\s|$)/u.test(line)) {
    return { roles: wordsOf(item[1] ?? ""), place: { isInSets, list: "items" } };
  }
  if (before.list === "items" && /^\s*- +\{ *set:/u.test(line))
    return { roles: [], place: { isInSets, list: "items" } };
  return listBegun(line, isInSets);
}

function listBegun(line: string, isInSets: boolean): ReadLine {
  const begins = isInSets ? /[\w"'.-]+: *(\[|$)/gu : /(?<![\w-])["']?(?:roles|ownKeyRoles)["']?: *(\[|$)/gu;
  const roles: string[] = [];
  let list: CompletionContext["list"] = "none";
  for (const found of line.matchAll(begins)) {
    if (found[1] === "") list = "items";
    else {
      const read = inBrackets(line.slice(found.index + found[0].length), isInSets);
      roles.push(...read.roles);
      list = read.place.list;
    }
  }
  return { roles, place: { isInSets, list } };
}

function inBrackets(text: string, isInSets: boolean): ReadLine {
  const [inside = "", end] = text.replace(/\{[^}]*\}?/gu, "").split(/(\])/u);
  return { roles: wordsOf(inside), place: { isInSets, list: end === undefined ? "brackets" : "none" } };
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim().replace(/^(["'])(.*)\1$/u, "$2"))
    .filter((word) => /^[\p{L}\p{N}_][^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"'\\{}[\]]{0,199}$/u.test(word));
}

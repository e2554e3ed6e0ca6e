import { formatPlace } from "../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../model/result.ts";
import { DiagnosticsCollector } from "../yaml/diagnostics.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import {
  isTargetName,
  type KeyPlace,
  nameSign,
  type Template,
  targetNameHint,
  variableSign,
  type WrittenFleet,
  type WrittenTarget,
} from "./decode-fleet.ts";

/** One service with its roster, key and state. Paths are as the fleet file writes them. */
export interface Target {
  readonly name: string;
  readonly roster: readonly string[];
  readonly endpoint: string;
  readonly account?: string;
  readonly key: KeyPlace<string>;
  readonly state: string;
  /** Where the fleet file has it. */
  readonly at: SourceRange;
  /** Where the name of its key's variable stands, if a variable has its key. */
  readonly keyAt: SourceRange;
}

/** What is asked of the file system. */
export interface FleetPaths {
  /** The names of the directories that a pattern matches, in their order. */
  readonly directoriesOf: (pattern: string) => readonly string[];
  /** The whole path of one that the fleet file writes. */
  readonly resolve: (path: string) => string;
}

/** Every target of a fleet, in the order of the file; or everything that is wrong with them. */
export function expandFleet(fleet: WrittenFleet, paths: FleetPaths): Result<readonly Target[], readonly Diagnostic[]> {
  const log = new DiagnosticsCollector("The fleet file");
  const targets = fleet.targets.flatMap((written) => expandEntry(written, paths, log));
  reportDuplicateNames(targets, log);
  reportSharedStates(targets, paths, log);
  const faults = log.diagnostics();
  return faults.length > 0 ? problem(faults) : success(targets);
}

function expandEntry(written: WrittenTarget, paths: FleetPaths, log: DiagnosticsCollector): readonly Target[] {
  if (written.is === "target") {
    const roster = written.roster.map(({ value }) => value);
    return [targetOf(written, written.name.value, roster)];
  }
  reportOpenHosts(written, log);
  if (!usesName(written.state))
    log.error(
      written.state.at,
      "duplicate",
      "All targets of this pattern have one state.",
      `Put \`${nameSign}\` into it.`,
    );
  const { pattern } = written;
  const names = paths.directoriesOf(pattern.value);
  if (names.length === 0)
    log.error(pattern.at, "bad-value", `No directory matches \`${pattern.value}\`.`, "Correct the pattern.");
  reportEqualVariables(written, names, log);
  const directory = pattern.value.slice(0, pattern.value.lastIndexOf("/") + 1);
  return names.flatMap((name) => {
    const named = written.name === undefined ? name : fill(written.name, name);
    const wrong = [name, named].find((one) => !isTargetName(one));
    if (wrong === undefined) return [{ ...targetOf(written, name, [`${directory}${name}`]), name: named }];
    log.error(pattern.at, "bad-value", `\`${wrong}\` cannot be the name of a target.`, targetNameHint);
    return [];
  });
}

function targetOf(written: WrittenTarget, name: string, roster: readonly string[]): Target {
  const { endpoint, account, key, state, at } = written;
  return {
    name,
    roster: roster.map((path) => fillText(path, name)),
    endpoint: fill(endpoint, name),
    ...(account === undefined ? {} : { account: fill(account, name) }),
    key: filledKey(key, name),
    state: fill(state, name),
    at,
    keyAt: key.from === "env" ? key.name.at : at,
  };
}

function filledKey(key: KeyPlace<Template>, name: string): KeyPlace<string> {
  switch (key.from) {
    case "env":
      return { from: "env", name: fill(key.name, name) };
    case "file":
      return { from: "file", path: fill(key.path, name) };
    case "command":
      return { from: "command", words: key.words.map((word) => fill(word, name)) };
  }
}

function fill({ value }: Template, name: string): string {
  return fillText(value, name);
}

function fillText(text: string, name: string): string {
  return text.replaceAll(nameSign, () => name).replaceAll(variableSign, () => variablePart(name));
}

/** `eu-1` is `EU_1` in the name of a variable. */
function variablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/gu, "_");
}

function usesName({ value }: Template): boolean {
  return value.includes(nameSign);
}

function templatesOf(written: WrittenTarget): readonly Template[] {
  const { endpoint, account, state, key } = written;
  const ofKey = key.from === "env" ? [key.name] : key.from === "file" ? [key.path] : key.words;
  return [endpoint, state, ...ofKey, ...(account === undefined ? [] : [account])];
}

/** Two directories would have one key. */
function reportEqualVariables(written: WrittenTarget, names: readonly string[], log: DiagnosticsCollector): void {
  const used = templatesOf(written).find(({ value }) => value.includes(variableSign));
  if (used === undefined) return;
  const seen = new Map<string, string>();
  for (const name of names) {
    const part = variablePart(name);
    const other = seen.get(part);
    if (other !== undefined)
      log.error(
        used.at,
        "duplicate",
        `The directories ${other} and ${name} both have the \`${variableSign}\` ${part}.`,
        "Rename one of them.",
      );
    seen.set(part, name);
  }
}

/** The author of a change can add a directory of any name. The name must not choose the host that gets the key. */
function reportOpenHosts({ endpoint, state }: WrittenTarget, log: DiagnosticsCollector): void {
  for (const address of [endpoint, state]) {
    if (hasFixedHost(address.value)) continue;
    const message = `The name of a directory could choose the host of \`${address.value}\`.`;
    log.error(
      address.at,
      "bad-value",
      message,
      `End the host with fixed text, like \`https://${nameSign}.eu.example\`.`,
    );
  }
}

/** A backslash ends the host as a slash does. */
function hasFixedHost(address: string): boolean {
  if (!address.includes("${")) return true;
  if (/[?&](?:host|endpoint)=[^&#]*\$\{/u.test(address)) return false;
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+]*):(.*)$/su.exec(address) ?? [];
  if (scheme === undefined) return false;
  if (!rest.startsWith("//")) return scheme === "file";
  if (scheme === "file") return true;
  const [authority = ""] = rest.slice(2).split(/[/?#\\]/u);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const last = host.lastIndexOf("${");
  if (last < 0) return true;
  return /^(?:\.[A-Za-z0-9-]+)+(?::\d+)?$/u.test(host.slice(host.indexOf("}", last) + 1));
}

/** Reports have a file for each target, and some file systems take `Acme` for `acme`. */
function reportDuplicateNames(targets: readonly Target[], log: DiagnosticsCollector): void {
  const first = new Map<string, Target>();
  for (const target of targets) {
    const name = target.name.toLowerCase();
    const other = first.get(name);
    if (other === undefined) first.set(name, target);
    else {
      const message = `The target ${target.name} is there already, at ${formatPlace(other.at.place)}.`;
      log.error(target.at, "duplicate", message, "Give each target a name of its own.");
    }
  }
}

function reportSharedStates(targets: readonly Target[], { resolve }: FleetPaths, log: DiagnosticsCollector): void {
  const first = new Map<string, Target>();
  for (const target of targets) {
    const place = statePlace(target.state, resolve);
    const other = first.get(place);
    if (other === undefined) first.set(place, target);
    else if (other.name.toLowerCase() !== target.name.toLowerCase()) {
      const message = `The targets ${other.name} and ${target.name} have one state.`;
      log.error(target.at, "duplicate", message, "Give each target a state of its own.");
    }
  }
}

/** One text for all addresses of a state: who reads it, and by which parameters, makes no other state of it. */
function statePlace(address: string, resolve: FleetPaths["resolve"]): string {
  if (address.startsWith("file:")) return `file:${resolve(address.slice("file:".length).replace(/^\/\/(?=\/)/u, ""))}`;
  const [, scheme = "", authority = "", path = "", query = ""] =
    /^([a-z][a-z0-9+]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/su.exec(address) ?? [];
  if (scheme === "") return address;
  const kind = scheme === "postgresql" ? "postgres" : scheme;
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  switch (kind) {
    case "s3":
      return `s3://${host}${path}`;
    case "postgres": {
      const said = new URLSearchParams(query);
      return `postgres://${said.get("host") ?? host}${path}?name=${said.get("name") ?? "roster"}`;
    }
    default:
      return `${kind}://${host}${path}?${query}`;
  }
}

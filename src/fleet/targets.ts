import { groupBy } from "../model/collections.ts";
import { formatPlace } from "../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../model/failure.ts";
import { DiagnosticsCollector, type SourceRange } from "../yaml/source-text.ts";
import {
  isTargetName,
  nameSign,
  targetNameHint,
  variableSign,
  type WrittenFleet,
  type WrittenTarget,
} from "./decode-fleet.ts";

/** One service with its roster, key and state. Paths are as the fleet file writes them. */
export interface Target extends Pick<WrittenTarget, "endpoint" | "account" | "key" | "state"> {
  readonly name: string;
  readonly roster: readonly string[];
  /** Where the fleet file has it. */
  readonly at: SourceRange;
}

/** What is asked of the file system. */
interface FleetPaths {
  /** The names of the directories that each pattern matches, in their order. */
  readonly directories: ReadonlyMap<string, readonly string[]>;
  /** The whole path of one that the fleet file writes. */
  readonly resolve: (path: string) => string;
}

/** Every target of a fleet, in the order of the file; or everything that is wrong with them. */
export function expandFleet(
  fleet: WrittenFleet,
  { directories, resolve }: FleetPaths,
): Result<readonly Target[], readonly Diagnostic[]> {
  const log = new DiagnosticsCollector("The fleet file");
  const targets = fleet.targets.flatMap(({ value: written, at }): readonly Target[] => {
    if (!("pattern" in written)) return [{ ...filled(written, written.name), at }];
    const names = directories.get(written.pattern) ?? [];
    return targetsOfPattern(written, names, at, log).map((target) => ({ ...target, at }));
  });
  // Reports have a file for each target, and some file systems take `Acme` for `acme`.
  for (const [first, ...others] of groupBy(targets, ({ name }) => name.toLowerCase()).values())
    for (const { name, at } of others) {
      const message = `The target ${name} is there already, at ${formatPlace(first.at.place)}.`;
      log.error(at, "duplicate", message, "Give each target a name of its own.");
    }
  for (const [first, ...others] of groupBy(targets, ({ state }) => statePlace(state, resolve)).values())
    for (const { name, at } of others) {
      if (name.toLowerCase() === first.name.toLowerCase()) continue;
      const message = `The targets ${first.name} and ${name} have one state.`;
      const hint = `Give each target a state of its own. In a pattern, put \`${nameSign}\` into it.`;
      log.error(at, "duplicate", message, hint);
    }
  const faults = log.diagnostics();
  return faults.length > 0 ? problem(faults) : success(targets);
}

function targetsOfPattern(
  { pattern, name = nameSign, ...written }: Extract<WrittenTarget, { readonly pattern: string }>,
  names: readonly string[],
  at: SourceRange,
  log: DiagnosticsCollector,
): readonly Omit<Target, "at">[] {
  if (names.length === 0) log.error(at, "bad-value", `No directory matches \`${pattern}\`.`, "Correct the pattern.");
  if (JSON.stringify(written).includes(variableSign))
    for (const [part, [one, other]] of groupBy(names, variablePart))
      if (other !== undefined) {
        const message = `The directories ${one} and ${other} both have the \`${variableSign}\` ${part}.`;
        log.error(at, "duplicate", message, "Rename one of them.");
      }
  const parent = pattern.slice(0, pattern.lastIndexOf("/") + 1);
  return names.flatMap((directory) => {
    const target = filled({ ...written, name, roster: [`${parent}${directory}`] }, directory);
    const wrong = [directory, target.name].find((one) => !isTargetName(one));
    if (wrong === undefined) return [target];
    log.error(at, "bad-value", `\`${wrong}\` cannot be the name of a target.`, targetNameHint);
    return [];
  });
}

/** The same with the name in each of its texts. */
function filled<T>(written: T, name: string): T {
  const inText = (text: string) =>
    text.replaceAll(nameSign, () => name).replaceAll(variableSign, () => variablePart(name));
  return JSON.parse(JSON.stringify(written), (_, value) => (typeof value === "string" ? inText(value) : value));
}

/** `eu-1` is `EU_1` in the name of a variable. */
function variablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/gu, "_");
}

/** One text for all addresses of a state: who reads it, and by which parameters, makes no other state of it. */
function statePlace(address: string, resolve: FleetPaths["resolve"]): string {
  if (address.startsWith("file:")) return `file:${resolve(address.slice("file:".length).replace(/^\/\/(?=\/)/u, ""))}`;
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname, searchParams } = new URL(address);
  if (!/^postgres(?:ql)?:$/u.test(protocol)) return `${protocol}//${host.toLowerCase()}${pathname}`;
  const server = searchParams.get("host") ?? host.toLowerCase();
  return `postgres://${server}${pathname}?name=${searchParams.get("name") ?? "roster"}`;
}

/** Gives out targets one at a time, so that a slow or dead origin holds up no other. */
export interface TargetQueue {
  /** The next target to run, of an origin of which the fewest run; undefined where none is left. */
  take(): Target | undefined;
  /** A target that was taken has ended. */
  end(target: Target): void;
}

export function targetQueue(targets: readonly Target[]): TargetQueue {
  const origins = [...groupBy(targets, originOf)].map(([origin, all]) => ({ origin, waiting: [...all], running: 0 }));
  const byName = new Map(origins.map((one) => [one.origin, one]));
  return {
    take() {
      const [next] = origins.filter(({ waiting }) => waiting.length > 0).sort((a, b) => a.running - b.running);
      if (next !== undefined) next.running += 1;
      return next?.waiting.shift();
    },
    end(target) {
      const origin = byName.get(originOf(target));
      if (origin !== undefined) origin.running -= 1;
    },
  };
}

/** Scheme, host and port; an address that is none is an origin of its own. */
export function originOf({ endpoint }: Pick<Target, "endpoint">): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint;
}

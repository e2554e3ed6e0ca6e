import { claimsToBePlan } from "../codec/document.ts";
import { byCodeUnit } from "../model/collections.ts";
import type { Diagnostic } from "../model/failure.ts";
import type { RosterCounts } from "../model/plan.ts";
import type { Roster } from "../model/roster.ts";
import { isoDate } from "../ports/clock.ts";
import { buildRoster, localErrors } from "../roster/build.ts";
import type { AccountSettings } from "../roster/decode.ts";
import { misplacedSections, type SectionRule } from "../roster/diagnostics.ts";
import { readYaml } from "../yaml/read.ts";
import { maxRosterFileBytes } from "../yaml/source-text.ts";
import { systemClock } from "./environment.ts";
import { abortedBefore, invalidInput } from "./error.ts";
import { checkOptions, is } from "./options.ts";
import { type FoundFile, readRosterFiles } from "./roster-files.ts";

/** A roster file as a value. */
export interface RosterText {
  /** The name by which errors and findings speak of it. */
  readonly file: string;
  readonly text: string;
}

export type LoadRosterOptions = (
  | {
      /** Files and directories. Directories are read with everything below them, as the command reads them. */
      readonly paths: readonly string[];
      /** An absolute directory, at which relative paths start. */
      readonly cwd: string;
    }
  | { readonly files: readonly RosterText[] }
) & {
  /** The account of files that name none. */
  readonly account?: string;
  /** Identifiers of accounts, by the names that files use for them. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** The day in UTC, as in `2026-11-20`: who has left by then is a leaver. Today where it is absent. */
  readonly today?: string;
  readonly signal?: AbortSignal;
};

/** Reads a roster: YAML files become one `Roster`. Throws everything that is wrong with them. Asks no service. */
export async function loadRoster(options: LoadRosterOptions): Promise<LoadedRoster> {
  const isFiles = typeof options === "object" && options !== null && "files" in options;
  checkOptions("loadRoster", isFiles ? ofFiles : ofPaths, options);
  const { account, accounts = {}, today = isoDate(systemClock), signal } = options;
  const bytesOf = ({ file, text }: RosterText) => ({ file, path: file, bytes: new TextEncoder().encode(text) });
  const sources =
    "files" in options
      ? options.files.map(bytesOf).sort((one, other) => byCodeUnit(one.file, other.file))
      : await readRosterFiles(options.paths, options);
  if (signal?.aborted === true) throw abortedBefore();
  const named = account === undefined ? {} : { account };
  return loadSources(sources, { ...named, accounts: new Map(Object.entries(accounts)), today });
}

const commonChecks = {
  account: is.text,
  accounts: is.recordOf(is.text, "an object of texts"),
  today: is.day,
  signal: is.signal,
};

const ofPaths = { ...commonChecks, paths: is.required(is.texts), cwd: is.required(is.directory) };

const ofFiles = {
  ...commonChecks,
  files: is.required(
    is.listOf(is.shape({ file: is.required(is.text), text: is.required(is.text) }), "a list of `{ file, text }`"),
  ),
};

export interface LoadedRoster {
  readonly roster: Roster;
  readonly counts: RosterCounts;
  readonly warnings: readonly Diagnostic[];
}

export interface RosterOptions extends AccountSettings {
  /** The day in UTC, as in `2026-11-20`: who has left by then is a leaver. */
  readonly today: string;
  /** Checks the addresses of users who may be new to the service. Absent: only a plan knows who is new. */
  readonly newUsers?: "checked";
  /** Which sections a file may have, by the path that `pathOf` makes of its own. Absent: every file may have all. */
  readonly sections?:
    | { readonly rules: readonly SectionRule[]; readonly pathOf: (path: string) => string | undefined }
    | undefined;
}

export async function loadSources(sources: readonly FoundFile[], options: RosterOptions): Promise<LoadedRoster> {
  const notRoster = (file: string, message: string, hint: string): Diagnostic => ({
    code: "not-a-roster-file",
    severity: "error",
    message,
    hint,
    place: { file, line: 1, column: 1 },
  });
  const plans = sources.filter(({ bytes }) => beginsAsPlan(bytes));
  if (plans.length > 0) {
    const hint =
      "`roster show FILE` shows a plan. `roster apply FILE` applies one from `roster plan --out FILE`, if the file is not named like a roster file.";
    throw invalidInput(plans.map(({ file }) => notRoster(file, "This file is a plan, not a roster.", hint)));
  }
  const reading = sources.map(async ({ bytes, ...source }) => {
    return { ...source, ...(await readYaml(source.file, bytes, maxRosterFileBytes)) };
  });
  const documents = await Promise.all(reading);
  // A file without anything in it was more likely cut off than meant.
  const fromYaml = documents.flatMap(({ file, tree, diagnostics }) =>
    tree !== undefined || diagnostics.length > 0
      ? diagnostics
      : [notRoster(file, "The file is empty.", "Remove it, or start it with `version: 1`.")],
  );
  const files = documents.flatMap(({ tree, ...file }) => (tree === undefined ? [] : [{ ...file, tree }]));
  const { sections } = options;
  const placed = files.map(({ path, tree }) => ({ path: path === "-" ? path : sections?.pathOf(path), tree }));
  const before = [...fromYaml, ...(sections === undefined ? [] : misplacedSections(placed, sections.rules))];
  // Everybody of a file that cannot be read would seem to be missing elsewhere.
  if (files.length < documents.length) throw invalidInput([...before, ...localErrors(files, options)]);
  const { roster, diagnostics } = buildRoster(files, options);
  const warnings = [...before, ...diagnostics];
  if (roster === undefined || warnings.some(({ severity }) => severity === "error")) throw invalidInput(warnings);
  const { users, leavers, teams, keys } = roster;
  const people = { users: users.size, leavers: leavers.size };
  return { roster, counts: { files: sources.length, ...people, teams: teams.length, keys: keys.length }, warnings };
}

export function beginsAsPlan(bytes: Uint8Array): boolean {
  return claimsToBePlan(new TextDecoder().decode(bytes.subarray(0, 4096)));
}

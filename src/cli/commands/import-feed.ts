import { realpath } from "node:fs/promises";
import { basename, join, normalize, resolve } from "node:path";
import { readRegularFile, UnusableFileError, whyUnread } from "../../files/regular-file.ts";
import { invalidInput, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { type FoundFile, type LoadedRoster, loadSources } from "../../library/planning/load-roster.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isoDate } from "../../ports/clock.ts";
import type { FeedReport } from "../../report/outcome.ts";
import { formatCount, truncateList } from "../../report/phrases.ts";
import { decodeFile } from "../../roster/decode-file.ts";
import {
  compareFeed,
  type FeedChanges,
  type FeedRosterFile,
  type FeedTarget,
  feedEdits,
} from "../../roster/feed/changes.ts";
import { type FeedPerson, readFeed } from "../../roster/feed/people.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import { type EntryEdits, editEntries } from "../../yaml/edit-entries.ts";
import { readYaml } from "../../yaml/read.ts";
import { type MapNode, maxFileBytes } from "../../yaml/source-text.ts";
import { writeScalar } from "../../yaml/write.ts";
import type { Host } from "../host.ts";
import { finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { findRosterFiles, rosterOptions } from "../planning/roster-files.ts";
import { bundledSchema } from "../planning/schema-copy.ts";
import { completeFeed, writeFeed } from "../planning/write-files.ts";
import { defaultFeed } from "../settings/decode-settings.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { checkoutAround, pathBelow, placementOf } from "../trust/checkout.ts";

export interface FeedFlags extends OutputFlags {
  readonly from: string;
  readonly check?: boolean;
  readonly maxRemovals?: string;
}

/** Brings the people of a CSV file into the roster's files. Reads neither the service nor the state. */
export async function importFeed(paths: readonly string[], flags: FeedFlags, host: Host): Promise<number> {
  const base = { command: "import", tells: "what-remains", diagnostics: [] } as const;
  const updated = await updateFromFeed(paths, flags, host);
  return finish(updated.ok ? { ...base, feed: updated.value } : { ...base, stop: updated.error }, flags, host);
}

async function updateFromFeed(
  paths: readonly string[],
  flags: FeedFlags,
  host: Host,
): Promise<Result<FeedReport, RosterError>> {
  const settings = await readSettings({}, host, "neither");
  if (!settings.ok) return settings;
  const allowed = readMaxRemovals(flags.maxRemovals);
  if (!allowed.ok) return allowed;
  const chosen = paths.length > 0 ? paths : settings.value.roster;
  if (chosen.includes("-")) return problem(noStandardInput);
  const unfinished = await completeFeed(chosen, host, flags.check === true ? "check" : "complete");
  if (unfinished !== undefined) return problem(unfinished);
  const opened = await openRoster(chosen, settings.value, host);
  if (!opened.ok) return opened;
  const people = await readPeople(flags.from, settings.value, host);
  if (!people.ok) return people;
  const rules = {
    source: opened.value.target.source,
    today: isoDate(host.clock),
    singleLabelDomains: settings.value.singleLabelDomains ? "allowed" : "refused",
  } as const;
  const documents = opened.value.files.map(({ document }) => document);
  const changes = compareFeed(people.value, documents, rules);
  if (!changes.ok) return problem(invalidInput(changes.error));
  const refusal = tooManyRemovals(flags.from, people.value, changes.value, allowed.value);
  if (refusal !== undefined) return problem(refusal);
  return write(changes.value, opened.value, { paths: chosen, settings: settings.value, flags, host });
}

function readMaxRemovals(said: string | undefined): Result<number | undefined, RosterError> {
  if (said === undefined) return success(undefined);
  if (/^\d{1,6}$/u.test(said)) return success(Number(said));
  return problem(
    invalidSetting("bad-max-removals", `--max-removals ${said} is not a whole number.`, "Pass a number such as 40."),
  );
}

const noStandardInput = invalidSetting(
  "stdin-not-writable",
  "roster cannot write people into standard input.",
  "Name the roster files or directories.",
);

/** The roster that a feed changes, and where new users go. */
interface OpenedRoster {
  readonly sources: readonly FoundFile[];
  readonly loaded: LoadedRoster;
  readonly files: readonly FeedRosterFile[];
  readonly target: FeedTarget;
}

async function openRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
): Promise<Result<OpenedRoster, RosterError>> {
  const sources = await findRosterFiles(paths, host);
  if (!sources.ok) return sources;
  const loaded = loadSources(sources.value, { ...rosterOptions(settings, host), reader: "library" });
  if (!loaded.ok) return loaded;
  const files = sources.value.flatMap(({ file, bytes }) => {
    const { tree } = readYaml(file, bytes);
    const document = tree && decodeFile(tree, settings, collectDiagnostics({ subject: file }));
    return tree === undefined || document === undefined ? [] : [{ file, document, ...defaultSourceOf(tree) }];
  });
  const { source = defaultFeed.source, file, leavers } = settings.file?.feed ?? {};
  const pathOf = (written: string) => join(settings.file?.shownDirectory ?? "", written);
  const target = {
    source,
    file: file === undefined ? usualTarget(paths, sources.value) : pathOf(file),
    ...(leavers === undefined ? {} : { leavers: pathOf(leavers) }),
  };
  return success({ sources: sources.value, loaded: loaded.value, files, target });
}

/** The roster's first file, or a file in its first directory, which may be the directory of people itself. */
function usualTarget([first = "."]: readonly string[], sources: readonly FoundFile[]): string {
  const path = normalize(first);
  if (sources.some(({ file }) => file === path)) return path;
  const [people = "", name = ""] = defaultFeed.file.split("/");
  return basename(path) === people ? join(path, name) : join(path, people, name);
}

function defaultSourceOf({ entries }: MapNode): Pick<FeedRosterFile, "defaultSource"> {
  const defaults = entries.find(({ key }) => key.text === "defaults")?.value;
  const source =
    defaults?.kind === "map" ? defaults.entries.find(({ key }) => key.text === "source")?.value : undefined;
  return source?.kind === "scalar" ? { defaultSource: source.text } : {};
}

async function readPeople(
  file: string,
  { file: settings }: Settings,
  host: Host,
): Promise<Result<readonly FeedPerson[], RosterError>> {
  try {
    const bytes = await readRegularFile(resolve(host.cwd, file), maxFileBytes);
    const people = readFeed(file, bytes, settings?.feed?.columns ?? {});
    return people.ok ? people : problem(invalidInput(people.error));
  } catch (error) {
    const isTooLarge = error instanceof UnusableFileError && error.code === "EFBIG";
    const why = isTooLarge ? `it is larger than ${maxFileBytes} bytes (8 MiB)` : whyUnread(error);
    const message = why === "ENOENT" ? `${file} does not exist.` : `The feed ${file} cannot be read: ${why}.`;
    return problem(invalidSetting("unreadable-feed", message, "Name a CSV file with --from."));
  }
}

/** Protects from an incomplete feed: everybody missing in it would lose their access. */
function tooManyRemovals(
  feed: string,
  people: readonly FeedPerson[],
  { users, removals, ended }: FeedChanges,
  allowed: number | undefined,
): RosterError | undefined {
  if (people.length === 0) {
    const message = `The feed ${feed} has no people. Nothing was written.`;
    return stopError("refused", "empty-feed", message, "Check the export.");
  }
  const most = allowed ?? Math.max(3, Math.floor(users / 10));
  if (removals <= most) return undefined;
  const share = Math.round((removals / users) * 100);
  const names = truncateList(
    ended.map(({ user }) => user.email.value),
    10,
  );
  const message = `The feed ${feed} would end ${removals} of ${formatCount(users, "user")} (${share} %); at most ${most} are allowed: ${names}. Nothing was written.`;
  return stopError(
    "refused",
    "feed-shrinks",
    message,
    `Check the export. If it is right, pass --max-removals ${removals}.`,
  );
}

interface WriteOptions {
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly flags: FeedFlags;
  readonly host: Host;
}

async function write(
  changes: FeedChanges,
  { sources, loaded, files, target }: OpenedRoster,
  { paths, settings, flags, host }: WriteOptions,
): Promise<Result<FeedReport, RosterError>> {
  const edits = feedEdits(changes, files, target);
  const known = new Set(sources.map(({ file }) => file));
  const created = [...edits.keys()].filter((file) => !known.has(file));
  for (const file of created) if (!(await isReadFrom(paths, file, host))) return problem(outsideRoster(file));
  const empty = created.map((file) => {
    return { file, path: resolve(host.cwd, file), bytes: newFile(file, loaded, { settings, host }) };
  });
  const edited = editFiles([...sources, ...empty], edits);
  if (!edited.ok) return edited;
  const after = new Map([...sources, ...edited.value].map((one) => [one.file, one]));
  const checked = loadSources([...after.values()], rosterOptions(settings, host));
  if (!checked.ok) return problem(wouldSpoil(checked.error));
  const report = reportOf(changes, { flags, target: target.file, files: edited.value.map(({ file }) => file) });
  if (flags.check === true) return success(report);
  const gains = (file: string) => (edits.get(file)?.append ?? []).length > 0;
  const inPlace = edited.value.filter(({ file }) => known.has(file));
  const sorted = [...inPlace.filter(({ file }) => gains(file)), ...inPlace.filter(({ file }) => !gains(file))];
  const made = edited.value.filter(({ file }) => !known.has(file));
  const unwritten = await writeFeed({ created: made, replaced: sorted }, paths, host);
  return unwritten === undefined ? success(report) : problem(unwritten);
}

/** The files that change. */
function editFiles(
  sources: readonly FoundFile[],
  edits: ReadonlyMap<string, EntryEdits>,
): Result<readonly FoundFile[], RosterError> {
  const edited: FoundFile[] = [];
  for (const source of sources) {
    const of = edits.get(source.file);
    if (of === undefined) continue;
    const bytes = editEntries(source.bytes, of);
    if (!bytes.ok) return problem(notEditable(source.file, bytes.error?.line));
    edited.push({ ...source, bytes: bytes.value });
  }
  return success(edited);
}

function notEditable(file: string, line: number | undefined): RosterError {
  const where = line === undefined ? file : `${file}:${line}`;
  return invalidSetting(
    "feed-not-written",
    `roster cannot edit ${where} in place: its layout is unusual. Nothing was written.`,
    "Write this entry over lines of its own.",
  );
}

function wouldSpoil({ diagnostics = [] }: RosterError): RosterError {
  const message = "The people of the feed would make the roster invalid. Nothing was written.";
  const hint = "Correct the problems that follow. Their lines are those of the files as they would be.";
  return invalidInput([{ code: "feed-conflict", severity: "error", message, hint }, ...diagnostics]);
}

/** Whether the next run would read a new file of this path. */
async function isReadFrom(paths: readonly string[], file: string, host: Host): Promise<boolean> {
  const whole = resolve(host.cwd, file);
  const { path: end } = await placementOf(whole, await checkoutAround(host));
  for (const path of paths) {
    const directory = resolve(host.cwd, path);
    const below = pathBelow(directory, whole);
    const real = await realpath(directory).catch(() => directory);
    const isPlain = below?.split("/").every((name) => !name.startsWith(".") && name !== "node_modules") === true;
    if (below !== undefined && isPlain && end === join(real, below)) return true;
  }
  return false;
}

function outsideRoster(file: string): RosterError {
  return invalidSetting(
    "feed-file-outside",
    `New users go to ${file}, but that file is not below the roster's directories.`,
    "Set `feed: { file: people/hr.yaml }` in the settings to a path that roster reads.",
  );
}

/** A roster file without people. It names the account where nothing else would. */
function newFile(
  file: string,
  { roster }: LoadedRoster,
  { settings, host }: Pick<WriteOptions, "settings" | "host">,
): Uint8Array {
  const schema = bundledSchema("roster", resolve(host.cwd, file));
  const head = schema === undefined ? "" : `# yaml-language-server: $schema=${schema}\n\n`;
  const [account, ...others] = roster.accounts;
  const isNamed = settings.account !== undefined || account === undefined || others.length > 0;
  return new TextEncoder().encode(`${head}version: 1\n${isNamed ? "" : `account: ${writeScalar(account.value)}\n`}`);
}

function reportOf(
  { added, changed, ended, skipped }: FeedChanges,
  { flags, target, files }: { readonly flags: FeedFlags; readonly target: string; readonly files: readonly string[] },
): FeedReport {
  return {
    did: flags.check === true ? "checked" : "wrote",
    feed: flags.from,
    files,
    added: added.map(({ email, firstName, lastName }) => ({ email, name: `${firstName} ${lastName}`, file: target })),
    changed: changed.map(({ user, fields }) => ({ email: user.email.value, place: user.at.place, fields })),
    ended: ended.map(({ user, since, becomes }) => ({ email: user.email.value, since, becomes, place: user.at.place })),
    skipped,
  };
}

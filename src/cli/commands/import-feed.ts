import { realpath } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { readRegularFile, UnusableFileError, whyUnread } from "../../files/regular-file.ts";
import { invalidInput, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { type FoundFile, loadSources } from "../../library/planning/load-roster.ts";
import { formatPlace } from "../../model/fact.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isoDate } from "../../ports/clock.ts";
import { formatCount, formatCounts, formatList, truncateList } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";
import { decodeFile } from "../../roster/decode-file.ts";
import type { RosterDocument } from "../../roster/document.ts";
import {
  type FeedChanges,
  type GeneratedFile,
  generatedMark,
  generateFile,
  readGenerated,
  type SkippedPerson,
  writeGenerated,
} from "../../roster/feed/generate.ts";
import { type FeedPerson, readFeed } from "../../roster/feed/people.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import { readYaml } from "../../yaml/read.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import type { Host } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { findRosterFiles, rosterOptions } from "../planning/roster-files.ts";
import { createFile, replaceFiles } from "../planning/write-files.ts";
import { defaultFeedSource } from "../settings/decode-settings.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { checkoutAround, pathBelow, placementOf } from "../trust/checkout.ts";

export interface FeedFlags {
  readonly from: string;
  readonly out: string;
  readonly maxRemovals?: string;
}

/** Writes one roster file of the people in a CSV file. Reads neither the service nor the state. */
export async function importFeed(paths: readonly string[], flags: FeedFlags, host: Host): Promise<number> {
  const written = await generate(paths, flags, host);
  if (!written.ok) return finishStopped("roster", written.error, host);
  host.stdout.write(written.value.map((line) => `${safe(line)}\n`).join(""));
  return 0;
}

async function generate(
  paths: readonly string[],
  { from, out, maxRemovals }: FeedFlags,
  host: Host,
): Promise<Result<readonly string[], RosterError>> {
  const read = await readSettings({}, host, "neither");
  if (!read.ok) return read;
  const settings = read.value;
  if (maxRemovals !== undefined && !/^\d{1,6}$/u.test(maxRemovals)) return problem(badMaxRemovals(maxRemovals));
  const chosen = paths.length > 0 ? paths : settings.roster;
  const found = await findRosterFiles(chosen, host);
  // The generated file may be the first one.
  if (!found.ok && found.error.diagnostics?.[0]?.code !== "no-roster-files") return found;
  const sources = found.ok ? found.value : [];
  const path = resolve(host.cwd, out);
  const before = sources.find(({ file }) => resolve(host.cwd, file) === path);
  if (before === undefined && !(await isReadFrom(chosen, path, host))) return problem(outsideRoster(out));
  const others = sources.filter((source) => source !== before);
  const generated = readBefore(before, others, settings);
  if (!generated.ok) return generated;
  const people = await readPeople(from, settings, host);
  if (!people.ok) return people;
  const { file, ...changes } = generateFile(
    people.value,
    generated.value,
    documentsOf(others, settings),
    isoDate(host.clock),
  );
  const refusal = shrinks(from, people.value, changes, maxRemovals);
  if (refusal !== undefined) return problem(refusal);
  const command = `import --from ${from.split(/[\\/]/u).at(-1)} --out ${normalize(out)}`;
  const text = writeGenerated(file, { command, source: settings.file?.feed?.source ?? defaultFeedSource });
  const after = { file: before?.file ?? normalize(out), path, bytes: new TextEncoder().encode(text) };
  const newUsers = { singleLabelDomains: settings.singleLabelDomains ? "allowed" : "refused" } as const;
  const checked = loadSources([...others, after], { ...rosterOptions(settings, host), newUsers });
  if (!checked.ok) return problem(wouldSpoil(checked.error));
  const lines = changeLines(changes);
  if (before !== undefined && Buffer.compare(before.bytes, after.bytes) === 0) {
    return success([...lines, `Nothing to change: ${out} agrees with ${from}.`]);
  }
  const written = before === undefined ? await createFile(after, host) : await replaceFiles([after], host);
  return written.ok ? success([...lines, `Wrote ${out}: ${formatChanges(changes)}. Next: roster plan.`]) : written;
}

function badMaxRemovals(said: string): RosterError {
  const message = `--max-removals ${said} is not a whole number.`;
  return invalidSetting("import-flags", message, "Pass a number such as 40.");
}

/** Whether a run reads a new file of this path. */
async function isReadFrom(paths: readonly string[], path: string, host: Host): Promise<boolean> {
  if (!/\.ya?ml$/u.test(path)) return false;
  const { path: end } = await placementOf(path, await checkoutAround(host));
  for (const one of paths) {
    const directory = resolve(host.cwd, one);
    const below = pathBelow(directory, path);
    const real = await realpath(directory).catch(() => directory);
    const isPlain = below?.split("/").every((name) => !name.startsWith(".") && name !== "node_modules") === true;
    if (below !== undefined && isPlain && end === join(real, below)) return true;
  }
  return false;
}

function outsideRoster(out: string): RosterError {
  return invalidSetting(
    "feed-file-outside",
    `${out} is not a roster file: no run would read it.`,
    "Pass a path below the roster's directories, such as `--out people/hr.yaml`.",
  );
}

/** What the file says that is generated anew. A new one names the account where nothing else would. */
function readBefore(
  before: FoundFile | undefined,
  others: readonly FoundFile[],
  settings: Settings,
): Result<GeneratedFile, RosterError> {
  if (before === undefined) {
    const accounts = documentsOf(others, settings).flatMap((document) => document.accounts.map(({ value }) => value));
    const [account, ...more] = new Set(accounts);
    const named = settings.account === undefined && more.length === 0 ? account : undefined;
    return success({ account: named, users: [], leavers: [], keys: [] });
  }
  if (!new TextDecoder().decode(before.bytes).startsWith(generatedMark)) return problem(notGenerated(before.file));
  const log = collectDiagnostics({ subject: before.file });
  const { tree, diagnostics } = readYaml(before.file, before.bytes);
  const document = tree && decodeFile(tree, settings, log);
  const faults = [...diagnostics, ...log.diagnostics()].filter(({ severity }) => severity === "error");
  if (tree === undefined || document === undefined || faults.length > 0) return problem(invalidInput(faults));
  const generated = readGenerated(tree);
  return typeof generated === "string" ? problem(hasOtherSection(before.file, generated)) : success(generated);
}

function notGenerated(file: string): RosterError {
  return invalidSetting(
    "feed-not-generated",
    `${file} was not generated: its first line is another. Nothing was written.`,
    "Name another file with --out, and remove the people of the export from this one.",
  );
}

function hasOtherSection(file: string, name: string): RosterError {
  return invalidSetting(
    "feed-not-generated",
    `${file} is generated, but has \`${name}\`, which would be lost. Nothing was written.`,
    `Move \`${name}\` to another file.`,
  );
}

function documentsOf(sources: readonly FoundFile[], settings: Settings): readonly RosterDocument[] {
  return sources.flatMap(({ file, bytes }) => {
    const { tree } = readYaml(file, bytes);
    return (tree && decodeFile(tree, settings, collectDiagnostics({ subject: file }))) ?? [];
  });
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

type Changes = Omit<FeedChanges, "file">;

/** Protects from an incomplete feed: everybody missing in it would lose their access. */
function shrinks(
  feed: string,
  people: readonly FeedPerson[],
  { users, ended }: Changes,
  allowed: string | undefined,
): RosterError | undefined {
  if (people.length === 0) {
    const message = `The feed ${feed} has no people. Nothing was written.`;
    return stopError("refused", "feed-shrinks", message, "Check the export.");
  }
  const most = allowed === undefined ? Math.max(3, Math.floor(users / 10)) : Number(allowed);
  if (ended.length <= most) return undefined;
  const names = truncateList(
    ended.map(({ email }) => email),
    10,
  );
  const message = `The feed ${feed} would end ${ended.length} of ${formatCount(users, "user")}; at most ${most} are allowed: ${names}. Nothing was written.`;
  const hint = `Check the export. If it is right, pass --max-removals ${ended.length}.`;
  return stopError("refused", "feed-shrinks", message, hint);
}

function wouldSpoil({ diagnostics = [] }: RosterError): RosterError {
  const message = "The people of the feed would make the roster invalid. Nothing was written.";
  const hint = "Correct the problems that follow. Their lines are those of the files as they would be.";
  return invalidInput([{ code: "feed-conflict", severity: "error", message, hint }, ...diagnostics]);
}

function changeLines({ added, changed, ended, skipped }: Changes): readonly string[] {
  return [
    ...added.map((email) => `+ ${email}`),
    ...changed.map(({ email, fields }) => `~ ${email}: ${fields.join(", ")}`),
    ...ended.map(({ email, since }) => `- ${email} (since ${since})`),
    ...skipped.map(({ email, why, place }) => {
      return `  ${email}: not changed: ${skippedReasons[why]}${place === undefined ? "" : ` (${formatPlace(place)})`}`;
    }),
  ];
}

const skippedReasons: Readonly<Record<SkippedPerson["why"], string>> = {
  "other-file": "this user is in another file",
  leaver: "this person is a leaver; remove that entry if they came back",
  ended: "`until` of this user has passed; remove it if this person came back",
  "former-address": "this is the former address of a user",
};

function formatChanges({ added, changed, ended }: Changes): string {
  const counts = formatCounts(
    [added.length, "new user"],
    [changed.length, "changed user"],
    [ended.length, "departure"],
  );
  return counts.length === 0 ? "nobody changed" : formatList(counts);
}

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { formatCount, joinList } from "../../codes/message.ts";
import { invalidInput, invalidSetting, RosterError, rosterError, stopError } from "../../library/error.ts";
import { loadSources } from "../../library/load-roster.ts";
import { readAllowances } from "../../library/policy.ts";
import { hasRosterName, isSkipped } from "../../library/roster-files.ts";
import { definedFields } from "../../model/collections.ts";
import { allowanceCodeOf, allowCommand, formatAllowanceCode } from "../../model/policy.ts";
import { isoDate } from "../../ports/clock.ts";
import { addressOf, decodeSource, readGenerated, writeGenerated } from "../feed/generated-file.ts";
import { mergePeople } from "../feed/merge-people.ts";
import { readPeople } from "../feed/read-feed.ts";
import { writeOver } from "../files.ts";
import type { Host } from "../host.ts";
import { findRosterFiles } from "../open.ts";
import { commandLine } from "../run-command.ts";
import { variable } from "../settings/environment.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { checkoutAround, pathBelow, placementOf } from "../trust.ts";

export interface FeedFlags {
  readonly from: string;
  readonly out: string;
  readonly allow?: readonly string[] | undefined;
  readonly account?: readonly string[];
}

/** Writes one roster file of the people in a CSV file, and returns what it did, in lines. Reads neither the service nor the log. */
export async function importFeed(
  paths: readonly string[],
  { from, out, allow = [], account: [account] = [] }: FeedFlags,
  host: Host,
): Promise<readonly string[]> {
  const allowed = readAllowances(allow, variable(host, "ROSTER_ALLOW")).map(formatAllowanceCode);
  const settings = await readSettings({}, host, "neither");
  const { current, others } = await readFiles(paths.length > 0 ? paths : settings.roster, out, settings, host);
  const documents = others.flatMap(({ document }) => document ?? []);
  const written = readGenerated(current, documents, settings);
  if (current !== undefined && account !== undefined && account !== written.account)
    throw invalidSetting("bad-flag-value", `${out} is there already, for another account than ${account}.`);
  const before = { ...written, ...definedFields({ account }) };
  const people = await readPeople(from, settings, host);
  const refused = (message: string, hint: string) =>
    stopError("refused", "feed-shrinks", `The CSV file ${from} ${message} Nothing was written.`, hint);
  if (people.length === 0) throw refused("has no people.", "Check the export.");
  const today = isoDate(host.clock);
  const { after, had, ended, lines, summary } = mergePeople(people, before, documents, today);
  const most = Math.max(3, Math.floor(had / 10));
  const needed = { of: "feed-shrinks", subject: undefined, facts: ended.map(addressOf) } as const;
  const code = formatAllowanceCode(allowanceCodeOf(needed, { service: "", lineage: "", epoch: "" }));
  // Everybody missing in an incomplete feed would lose their access.
  if (ended.length > most && !allowed.includes(code)) {
    const emails = ended.map(({ email = "" }) => email);
    const unfit = allowed.filter((one) => one.startsWith(needed.of)).map((one) => ` The code ${one} does not fit.`);
    const flags = Object.entries(definedFields({ from, out, account })).flatMap(([flag, said]) => [`--${flag}`, said]);
    const planAgain = commandLine(["import", ...paths, ...flags], host);
    throw refused(
      `would make ${ended.length} of ${formatCount(had, "user")} leavers: ${joinList(emails)}. The limit is ${most}.${unfit.join("")}`,
      `Check the export. If it is right, run \`${allowCommand([code], { planAgain })}\`.`,
    );
  }
  const text = writeGenerated(after, { from, out }, settings);
  const file = current?.source.file ?? normalize(out);
  const target = { file, path: resolve(host.cwd, out), bytes: new TextEncoder().encode(text) };
  try {
    const sources = [...others.map(({ source }) => source), target];
    await loadSources(sources, { ...settings, today, newUsers: "checked" });
  } catch (error) {
    const message = "The people of the CSV file would make the roster invalid. Nothing was written.";
    const hint = "Correct the problems below. Their line numbers are those of the files that roster would write.";
    throw invalidInput([{ code: "bad-feed", severity: "error", message, hint }, ...rosterError(error).diagnostics]);
  }
  if (current !== undefined && Buffer.compare(current.source.bytes, target.bytes) === 0)
    return [...lines, `Nothing to change: ${out} agrees with ${from}.`];
  await writeOver(file, target.bytes, current === undefined ? "new" : "there", host);
  return [...lines, `Wrote ${out}: ${summary}. Next: roster plan.`];
}

async function readFiles(paths: readonly string[], out: string, settings: Settings, host: Host) {
  const path = resolve(host.cwd, out);
  const there = paths.filter((one) => resolve(host.cwd, one) !== path || existsSync(path));
  const found = await findRosterFiles(there, host).catch((error: unknown) => {
    // The generated file may be the first one.
    if (error instanceof RosterError && error.code === "no-roster-files") return [];
    throw error;
  });
  const files = await Promise.all(found.map((file) => decodeSource(file, settings)));
  const current = files.find(({ source }) => resolve(host.cwd, source.file) === path);
  if (current !== undefined || (await isReadFrom(paths, path, host)))
    return { current, others: files.filter((file) => file !== current) };
  const hint = `The roster is read from ${paths.map((one) => `\`${one}\``).join(", ")}. Name another file in one of its directories, or add ${out} to \`roster:\` in the settings.`;
  throw invalidSetting("bad-flag-value", `${out} is not a roster file: no run would read it.`, hint);
}

async function isReadFrom(paths: readonly string[], path: string, host: Host): Promise<boolean> {
  if (!hasRosterName(path)) return false;
  const { path: end } = await placementOf(path, await checkoutAround(host));
  for (const directory of paths.map((one) => resolve(host.cwd, one))) {
    const below = pathBelow(directory, path);
    if (below === undefined || below.split("/").some(isSkipped)) continue;
    if (end === join(await realpath(directory).catch(() => directory), below)) return true;
  }
  return false;
}

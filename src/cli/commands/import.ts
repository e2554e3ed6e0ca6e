import { basename, resolve } from "node:path";
import { formatCount } from "../../codes/message.ts";
import type { Service } from "../../library/connect.ts";
import { recordSeen } from "../../library/drift.ts";
import { invalidSetting, rosterError } from "../../library/error.ts";
import { lockLog, underLock } from "../../library/log.ts";
import { checkService, portsFor } from "../../library/plan.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import { accountsToImport, readAllUsers } from "../../library/read-everything.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { joinSentences } from "../../report/document/tasks.ts";
import { safe } from "../../report/safe.ts";
import { importFiles } from "../../roster/import/files.ts";
import { type ImportedRoster, importSnapshot } from "../../roster/import/import-snapshot.ts";
import { writeNewFiles } from "../files.ts";
import { printedForPeople, type SomeFlags } from "../flags.ts";
import { missingSchemaCopy, schemaCopyNames, schemaReference } from "../installed-package.ts";
import { openLog } from "../log.ts";
import { connectService, loadRoster } from "../open.ts";
import type { Command } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";
import { accountIdentifiers, readSettings, type Settings } from "../settings/settings.ts";
import type { FeedFlags } from "./import-feed.ts";

type ImportFlags = Partial<FeedFlags> & Pick<SomeFlags, "state" | "endpoint" | "parallelism" | "debug">;

export async function importPeople(command: Command, paths: readonly string[], flags: ImportFlags): Promise<void> {
  const { from, out, allow, account = [] } = flags;
  if (from !== undefined && out !== undefined) {
    const wrong = ["--state", "--endpoint", "--parallelism", "--debug"].find((name) =>
      Reflect.get(flags, name.slice(2)),
    );
    if (wrong !== undefined || account.length > 1) {
      const message = `${wrong ?? "More than one --account"} works only for an import of a whole service.`;
      throw invalidSetting("usage", message, "See `roster import --help`.");
    }
    const { importFeed } = await import("./import-feed.ts");
    const lines = await importFeed(paths, { from, out, allow, account }, command.host);
    return command.tell({ ownWords: { text: lines.map((line) => `${safe(line)}\n`).join("") } });
  }
  const example = "`roster import --from people.csv --out people/hr.yaml`";
  if ((from ?? out ?? allow) !== undefined) {
    const message = "--from needs --out, and --out needs --from. --allow needs both.";
    throw invalidSetting("usage", message, `Write ${example}.`);
  }
  const [directory, ...others] = paths;
  if (directory === undefined || others.length > 0) {
    const hint = `Name it: \`roster import my-roster\`. For a CSV file: ${example}.`;
    throw invalidSetting("usage", "An import from the service writes to one new directory.", hint);
  }
  await importRoster(command, directory, flags);
}

/** Writes a roster that says what is there. Only reads the service, and never overwrites a file. */
async function importRoster(command: Command, directory: string, flags: ImportFlags): Promise<void> {
  const { host, cancellation } = command;
  const { account = [], ...others } = flags;
  const settings = await readSettings(others, host);
  const observer = await command.observe({ ...printedForPeople, ...others });
  const service = command.closing(await connectService(settings, host, others));
  const ports = portsFor(service, host.clock, { signal: cancellation.signal, progress: observer.read });
  const named = account.map((name) => settings.accounts.get(name) ?? name);
  const wanted = [...new Set(account.length > 0 ? named : accountIdentifiers(settings))];
  const { accounts, areAll } = await accountsToImport(wanted, ports.service, ports.signal);
  const read = await readAllUsers(accounts, ports);
  const { snapshot } = read;
  const unknown = accounts.find((one) => !snapshot.accounts.has(one));
  if (unknown !== undefined) {
    const hint = "Correct --account or the settings. Without either, roster imports every account the key can see.";
    throw invalidSetting("account-unavailable", `The service knows no account ${unknown}.`, hint);
  }
  const imported = importSnapshot({ ...read, accounts, areAll, keyInUse: service.keyPrefix });
  const at = (file: string) => resolve(host.cwd, directory, file);
  const files = importFiles(imported, {
    schemaFor: (file) => schemaReference(at("."), at(file)),
    imported: { service: snapshot.service, at: snapshot.readAt },
  });
  const copy = files.length === 0 ? [] : await missingSchemaCopy("roster", at("."));
  const written = await writeNewFiles(directory, [...files, ...copy], host);
  const unrecorded = await recordImported(command, directory, snapshot, settings, service);
  const remark = unrecorded === undefined ? "" : `\nNot recorded in the log: ${safe(unrecorded)}\n`;
  command.tell({ ownWords: { text: `${formatImportSummary(imported, written, directory)}${remark}` } });
}

/** Makes known what was read and is in the roster now. An import without a log, or beside a run that holds it, is an import all the same. */
async function recordImported(
  { host, cancellation, closing }: Command,
  directory: string,
  snapshot: Snapshot,
  settings: Settings,
  service: Service,
): Promise<string | undefined> {
  try {
    const { roster } = await loadRoster([directory], settings, host);
    const log = closing(await openLog(settings, host));
    const lock = await lockLog(log, "import", { ...cancellation, startedBy: runContextOf(host), howToWait: "" });
    const policy = { privilegedRoles: privilegedRolesOf(settings.guards), consistency: settings.consistency };
    await underLock(lock, async () => {
      checkService(lock.state, service, log);
      await recordSeen(lock, { snapshot, policy }, { clock: host.clock, roster });
    });
    return undefined;
  } catch (error) {
    const { message, hint } = rosterError(error);
    return joinSentences(message, hint);
  }
}

function formatImportSummary(imported: ImportedRoster, written: readonly string[], directory: string): string {
  const sections = ["users", "teams", "keys"] as const;
  const counts = sections.map((section) => {
    const count = imported.accounts.reduce((sum, account) => sum + account[section].found.length, 0);
    return formatCount(count, section.slice(0, -1));
  });
  const parts = imported.accounts.flatMap((account) => sections.map((section) => account[section]));
  const remarks = [...imported.remarks, ...parts.flatMap((part) => part.remarks)];
  const copies = written.filter((path) => basename(path) === schemaCopyNames.roster);
  const rosterFiles = written.filter((path) => !copies.includes(path));
  const path = safe(directory);
  return [
    `Imported ${counts.join(", ")} into ${formatCount(rosterFiles.length, "file")}:`,
    ...rosterFiles.map((file) => `  ${safe(file)}`),
    ...copies.map((file) => `Editors read the schema from ${safe(file)}.`),
    ...(remarks.length === 0
      ? []
      : [`Not imported: ${formatCount(remarks.length, "thing")}. Comments in the files say what and why.`]),
    `\nNext:\n  roster validate ${path}`,
    `  roster plan ${path}            # no changes, until something changes\n`,
  ].join("\n");
}

import { basename, resolve } from "node:path";
import { formatCount } from "../../codes/message.ts";
import type { Service } from "../../library/connect.ts";
import { invalidSetting, rosterError } from "../../library/error.ts";
import { lockLog, underLock } from "../../library/lock.ts";
import { recordSeen } from "../../library/open-findings.ts";
import { checkService, portsFor } from "../../library/plan.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import { accountsToImport, readAllUsers } from "../../library/read-everything.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { joinSentences } from "../../report/document/tasks.ts";
import { safe } from "../../report/safe.ts";
import { importFiles } from "../../roster/import/files.ts";
import { importSnapshot } from "../../roster/import/import-snapshot.ts";
import type { ImportedRoster } from "../../roster/import/users.ts";
import { writeNewFiles } from "../files/write-output.ts";
import type { SomeFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { openLog } from "../log.ts";
import { connectService, loadRoster } from "../open.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { missingSchemaCopy, schemaCopyName, schemaReference } from "../planning/schema-copy.ts";
import { type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";
import { accountIdentifiers, readSettings, type Settings } from "../settings/settings.ts";
import type { FeedFlags } from "./import-feed.ts";

export interface ImportFlags
  extends Partial<FeedFlags>,
    Pick<SomeFlags, "state" | "endpoint" | "parallelism" | "debug"> {
  readonly account?: readonly string[];
}

export function importPeople(paths: readonly string[], flags: ImportFlags, host: Host): Promise<FinishedCommand> {
  const { from, out, maxRemovals } = flags;
  const isFeed = from !== undefined && out !== undefined;
  return runCommand("roster", printedForPeople, host, async (command) => {
    if (isFeed) {
      const wrong = ["state", "endpoint", "parallelism", "account", "debug"].find((name) => Reflect.get(flags, name));
      if (wrong !== undefined)
        throw invalidSetting(
          "usage",
          `--${wrong} works only for an import of a whole service.`,
          "See `roster import --help`.",
        );
      const { importFeed } = await import("./import-feed.ts");
      const lines = await importFeed(paths, { from, out, maxRemovals }, host);
      return command.tell({ ownWords: { text: lines.map((line) => `${safe(line)}\n`).join("") } });
    }
    if ((from ?? out ?? maxRemovals) !== undefined)
      throw invalidSetting(
        "usage",
        "--from and --out work only together, and --max-removals only with them.",
        "Write `roster import --from people.csv --out people/hr.yaml`.",
      );
    const [directory, ...others] = paths;
    if (directory === undefined || others.length > 0)
      throw invalidSetting(
        "usage",
        "An import from the service writes to one new directory.",
        "Name it: `roster import my-roster`. For a CSV file: `roster import --from people.csv --out people/hr.yaml`.",
      );
    await importRoster(command, directory, flags);
  });
}

/** Writes a roster that says what is there. Only reads the service, and never overwrites a file. */
async function importRoster(
  command: Command,
  directory: string,
  { account = [], ...flags }: ImportFlags,
): Promise<void> {
  const { host, cancellation } = command;
  const settings = await readSettings(flags, host);
  const observer = await command.observe({ ...printedForPeople, ...flags });
  const service = command.closing(await connectService(settings, host, flags));
  const ports = portsFor(service, host.clock, { signal: cancellation.signal, progress: observer.read });
  const named = account.map((name) => settings.accounts.get(name) ?? name);
  const wanted = [...new Set(account.length > 0 ? named : accountIdentifiers(settings))];
  const { accounts, areAll } = await accountsToImport(wanted, ports.service, ports.signal);
  const read = await readAllUsers(accounts, ports);
  const { snapshot } = read;
  const unknown = accounts.find((one) => !snapshot.accounts.has(one));
  if (unknown !== undefined)
    throw invalidSetting(
      "account-unavailable",
      `The service knows no account ${unknown}.`,
      "Correct --account or the settings. Without either, roster imports every account the key can see.",
    );
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
    const privilegedRoles = privilegedRolesOf(settings.guards);
    await underLock(lock, async () => {
      checkService(lock.state, service);
      await recordSeen(lock, { snapshot, privilegedRoles }, { clock: host.clock, roster });
    });
    return undefined;
  } catch (error) {
    const { message, hint } = rosterError(error);
    return joinSentences(message, hint);
  }
}

function formatImportSummary(imported: ImportedRoster, written: readonly string[], directory: string): string {
  const count = (section: "users" | "teams" | "keys") =>
    imported.accounts.reduce((sum, account) => sum + account[section].found.length, 0);
  const [users, teams, keys] = [count("users"), count("teams"), count("keys")];
  const parts = [...imported.accounts.flatMap((account) => [account.users, account.teams, account.keys])];
  const remarks = [...imported.remarks, ...parts.flatMap((part) => part.remarks)];
  const counts = [formatCount(users, "user"), formatCount(teams, "team"), formatCount(keys, "key")].join(", ");
  const left =
    remarks.length === 0
      ? ""
      : `Not imported: ${formatCount(remarks.length, "thing")}; comments in the files say what and why.\n`;
  const copies = written.filter((path) => basename(path) === schemaCopyName);
  const rosterFiles = written.filter((path) => !copies.includes(path));
  const files = rosterFiles.map((path) => `  ${safe(path)}\n`).join("");
  const forEditors = copies.map((path) => `Editors read the schema from ${safe(path)}.\n`).join("");
  return `Imported ${counts} into ${formatCount(rosterFiles.length, "file")}:\n${files}${forEditors}${left}${next(directory)}`;
}

function next(directory: string): string {
  const path = safe(directory);
  return `\nNext:\n  roster validate ${path}\n  roster plan ${path}            # empty, as long as nobody changes anything\n`;
}

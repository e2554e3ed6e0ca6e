import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { recordSeen } from "../../library/drift/open-findings.ts";
import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { stateServiceMismatch } from "../../library/planning/planning.ts";
import { privilegedRolesOf } from "../../library/planning/policy.ts";
import {
  type AccountsToImport,
  type AllUsersReading,
  accountsToImport,
  readAllUsers,
} from "../../library/planning/read-everything.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { joinSentences } from "../../report/document/problems.ts";
import { formatCount } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";
import { type FileToWrite, importFiles } from "../../roster/import/files.ts";
import { importSnapshot } from "../../roster/import/import-snapshot.ts";
import { countImported, type ImportedRoster } from "../../roster/import/users.ts";
import type { Host } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { loadRoster } from "../planning/roster-files.ts";
import { bundledSchema, schemaCopyName, schemaFile, schemaReference } from "../planning/schema-copy.ts";
import { writeNewFiles } from "../planning/write-files.ts";
import { type CommandCall, closeAfter, connect, debugTrace, readPorts, type Session } from "../session.ts";
import { lockState } from "../stores/lock.ts";
import { openUsableStore, type StateFlags } from "../stores/open-store.ts";
import type { FeedFlags } from "./import-feed.ts";

export interface ImportFlags extends StateFlags {
  readonly endpoint?: string;
  readonly parallelism?: string;
  readonly account?: readonly string[];
  readonly debug?: boolean;
}

/** The flags of both kinds of import. */
interface AllImportFlags extends ImportFlags, Partial<FeedFlags> {}

/** Reads the service into new files, or a feed of people into one generated file. */
export async function importPeople(paths: readonly string[], flags: AllImportFlags, host: Host): Promise<number> {
  const { from, out, maxRemovals, ...rest } = flags;
  if (from !== undefined && out !== undefined) {
    const [wrong] = serviceFlags(rest);
    if (wrong !== undefined) return finishStopped("roster", onlyForService(wrong), host);
    return (await import("./import-feed.ts")).importFeed(paths, { from, out, maxRemovals }, host);
  }
  if ((from ?? out ?? maxRemovals) !== undefined) return finishStopped("roster", togetherOnly, host);
  const [directory, ...others] = paths;
  if (directory === undefined || others.length > 0) return finishStopped("roster", oneDirectory, host);
  return importRoster(directory, rest, host);
}

/** The flags that were passed and work only for a whole service. */
function serviceFlags({ endpoint, state, parallelism, account, debug }: ImportFlags) {
  return [
    state && "--state",
    endpoint && "--endpoint",
    parallelism && "--parallelism",
    account && "--account",
    debug && "--debug",
  ].filter((flag) => typeof flag === "string");
}

function onlyForService(flag: string): RosterError {
  return invalidSetting("usage", `${flag} works only for an import of a whole service.`, "See `roster import --help`.");
}

const togetherOnly = invalidSetting(
  "usage",
  "--from and --out work only together, and --max-removals only with them.",
  "Write `roster import --from people.csv --out people/hr.yaml`.",
);

const oneDirectory = invalidSetting(
  "usage",
  "An import from the service writes to one new directory.",
  "Name it: `roster import my-roster`. For a CSV file: `roster import --from people.csv --out people/hr.yaml`.",
);

/** Writes a roster that says what is there. Only reads the service, and never overwrites a file. */
async function importRoster(directory: string, flags: ImportFlags, host: Host): Promise<number> {
  const { value: imported } = await closeAfter((open) => importInto(directory, { flags, host, open }));
  if (!imported.ok) return finishStopped("validate", imported.error, host);
  host.stdout.write(imported.value);
  return 0;
}

async function importInto(
  directory: string,
  { flags, host, open }: CommandCall<ImportFlags>,
): Promise<Result<string, RosterError>> {
  const { account: named = [], ...rest } = flags;
  const opened = await open({
    command: "roster",
    flags: { ...printedForPeople, ...rest },
    host,
    needs: ["observer"],
  });
  if (!opened.ok) return problem(opened.error.stop);
  const session = opened.value;
  const connection = await connect(session.settings, host, debugTrace(flags, host));
  if (!connection.ok) return connection;
  const service = connection.value;
  session.onClose(() => service.close());
  const read = await readService({ ...session, service }, named);
  if (!read.ok) return read;
  const { snapshot } = read.value;
  const imported = importSnapshot({ ...read.value, keyInUse: service.keyPrefix });
  const files = importFiles(imported, {
    schemaFor: (file) => schemaReference(resolve(host.cwd, directory), resolve(host.cwd, directory, file)),
    imported: { service: snapshot.service, at: snapshot.readAt },
  });
  const copy = await newSchemaCopy(directory, files, host);
  const written = await writeNewFiles(directory, [...files, ...copy], host);
  if (!written.ok) return written;
  const unrecorded = await recordImported(directory, snapshot, { ...session, service });
  const remark = unrecorded === undefined ? "" : `\nNot recorded in the log: ${safe(formatProblem(unrecorded))}\n`;
  return success(`${formatImportSummary(imported, written.value, directory)}${remark}`);
}

/** Makes known what was read and is in the roster now. An import without a state, or beside a run that holds it, is an import all the same. */
async function recordImported(
  directory: string,
  snapshot: Snapshot,
  session: Session<"service">,
): Promise<RosterError | undefined> {
  const { settings, host, onClose, service } = session;
  const loaded = await loadRoster([directory], settings, host);
  if (!loaded.ok) return loaded.error;
  const store = await openUsableStore(settings, host);
  if (!store.ok) return store.error;
  onClose(() => store.value.close());
  const locked = await lockState({ ...session, store: store.value }, "import", { timeout: 0 });
  if (!locked.ok) return locked.error;
  const { lock } = locked.value;
  const { roster } = loaded.value;
  const privilegedRoles = privilegedRolesOf(settings.guards);
  return (
    stateServiceMismatch(lock.state, service) ??
    (await recordSeen(lock, { snapshot, privilegedRoles }, { clock: host.clock, roster })) ??
    (await lock.finish())
  );
}

function formatProblem({ problem: stopped, diagnostics = [] }: RosterError): string {
  const { message = "the roster cannot be read", hint } = stopped ?? diagnostics[0] ?? {};
  return joinSentences(message, hint);
}

type ServiceRead = AllUsersReading & AccountsToImport;

async function readService(
  session: Session<"service" | "observer">,
  named: readonly string[],
): Promise<Result<ServiceRead, RosterError>> {
  const { service, settings } = session;
  const ports = readPorts(session);
  const chosen = await accountsToImport(named, settings, service, ports.signal);
  if (!chosen.ok) return chosen;
  const { accounts } = chosen.value;
  const read = await readAllUsers(accounts, ports);
  if (!read.ok) return problem(errorFromFailure(read.error));
  const unknown = accounts.find((account) => !read.value.snapshot.accounts.has(account));
  if (unknown !== undefined) return problem(noSuchAccount(unknown));
  return success({ ...read.value, ...chosen.value });
}

function noSuchAccount(account: string): RosterError {
  const hint = "Correct --account or the settings. Without either, roster imports every account the key can see.";
  return invalidSetting("account-unavailable", `The service knows no account ${account}.`, hint);
}

/** The schema for editors, where a file names a copy and none is there yet. */
async function newSchemaCopy(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<readonly FileToWrite[]> {
  const isBundled = bundledSchema("roster", resolve(host.cwd, directory, "roster.yaml")) !== undefined;
  if (files.length === 0 || isBundled || existsSync(resolve(host.cwd, directory, schemaCopyName))) return [];
  return [{ file: schemaCopyName, text: await readFile(schemaFile("roster"), "utf8") }];
}

/** What an import has written and what it left out, for people. */
export function formatImportSummary(imported: ImportedRoster, written: readonly string[], directory: string): string {
  const { users, teams, keys } = countImported(imported);
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

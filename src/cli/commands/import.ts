import { relative, resolve, sep } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { formatCount } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";
import { type FileToWrite, hasImports, importFiles, type RosterLayout } from "../../roster/import/files.ts";
import { importSnapshot } from "../../roster/import/import-snapshot.ts";
import { countImported, type ImportedRoster } from "../../roster/import/imported.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { connect, debugTrace } from "../connection.ts";
import type { Host } from "../host.ts";
import { finish, finishStopped } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { loadRoster } from "../planning/load-roster.ts";
import {
  type AccountsToImport,
  type AllUsersReading,
  accountsToImport,
  readAllUsers,
} from "../planning/read-everything.ts";
import { readRosterFiles, writeNewFiles } from "../planning/roster-files.ts";
import { type CommandCall, closeAfter, readPorts, type Session } from "../session.ts";
import { bundledSchema } from "../system.ts";
import type { FeedFlags } from "./import-feed.ts";

export interface ImportFlags extends OutputFlags {
  readonly endpoint?: string;
  readonly parallelism?: string;
  readonly account?: readonly string[];
  readonly layout?: RosterLayout;
  readonly roles?: "keep" | "omit";
  readonly missing?: boolean;
  readonly debug?: boolean;
}

/** The flags of both kinds of import. */
interface AllImportFlags extends ImportFlags, Partial<Omit<FeedFlags, keyof OutputFlags>> {
  readonly update?: boolean;
}

/** Reads the service into new files, or a feed of people into files that are there. */
export async function importPeople(paths: readonly string[], flags: AllImportFlags, host: Host): Promise<number> {
  const mixed = mixedFlags(flags);
  const stopped = (stop: CommandError) =>
    finish({ command: "import", tells: "success-only", diagnostics: [], stop }, flags, host);
  if (mixed !== undefined) return stopped(mixed);
  if (flags.from !== undefined)
    return (await import("./import-feed.ts")).importFeed(paths, { ...flags, from: flags.from }, host);
  const [directory, ...others] = paths;
  return directory === undefined || others.length > 0 ? stopped(oneDirectory) : importRoster(directory, flags, host);
}

function mixedFlags({ from, update, format, ...flags }: AllImportFlags): CommandError | undefined {
  if ((from === undefined) !== (update === undefined)) return togetherOnly;
  const ofFeed = [
    flags.check && "--check",
    flags.maxRemovals && "--max-removals",
    format !== "text" && "--format",
    flags.report && "--report",
  ];
  const ofService = [
    flags.endpoint && "--endpoint",
    flags.parallelism && "--parallelism",
    flags.account && "--account",
    flags.layout && "--layout",
    flags.roles && "--roles",
    flags.missing && "--missing",
    flags.debug && "--debug",
  ];
  const [wrong] = (from === undefined ? ofFeed : ofService).filter((flag) => typeof flag === "string");
  if (wrong === undefined) return undefined;
  const when = from === undefined ? "only with --from FILE --update" : "only for an import of a whole service";
  return invalidSetting("import-flags", `${wrong} works ${when}.`, "See `roster import --help`.");
}

const togetherOnly = invalidSetting(
  "import-flags",
  "--from and --update work only together.",
  "Write `roster import --from people.csv --update`.",
);

const oneDirectory = invalidSetting(
  "import-flags",
  "An import from the service writes to one new directory.",
  "Name it: `roster import my-roster`. For a CSV file: `roster import --from people.csv --update`.",
);

/** Writes a roster that says what is there. Only reads the service, and never overwrites a file. */
async function importRoster(directory: string, flags: ImportFlags, host: Host): Promise<number> {
  const { value: imported } = await closeAfter((open) => importInto(directory, { flags, host, open }));
  if (!imported.ok) return finishStopped("validate", imported.error, host);
  host.stdout.write(imported.value);
  return 0;
}

/** A roster that exists, and the paths of its files as seen from the directory. */
interface RosterInDirectory {
  readonly roster: Roster;
  readonly taken: readonly string[];
}

async function importInto(
  directory: string,
  { flags, host, open }: CommandCall<ImportFlags>,
): Promise<Result<string, CommandError>> {
  const { account: named = [], ...rest } = flags;
  const opened = await open({
    command: "roster",
    flags: rest,
    host,
    needs: ["observer"],
  });
  if (!opened.ok) return problem(opened.error.stop);
  const session = opened.value;
  const existing = flags.missing === true ? await existingRoster(directory, session) : success(undefined);
  if (!existing.ok) return existing;
  const connection = await connect(session.settings, host, debugTrace(flags, host));
  if (!connection.ok) return connection;
  const service = connection.value;
  session.onClose(() => service.close());
  const read = await readService({ ...session, service }, named);
  if (!read.ok) return read;
  const roster = existing.value === undefined ? {} : { existing: existing.value.roster };
  const imported = importSnapshot({ ...read.value, roles: flags.roles ?? "keep", ...roster });
  const files = filesFor(imported, read.value, { directory, flags, host, taken: existing.value?.taken });
  if (!files.ok) return files;
  const written = await writeNewFiles(directory, files.value, host);
  return written.ok ? success(formatImportSummary(imported, written.value, directory)) : written;
}

async function existingRoster(
  directory: string,
  { settings, host }: Session,
): Promise<Result<RosterInDirectory, CommandError>> {
  const paths = settings.file?.roster === undefined ? [directory] : settings.roster;
  const loaded = await loadRoster(paths, settings, host);
  if (!loaded.ok) return loaded;
  const sources = await readRosterFiles(paths, host);
  if (!sources.ok) return sources;
  const taken = sources.value.map(({ file }) => relative(directory, file).split(sep).join("/"));
  return success({ roster: loaded.value.roster, taken });
}

type ServiceRead = AllUsersReading & AccountsToImport;

async function readService(
  session: Session<"service" | "observer">,
  named: readonly string[],
): Promise<Result<ServiceRead, CommandError>> {
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

function noSuchAccount(account: string): CommandError {
  const hint = "Correct --account or the settings. Without either, roster imports every account the key can see.";
  return invalidSetting("unknown-account", `The service knows no account ${account}.`, hint);
}

interface ImportTarget {
  readonly directory: string;
  readonly flags: ImportFlags;
  readonly host: Host;
  readonly taken: readonly string[] | undefined;
}

function filesFor(
  imported: ImportedRoster,
  { snapshot }: AllUsersReading,
  target: ImportTarget,
): Result<readonly FileToWrite[], CommandError> {
  const { directory, flags, host, taken } = target;
  const filled = imported.accounts.filter(hasImports);
  if (flags.layout === "file" && filled.length > 1) {
    const message = `One roster file has one account, but there are ${filled.length}: ${filled.map(({ account }) => account).join(", ")}.`;
    return problem(
      invalidSetting("several-accounts", message, "Pass --layout account or team, or name one --account."),
    );
  }
  const options = {
    layout: flags.layout ?? "file",
    taken: taken ?? [],
    schemaFor: (file: string) => bundledSchema(resolve(host.cwd, directory, file)) ?? schemaName,
    imported: { service: snapshot.service, at: snapshot.readAt },
  };
  if (taken === undefined) return success(importFiles(imported, options));
  return success(importFiles(imported, { ...options, addition: `imported-${snapshot.readAt.slice(0, 10)}` }));
}

/** What the schema calls itself, where readers of the roster need not have it in one place. */
const schemaName = "https://roster.example/schemas/roster.schema.json";

/** What an import has written and what it left out, for people. */
export function formatImportSummary(imported: ImportedRoster, written: readonly string[], directory: string): string {
  const { users, teams, keys } = countImported(imported);
  const parts = [...imported.accounts.flatMap((account) => [account.users, account.teams, account.keys])];
  const remarks = [...imported.remarks, ...parts.flatMap((part) => part.remarks)];
  const counts = [formatCount(users, "user"), formatCount(teams, "team"), formatCount(keys, "key")].join(", ");
  if (written.length === 0) {
    const said = remarks.map((remark) => `  ${safe(remark)}\n`);
    return `The roster already has everything. Nothing was written.\n${said.join("")}`;
  }
  const left =
    remarks.length === 0
      ? ""
      : `Not imported: ${formatCount(remarks.length, "thing")}; comments in the files say what and why.\n`;
  const files = written.map((path) => `  ${safe(path)}\n`).join("");
  return `Imported ${counts} into ${formatCount(written.length, "file")}:\n${files}${left}${next(directory)}`;
}

function next(directory: string): string {
  const path = safe(directory);
  return `\nNext:\n  roster validate ${path}\n  roster plan ${path}            # empty, as long as nobody changes anything\n`;
}

import { type Command, Option } from "commander";
import type { AccessFormat } from "../../report/access/access-formats.ts";
import type { AuditExportFormat } from "../../report/audit.ts";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-flags.ts";
import {
  collect,
  type EndCommand,
  withEndpoint,
  withLock,
  withSettings,
  withState,
  withTui,
} from "./shared-options.ts";

/** `roster state` and its subcommands. Each is loaded only when it is the one to run. */
export function addState(program: Command, host: Host, end: EndCommand): void {
  const state = program.command("state").description("inspect and repair the state");
  // What is shown is the state itself, in which nothing happens.
  withFormats(withState(state.command("show")), "state", { except: ["ndjson"] })
    .alias("list")
    .description("show recorded users, teams, members and keys (also: state list)")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateShow(flags, host)));

  withFormats(withState(state.command("verify")), "state")
    .description("check that the stored state can be read")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateVerify(flags, host)));

  withFormats(withState(state.command("unlock")), "state")
    .alias("force-unlock")
    .description("show who holds the lock; with its ID, break it (also: force-unlock)")
    .argument("[id]", "the ID of the lock, as `roster state unlock` shows it")
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateUnlock(id, flags, host)));

  withFormats(withLock(withState(state.command("resolve"))), "state")
    .description("list calls with an unknown outcome; with an ID, record the outcome")
    .argument("[id]", "the ID of the call, as `roster state resolve` shows it")
    .option("--done", "the call was done")
    .option("--not-done", "the call was not done: a plan may send it again")
    .option("--identifier <id>", "with --done: the service's identifier of the created user")
    .option("--team-identifier <id>", "with --done: the service's identifier of the created team")
    .option("--prefix <prefix>", "with --done: the prefix of the new key; never the whole key")
    .option("--person <email>", "only this member of the call; may be repeated", collect)
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateResolve(id, flags, host)));

  withFormats(withLock(withState(state.command("move"))), "state")
    .description("move the state to another store")
    .argument("<to>", "the new place, such as file:/var/lib/roster/state.json; must be empty")
    .action(async (to, flags) => end(await (await import("../commands/state-move.ts")).stateMove(to, flags, host)));

  withFormats(withLock(withState(state.command("set-endpoint"))), "state")
    .description("record a new address of the same service")
    .argument("<endpoint>", "the new address, such as https://accounts.example.com")
    .action(async (endpoint, flags) =>
      end(await (await import("../commands/state-move.ts")).stateSetEndpoint(endpoint, flags, host)),
    );

  const forget = state.command("forget").argument("<email>", "the address of a person who is gone");
  withTui(withFormats(withLock(withState(withEndpoint(withSettings(forget)))), "state"))
    .description("remove the records of a person who is gone")
    .option("--auto-approve", "do not ask for approval")
    .option("--deadline <duration>", "stop after this time, such as 20m")
    .action(async (email, paths, flags) =>
      end(await (await import("../commands/state-forget.ts")).stateForget({ email, paths }, flags, host)),
    );

  withTui(withFormats(withLock(withState(withEndpoint(withSettings(state.command("rebuild"))))), "state"))
    .description("rebuild a lost state from the service")
    .option("--deadline <duration>", "stop after this time, such as 20m")
    .action(async (paths, flags) => end(await (await import("../commands/state.ts")).stateRebuild(paths, flags, host)));
}

const auditExportFormats: readonly AuditExportFormat[] = ["csv", "json", "ndjson"];

const accessFormats: readonly AccessFormat[] = ["text", "csv", "json", "markdown"];

/** Who changed what: `roster audit` and its subcommands. */
export function addAudit(program: Command, host: Host, end: EndCommand): void {
  const audit = program.command("audit").description("show and check the record of changes");
  const load = () => import("../commands/audit.ts");

  withFormats(withTrail(audit.command("verify")), "audit")
    .description("check that no record was changed, removed or added")
    .action(async (flags) => end(await (await load()).auditVerify(flags, host)));

  withSelection(withFormats(withTrail(audit.command("show")), "audit"))
    .description("show who changed what, run by run")
    .action(async (flags) => end(await (await load()).auditShow(flags, host)));

  const exported = new Option("--format <name>", "output format").choices([...auditExportFormats]).default("csv");
  withSelection(withTrail(audit.command("export")))
    .description("print one row for each change")
    .addOption(exported)
    .action(async (flags) => end(await (await load()).auditExport(flags, host)));
}

function withTrail(command: Command): Command {
  return withState(command).option("--audit <url>", "place of the audit trail (default: with the state)");
}

function withSelection(command: Command): Command {
  return command
    .option("--since <when>", "only changes since this date, or for this long, such as 30d")
    .option("--person <email>", "only changes about this user")
    .option("--team <name>", "only changes in this team");
}

/** Who has access. */
export function addAccess(program: Command, host: Host, end: EndCommand): void {
  const about = program.command("access").description("list who holds which role, and since when");
  withTui(withState(withEndpoint(withSettings(about))))
    .option("--as-of <when>", "at this time, by the audit trail; a date, or 30d for 30 days ago")
    .option("--person <email>", "only this user")
    .option("--team <name>", "only this team")
    .option("--role <id>", "only this role")
    .option("--expiring <when>", "only what ends by this date, or within 30d")
    .option("--audit <url>", "place of the audit trail (default: with the state)")
    .addOption(new Option("--format <name>", "output format").choices([...accessFormats]).default("text"))
    .action(async (paths, flags) => end(await (await import("../commands/access.ts")).access(paths, flags, host)));
}

import { type Command, Option } from "commander";
import type { AccessFormat } from "../../report/access/access-formats.ts";
import type { AuditExportFormat } from "../../report/audit.ts";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-flags.ts";
import { type EndCommand, withEndpoint, withSettings, withState, withTui } from "./shared-options.ts";

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

import { Argument, type Command, Option } from "commander";
import type { AccessFormat } from "../../report/access/access-formats.ts";
import { withFleetReports } from "../fleet/reports.ts";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-flags.ts";
import { collect, type EndCommand, withEndpoint, withLock, withSettings, withState } from "./shared-options.ts";

/** `roster state` and its subcommands. Each is loaded only when it is the one to run. */
export function addState(program: Command, host: Host, end: EndCommand): void {
  const state = program.command("state").description("inspect and repair the state");
  withFormat(withState(state.command("show")), ["text", "json", "yaml"])
    .description("show recorded users, teams, members and keys")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateShow(flags, host)));

  withFormats(withState(state.command("unlock")), "state")
    .description("show who holds the lock; with its ID, break it")
    .argument("[id]", "the ID of the lock, as `roster state unlock` shows it")
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateUnlock(id, flags, host)));

  withFormats(withLock(withState(state.command("resolve"))), "state")
    .description("list calls with an unknown outcome; with an ID, record the outcome")
    .argument("[id]", "the ID of the call, as `roster state resolve` shows it")
    .addArgument(
      new Argument("[outcome]", "what you saw in the service; not-done: a plan may send it again").choices([
        "done",
        "not-done",
      ]),
    )
    .argument("[person...]", "only these members of the call, by their addresses")
    .action(async (id, outcome, people, flags) =>
      end(await (await import("../commands/state.ts")).stateResolve({ id, outcome, people }, flags, host)),
    );

  withFormats(withLock(withState(state.command("copy"))), "state")
    .description("copy the log to another store, and end it here")
    .argument("<to>", "the new place, such as file:/var/lib/roster/log.jsonl; must be empty")
    .option("--keep <lineage>", "copy nothing: the log at the new place, of this lineage, goes on instead")
    .action(async (to, flags) => end(await (await import("../commands/state-copy.ts")).stateCopy(to, flags, host)));

  withFormats(withLock(withState(state.command("prune"))), "state")
    .description("move old events of the log to a file")
    .requiredOption("--before <when>", "only commands that ended before this time; a date, or 365d")
    .requiredOption("--export <file>", "the new file that the events are moved to")
    .action(async (flags) => end(await (await import("../commands/state-prune.ts")).statePrune(flags, host)));

  withFormats(withLock(withState(state.command("set-endpoint"))), "state")
    .description("record a new address of the same service")
    .argument("<endpoint>", "the new address, such as https://accounts.example.com")
    .action(async (endpoint, flags) =>
      end(await (await import("../commands/state-copy.ts")).stateSetEndpoint(endpoint, flags, host)),
    );

  withFormats(withLock(withState(withEndpoint(withSettings(state.command("rebuild"))))), "state")
    .description("rebuild a lost state from the service")
    .option("--deadline <duration>", "stop after this time, such as 20m")
    .action(async (paths, flags) => end(await (await import("../commands/state.ts")).stateRebuild(paths, flags, host)));
}

const accessFormats: readonly AccessFormat[] = ["text", "csv", "json", "markdown"];

/** Who changed what: `roster audit`. */
export function addAudit(program: Command, host: Host, end: EndCommand): void {
  const load = () => import("../commands/audit.ts");
  const audit = withFormat(withState(program.command("audit")), ["text", "json", "csv", "ndjson"])
    .description("show who changed what, and check the log")
    .option("--since <when>", "only changes since this date, or for this long, such as 30d")
    .option("--as-of <when>", "only changes until this date")
    .option("--only <selector>", "only user:EMAIL, team:NAME or run:ID; repeatable", collect)
    .action(async (flags) => end(await (await load()).audit(flags, host)));

  withFormats(withState(audit.command("verify")), "audit")
    .description("check that no event was changed, removed or added")
    .option("--expect-head <head>", "fail unless the log goes on from this earlier head")
    .action(async (flags) => end(await (await load()).auditVerify(flags, host)));
}

/** Who has access. */
export function addAccess(program: Command, host: Host, end: EndCommand): void {
  const about = program.command("access").description("list who holds which role, and since when");
  withState(withEndpoint(withSettings(about)))
    .option("--as-of <when>", "at this time, by the log; a date, or 30d for 30 days ago")
    .option("--only <selector>", "only user:EMAIL, team:NAME or role:NAME; repeatable", collect)
    .option("--plan <file>", "each key before and after this saved plan; needs --format json")
    .addOption(new Option("--format <name>", "output format").choices([...accessFormats]).default("text"))
    .action(async (paths, flags) => end(await (await import("../commands/access.ts")).access(paths, flags, host)));
}

/** The subcommands of `roster fleet`. Each is loaded only when it is the one to run. */
export function addFleetCommands(fleet: Command, host: Host, end: EndCommand): void {
  const load = () => import("../commands/fleet.ts");

  withFormat(withTargets(fleet.command("validate")), ["text", "json"])
    .description("check the fleet file and the rosters of its targets")
    .action(async (flags) => end(await (await load()).fleetValidate(flags, host)));

  withFleetReports(withRun(fleet.command("plan")), "plan")
    .description("plan every target")
    .option("--detailed-exitcode", "exit with 2 for changes, 9 for problems")
    .option("--unmanaged", "also report users and keys outside the rosters")
    .action(async (flags) => end(await (await load()).fleetRun("plan", flags, host)));

  withFleetReports(withLocks(withRun(fleet.command("drift"))), "drift")
    .description("report how every service differs from its roster")
    .option("--only-new", "report only differences that were not seen before")
    .option("--no-record", "do not record seen differences in the logs")
    .action(async (flags) => end(await (await load()).fleetRun("drift", flags, host)));

  withFleetReports(withLocks(withRun(fleet.command("apply"))), "apply")
    .description("make every service match its roster")
    .option("--auto-approve", "do not ask for approval; required")
    .option("--unmanaged", "also report users and keys outside the rosters")
    .action(async (flags) => end(await (await load()).fleetRun("apply", flags, host)));

  withTargets(fleet.command("matrix"))
    .description("print the job matrix of a pipeline: a job for each target")
    .addOption(new Option("--format <name>", "the system").choices(["github", "gitlab"]).makeOptionMandatory())
    .option("--changed-since <commit>", "only targets whose roster files have changed since then")
    .action(async (flags) => end(await (await load()).fleetMatrix(flags, host)));

  withFleetReports(withFormat(fleet.command("summarize"), ["text", "json", "markdown"]), "fleet")
    .description("join the summaries of shards and jobs of the last 20h")
    .argument("<directory>", "the directory of `--report json=DIR`")
    .action(async (directory, flags) => end(await (await load()).fleetSummarize(directory, flags, host)));
}

/** What every command of a fleet takes. */
function withTargets(command: Command): Command {
  return command
    .option("--fleet <file>", "the fleet file (default: fleet.yaml, here or above)")
    .option("--only <target>", "only this target; repeatable", collect);
}

/** What every command takes that works with the services of the targets. */
function withRun(command: Command): Command {
  return withFormat(withTargets(command), ["text", "json", "markdown"])
    .option("--parallelism <n>", "number of targets at the same time (default: of the fleet file, or 4)")
    .option("--shard <i/n>", "only part I of N; auto/N takes I from JOB_COMPLETION_INDEX")
    .option("--max-failures <n>", "start no more targets after this many have failed")
    .option("--deadline <duration>", "start no new targets and calls after this time, such as 50m");
}

/** What every command takes that locks the logs of the targets. */
function withLocks(command: Command): Command {
  return command
    .option("--lock-timeout <duration>", "wait for the lock of a log, such as 5m (default: 0)")
    .option("--break-stale-lock <duration>", "break a lock that was silent this long, at least 2m");
}

function withFormat(command: Command, formats: readonly string[]): Command {
  return command.addOption(new Option("--format <name>", "output format").choices(formats).default("text"));
}

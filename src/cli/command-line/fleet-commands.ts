import { type Command, Option } from "commander";
import { withFleetReports } from "../fleet/reports.ts";
import type { Host } from "../host.ts";
import { collect, type EndCommand } from "./shared-options.ts";

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
    .option("--no-record", "do not record seen differences in the states")
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
    .description("join the summaries of shards and jobs")
    .argument("<directory>", "the directory or s3:// address of `--report json=DIR`")
    .option("--max-age <duration>", "leave out older summaries, such as 20h")
    .action(async (directory, flags) => end(await (await load()).fleetSummarize(directory, flags, host)));
}

/** What every command of a fleet takes. */
function withTargets(command: Command): Command {
  return command
    .option("--fleet <file>", "the fleet file (default: fleet.yaml, here or above)")
    .option("--only <target>", "only this target, or the targets of label=value; repeatable", collect);
}

/** What every command takes that works with the services of the targets. */
function withRun(command: Command): Command {
  return withFormat(withTargets(command), ["text", "json", "markdown"])
    .option("--parallelism <n>", "number of targets at the same time (default: of the fleet file, or 4)")
    .option("--shard <i/n>", "only part I of N; auto/N takes I from JOB_COMPLETION_INDEX")
    .option("--max-failures <n>", "start no more targets after this many have failed")
    .option("--deadline <duration>", "start no new targets and calls after this time, such as 50m");
}

/** What every command takes that locks the states of the targets. */
function withLocks(command: Command): Command {
  return command
    .option("--lock-timeout <duration>", "wait for the lock of a state, such as 5m (default: 0)")
    .option("--break-stale-lock <duration>", "break a lock that was silent this long, at least 2m");
}

function withFormat(command: Command, formats: readonly string[]): Command {
  return command.addOption(new Option("--format <name>", "output format").choices(formats).default("text"));
}

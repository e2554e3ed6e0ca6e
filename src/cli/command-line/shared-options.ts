import type { Command } from "commander";
import type { CommandOutcome } from "../../report/outcome.ts";
import { withFormats } from "../output/output-flags.ts";

export function withSettings(command: Command): Command {
  return command
    .argument(
      "[path...]",
      "roster files and directories; - is standard input (default: `roster:` of the settings, or .)",
    )
    .option("--account <id>", "account of the files that name none");
}

export function withEndpoint(command: Command): Command {
  return command
    .option("--endpoint <url>", "base address of the account service")
    .option("--parallelism <n>", "how many calls at once (default: 10)")
    .option("--debug", "trace every request to standard error, without keys");
}

export function withState(command: Command): Command {
  return command.option(
    "--state <url>",
    "where the state lives: file:PATH, https://…, postgres://… or s3://… (default: file:.roster/state.json)",
  );
}

export function withLock(command: Command): Command {
  return command
    .option("--lock-timeout <duration>", "wait so long where another run holds the state, such as 5m (default: 0)")
    .option("--break-stale-lock <duration>", "take over the lock of a run that was silent for so long, at least 2m");
}

/** What every command that plans takes. */
export function withService(command: Command, name: CommandOutcome["command"]): Command {
  return withTui(withFormats(withState(withConsistency(withEndpoint(withSettings(command)))), name));
}

/** What everything takes that judges what earlier calls came to. */
export function withConsistency(command: Command): Command {
  return command.option(
    "--consistency <duration>",
    "how long reads of the service may not show a write (default: learned; 15m at first)",
  );
}

/** What everything takes that may show a screen. */
export function withTui(command: Command): Command {
  return command.option("--no-tui", "lines instead of screens on a terminal");
}

/** What takes a snapshot in place of the service and the state. */
export function withSnapshot(command: Command): Command {
  return command
    .option("--from <file>", "plan with a snapshot that `roster snapshot` has made, without a key; - is standard input")
    .option("--max-age <duration>", "with --from: how old the snapshot may be (default: 24h)");
}

/** What a person says for one run alone. */
export function withRunOptions(command: Command): Command {
  return command
    .option("--include <selector>", "only this: user:EMAIL or team:NAME; may be repeated; also --target", collect)
    .option("--exclude <selector>", "all but this: user:EMAIL or team:NAME; may be repeated", collect)
    .option(
      "--assume-absent <what>",
      "this run's word that team:NAME (or all: teams) is not there, team:NAME@CALL was not founded by that call, or member:TEAM/EMAIL (or all: members) not in the team; may be repeated",
      collect,
    )
    .option("--recreate <email>", "this run's word to create a vanished person again", collect)
    .option("--allow <guard@planid>", "this run's word that a guard lets this very plan pass; may be repeated", collect)
    .option(
      "--release <email>",
      "this run's word that somebody who left the roster is nobody's matter; may be repeated",
      collect,
    )
    .option("--retry-refused", "this run's word to send once more what the service refused")
    .option("--deadline <duration>", "begin nothing new after this long, such as 20m, and end in order");
}

/** What a plan takes that may be rehearsed. */
export function withRehearsal(command: Command): Command {
  return command.option(
    "--rehearse [latency]",
    "apply the plan to a copy of the service in memory first; sends nothing; --rehearse=80ms: with 80 ms for each call",
  );
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

import type { Command } from "commander";
import type { CommandOutcome } from "../../report/outcome.ts";
import { withFormats } from "../output/output-flags.ts";

/** Ends the command with its exit code. */
export type EndCommand = (ended: { readonly exitCode: number }) => void;

export function withSettings(command: Command): Command {
  return command
    .argument("[path...]", "roster files or directories; - is standard input (default: .)")
    .option("--account <id>", "default account for files");
}

export function withEndpoint(command: Command): Command {
  return command
    .option("--endpoint <url>", "address of the account service")
    .option("--parallelism <n>", "number of calls at the same time (default: 10)")
    .option("--debug", "log every request to standard error, without keys");
}

export function withState(command: Command): Command {
  return command.option("--state <url>", "place of the log: file:, postgres: or s3: (default: file:.roster/log.jsonl)");
}

export function withLock(command: Command): Command {
  return command
    .option("--lock-timeout <duration>", "wait for the lock, such as 5m (default: 0)")
    .option("--break-stale-lock <duration>", "break a lock that was silent this long, at least 2m");
}

/** What every command that plans takes. */
export function withService(command: Command, name: CommandOutcome["command"]): Command {
  return withFormats(withState(withEndpoint(withSettings(command))), name);
}

/** What takes a snapshot in place of the service and the state. */
export function withSnapshot(command: Command): Command {
  return command.option("--from <file>", "plan from a snapshot of the last 24h, without an API key");
}

/** What a person says for one run alone. */
export function withRunOptions(command: Command): Command {
  return command
    .option("--include <selector>", "only user:EMAIL or team:NAME; repeatable", collect)
    .option("--exclude <selector>", "all except these; repeatable", collect)
    .option("--allow <code>", "allow what this code is about, as a plan prints it; repeatable", collect)
    .option("--reason <text>", "why it is allowed; needed for privileged roles and guards that refuse a plan")
    .option("--deadline <duration>", "start no new calls after this time, such as 20m");
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

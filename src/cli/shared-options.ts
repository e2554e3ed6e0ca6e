import { type Command, Option } from "commander";

export function formatOption(): Option {
  return new Option("--format <name>", "how to print the result").choices(["text", "json"]).default("text");
}

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
    .option("--take-dead-lock <duration>", "take over the lock of a run that was silent for so long, at least 2m");
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

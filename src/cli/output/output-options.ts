import { type Command, InvalidArgumentError, Option } from "commander";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import type { Report } from "./output-flags.ts";
import { withTitle } from "./title-flag.ts";
import { readReport } from "./wanted-output.ts";

/** Gives a command the formats that have something to tell of it. `except`: of its kind, but not of this one. */
export function withFormats(
  command: Command,
  name: CommandOutcome["command"],
  { except = [] }: { readonly except?: readonly FormatName[] } = {},
): Command {
  const known = formatsOf(name).filter((format) => !except.includes(format));
  const report = new Option("--report <format=file>", "write the result to a file too; may be repeated");
  return withTitle(command, known)
    .addOption(new Option("--format <name>", "how to print the result").choices(known).default("text"))
    .addOption(report.argParser((value, before: readonly Report[] = []) => [...before, read(value, before)]));

  function read(value: string, before: readonly Report[]): Report {
    const written = readReport(value, known, before);
    if (!written.ok) throw new InvalidArgumentError(written.error);
    return written.value;
  }
}

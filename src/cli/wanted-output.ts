import { type FormatName, formatsOf } from "../report/formats.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import type { OutputFlags, Report } from "./output-flags.ts";

type CommandName = CommandOutcome["command"];

/** How a command line that was not understood wants to be answered, as far as that can be understood. */
export function wantedOutput(argv: readonly string[], command: CommandName): OutputFlags {
  const known = formatsOf(command);
  const said = valuesOf("--format", argv).at(-1);
  const format = known.find((name) => name === said) ?? "text";
  const report = valuesOf("--report", argv).flatMap((value) => readReport(value, known) ?? []);
  const title = valuesOf("--title", argv).at(-1);
  return { format, report, ...(title === undefined ? {} : { title }) };
}

/** `FORMAT=FILE`, of the formats that are known here; undefined where it is none. */
export function readReport(value: string, known: readonly FormatName[]): Report | undefined {
  const at = value.indexOf("=");
  const format = known.find((name) => name === value.slice(0, at));
  const file = value.slice(at + 1);
  return format === undefined || file === "" || file === "-" ? undefined : { format, file };
}

function valuesOf(flag: string, argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    const next = argv[index + 1];
    return word === flag && next !== undefined ? [next] : [];
  });
}

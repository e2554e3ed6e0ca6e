import { remaining } from "../report/drift/drift-told.ts";
import { formats } from "../report/formats.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { type Ending, exitCodeOf } from "./exit-code.ts";
import type { Host } from "./host.ts";
import { painter } from "./paint.ts";
import type { Stop } from "./stop.ts";

export type FormatName = keyof typeof formats;

/** What a command has come to: everything but its exit code, which follows from it. */
export type Conclusion = Omit<CommandOutcome, "exitCode" | "problem"> & {
  readonly stop?: Stop;
  readonly tells: Ending["tells"];
};

/** Prints what a command came to and says with which code it ends. The only place where either happens. */
export function conclude(conclusion: Conclusion, format: FormatName, host: Host): number {
  const { stop, tells, ...rest } = conclusion;
  const interrupted = host.interruption.by();
  const { command, plan, run } = rest;
  const drift = rest.drift && remaining(rest.drift);
  const exitCode = exitCodeOf({ command, interrupted, stopped: stop?.reason, plan, run, drift, tells });
  const outcome: CommandOutcome = {
    ...rest,
    exitCode,
    diagnostics: [...rest.diagnostics, ...(stop?.diagnostics ?? [])],
    ...(stop?.problem === undefined ? {} : { problem: stop.problem }),
  };
  const rendered = formats[format](outcome, { paint: painter(host.stdout) });
  host.stdout.write(rendered.stdout);
  host.stderr.write(rendered.stderr);
  return exitCode;
}

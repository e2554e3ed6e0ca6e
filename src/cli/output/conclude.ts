import type { Diagnostic } from "../../model/result.ts";
import { remainingDrift } from "../../report/drift.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { renderProblems } from "../../report/text/problems.ts";
import type { Host, Interrupt } from "../host.ts";
import type { CommandError } from "../stop.ts";
import { appendForRunner } from "./append-for-runner.ts";
import { type CommandEnding, exitCodeOf } from "./exit-code.ts";
import type { OutputFlags } from "./output-flags.ts";
import { textStyleOf } from "./paint.ts";
import { type CustomOutput, renderAs } from "./render-as.ts";
import { writeReports } from "./write-reports.ts";

/** What a command has come to: everything but its exit code, which follows from it. */
export type CommandResult = Omit<CommandOutcome, "exitCode" | "problem"> & {
  readonly stop?: CommandError;
  readonly tells: CommandEnding["tells"];
  /** What is shown in place of what the format itself would make of the outcome. */
  readonly ownWords?: CustomOutput;
};

/**
 * Prints what a command came to, writes the reports that are wanted beside that, and says with which code it ends. The only
 * place where any of it happens: nothing leaves it that is to be kept secret, and all of it agrees on the code.
 */
export async function finish(conclusion: CommandResult, flags: OutputFlags, host: Host): Promise<number> {
  const interrupted = host.interruption.by();
  const { ownWords } = conclusion;
  const tell = (lost: readonly Diagnostic[]) => ({
    outcome: host.secrets.redactAll({ ...outcomeOf(conclusion, interrupted, lost), ...titleOf(flags) }),
    ownWords,
  });
  const unwritten = await writeReports(flags, tell([]), host);
  const unappended = await appendForRunner(flags, tell(unwritten), host);
  const lost = [...unwritten, ...unappended];
  const told = tell(lost);
  // What could be written says the same as what is printed.
  if (lost.length > 0) await writeReports(flags, told, host);
  const { stdout } = await renderAs(flags.format, told, { ...textStyleOf(host.stdout), told: host.live.told(), host });
  host.stdout.write(stdout);
  host.stderr.write(renderProblems(told.outcome, textStyleOf(host.stderr)));
  return told.outcome.exitCode;
}

function titleOf({ title }: OutputFlags): Pick<CommandOutcome, "title"> {
  return title === undefined ? {} : { title };
}

/** `lost`: what of the results could not be written, and why. */
function outcomeOf(
  conclusion: CommandResult,
  interrupted: Interrupt | undefined,
  lost: readonly Diagnostic[],
): CommandOutcome {
  const { stop, tells, ownWords: _, ...rest } = conclusion;
  const { command, plan, run, formatting } = rest;
  const unformatted = formatting?.did === "checked" ? formatting.unformatted.length : 0;
  const drift = rest.drift && remainingDrift(rest.drift);
  const isWritten = lost.length === 0;
  const ending = { command, interrupted, stopped: stop?.reason, plan, run, drift, unformatted, tells, isWritten };
  const exitCode = exitCodeOf(ending);
  return {
    ...rest,
    exitCode,
    diagnostics: [...rest.diagnostics, ...(stop?.diagnostics ?? []), ...lost],
    ...(stop?.problem === undefined ? {} : { problem: stop.problem }),
  };
}

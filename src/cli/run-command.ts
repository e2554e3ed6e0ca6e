import { type ApplyResult, abortedBefore, type RosterError, rosterError } from "../library/error.ts";
import type { ProgressObserver } from "../ports/operator.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { type Cancellation, cancellationAfter, readDeadline } from "./flag-values.ts";
import type { Flags, SomeFlags } from "./flags.ts";
import type { Host } from "./host.ts";
import type { CommandResult } from "./output/exit-code.ts";
import { finish } from "./output/finish.ts";
import type { OutputFlags } from "./output/output-flags.ts";

export interface Command {
  readonly name: CommandOutcome["command"];
  readonly host: Host;
  /** Ends the work: an interrupt, and the deadline where one was started. */
  readonly cancellation: Cancellation;
  tell(part: Partial<CommandResult>): void;
  startDeadline(flags: SomeFlags): Cancellation;
  /** Follows the command on the terminal, and in the lines that are streamed. Loaded only where it is wanted. */
  observe(flags: Flags): Promise<ProgressObserver>;
  /** Closes something with the command. What was opened last is closed first. */
  closing<Opened extends { close(): Promise<void> }>(opened: Opened): Opened;
}

export interface FinishedCommand {
  readonly result: CommandResult;
  readonly exitCode: number;
}

/** The only place where errors of a command are caught. What stopped it counts before what could not be saved. A defect is thrown on. */
export async function runCommand(
  name: CommandOutcome["command"],
  flags: OutputFlags,
  host: Host,
  work: (command: Command) => Promise<void>,
): Promise<FinishedCommand> {
  let result: CommandResult = { command: name, tells: "success-only", diagnostics: [] };
  let cancellation = cancellationAfter(undefined, host);
  const steps: (() => Promise<void>)[] = [];
  const errors: RosterError[] = [];
  const tell = (part: Partial<CommandResult>) => {
    for (const [field, value] of Object.entries(part)) if (value !== undefined) result = { ...result, [field]: value };
  };
  const collect = (error: unknown) => {
    errors.push(rosterError(error));
  };
  const command: Command = {
    name,
    host,
    tell,
    get cancellation() {
      return cancellation;
    },
    startDeadline(given) {
      cancellation = cancellationAfter(readDeadline(given), host);
      steps.push(async () => cancellation.end());
      return cancellation;
    },
    async observe(wanted) {
      const { progressObserverFor } = await import("./output/progress-observer.ts");
      const observer = await progressObserverFor(host, name, wanted);
      steps.push(() => observer.end());
      return observer;
    },
    closing(opened) {
      steps.push(() => opened.close());
      return opened;
    },
  };
  try {
    await work(command).catch(collect);
  } finally {
    await closeAll(steps, collect);
  }
  const [error] = errors;
  tell(appliedPart(error?.applied));
  tell({ stop: error === undefined ? undefined : stopFrom(error, cancellation) });
  return { result, exitCode: await finish(result, flags, host) };
}

/** Every step is run, also after one that threw. */
async function closeAll(steps: (() => Promise<void>)[], collect: (error: unknown) => void): Promise<void> {
  const step = steps.pop();
  if (step === undefined) return;
  try {
    await step().catch(collect);
  } finally {
    await closeAll(steps, collect);
  }
}

export function appliedPart({ plan, reading, run, head }: Partial<ApplyResult> = {}): Partial<CommandResult> {
  return { plan, reading, run, head };
}

/** Work that the deadline ended is reported as that. An interrupt is seen by the exit code, and a run tells what it did. */
function stopFrom(error: RosterError, cancellation: Cancellation): RosterError | undefined {
  if (error.problem?.code !== "aborted") return error;
  if (error.applied?.run !== undefined) return undefined;
  return cancellation.outOfTime() ?? (error.message === abortedBefore().message ? undefined : error);
}

/** Plans the same again, for a person who allows something. A plan file holds it in its findings: it is without secrets from the start. */
export function planAgain(
  paths: readonly string[],
  { include = [], exclude = [], unmanaged, repair, ...flags }: SomeFlags,
  host: Pick<Host, "directory" | "secrets">,
): string {
  if (flags.planAgain !== undefined) return flags.planAgain;
  const settings = (["account", "endpoint", "state", "out", "reason"] as const).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  const words = [
    ...(repair === undefined ? [flags.out === undefined ? "apply" : "plan"] : ["drift"]),
    ...(repair ?? []).flatMap((written) => ["--repair", written]),
    ...paths.map((path) => (path.startsWith("-") && path !== "-" ? `./${path}` : path)),
    ...include.flatMap((written) => ["--include", written]),
    ...exclude.flatMap((written) => ["--exclude", written]),
    // A repair always reads the users who are not in the roster.
    ...(unmanaged === true && repair === undefined ? ["--unmanaged"] : []),
    ...settings,
  ];
  return commandLine(words, host);
}

export function commandLine(
  words: readonly string[],
  { directory, secrets }: Pick<Host, "directory" | "secrets">,
): string {
  const all = [...(directory === undefined ? [] : ["-C", directory]), ...words];
  return ["roster", ...all.map((word) => shellWord(secrets.redact(word)))].join(" ");
}

/** As it is where no shell could take it for something else, else in quotes. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}._+:@/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

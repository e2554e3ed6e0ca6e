import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line/program.ts";
import { type Host, type Interrupt, newEventBuffer, type ProcessHost } from "../../src/cli/host.ts";
import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import { newSecrets } from "../../src/library/redaction.ts";
import type { Clock, Randomness } from "../../src/ports/clock.ts";

/** A host in this process: what is told is kept, and interrupts come from the test. */
export interface InsideHost extends Host {
  readonly told: { stdout: string; stderr: string };
  interrupt(by: Interrupt): void;
}

export interface InsideOptions extends Pick<ProcessHost, "openTransport" | "localSystem"> {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly randomness?: Randomness;
  /** Standard input, where it is no terminal. */
  readonly input?: string;
  readonly typed?: Readable;
  readonly columns?: number;
}

export function insideHost(options: InsideOptions): InsideHost {
  const { env: given = {}, input = "", typed, columns, ...rest } = options;
  const env = { PATH: process.env["PATH"] ?? "", ...given };
  const told = { stdout: "", stderr: "" };
  const output = (name: keyof typeof told) => ({
    isTerminal: typed !== undefined,
    hasColours: false,
    columns,
    write(text: string) {
      told[name] += text;
    },
  });
  const standardInput = typed === undefined ? Readable.from([input]) : Object.assign(typed, { isTTY: true });
  const controller = new AbortController();
  const state: { by?: Interrupt } = {};
  return {
    clock: systemClock,
    randomness: systemRandomness,
    ...rest,
    told,
    env,
    user: "olga",
    stdin: () => standardInput,
    stdout: output("stdout"),
    stderr: output("stderr"),
    interruption: { signal: controller.signal, by: () => state.by },
    interrupt(by) {
      state.by = by;
      controller.abort(by);
    },
    secrets: newSecrets(),
    live: newEventBuffer(),
  };
}

export interface InsideResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, where a process of its own would show nothing more. */
export async function inside(args: readonly string[], options: InsideOptions, host = insideHost(options)) {
  const code = await runCommandLine(args, host);
  return { code, ...host.told };
}

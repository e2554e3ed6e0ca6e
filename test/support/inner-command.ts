import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line/program.ts";
import type { ProcessHost } from "../../src/cli/host.ts";
import type { Output } from "../../src/cli/standard-streams.ts";
import { newSecrets } from "../../src/library/secrets.ts";
import type { LocalSystem } from "../../src/log/lease.ts";
import type { Clock, Randomness } from "../../src/ports/clock.ts";
import type { OpenTransport } from "../../src/service/client.ts";
import type { CommandResult } from "./command.ts";

/** Runs a command inside this process: without the cost of another one, and with a clock of the test's own. */
export async function innerRoster(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly clock: Clock;
    readonly randomness: Randomness;
    readonly openTransport?: OpenTransport;
    readonly localSystem?: LocalSystem;
  },
): Promise<Omit<CommandResult, "signal">> {
  const said = { stdout: "", stderr: "" };
  const output = (stream: keyof typeof said): Output => ({
    isTerminal: false,
    hasColours: false,
    write(text) {
      said[stream] += text;
    },
  });
  const host: ProcessHost = {
    ...options,
    user: "olga",
    stdin: () => Readable.from([]),
    stdout: output("stdout"),
    stderr: output("stderr"),
    interruption: { signal: new AbortController().signal, by: () => undefined },
    secrets: newSecrets(),
  };
  const code = await runCommandLine(args, host);
  return { code, ...said };
}

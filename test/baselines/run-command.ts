import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line/program.ts";
import type { ProcessHost } from "../../src/cli/host.ts";
import { newSecrets } from "../../src/library/environment.ts";
import { type ScriptedServer, scriptedServer } from "../support/scripted-server.ts";
import type { CommandStep } from "./scene.ts";

export interface RanCommand {
  readonly words: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What a webhook was told. */
  readonly letters: string;
}

/** What of a host is the scene's. */
export type Around = Pick<ProcessHost, "cwd" | "env" | "clock" | "randomness" | "openTransport" | "localSystem">;

/** Stands in a variable for the address of a webhook, which takes everything. */
const webhook = "{webhook}";

/** Runs the command line of a step in this process. */
export async function runCommand(words: readonly string[], step: CommandStep, around: Around): Promise<RanCommand> {
  const isNotified = around.env["ROSTER_WEBHOOK"] === webhook;
  const hook = isNotified ? await scriptedServer([{ status: 204, text: "" }]) : undefined;
  const env = hook === undefined ? around.env : { ...around.env, ROSTER_WEBHOOK: hook.endpoint.href };
  const { host, told } = hostFor(step, { ...around, env });
  const code = await runCommandLine(words, host);
  await hook?.close();
  return { words, code, ...told, letters: lettersTo(hook) };
}

/** The words after `roster`. */
export function wordsOf({ roster }: CommandStep, before: readonly RanCommand[]): readonly string[] {
  const words = typeof roster === "function" ? roster(before) : roster;
  return typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
}

function hostFor({ terminal, stdin = "", hasColours = false, isInterrupted = false }: CommandStep, around: Around) {
  const told = { stdout: "", stderr: "" };
  const typed = new PassThrough();
  const standardInput = terminal === undefined ? Readable.from([stdin]) : Object.assign(typed, { isTTY: true });
  const output = (stream: keyof typeof told) => ({
    isTerminal: terminal !== undefined,
    hasColours,
    columns: terminal?.columns,
    write(text: string) {
      told[stream] += text;
      // Whatever is typed before the question counts for nothing.
      if (terminal !== undefined && text.endsWith("approves: ")) typed.write(terminal.types);
    },
  });
  const host: ProcessHost = {
    ...around,
    user: "olga",
    stdin: () => standardInput,
    stdout: output("stdout"),
    stderr: output("stderr"),
    interruption: {
      signal: isInterrupted ? AbortSignal.abort("SIGINT") : new AbortController().signal,
      by: () => (isInterrupted ? "SIGINT" : undefined),
    },
    secrets: newSecrets(),
  };
  return { host, told };
}

function lettersTo(hook: ScriptedServer | undefined): string {
  const letters = (hook?.seen ?? []).map(({ method, url, headers, body }) => {
    const own = Object.entries(headers).filter(([name]) => name.startsWith("roster-"));
    const lines = [`${method} ${url}`, ...own.map(([name, value]) => `${name}: ${value}`)];
    return `${lines.join("\n")}\n${JSON.stringify(body, null, 2)}\n`;
  });
  return letters.join("\n");
}

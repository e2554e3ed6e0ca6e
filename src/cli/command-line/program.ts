import { type Command, CommanderError } from "commander";
import type { Host, Output, ProcessHost } from "../host.ts";
import { givenSecrets } from "../output/given-secrets.ts";
import { newEventBuffer } from "../output/live-lines.ts";
import { newProgram } from "./new-program.ts";
import { argumentsToParse, commandInArguments, suggestedChoice } from "./slips.ts";

/** Runs one command line to its exit code. */
export async function runCommandLine(argv: readonly string[], bare: ProcessHost): Promise<number> {
  const host = withSecrets(argv, bare);
  const said: string[] = [];
  const ended = { code: 0 };
  const telling = {
    answer: (text: string) => host.stdout.write(text),
    complain: (text: string) => void said.push(text),
  };
  const end = (code: number) => {
    ended.code = code;
  };
  const program = newProgram(host, end, telling);
  try {
    await program.parseAsync(argumentsToParse(argv, program), { from: "user" });
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) return finishParsing(error, { said: said.join(""), program, argv }, host);
    return finishWithDefect(error, argv, host);
  }
}

/** Whatever is written from here on passes through here. */
function withSecrets(argv: readonly string[], host: ProcessHost): Host {
  const { secrets } = host;
  for (const secret of givenSecrets(argv, host.env)) secrets.keep(secret);
  const redacting = (output: Output): Output => ({ ...output, write: (text) => output.write(secrets.redact(text)) });
  return { ...host, stdout: redacting(host.stdout), stderr: redacting(host.stderr), live: newEventBuffer() };
}

interface Parsed {
  readonly said: string;
  readonly program: Command;
  readonly argv: readonly string[];
}

/** Help and version are answers; anything else is a command line that is not understood (exit code 3). */
async function finishParsing(error: CommanderError, { said, program, argv }: Parsed, host: Host): Promise<number> {
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") {
    host.stderr.write(said);
    return 3;
  }
  const [message, ...rest] = said
    .trim()
    .replace(/^error: /u, "")
    .split("\n");
  const { finish: conclude } = await import("../output/conclude.ts");
  const { invalidSetting } = await import("../stop.ts");
  const { outputFlagsIn: wantedOutput } = await import("../output/wanted-output.ts");
  const command = argv.find((word) => !word.startsWith("-")) ?? "";
  const suggested = rest.length > 0 ? rest.join(" ").replace(/^\((.*)\)$/u, "$1") : suggestedChoice(message ?? "");
  const hint = suggested ?? helpHint(commandInArguments(argv, program));
  const stop = invalidSetting("usage", sentence(message ?? error.message), hint);
  const conclusion = { command: resultName(command), tells: "success-only", diagnostics: [], stop } as const;
  return conclude(conclusion, wantedOutput(argv, conclusion.command), host);
}

/** A defect is told like every other problem, so that whoever reads the document learns of it too. */
async function finishWithDefect(error: unknown, argv: readonly string[], host: Host): Promise<number> {
  const { finish: conclude } = await import("../output/conclude.ts");
  const { safe } = await import("../../report/safe.ts");
  const { outputFlagsIn: wantedOutput } = await import("../output/wanted-output.ts");
  const [first, ...frames] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
  const problem = {
    code: "internal",
    message: `a defect of roster ended the command: ${first}`,
    hint: "report it with the lines above and the command; `roster state show` tells what was recorded",
  };
  for (const frame of frames) host.stderr.write(`${safe(frame)}\n`);
  const command = argv.find((word) => !word.startsWith("-")) ?? "";
  const stop = { reason: "failed", problem } as const;
  const conclusion = { command: resultName(command), tells: "success-only", diagnostics: [], stop } as const;
  return conclude(conclusion, wantedOutput(argv, conclusion.command), host);
}

const withDocuments = [
  "validate",
  "plan",
  "show",
  "apply",
  "drift",
  "reinvite",
  "doctor",
  "state",
  "config",
  "explain",
  "fmt",
] as const;

function resultName(command: string): (typeof withDocuments)[number] | "roster" {
  return withDocuments.find((name) => name === command) ?? "roster";
}

function helpHint(command: string): string {
  return command === "" ? "See `roster --help`." : `See \`roster ${command} --help\`.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/u, "")}.`;
}

import { Command, CommanderError } from "commander";
import { addCommands } from "./command-list.ts";
import { givenSecrets } from "./given-secrets.ts";
import type { Host, Output, ProcessHost } from "./host.ts";
import { newLiveLines } from "./live-lines.ts";
import { installedPackage } from "./package-directory.ts";

/** Runs one command line to its exit code. */
export async function runCommandLine(argv: readonly string[], bare: ProcessHost): Promise<number> {
  const host = keepingSecrets(argv, bare);
  const said: string[] = [];
  const ended = { code: 0 };
  const program = new Command("roster")
    .description(
      "Brings an account service to what a directory of YAML files says:\nwho exists, who is in which team, which roles each key has.",
    )
    .version(installedPackage().version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    // What stands after a command is its own, also where the one above it has an option of the same name.
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => host.stdout.write(text), writeErr: (text) => said.push(text) })
    .exitOverride();
  addCommands(program, host, (code) => {
    ended.code = code;
  });
  try {
    await program.parseAsync(wordsToParse(argv, program), { from: "user" });
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) return endOfParsing(error, { said: said.join(""), program, argv }, host);
    return endWithDefect(error, argv, host);
  }
}

/** Whatever is written from here on passes through here. */
function keepingSecrets(argv: readonly string[], host: ProcessHost): Host {
  const { secrets } = host;
  for (const secret of givenSecrets(argv, host.env)) secrets.keep(secret);
  const redacting = (output: Output): Output => ({ ...output, write: (text) => output.write(secrets.redact(text)) });
  return { ...host, stdout: redacting(host.stdout), stderr: redacting(host.stderr), live: newLiveLines() };
}

const helpFlags: readonly string[] = ["-h", "--help"];

/** Without the wish for help where a command is not known: the help of what stands above it would hide the slip. */
function wordsToParse(argv: readonly string[], program: Command): string[] {
  return namesUnknown(argv, program) ? argv.filter((word) => !helpFlags.includes(word)) : [...argv];
}

function namesUnknown([word, ...rest]: readonly string[], { commands }: Command): boolean {
  if (word === undefined || word.startsWith("-") || word === "help" || commands.length === 0) return false;
  const known = commands.find((command) => command.name() === word || command.aliases().includes(word));
  return known === undefined || namesUnknown(rest, known);
}

interface Parsed {
  readonly said: string;
  readonly program: Command;
  readonly argv: readonly string[];
}

/** Help and version are answers; anything else is a command line that is not understood (exit code 3). */
async function endOfParsing(error: CommanderError, { said, program, argv }: Parsed, host: Host): Promise<number> {
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") {
    host.stderr.write(said);
    return 3;
  }
  const [message, ...rest] = said
    .trim()
    .replace(/^error: /u, "")
    .split("\n");
  const { conclude } = await import("./conclude.ts");
  const { invalidSetting } = await import("./stop.ts");
  const { wantedOutput } = await import("./wanted-output.ts");
  const command = argv.find((word) => !word.startsWith("-")) ?? "";
  const hint =
    rest.length > 0
      ? rest.join(" ").replace(/^\((.*)\)$/u, "$1")
      : helpHint(program.commands.find((known) => known.name() === command)?.name());
  const stop = invalidSetting("usage", sentence(message ?? error.message), hint);
  const conclusion = { command: conclusionName(command), tells: "success-only", diagnostics: [], stop } as const;
  return conclude(conclusion, wantedOutput(argv, conclusion.command), host);
}

/** A defect is told like every other problem, so that whoever reads the document learns of it too. */
async function endWithDefect(error: unknown, argv: readonly string[], host: Host): Promise<number> {
  const { conclude } = await import("./conclude.ts");
  const { safe } = await import("../report/safe.ts");
  const { wantedOutput } = await import("./wanted-output.ts");
  const [first, ...frames] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
  const problem = {
    code: "internal",
    message: `a defect of roster ended the command: ${first}`,
    hint: "report it with the lines above and the command; `roster state show` tells what was recorded",
  };
  for (const frame of frames) host.stderr.write(`${safe(frame)}\n`);
  const command = argv.find((word) => !word.startsWith("-")) ?? "";
  const stop = { reason: "failed", problem } as const;
  const conclusion = { command: conclusionName(command), tells: "success-only", diagnostics: [], stop } as const;
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
  "fmt",
] as const;

function conclusionName(command: string): (typeof withDocuments)[number] | "roster" {
  return withDocuments.find((name) => name === command) ?? "roster";
}

function helpHint(command: string | undefined): string {
  return command === undefined ? "See `roster --help`." : `See \`roster ${command} --help\`.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/u, "")}.`;
}

import { stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError, type Option } from "commander";
import { invalidSetting, RosterError, stopError, suggest } from "../../library/error.ts";
import { type CommandName, type FormatName, formatsOf } from "../../report/formats.ts";
import { completion } from "../commands/completion.ts";
import {
  type Host,
  leaveClosedTerminal,
  newEventBuffer,
  type ProcessHost,
  processHost,
  redacted,
  standardTerminals,
} from "../host.ts";
import type { EndedCommand, Command as RunningCommand } from "../run-command.ts";
import { givenSecrets } from "../settings/environment.ts";
import { type Action, commandsWithin, documentNames, newProgram, standsAlone } from "./commands.ts";

export async function runProcess(): Promise<void> {
  // V8 optimizes a function after so many bytes of bytecode, by itself after 67,584. Most commands end before that pays: a plan of 10,000 users
  // takes a fifth less processor time so. From Node 22 on, V8 waits longer by itself, and does not know the flag.
  if (process.version.startsWith("v20.")) {
    setFlagsFromString("--interrupt-budget=1000000");
    // For what takes longer it pays: an apply of 10,000 users takes a fifth less.
    setTimeout(setFlagsFromString, 3000, "--interrupt-budget=67584").unref();
  }
  let isOver = false;
  process.on("beforeExit", () => {
    if (!isOver) {
      process.stderr.write("error: roster stopped with work unfinished. This is a defect of roster.\n");
      process.exitCode = 1;
    }
  });
  const terminals = standardTerminals();
  const host = processHost(terminals);
  try {
    process.exitCode = await runCommandLine(process.argv.slice(2), host);
  } finally {
    isOver = true;
  }
  leaveClosedTerminal(host.interruption, process, terminals);
}

export async function runCommandLine(typed: readonly string[], bare: ProcessHost): Promise<number> {
  const { secrets } = bare;
  for (const secret of givenSecrets(typed, bare.env)) secrets.keep(secret);
  const { stdout, stderr } = bare;
  const host: Omit<Host, "cwd" | "directory"> & { cwd: string; directory?: string } = {
    ...bare,
    stdout: redacted(stdout, secrets),
    stderr: redacted(stderr, secrets),
    live: newEventBuffer(),
  };
  const said: string[] = [];
  let code = 0;
  const output = {
    answer: (text: string) => host.stdout.write(text),
    complain: (text: string) => void said.push(text),
  };
  const [first = ""] = behindDirectories(typed);
  const wantsAll = typed.includes("--all") && (first === "help" || typed.some((word) => helpFlags.includes(word)));
  // The others need not be known to parse it.
  const asked = standsAlone(first) ? first : undefined;
  const actionOf = (path: string): Action | undefined => {
    const load = actions[path];
    return (
      load &&
      (async (...read) => {
        code = (await (await load())(...read.slice(0, -1), host, read.at(-1))).exitCode;
      })
    );
  };
  const program = newProgram(output, wantsAll ? "all" : "common", asked, actionOf);
  program.hook("preAction", async () => {
    const { chdir = [] } = program.opts<{ readonly chdir?: readonly string[] }>();
    for (const directory of chdir) {
      const path = resolve(host.cwd, directory);
      const found = await stat(path).catch(() => undefined);
      if (!found?.isDirectory())
        throw invalidSetting("usage", `There is no directory ${directory}.`, "Correct the directory after -C.");
      host.cwd = path;
    }
    if (host.cwd !== bare.cwd) host.directory = relative(bare.cwd, host.cwd);
  });
  const argv = normalizeArguments(typed, program);
  try {
    const words = wantsAll ? argv.filter((word) => word !== "--all") : argv;
    await program.parseAsync(argumentsToParse(words, program), { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return finishEarly(await problemOf(error, host), argv, host);
    // Help and version are answers; anything else is a command line that is not understood (exit code 3).
    if (error.exitCode === 0) return 0;
    if (error.code !== "commander.help")
      return finishEarly(usageError(error, said.join(""), program, argv), argv, host);
    host.stderr.write(said.join(""));
    return 3;
  }
}

function usageError(error: CommanderError, said: string, program: Command, argv: readonly string[]): RosterError {
  const text = said.trim().replace(/^error: /u, "");
  // What is passed to a flag that does not exist may be a key.
  const withoutValue = text.replace(/(unknown option '[^'=]*)=.*'/su, "$1'");
  const [message = error.message, ...rest] = withoutValue.split("\n");
  const [, value = "", choices] =
    /(?:argument|value) '([^']*)' is invalid\b.* Allowed choices are (.*)\.$/su.exec(message) ?? [];
  const command = ["roster", ...commandInArguments(argv, program)].join(" ");
  const suggested = suggest(value, choices?.split(", ") ?? [], `See \`${command} --help\`.`);
  const similar = rest.length > 0 ? rest.join(" ").replace(/^\((.*)\)$/u, "$1") : suggested;
  const hint = counterpartHint(text, argv, program) ?? similar;
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.+$/u, "")}.`;
  return invalidSetting("usage", sentence, hint);
}

/** What the commands and flags of other tools are called here. The words before a comma must be in the command line. */
const counterparts = Object.entries({
  "destroy delete remove --destroy":
    "roster deletes no user and no team. Move people to `leavers`; `roster apply` then removes their roles.",
  diff: "Run `roster plan`. It shows what `roster apply` would change.",
  "dump export": "Run `roster import DIR`. It writes your current users and teams as roster files.",
  "lint check": "Run `roster validate`. It checks the files and asks no service.",
  status: "Run `roster drift`. It shows how the service differs from the roster.",
  "sync create": "Run `roster apply`. It shows the plan, and asks before it changes anything.",
  "fleet,sync": "Run `roster fleet apply`.",
  accept: "Write it below `accept` in a roster file. `roster drift` prints the lines.",
  "unlock force-unlock": "Run `roster state unlock`. It shows who holds the lock.",
  "history log": "Run `roster audit`. It shows what runs of roster changed.",
  "undo rollback": "Undo it in the roster, then run `roster apply`. For changes by others: `roster drift --repair`.",
  version: "Run `roster --version`.",
  "--api-key --key --token":
    "No flag takes a key. Set ROSTER_API_KEY, or name a file with the key in ROSTER_API_KEY_FILE.",
  "refresh --refresh": "Run `roster plan`. Each plan reads the service anew.",
  "plan,--dry-run apply,--dry-run drift,--dry-run":
    "Run `roster plan`. It shows all changes. Only `roster apply` makes them.",
  "fleet,--dry-run": "Run `roster fleet plan`. It shows which targets would change.",
  "--yes -y fleet,--yes fleet,-y": "Pass --auto-approve. It stands for your approval.",
  "--force fleet,--force": "Pass --allow with the code that the refusal prints.",
  "--target --only": "Pass --include user:EMAIL or team:NAME.",
  "fleet,--only fleet,--target": "Pass --include with the name of a target.",
  "access,--plan": "Name the saved plan as a path: `roster access FILE --format json`.",
  "fleet,worker,--every fleet,worker,--calls-per-second fleet,status,--max-age":
    "Write `every`, `callsPerSecond` and `maxAge` below `defaults` in the fleet file.",
  "-o --output prune,--export": "Pass --out FILE.",
  "import,--max-removals": "Pass --allow with the code that the refusal of the import prints.",
  "fleet,pause,--resume": "Run `roster fleet resume`.",
  "fleet,enqueue,--plans": "Name the directory of plans as an argument: `roster fleet enqueue DIR`.",
  "state,list": "Run `roster state show`. It lists users, teams, members and keys.",
}).flatMap(([names, hint]) => names.split(" ").map((name) => ({ words: name.split(","), hint })));

function counterpartHint(message: string, argv: readonly string[], program: Command): string | undefined {
  const [, unknown] = /^unknown (?:command|option) '([^'=]+)/u.exec(message) ?? [];
  if (/^(?:-C|--chdir$)/u.test(unknown ?? "")) return "Write `-C DIR` before the command: `roster -C DIR plan`.";
  // `--output json`, `-o json` and `--json` are `--format`.
  const [, flag = "", attached] = /unknown option '(--output|--json|-o)(?:=?([^']*))'/u.exec(message) ?? [];
  const format = flag === "--json" ? "json" : attached || (argv[argv.indexOf(flag) + 1] ?? "");
  if (flag !== "" && /^[a-z]+(?:-[a-z]+)*$/u.test(format)) return `Did you mean --format ${format}?`;
  // A required flag that is missing is reported before an unknown one in its place.
  const isMissing = message.startsWith("required option");
  const refused = isMissing ? argv.map((word) => word.replace(/=.*/su, "")) : [unknown];
  const path = commandInArguments(argv, program);
  const { options = [] } = commandsWithin(program).find((one) => one.path === path.join(" "))?.command ?? {};
  return counterparts.find(({ words, hint }) => {
    const [name = "", ...within] = words.toReversed();
    const isHere = isFlag(name) ? path[0] !== "fleet" || within.includes("fleet") : within.length === path.length;
    const [, passed] = /^Pass (--[a-z-]+)/u.exec(hint) ?? [];
    const canPass = passed === undefined || options.some(({ long }) => long === passed);
    return isHere && canPass && refused.includes(name) && within.every((word) => path.includes(word));
  })?.hint;
}

/** A defect is reported like every other problem, so that it stands in the document too. */
async function problemOf(error: unknown, host: Host): Promise<RosterError> {
  if (error instanceof RosterError) return error;
  const { safe } = await import("../../report/safe.ts");
  const [first, ...frames] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
  for (const frame of frames) host.stderr.write(`${safe(frame)}\n`);
  const message = `a defect of roster ended the command: ${first}`;
  const hint = "report it with the lines above and the command; `roster state show` shows what was recorded";
  return stopError("failed", "internal", message, hint);
}

async function finishEarly(stop: RosterError, argv: readonly string[], host: Host): Promise<number> {
  const { finish } = await import("../run-command.ts");
  const { outputFlagsIn } = await import("../flags.ts");
  const [first] = behindDirectories(argv);
  const command = documentNames.find((name) => name === first) ?? "roster";
  return finish({ command, tells: "success-only", diagnostics: [], stop }, outputFlagsIn(argv, command), host);
}

/** Called with the arguments and the flags of the command, then the host, then the command of the line. */
type Run = (...read: Parameters<Action>) => EndedCommand | Promise<EndedCommand>;

type CommandWithResult = (command: RunningCommand, ...read: Parameters<Action>) => Promise<void>;

/** A command that tells its result, in these formats; whatever else `--format` names, it writes in its own words. */
function withResult(
  name: CommandName,
  load: () => Promise<CommandWithResult>,
  formats: readonly FormatName[] = formatsOf(name),
): () => Promise<Run> {
  return async () => {
    const [work, { runCommand }] = await Promise.all([load(), import("../run-command.ts")]);
    return (...read) => {
      const [flags, host] = read.slice(-3);
      const format = formats.find((one) => one === flags.format) ?? "text";
      // Those of a fleet are directories: it tells the files.
      const report = name === "fleet" ? [] : flags.report;
      return runCommand(name, { ...flags, format, report }, host, (command) => work(command, ...read.slice(0, -2)));
    };
  };
}

const audit = () => import("../commands/audit.ts");
const fleet = () => import("../commands/fleet.ts");
const status = () => import("../commands/fleet-status.ts");
const worker = () => import("../commands/fleet-worker.ts");
const state = () => import("../commands/state.ts");

const actions: Readonly<Record<string, () => Promise<Run>>> = {
  demo: async () => (await import("../commands/demo.ts")).demo,
  init: withResult("roster", async () => (await import("../commands/init.ts")).init),
  serve: async () => (await import("../commands/serve.ts")).serve,
  validate: withResult("validate", async () => (await import("../commands/validate.ts")).validate),
  plan: withResult("plan", async () => (await import("../commands/plan.ts")).plan),
  show: withResult("show", async () => (await import("../commands/show.ts")).show),
  apply: withResult("apply", async () => (await import("../commands/apply.ts")).apply),
  explain: withResult("explain", async () => (await import("../commands/explain.ts")).explain),
  import: withResult("roster", async () => (await import("../commands/import.ts")).importPeople),
  completion: async () => completion,
  drift: withResult("drift", async () => (await import("../commands/drift.ts")).drift),
  snapshot: withResult("roster", async () => (await import("../commands/snapshot.ts")).snapshot),
  access: withResult("access", async () => (await import("../commands/access.ts")).access, ["text", "json"]),
  audit: withResult("audit", async () => (await audit()).audit, ["text", "json"]),
  "audit verify": withResult("audit", async () => (await audit()).auditVerify),
  "fleet validate": withResult("fleet", async () => (await fleet()).fleetValidate),
  "fleet plan": withResult("fleet", async () => (await fleet()).fleetRun("plan")),
  "fleet drift": withResult("fleet", async () => (await fleet()).fleetRun("drift")),
  "fleet apply": withResult("fleet", async () => (await fleet()).fleetRun("apply")),
  "fleet access": withResult("fleet", async () => (await fleet()).fleetRun("access")),
  "fleet worker": withResult("fleet", async () => (await worker()).fleetWorker),
  "fleet enqueue": withResult("fleet", async () => (await worker()).fleetEnqueue),
  "fleet status": withResult("fleet", async () => (await status()).fleetStatus),
  "fleet pause": withResult("fleet", async () => (await status()).fleetPause),
  "fleet resume": withResult("fleet", async () => (await status()).fleetResume),
  "fleet list": withResult("fleet", async () => (await fleet()).fleetList),
  doctor: withResult("doctor", async () => (await import("../commands/doctor.ts")).doctor),
  "state show": withResult("state", async () => (await state()).stateShow),
  "state unlock": withResult("state", async () => (await state()).stateUnlock),
  "state resolve": withResult("state", async () => (await import("../commands/state-resolve.ts")).stateResolve),
  "state copy": withResult("state", async () => (await import("../commands/state-copy.ts")).stateCopy),
  "state prune": withResult("state", async () => (await import("../commands/state-prune.ts")).statePrune),
  "state set-endpoint": withResult("state", async () => (await state()).stateSetEndpoint),
  "state rebuild": withResult("state", async () => (await import("../commands/state-rebuild.ts")).stateRebuild),
};

const helpFlags: readonly string[] = ["-h", "--help"];

function behindDirectories(argv: readonly string[]): readonly string[] {
  const [word = "", ...rest] = argv;
  if (word === "-C" || word === "--chdir") return behindDirectories(rest.slice(1));
  return /^(?:-C|--?chdir=)/u.test(word) ? behindDirectories(rest) : argv;
}

/** `help state show` is `state show --help`. Of an unknown command no help is given: that of its parent would hide the slip. */
function argumentsToParse(argv: readonly string[], program: Command): string[] {
  const own = behindDirectories(argv);
  const [first, ...rest] = own;
  const wanted = first === "help" && rest.length > 0 && !rest.some(isFlag) ? [...rest, "--help"] : own;
  const words = [...argv.slice(0, argv.length - own.length), ...wanted];
  return namesUnknown(wanted, program) ? words.filter((word) => !helpFlags.includes(word)) : [...words];
}

function isFlag(word: string): boolean {
  return word.startsWith("-");
}

function namesUnknown([word, ...rest]: readonly string[], { commands, registeredArguments }: Command): boolean {
  if (word === undefined || isFlag(word) || commands.length === 0) return false;
  const known = commands.find((command) => command.name() === word);
  // A command with commands below it may take paths itself.
  return known === undefined ? registeredArguments.length === 0 : namesUnknown(rest, known);
}

/** The words at the beginning that name a command. */
function commandInArguments(argv: readonly string[], program: Command): readonly string[] {
  const path: string[] = [];
  let { commands } = program;
  for (const word of behindDirectories(argv)) {
    const inner = commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    path.push(word);
    ({ commands } = inner);
  }
  return path;
}

/** Lets people type `-auto-approve`, as in Terraform. Values of flags, and what follows `--`, stay as they are. */
export function normalizeArguments(typed: readonly string[], program: Command): readonly string[] {
  const options = commandsWithin(program).flatMap(({ command }): readonly Option[] => command.options);
  const valued = options.filter(({ required }) => required).flatMap(({ long, short }) => [long, short]);
  const end = typed.includes("--") ? typed.indexOf("--") : typed.length;
  const argv: string[] = [];
  for (const word of typed.slice(0, end)) {
    const isValue = valued.includes(argv.at(-1) ?? "");
    const isOneDash = /^-[a-z][a-z-]+(?:=|$)/su.test(word) && !/^-o(?:=|json|yaml|text|wide)/u.test(word);
    argv.push(isOneDash && !isValue ? `-${word}` : word);
  }
  return [...argv, ...typed.slice(end)];
}

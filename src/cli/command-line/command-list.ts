import { Argument, type Command } from "commander";
import type { Host } from "../host.ts";
import { withFormats, withView } from "../output/output-flags.ts";
import {
  collect,
  type EndCommand,
  withEndpoint,
  withLock,
  withRunOptions,
  withService,
  withSettings,
  withSnapshot,
  withState,
} from "./shared-options.ts";
import { addAccess, addAudit, addFleetCommands, addState } from "./subcommands.ts";

/** Adds a command to a program. What it does is loaded only when it is the one to run. */
type AddCommand = (program: Command, host: Host, end: EndCommand) => void;

const commands: Readonly<Record<string, AddCommand>> = {
  init: addInit,
  validate: addValidate,
  plan: addPlan,
  show: addShow,
  apply: addApply,
  drift: (program, host, end) => addDrift(program.command("drift"), host, end),
  explain: addExplain,
  doctor: addDoctor,
  import: addImport,
  snapshot: addSnapshot,
  state: addState,
  access: addAccess,
  audit: addAudit,
  fleet: (program, host, end) =>
    addFleetCommands(program.command("fleet").description("run many rosters, each with its service"), host, end),
  completion: addCompletion,
  serve: addServe,
  demo: addDemo,
};

/** Whether a command can be parsed without the others: all but the one that completes their names. */
export function standsAlone(command: string): boolean {
  return Object.hasOwn(commands, command) && command !== "completion";
}

/** Adds every command of roster, or the only one that is to be parsed: to describe them all is much of a short command's time. */
export function addCommands(program: Command, only: string | undefined, host: Host, end: EndCommand): void {
  for (const [name, add] of Object.entries(commands)) if (only === undefined || only === name) add(program, host, end);
}

function addInit(program: Command, host: Host, end: EndCommand): void {
  program
    .command("init")
    .description("create a roster file, settings and a line in .gitignore")
    .argument("[directory]", "the directory", ".")
    .action(async (directory) => end(await (await import("../commands/init.ts")).init(directory, host)));
}

function addValidate(program: Command, host: Host, end: EndCommand): void {
  const command = program.command("validate").description("check the roster files for errors");
  withFormats(withSettings(command), "validate").action(async (paths, flags) =>
    end(await (await import("../commands/validate.ts")).validate(paths, flags, host)),
  );
}

function addPlan(program: Command, host: Host, end: EndCommand): void {
  const plan = program.command("plan").description("show planned changes and what needs manual action");
  withRunOptions(withSnapshot(withView(withService(plan, "plan"))))
    .option("--detailed-exitcode", "exit with 2 for changes, 9 for problems")
    .option("--out <file>", "save the plan for `roster apply FILE`; valid for 24h")
    .option("--unmanaged", "also report users and keys outside the roster")
    .action(async (paths, flags) => end(await (await import("../commands/plan.ts")).plan(paths, flags, host)));
}

function addShow(program: Command, host: Host, end: EndCommand): void {
  const show = program
    .command("show")
    .description("show a saved plan")
    .argument("<file>", "a plan saved with --out or --format json; - is standard input");
  withView(withFormats(show, "show")).action(async (file, flags) =>
    end(await (await import("../commands/show.ts")).show(file, flags, host)),
  );
}

function addApply(program: Command, host: Host, end: EndCommand): void {
  const apply = program.command("apply").description("make the service match the roster, or apply a saved plan");
  withLock(withRunOptions(withView(withService(apply, "apply"))))
    .option("--auto-approve", "do not ask for approval")
    .option("--expect-plan <id>", "apply only this plan: its ID, or a saved plan")
    .option("--sequence <n>", "number of this run; refused if a higher one was applied")
    .option("--expect-head <head>", "refuse a log that does not go on from this head of an earlier apply")
    .option("--unmanaged", "also report users and keys outside the roster")
    .action(async (paths, flags) => end(await (await import("../commands/apply.ts")).apply(paths, flags, host)));
}

function addDoctor(program: Command, host: Host, end: EndCommand): void {
  const about = program.command("doctor").description("show settings, check the connection and how the API behaves");
  const doctor = withState(withEndpoint(about));
  withFormats(doctor, "doctor")
    .option("--account <id>", "the account to read (default: the accounts of the settings, or all)")
    .action(async (flags) => end(await (await import("../commands/doctor.ts")).doctor(flags, host)));
}

function addImport(program: Command, host: Host, end: EndCommand): void {
  const imports = program
    .command("import")
    .description("create roster files from the service, or one from a CSV file of people");
  withState(withEndpoint(imports))
    .argument("[path...]", "a new directory to write to; with --from: roster files and directories")
    .option("--account <id>", "an account to adopt; may be repeated (default: the settings' accounts, or all)", collect)
    .option("--from <file>", "with --out: a CSV file of people, such as an HR export")
    .option("--out <file>", "with --from: the roster file to generate, such as people/hr.yaml")
    .option("--max-removals <n>", "with --from: how many people may lose access (default: 10 %, at least 3)")
    .action(async (paths, flags) =>
      end(await (await import("../commands/import.ts")).importPeople(paths, flags, host)),
    );
}

function addSnapshot(program: Command, host: Host, end: EndCommand): void {
  const snapshot = program.command("snapshot").description("save a snapshot for offline planning");
  withState(withEndpoint(withSettings(snapshot)))
    .requiredOption("--out <file>", "the file to write; - is standard output")
    .option("--deadline <duration>", "start no new calls after this time, such as 20m")
    .action(async (paths, flags) => end(await (await import("../commands/snapshot.ts")).snapshot(paths, flags, host)));
}

function addServe(program: Command, host: Host, end: EndCommand): void {
  program
    .command("serve")
    .description("run the built-in account service on this machine")
    .option("--port <number>", "the port to listen on; 0 chooses a free port", "7070")
    .option("--seed <file>", "acme, leavers, or YAML with accounts and users; used only if there is no data yet")
    .option("--data <file>", "file that keeps all data; `memory` keeps none (default: .roster/serve/PORT.json)")
    .option("--knob <name=value>", "answer as another service would; repeatable; `--knob list` shows all", collect)
    .action(async (flags) => end(await (await import("../commands/serve.ts")).serve(flags, host)));
}

function addDemo(program: Command, host: Host, end: EndCommand): void {
  program
    .command("demo")
    .description("try a plan, an apply, drift and a repair in ten seconds")
    .action(async () => end(await (await import("../commands/demo.ts")).demo(host)));
}

/** Adds `explain`, which tells why and changes nothing. */
function addExplain(program: Command, host: Host, end: EndCommand): void {
  const command = program
    .command("explain")
    .description("explain a user, team, key, role, action, finding or code")
    .argument(
      "[what]",
      "user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint, a code, or `codes` for all codes",
    );
  withRunOptions(withSnapshot(withService(command, "explain")))
    .option("--unmanaged", "read users, keys and privileges outside the roster too")
    .action(async (what, paths, flags) =>
      end(await (await import("../commands/explain.ts")).explain(what, paths, flags, host)),
    );
}

function addCompletion(program: Command, host: Host, end: EndCommand): void {
  program
    .command("completion")
    .description("print a completion script for bash, zsh or fish")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell) => end((await import("../commands/completion.ts")).completion(shell, program, host)));
}

function addDrift(drift: Command, host: Host, end: EndCommand): void {
  withLock(withRunOptions(withService(drift, "drift")))
    .description("report how the service differs from the roster")
    .option("--only-new", "report only differences that were not seen before")
    .option("--repair <class>", "apply this class: tampered, unapplied; repeatable", collect)
    .option("--auto-approve", "with --repair: do not ask for approval")
    .option("--no-record", "do not record seen differences in the log")
    .action(async (paths, flags) => end(await (await import("../commands/drift.ts")).drift(paths, flags, host)));
}

import { type Command, Option } from "commander";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-options.ts";
import { withView } from "../output/view-flag.ts";
import { addCompletion } from "./completion-command.ts";
import { addDriftCommands } from "./drift-command-list.ts";
import { addExplain } from "./explain-command.ts";
import {
  collect,
  withConsistency,
  withEndpoint,
  withLock,
  withPlain,
  withRehearsal,
  withRunOptions,
  withService,
  withSettings,
  withSnapshot,
  withState,
} from "./shared-options.ts";
import { addStateCommands } from "./state-command-list.ts";

type End = (code: number) => void;

/** Every command of roster. Each is loaded only when it is the one to run. */
export function addCommands(program: Command, host: Host, end: End): void {
  program
    .command("init")
    .description("start a roster: a small commented roster file, settings, and a line for .gitignore")
    .argument("[directory]", "where to start it", ".")
    .action(async (directory) => end(await (await import("../commands/init.ts")).init(directory, host)));

  withFormats(
    withSettings(
      program.command("validate").description("read the roster and say whether it is one; needs no service"),
    ),
    "validate",
  ).action(async (paths, flags) => end(await (await import("../commands/validate.ts")).validate(paths, flags, host)));

  addFmt(program, host, end);

  const plan = program.command("plan").description("show what apply would do, and what no call can correct");
  withRehearsal(withRunOptions(withSnapshot(withView(withService(plan, "plan")))))
    .option("--detailed-exitcode", "2 where changes wait, 9 where only blocking findings remain")
    .option("--out <file>", "save the plan, for `roster apply FILE` to do just this, once")
    .option("--expires <duration>", "how long the file is good for after the reading (default: 24h)")
    .option("--unmanaged", "read everyone, and tell of people, keys and privileges beyond the roster")
    .action(async (paths, flags) => end(await (await import("../commands/plan.ts")).plan(paths, flags, host)));

  const show = program
    .command("show")
    .description("show a plan that was saved with `roster plan --out FILE` or `--format json`")
    .argument("<file>", "the saved plan, or - for standard input");
  withView(withFormats(show, "show")).action(async (file, flags) =>
    end(await (await import("../commands/show.ts")).show(file, flags, host)),
  );

  const apply = program
    .command("apply")
    .description("plan, ask, and bring the service to the roster; or apply a plan file");
  withRehearsal(withLock(withRunOptions(withView(withService(apply, "apply")))))
    .option("--auto-approve", "do not ask; needed where there is no terminal")
    .option("--sequence <n>", "the number of this run, which only grows: refused where a higher one was applied")
    .option("--unmanaged", "read everyone, and tell of people, keys and privileges beyond the roster")
    .action(async (paths, flags) => end(await (await import("../commands/apply.ts")).apply(paths, flags, host)));

  addDriftCommands(program.command("drift"), host, end);

  addReinvite(program, host, end);
  addExplain(program, host, end);
  addExaminations(program, host, end);
  addAdoption(program, host, end);
  addStateCommands(
    program.command("state").description("look at what roster remembers of what it did, and mend it"),
    host,
    end,
  );
  addCompletion(program, host, end);
  addTrials(program, host, end);
}

function addFmt(program: Command, host: Host, end: End): void {
  const command = program
    .command("fmt")
    .description("write roster files in one way: sorted, so that people can add to them at once; comments stay")
    .argument("[path...]", "roster files and directories; - goes to standard output (default: `roster:`, or .)")
    .option("--check", "write nothing, show what would change; exit code 2 where something would");
  withFormats(command, "fmt").action(async (paths, flags) =>
    end(await (await import("../commands/fmt.ts")).fmt(paths, flags, host)),
  );
}

/** What looks at a service and at the settings, and changes nothing. */
function addExaminations(program: Command, host: Host, end: End): void {
  const about = program
    .command("doctor")
    .description("ask a service how it answers, and say what that means for a plan");
  const doctor = withState(withConsistency(withEndpoint(about)));
  withFormats(doctor, "doctor")
    .option("--account <id>", "the account whose details are read (default: the settings', or those that are listed)")
    .action(async (flags) => end(await (await import("../commands/doctor.ts")).doctor(flags, host)));

  const config = program
    .command("config")
    .description("show every setting, its value and where it comes from; connects to nothing");
  withFormats(withState(withSettings(config)), "config")
    .option("--endpoint <url>", "base address of the account service")
    .option("--parallelism <n>", "how many calls at once (default: 10)")
    .option("--consistency <duration>", "how long reads of the service may not show a write")
    .option("--lock-timeout <duration>", "wait so long where another run holds the state (default: 0)")
    .option("--deadline <duration>", "begin nothing new after this long")
    .option("--rehearse", "apply each plan to a service in memory first")
    .action(async (paths, flags) => end(await (await import("../commands/config.ts")).config(paths, flags, host)));
}

function addReinvite(program: Command, host: Host, end: End): void {
  const command = program
    .command("reinvite")
    .description("mail one member of one team once more: the only way to mail anybody twice")
    .argument("<email>", "somebody of the roster who has not accepted the invitation, or may have lost it")
    .argument("<team>", "the name of a team of theirs, or the identifier that the roster gives it");
  withLock(withService(command, "reinvite"))
    .option("--auto-approve", "do not ask; needed where there is no terminal")
    .option("--deadline <duration>", "begin nothing new after this long, such as 20m, and end in order")
    .action(async (email, team, paths, flags) =>
      end(await (await import("../commands/reinvite.ts")).reinvite({ email, team, paths }, flags, host)),
    );
}

function addAdoption(program: Command, host: Host, end: End): void {
  withPlain(
    withEndpoint(
      program.command("import").description("write a roster that says what is there, so that its plan is empty"),
    ),
  )
    .argument("<directory>", "where to write it; nothing there is ever overwritten")
    .option("--account <id>", "an account to adopt; may be repeated (default: the settings' accounts, or all)", collect)
    .addOption(new Option("--layout <name>", "how to spread it over files").choices(["file", "account", "team"]))
    .addOption(
      new Option("--roles <what>", "omit: do not manage the roles of keys").choices(["keep", "omit"]).default("keep"),
    )
    .option("--missing", "add only what the roster lacks, in new files beside its own")
    .action(async (directory, flags) =>
      end(await (await import("../commands/import.ts")).importRoster(directory, flags, host)),
    );

  const pin = program.command("pin").description("write learned identifiers and prefixes into the roster");
  withPlain(withState(withEndpoint(withSettings(pin))))
    .option("--check", "write nothing; exit code 2 where something would be written")
    .action(async (paths, flags) => end(await (await import("../commands/pin.ts")).pin(paths, flags, host)));

  const observe = program
    .command("observe")
    .description(
      "read everything that a plan could need into a file, for plans without a key (`roster plan --from FILE`)",
    );
  withPlain(withState(withEndpoint(withSettings(observe))))
    .requiredOption("--out <file>", "where to write it; - is standard output")
    .option(
      "--hash-addresses",
      "hash all addresses with ROSTER_SNAPSHOT_KEY or ROSTER_SNAPSHOT_KEY_FILE, and leave out names",
    )
    .option("--deadline <duration>", "begin nothing new after this long, such as 20m, and end in order")
    .action(async (paths, flags) => end(await (await import("../commands/observe.ts")).observe(paths, flags, host)));
}

/** What shows roster without a service of one's own. */
function addTrials(program: Command, host: Host, end: End): void {
  program
    .command("serve")
    .description("run the built-in reference account service on this machine")
    .option("--port <number>", "the port to listen on; 0 takes a free one", "7070")
    .option("--seed <file>", "YAML that says which accounts, users, teams, keys and roles there are")
    .option("--state <file>", "JSON that keeps everything over a restart; a seed counts only where there is none yet")
    .option("--knob <name=value>", "answer as another service would; may be repeated", collect)
    .option("--knobs <file>", "YAML with a value for each of some knobs; `--knobs list` shows every knob there is")
    .addOption(pageBaseOption())
    .option("--latency <ms>", "milliseconds that every answer takes at least; short for --knob latencyMs=…")
    .option("--no-reference", "do not show the outbox and the request log under /reference/")
    .action(async (flags) => end(await (await import("../commands/serve.ts")).serve(flags, host)));

  program
    .command("demo")
    .description("see the whole of it in ten seconds: a service, a plan, an apply, drift and its repair")
    .action(async () => end(await (await import("../commands/demo.ts")).demo(host)));
}

function pageBaseOption(): Option {
  const meaning = "number of the first page of a list; short for --knob pageBase=…";
  return new Option("--page-base <base>", meaning).choices(["one-alias", "one-strict", "one-empty", "zero", "ignored"]);
}

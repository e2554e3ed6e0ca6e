import { Argument, type Command, Option } from "commander";
import type { Shell } from "../commands/completion.ts";
import type { Host } from "../host.ts";
import { withFormats, withView } from "../output/output-flags.ts";
import {
  collect,
  withConsistency,
  withEndpoint,
  withLock,
  withRehearsal,
  withRunOptions,
  withService,
  withSettings,
  withSnapshot,
  withState,
  withTui,
} from "./shared-options.ts";

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
    .option("--lock-timeout <duration>", "accepted for scripts; a plan takes no lock and never waits")
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

  addResendInvitation(program, host, end);
  addExplain(program, host, end);
  addExaminations(program, host, end);
  addImportCommands(program, host, end);
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
  withRehearsal(withFormats(withState(withSettings(config)), "config"))
    .option("--endpoint <url>", "base address of the account service")
    .option("--parallelism <n>", "how many calls at once (default: 10)")
    .option("--consistency <duration>", "how long reads of the service may not show a write")
    .option("--lock-timeout <duration>", "wait so long where another run holds the state (default: 0)")
    .option("--deadline <duration>", "begin nothing new after this long")
    .action(async (paths, flags) => end(await (await import("../commands/config.ts")).config(paths, flags, host)));
}

function addResendInvitation(program: Command, host: Host, end: End): void {
  const command = program
    .command("resend-invitation")
    .description("mail one member of one team once more: the only way to mail anybody twice")
    .argument("<email>", "somebody of the roster who has not accepted the invitation, or may have lost it")
    .argument("<team>", "the name of a team of theirs, or the identifier that the roster gives it");
  withLock(withService(command, "resend-invitation"))
    .option("--auto-approve", "do not ask; needed where there is no terminal")
    .option("--deadline <duration>", "begin nothing new after this long, such as 20m, and end in order")
    .action(async (email, team, paths, flags) =>
      end(
        await (await import("../commands/resend-invitation.ts")).resendInvitation({ email, team, paths }, flags, host),
      ),
    );
}

function addImportCommands(program: Command, host: Host, end: End): void {
  withTui(
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

  const recordIds = program.command("record-ids").description("write learned identifiers and prefixes into the roster");
  withTui(withState(withEndpoint(withSettings(recordIds))))
    .option("--check", "write nothing; exit code 2 where something would be written")
    .action(async (paths, flags) =>
      end(await (await import("../commands/record-ids.ts")).recordIds(paths, flags, host)),
    );

  const snapshot = program
    .command("snapshot")
    .description(
      "read everything that a plan could need into a file, for plans without a key (`roster plan --from FILE`)",
    );
  withTui(withState(withEndpoint(withSettings(snapshot))))
    .requiredOption("--out <file>", "where to write it; - is standard output")
    .option(
      "--hash-addresses",
      "hash all addresses with ROSTER_SNAPSHOT_KEY or ROSTER_SNAPSHOT_KEY_FILE, and leave out names",
    )
    .option("--deadline <duration>", "begin nothing new after this long, such as 20m, and end in order")
    .action(async (paths, flags) => end(await (await import("../commands/snapshot.ts")).snapshot(paths, flags, host)));
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

/** Adds `explain`, which tells why and changes nothing. */
function addExplain(program: Command, host: Host, end: (code: number) => void): void {
  const command = program
    .command("explain")
    .description("tell the whole story of one thing, or what a code means and what to do")
    .argument(
      "[what]",
      "user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint, or a code such as unproven-team or 7",
    );
  withRunOptions(withSnapshot(withService(command, "explain")))
    .option("--unmanaged", "read everyone, and know of people, keys and privileges beyond the roster")
    .option("--codes", "list every code; needs no service")
    .action(async (what, paths, flags) =>
      end(await (await import("../commands/explain.ts")).explain(what, paths, flags, host)),
    );
}

/** `roster completion`, and what its scripts ask while somebody types. */
function addCompletion(program: Command, host: Host, end: End): void {
  const shells: readonly Shell[] = ["bash", "zsh", "fish"];
  const completion = program
    .command("completion")
    .description("print what makes a shell complete commands, flags, and the people, teams and roles of the roster")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action(async (shell) => end((await import("../commands/completion.ts")).completion(shell, host)));
  completion
    .command("candidates", { hidden: true })
    .description("print what can stand where somebody types")
    .addArgument(new Argument("<shell>", "the shell that asks").choices(shells))
    .argument("[words...]", "what is typed; of bash the line, and where it breaks words")
    .action(async (shell, words) =>
      end(await (await import("../commands/completion.ts")).candidates({ shell, given: words }, program, host)),
    );
}

/** `roster drift` and its subcommand. Each is loaded only when it is the one to run. */
function addDriftCommands(drift: Command, host: Host, end: End): void {
  withLock(withRunOptions(withService(drift, "drift")))
    .description("read everyone and say in what the service and the roster differ, why and since when")
    .enablePositionalOptions()
    .option("--only-new", "tell and count only what no recorded drift or apply has seen before")
    .option("--repair <class>", "apply only what is of this class, tampered or unapplied; may be repeated", collect)
    .option("--auto-approve", "with --repair: do not ask; needed where there is no terminal")
    .option("--no-record", "write nothing at all: do not remember in the state what was seen")
    .option("--acknowledgements <file>", acknowledgements)
    .option("--webhook <url>", "tell this address (POST) where it does not end with 0; ROSTER_WEBHOOK_SECRET signs it")
    .action(async (paths, flags) => end(await (await import("../commands/drift.ts")).drift(paths, flags, host)));

  withState(drift.command("acknowledge"))
    .description("say, in a file that is reviewed, that something differs and may do so until a day")
    .argument("<fingerprint>", "of what differs, as `roster drift` shows it")
    .requiredOption("--until <date>", "the last day on which it counts, such as 2026-12-31 (UTC)")
    .requiredOption("--reason <text>", "why that is all right")
    .option("--by <name>", "who says so (default: EMAIL, GIT_AUTHOR_EMAIL or the user name)")
    .option("--file <file>", acknowledgements)
    .action(async (fingerprint, flags) =>
      end(await (await import("../commands/drift-acknowledge.ts")).driftAcknowledge(fingerprint, flags, host)),
    );
}

const acknowledgements = "where it is written that something may differ (default: roster.acknowledgements.yaml)";

/** The subcommands of `roster state`. Each is loaded only when it is the one to run. */
function addStateCommands(state: Command, host: Host, end: End): void {
  // What is shown is the state itself, in which nothing happens.
  withFormats(withState(state.command("show")), "state", { except: ["ndjson"] })
    .alias("list")
    .description("show the people, teams, memberships and key prefixes that the state records")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateShow(flags, host)));

  withFormats(withState(state.command("verify")), "state")
    .description("read everything that the state store keeps, and say what it is; changes nothing")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateVerify(flags, host)));

  withFormats(withState(state.command("unlock")), "state")
    .alias("force-unlock")
    .description("break the lock of a run that has ended without giving it back; without an ID, say who holds it")
    .argument("[id]", "the ID of the lock, as `roster state unlock` shows it")
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateUnlock(id, flags, host)));

  withFormats(withLock(withState(state.command("resolve"))), "state")
    .description("say what became of a call that reading cannot tell; without an ID, list such calls")
    .argument("[id]", "the ID of the call, as `roster state resolve` shows it")
    .option("--done", "the call was done")
    .option("--not-done", "the call was not done: a plan may ask for it again")
    .option("--identifier <id>", "with --done: the service's identifier of the created user")
    .option("--team-identifier <id>", "with --done: the service's identifier of the founded team")
    .option("--prefix <prefix>", "with --done: the prefix of the key that came with it; never the whole key")
    .option("--person <email>", "only this person of an addition to a team; may be repeated", collect)
    .action(async (id, flags) =>
      end(await (await import("../commands/state-resolve.ts")).stateResolve(id, flags, host)),
    );

  withFormats(withLock(withState(state.command("move"))), "state")
    .description("move the state to another store; the old place then refuses every run")
    .argument("<to>", "where it is to live, such as file:/var/lib/roster/state.json; a place that holds nothing")
    .action(async (to, flags) => end(await (await import("../commands/state-move.ts")).stateMove(to, flags, host)));

  withFormats(withLock(withState(state.command("set-endpoint"))), "state")
    .description("say that the service which the state is about has got another address; asks no service")
    .argument("<endpoint>", "the address that it has now, such as https://accounts.example.com")
    .action(async (endpoint, flags) =>
      end(await (await import("../commands/state-set-endpoint.ts")).stateSetEndpoint(endpoint, flags, host)),
    );

  withTui(withFormats(withLock(withState(withEndpoint(withSettings(state.command("rebuild"))))), "state"))
    .description("begin a state anew where the former one was lost, from what the service shows of the roster")
    .option("--deadline <duration>", "give up after this long, such as 20m")
    .action(async (paths, flags) =>
      end(await (await import("../commands/state-rebuild.ts")).stateRebuild(paths, flags, host)),
    );
}

import { type CodeText, codeText } from "./code-text.ts";

/** What can be wrong with what a command line says. */
export const flagFaults: Readonly<Record<string, CodeText>> = {
  usage: codeText(
    "the command line is not understood",
    "A command, a flag or an argument is unknown, missing or too many.",
    "Look at `roster help COMMAND`.",
  ),
  "bad-flag-value": codeText("a flag has a value that cannot be", "The message says what it takes.", "Correct it."),
  "bad-latency": codeText(
    "--latency is no time that a call takes",
    "It is a whole number of milliseconds or seconds, at most a minute.",
    "Write it such as 80ms or 2s.",
  ),
  "bad-duration": codeText(
    "a duration cannot be",
    "It is written like 90s, 20m, 12h or 7d, and some may not be 0.",
    "Correct it.",
  ),
  "bad-sequence": codeText(
    "--sequence is no whole number",
    "It is a number that only grows, such as that of a pipeline's run.",
    "Correct it.",
  ),
  "bad-allowance": codeText(
    "--allow is not understood",
    "It is GUARD@PLANID, as the finding or the refusal prints it.",
    "Copy it from there.",
  ),
  "bad-path": codeText(
    "standard input and files are named together",
    "What standard input comes to goes to standard output.",
    "Name `-` by itself, or files and directories.",
  ),
  "unknown-thing": codeText(
    "`explain` knows nothing of the kind",
    "Neither the roster, the service, the state nor the plan has such a thing, and it is no code.",
    "The message names the nearest ones; `roster explain --codes` lists every code.",
  ),
  "view-of-no-text": codeText(
    "--view without a text",
    "It says how the text of a plan is to be read, and another format shows none.",
    "Leave it out, or add --report text=FILE.",
  ),
  "selects-nothing": codeText(
    "a selection names nobody and no team of the roster",
    "--include or --exclude has a slip.",
    "Correct it; the message names the nearest ones.",
  ),
  "hasty-take-over": codeText(
    "--take-dead-lock is less than 2 minutes",
    "A call of the run that holds the lock may still be under way.",
    "Give it 2m or more.",
  ),
  "heal-with-only-new": codeText(
    "--heal with --only-new",
    "One is about what is told, the other applies what is of a class, new or not.",
    "Leave one of them out.",
  ),
  "heal-without-record": codeText(
    "--heal with --no-record",
    "Each call is recorded before it is sent.",
    "Leave one of them out.",
  ),
  "not-healable": codeText(
    "--heal names a class that calls cannot correct",
    "Calls correct `tampered` and `to-apply`.",
    "Name one of these.",
  ),
  "nothing-to-approve": codeText("--auto-approve without --heal", "Nothing is to be healed.", "Say what to heal."),
  "not-seen": codeText(
    "no recorded run has seen the fingerprint",
    "Only what was seen can be acknowledged.",
    "Run `roster drift`, and name a fingerprint that it shows.",
  ),
  "day-has-passed": codeText("--until has passed", "An acknowledgement counts until its day.", "Name a day to come."),
  "too-long": codeText(
    "an acknowledgement is for longer than it may be",
    "What is acknowledged has to be looked at again; where a privilege or a guard is at stake, soon.",
    "Name an earlier day.",
  ),
  "no-reason": codeText("--reason says nothing", "Somebody will want to know why it may differ.", "Say why."),
  "nobody-says-so": codeText(
    "it is not known who acknowledges",
    "Neither --by nor git says it.",
    "Name yourself with --by.",
  ),
  "write-by-hand": codeText(
    "nothing can be added to the acknowledgements without changing more",
    "The file is written in an unusual way.",
    "Write the printed entry by hand.",
  ),
  "several-accounts": codeText(
    "an import has several accounts for one file",
    "A roster file has one account.",
    "Pass --layout account or team, or name one --account.",
  ),
  "unknown-account": codeText(
    "an import names an account that the key does not see",
    "It is not among those that are listed.",
    "Correct the account.",
  ),
  "no-file": codeText("standard input cannot be pinned", "There is no file to write to.", "Name the roster's files."),
  "pins-conflict": codeText(
    "what was learned would make the roster invalid",
    "One prefix or identifier was learned for two.",
    "Write the `identifier` and `key` lines by hand.",
  ),
  "no-call-named": codeText(
    "it is not said of which call",
    "`state resolve` takes the ID of a call.",
    "Name one of those that it lists.",
  ),
  "no-such-call": codeText(
    "no call of this ID has an unknown outcome",
    "It was settled, or never announced.",
    "Name one of those that `state resolve` lists.",
  ),
  "no-outcome-named": codeText(
    "it is not said what became of a call",
    "`state resolve` takes --done or --not-done.",
    "Look in the service, and pass one of them.",
  ),
  "two-outcomes-named": codeText(
    "a call is said to be done and not done",
    "It can be one of both.",
    "Pass one of them, for one person with --person.",
  ),
  contradiction: codeText(
    "what is said of a call cannot be",
    "It contradicts what the call asked for, or what is recorded.",
    "Look at what `state resolve` shows of it.",
  ),
  "same-place": codeText("the state is there already", "It would be moved onto itself.", "Name another place."),
  "nothing-to-move": codeText(
    "there is no state to move",
    "Nothing is kept at the place.",
    "Name the place of the state.",
  ),
  "moved-already": codeText(
    "the state was moved before",
    "It is no longer used where it was.",
    "Name the place to which it went.",
  ),
  "same-service": codeText("the state is about this service already", "There is nothing to change.", "Nothing."),
  "no-service-remembered": codeText(
    "the state is about no service yet",
    "It takes the one that the next apply is about.",
    "Nothing.",
  ),
  "unusable-state": codeText(
    "the reference service's state cannot be used",
    "The file holds something else.",
    "Name another file, or move it away.",
  ),
};

const planAgain = "Plan again with `roster plan --out FILE`.";

/** What can be wrong with files: rosters, plan files, snapshots, acknowledgements. */
export const fileFaults: Readonly<Record<string, CodeText>> = {
  "no-roster-files": codeText(
    "no roster file was found",
    "There is no *.yaml or *.yml file at the paths.",
    "Name another path, or start with `roster init`.",
  ),
  "unreadable-roster": codeText(
    "a roster file cannot be read",
    "It could not be opened, or is no regular file.",
    "Look at its path and permissions.",
  ),
  "empty-file": codeText(
    "a roster file holds nothing",
    "It was more likely cut off than meant.",
    "Remove it, or begin it with `version: 1`.",
  ),
  "plan-as-roster": codeText(
    "a plan stands where a roster is expected",
    "The file says that it is a plan.",
    "`roster show FILE` shows it, `roster apply FILE` applies it.",
  ),
  "bad-plan-file": codeText(
    "a plan file cannot be used",
    "It was cut short, edited, made by a newer version, or is something else. It is an approval, so that not a byte of it may differ.",
    planAgain,
  ),
  "unreadable-plan-file": codeText(
    "a plan file cannot be read",
    "It could not be opened.",
    "Look at its path and permissions.",
  ),
  "plan-file-not-alone": codeText(
    "a plan file is not the only path",
    "A plan has all that is to be done in it.",
    "Pass it alone.",
  ),
  "plan-file-has-said": codeText(
    "a flag cannot be said of a plan file",
    "What it does was settled when it was made.",
    "Say it to `roster plan --out FILE`.",
  ),
  "plan-file-named-as-roster": codeText(
    "a plan file would have the name of a roster file",
    "Under such a name it would never be applied.",
    "Name another file with --out.",
  ),
  "plan-file-on-a-stream": codeText(
    "a plan file would go to standard output",
    "It is written for its owner alone.",
    "Name a file with --out.",
  ),
  "plan-of-another-service": codeText(
    "a plan file is for another service",
    "Its actions were compared with another service than the one of this run.",
    "Name its service, or plan again.",
  ),
  "nothing-to-expire": codeText(
    "--expires without --out",
    "It says how long a plan file is good for, and none is written.",
    "Add --out FILE, or leave it out.",
  ),
  "state-moved-on": codeText(
    "other runs have recorded something since the plan was made",
    "A warning: what the plan's actions are about is looked at again before each of them.",
    "Nothing, or plan again.",
  ),
  "snapshot-named-as-roster": codeText(
    "a snapshot would have the name of a roster file",
    "It would be read as a roster.",
    "Name another file with --out.",
  ),
  "bad-snapshot": codeText(
    "a snapshot cannot be used",
    "It was cut short, edited, or is something else.",
    "Have `roster observe` make a new one.",
  ),
  "unreadable-snapshot": codeText(
    "a snapshot cannot be read",
    "It could not be opened.",
    "Look at its path and permissions.",
  ),
  "no-snapshot-key": codeText(
    "the key of a hashed snapshot is missing",
    "Addresses in it are hashed with a key, and compared by it.",
    "Set ROSTER_SNAPSHOT_KEY or ROSTER_SNAPSHOT_KEY_FILE as in the job that made it.",
  ),
  "wrong-snapshot-key": codeText(
    "a snapshot is hashed with another key",
    "Nobody in it would be found.",
    "Give both jobs the same key.",
  ),
  "short-snapshot-key": codeText(
    "the key of a snapshot is too short",
    "It could be guessed, and with it the addresses.",
    "Make one of 32 random bytes.",
  ),
  "preview-not-applied": codeText(
    "a plan of a snapshot would be saved to be applied",
    "Nothing in it was read for it, so that it is a preview.",
    "Save a plan that reads the service, without --from.",
  ),
  "snapshot-has-said": codeText(
    "a flag cannot be said beside --from FILE",
    "Neither the service nor the state is asked.",
    "Say it to `roster observe`.",
  ),
  "nothing-to-bound": codeText(
    "--max-age without --from FILE",
    "It says how old a snapshot may be, and none is named.",
    "Add --from FILE, or leave it out.",
  ),
  "account-not-in-snapshot": codeText(
    "a snapshot lacks an account of the roster",
    "The key that made it may not list accounts, and nobody named this one.",
    "Name the account where `roster observe` runs.",
  ),
  "hidden-address": codeText(
    "the roster names somebody by what stands for a hidden address",
    "An address such as someone-3f2a90c1d4e5b678@hidden.invalid stands for one that a snapshot hides. Nobody has it, and a plan of the snapshot would tell of somebody whom the roster does not know.",
    "Write the address of the person.",
  ),
  "two-inputs": codeText(
    "standard input is wanted for two things",
    "It can be a snapshot or a roster file.",
    "Name one of them by its path.",
  ),
  "bad-acknowledgements": codeText(
    "the acknowledgements say something that cannot be",
    "An entry lacks a field, or has one too many.",
    "Correct it at the place that is shown.",
  ),
  "unreadable-acknowledgements": codeText(
    "the acknowledgements cannot be read",
    "The file could not be opened.",
    "Look at its path and permissions.",
  ),
  "file-is-there": codeText(
    "a file is there already",
    "Nothing is ever overwritten, and nothing was written.",
    "Name another one.",
  ),
};

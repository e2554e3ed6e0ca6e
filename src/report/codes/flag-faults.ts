import { type CodeText, codeText } from "./code-words.ts";

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

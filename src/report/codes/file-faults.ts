import { type CodeText, codeText } from "./code-words.ts";

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

import { type CodeRow, row } from "../../codes/row.ts";

/** What can be wrong with a file as YAML, or with one value in it. */
export const fileFaults: Readonly<Record<string, CodeRow>> = {
  "yaml-syntax": row(
    "this is not valid YAML",
    "A quote, a bracket, a colon or an indentation is missing or wrong. Or git left an unresolved merge conflict.\nCheck the line that the error shows, and the line before it.",
  ),
  "yaml-not-supported": row(
    "roster does not read this part of YAML",
    "A file is one document of YAML 1.2 without tags, anchors, aliases, merge keys and directives. They can hide what a file says.\nWrite the value in full. In a roster, `groups` share users and `roleSets` share roles.",
  ),
  "yaml-encoding": row(
    "the file is not plain UTF-8",
    "Some bytes are not valid UTF-8, or the file has an invisible character.\nSave the file as UTF-8 without the character.",
  ),
  "too-large": row(
    "a file or the roster is too large",
    "A file has too many bytes or entries. Or groups and teams multiply to too many members.\nSplit it into several files. If a roster has too many members, apply its parts one by one.",
  ),
  "bad-value": row(
    "a value is wrong",
    "The value has the wrong type or form. The message shows what is allowed.\nCorrect the value. `roster init` prints the line that lets your editor check a roster.",
    { example: 'lastName: null      # wrong\nlastName: "null"    # right' },
  ),
  "unknown-key": row(
    "a map has an unknown key",
    "roster ignores nothing, because a typing error would have no visible effect.\nCorrect the key. The message shows the most similar one.",
  ),
  "missing-key": row(
    "a key is missing",
    "This map needs the key. Users and teams need an account, from the file or from the settings.\nAdd the key.",
  ),
  duplicate: row(
    "something is there twice",
    "A map has a key twice, or two things have the same name, address, key prefix or state. The message shows where the first one is.\nRemove one of the two, or rename it.",
  ),
  "unknown-name": row(
    "this name does not exist",
    "No user, group, role set or knob has this name. Or `explain` or `state resolve` knows nothing of this name.\nCorrect the name, or define it. The message shows the most similar one. `roster explain codes` lists all codes.",
    { example: "users:\n  - email: ada@acme.example\n    firstName: Ada\n    lastName: Byron" },
  ),
  "more-errors": row(
    "there are more errors or warnings than shown",
    "roster shows the first 1000 of a roster, and the first 100 of a file. The others often follow from them.\nCorrect these first.",
  ),
};

/**
 * What can be wrong with a roster. `unsafe-address` and `conflicting-roles` have the text of the finding: they are
 * told by a plan too.
 */
export const rosterFaults: Readonly<Record<string, CodeRow>> = {
  "unsupported-version": row(
    "the file has another format version",
    "This roster knows only `version: 1`.\nWrite `version: 1`, or use a newer roster.",
  ),
  "not-a-roster-file": row(
    "a file is not a roster file",
    "It is empty, is a saved plan, or has no section of a roster. roster reads every YAML file of a directory.\nMove the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.",
  ),
  contradiction: row(
    "two entries contradict each other",
    "Only one of them can be true. Examples: a user who is also a leaver, a role that ends before it begins.\nRemove or correct one of the two.",
  ),
  "leaver-in-use": row(
    "a leaver has a team, a group or a role",
    "A leaver has no roles and no teams.\nRemove the leaver there, or write `roles: []` for their key. If they came back, remove them from `leavers`.",
  ),
  "not-a-member": row(
    "the admin or first member is not a member of the team",
    "The service makes the admin and the first member of a team its members.\nAdd them to `members`, or choose another one.",
  ),
  "other-account": row(
    "the admin or first member is in another account than the team",
    "The service creates a team in the account of its first member, and its admin belongs to it too.\nChoose a user of the team's account.",
  ),
  "full-key": row(
    "the value is a whole access key",
    "The text after the dot is the secret part of the key. roster does not show this line.\nWrite only the part before the dot. Replace the key in the service, because others could read it.",
  ),
  "section-not-allowed": row(
    "this file may not have this section",
    "`sections` in the settings defines which files may have which sections.\nMove the section to another file, or change the settings (in CI: outside the checkout).",
  ),
  "until-reached": row(
    "an `until` date has come",
    "The user is a leaver now, or the member or role no longer counts. roster plans to remove the roles. This is a warning.\nRemove or move the entries that the warnings name.",
    { ends: [0] },
  ),
  "unusual-address": row(
    "an address is unusual",
    "roster would not create a user with this address. Leavers, existing users, `previously` and `distinctFrom` may use it. This is a warning.\nCheck that the service shows exactly this address, or correct it.",
    { ends: [0] },
  ),
  "role-set-as-role": row(
    "`roles` names a role set like a role",
    "A plain name in `roles` is a role of the service. A role set is written as `{ set: NAME }`. This is a warning.\nWrite `{ set: NAME }` to use the role set, or rename the role set.",
    { ends: [0] },
  ),
};

/** What can be wrong with flags, settings, variables, and the files that they name. */
export const inputFaults: Readonly<Record<string, CodeRow>> = {
  usage: row(
    "the command line is wrong",
    "A command, a flag or an argument is unknown, missing, extra, or does not work with another one.\nCorrect what the message names. `roster help COMMAND` shows what there is.",
  ),
  "bad-flag-value": row("a flag has a wrong value", "The message shows what is allowed.\nCorrect the value."),
  "missing-reason": row(
    "`--reason` is missing, or does not fit",
    "`--allow` needs a reason for privileged roles and for guards that refuse a plan. The reason is one line with a letter or a digit, of at most 200 characters.\nSay why you allow it. The log records it.",
    { example: 'roster apply --allow max-new-users#7f3a90c1d4e5 --reason "INC-42: payments are down"' },
  ),
  "unknown-selector": row(
    "a selection matches nothing",
    "`--include`, `--exclude` or `--only` has a typing error.\nCorrect it. The message shows similar names.",
  ),
  "nothing-to-change": row(
    "the state needs no other endpoint",
    "The state has this endpoint already, or the next apply records it.\nDo nothing.",
  ),
  "other-service": row(
    "the state or the plan file belongs to another service",
    "roster would use facts of one service for the other.\nCheck the address of the service first. Another service needs a state and a plan of its own. Only if the same service has moved, run `roster state set-endpoint URL`.",
  ),
  "unreadable-file": row(
    "cannot read a file",
    "The file does not exist, is not a regular file, is too large, or may not be read. roster looks for fleet.yaml in this directory, then above it, up to the root of the repository.\nCheck its path and permissions, or name another file.",
  ),
  "no-roster-files": row(
    "no roster file found",
    "The paths have no *.yaml or *.yml file.\nPass another path, or start with `roster init`.",
  ),
  "file-exists": row(
    "the file exists already",
    "roster overwrites only a file of its own of the same kind. The message shows if it wrote other files before that.\nChoose another name.",
  ),
  "bad-file": row(
    "a file that roster wrote cannot be used",
    "A plan file, snapshot or summary is incomplete, edited, from a newer version, or of another kind. A plan file is an approval, so no byte may change.\nCreate it again, such as with `roster plan --out FILE` or `roster snapshot --out FILE`.",
  ),
  "state-changed-since-plan": row(
    "the state changed after the plan was saved",
    "Other runs have recorded changes. roster checks the facts of each action again before it runs. This is a warning.\nDo nothing, or plan again.",
    { ends: [0] },
  ),
  "bad-feed": row(
    "the CSV file cannot be used",
    "It is damaged, a column is missing or not clear, or its people would break a rule of roster files. Nothing was written.\nCorrect the export, the columns in the settings, or the roster.",
    { example: 'feed:\n  columns: { email: "Work email", title: "Business title" }' },
  ),
  "missing-setting": row(
    "a setting is missing",
    "This run needs the setting or variable that the message names. With CI set, a state must be named.\nSet it with the flag or the variable that the message names.",
    { example: "export ROSTER_STATE=s3://acme-roster/log?region=eu-central-1" },
  ),
  "unknown-variable": row(
    "unknown ROSTER_ variable",
    "A typing error in the name would have no visible effect.\nCorrect or unset the variable. The message shows the most similar name.",
  ),
  "no-endpoint": row(
    "no service address is set",
    "roster needs `--endpoint`, ROSTER_ENDPOINT or `endpoint` in the settings.\nSet one of them. `roster demo` needs none.",
    { example: "export ROSTER_ENDPOINT=https://accounts.acme.example" },
  ),
  "no-key": row(
    "there is no API key",
    "roster needs ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and there is no flag for it. Or the command or function for it gave none.\nSet one of them, or run the command by hand.",
    { example: "export ROSTER_API_KEY_FILE=/run/secrets/roster-key" },
  ),
  "bad-key": row(
    "a key is set twice, or has a wrong format",
    "The key is empty, or has a line break or another character that HTTP does not allow. roster does not show it. Or a variable and its file are both set.\nCheck where the key comes from.",
  ),
  untrusted: row(
    "a change to the checkout could decide this",
    "The file, link or setting is in a checkout, or leads out of it. A pull request could redirect roster, relax a check or send a key elsewhere.\nName it by a flag or variable, or outside the checkout with ROSTER_CONFIG. If every change is reviewed before it runs, set ROSTER_TRUST_SETTINGS=1.",
  ),
  "bad-option": row(
    "an option of the library is unknown or wrong",
    "A program passed an option or a value that the function does not take. The message shows what it takes.\nCorrect the option in the program.",
  ),
  "unknown-commit": row(
    "`--changed-since` cannot be compared",
    "git does not have the commit, or not the history between both. Pipelines often fetch one commit only.\nFetch the whole history, such as with `fetch-depth: 0`.",
  ),
};

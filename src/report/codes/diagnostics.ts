import { type CodeText, codeText } from "./code-text.ts";

/** What can be wrong with a file as YAML, or with one value in it. */
export const fileFaults: Readonly<Record<string, CodeText>> = {
  "yaml-syntax": codeText(
    "this is not valid YAML",
    "A quote, a bracket, a colon or an indentation is missing or wrong. Or git left an unresolved merge conflict.",
    "Check the line that the error shows, and the line before it.",
  ),
  "yaml-not-supported": codeText(
    "roster does not read this part of YAML",
    "A file is one document of YAML 1.2 without tags, anchors, aliases, merge keys and directives. They can hide what a file says.",
    "Write the value in full. In a roster, `groups` share users and `roleSets` share roles.",
  ),
  "yaml-duplicate-key": codeText(
    "a map has the same key twice",
    "Only one of the two values could be used.",
    "Remove one of them.",
  ),
  "yaml-encoding": codeText(
    "the file is not plain UTF-8",
    "Some bytes are not valid UTF-8, or the file has an invisible character.",
    "Save the file as UTF-8 without the character.",
  ),
  "too-large": codeText(
    "a file or the roster is too large",
    "A file has too many bytes or entries. Or groups and teams multiply to too many members.",
    "Split it into several files. If a roster has too many members, apply its parts one by one.",
  ),
  "bad-value": codeText(
    "a value is wrong",
    "The value has the wrong type or form. The message shows what is allowed.",
    "Correct the value. `roster init` prints the line that lets your editor check a roster.",
    'lastName: null      # wrong\nlastName: "null"    # right',
  ),
  "unknown-key": codeText(
    "a map has an unknown key",
    "roster ignores nothing, because a typing error would have no visible effect.",
    "Correct the key. The message shows the most similar one.",
  ),
  "missing-key": codeText("a key is missing", "This map needs the key.", "Add the key."),
  duplicate: codeText(
    "something is there twice",
    "A name, an address, a key prefix or a state belongs to one thing only. The message says where the first one is.",
    "Remove one of the two, or rename it.",
  ),
  "unknown-name": codeText(
    "this name does not exist",
    "A user, group, role set or knob of this name is not defined in any file.",
    "Correct the name, or define it. The message shows the most similar one.",
    "users:\n  - email: ada@acme.example\n    firstName: Ada\n    lastName: Byron",
  ),
  "more-errors": codeText(
    "there are more errors or warnings than shown",
    "roster shows the first 1000 of a roster, and the first 100 of a file. The others often follow from them.",
    "Correct these first.",
  ),
};

/**
 * What can be wrong with a roster. `unsafe-address`, `non-ascii-address` and `conflicting-roles` have the text of the finding: they are
 * told by a plan too.
 */
export const rosterFaults: Readonly<Record<string, CodeText>> = {
  "unsupported-version": codeText(
    "the file has another format version",
    "This roster knows only `version: 1`.",
    "Write `version: 1`, or use a newer roster.",
  ),
  "not-a-roster-file": codeText(
    "a file is not a roster file",
    "It is empty, is a saved plan, or has no section of a roster. roster reads every YAML file of a directory.",
    "Move the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.",
  ),
  "missing-account": codeText(
    "no account is set",
    "Users and teams need an account. Set it in the roster file or in the settings.",
    "Write `account: IDENTIFIER` at the top of the file, or in the settings.",
  ),
  contradiction: codeText(
    "two entries contradict each other",
    "Only one of them can be true. Examples: a user who is also a leaver, a role that ends before it begins.",
    "Remove or correct one of the two.",
  ),
  "leaver-in-use": codeText(
    "a leaver has a team, a group or a role",
    "A leaver has no roles and no teams.",
    "Remove the leaver there, or write `roles: []` for their key. If they came back, remove them from `leavers`.",
  ),
  "not-a-member": codeText(
    "the admin or founder is not a member of the team",
    "The service makes the admin and the founder of a team its members.",
    "Add them to `members`, or choose another one.",
  ),
  "other-account": codeText(
    "the admin or founder is in another account than the team",
    "The service creates a team in the account of its founder, and its admin belongs to it too.",
    "Choose a user of the team's account.",
  ),
  "full-key": codeText(
    "the value is a whole access key",
    "The text after the dot is the secret part of the key. roster does not show this line.",
    "Write only the part before the dot. Replace the key in the service, because others could read it.",
  ),
  "section-not-allowed": codeText(
    "this file may not have this section",
    "`sections` in the settings defines which files may have which sections.",
    "Move the section to another file, or change the settings (in CI: outside the checkout).",
  ),
  "until-reached": codeText(
    "an `until` date has come",
    "The user is a leaver now, or the member or role no longer counts. roster plans to remove the roles. This is a warning.",
    "Remove or move the entries that the warnings name.",
  ),
  "unusual-address": codeText(
    "an address is unusual",
    "roster would not create a user with this address. Leavers, existing users, `previously` and `distinctFrom` may use it. This is a warning.",
    "Check that the service shows exactly this address, or correct it.",
  ),
  "role-set-as-role": codeText(
    "`roles` names a role set like a role",
    "A plain name in `roles` is a role of the service. A role set is written as `{ set: NAME }`. This is a warning.",
    "Write `{ set: NAME }` to use the role set, or rename the role set.",
  ),
};

/** What can be wrong with a command line. */
export const flagFaults: Readonly<Record<string, CodeText>> = {
  usage: codeText(
    "the command line is wrong",
    "A command, a flag or an argument is unknown, missing or extra.",
    "Run `roster help COMMAND`.",
  ),
  "bad-flag-value": codeText("a flag has a wrong value", "The message shows the allowed values.", "Correct the value."),
  "bad-duration": codeText(
    "this is not a duration",
    "A duration is written like 90s, 20m, 12h or 7d. Some must be greater than 0.",
    "Correct the duration.",
  ),
  "bad-reason": codeText(
    "`--reason` is missing, or does not fit",
    "`--allow` needs a reason for privileged roles and for guards that refuse a plan. The reason is one line with a letter or a digit, of at most 200 characters.",
    "Say why you allow it. The audit trail records it.",
    'roster apply --allow max-new-users@3f2a90c1d4e5b678 --reason "INC-42: payments are down"',
  ),
  "bad-expected-plan": codeText(
    "`--expect-plan` names no plan",
    "It takes the ID of a plan, or the file of a saved plan.",
    "Copy the ID from the plan that was approved.",
    "roster apply --expect-plan 3f2a90c1d4e5b678",
  ),
  "bad-time": codeText(
    "this is neither a date nor a duration",
    "A time is a day, a day with a time, or how long ago it was.",
    "Write a date, or a duration such as 30d.",
    "roster audit show --since 2026-11-01",
  ),
  "import-flags": codeText(
    "these flags of `import` do not fit together",
    "`roster import DIRECTORY` reads the service. `roster import --from FILE --out FILE` reads a CSV file. Each has its own flags.",
    "Remove the flag that the message names.",
    "roster import --from people.csv --out people/hr.yaml",
  ),
  "bad-sequence": codeText(
    "`--sequence` is not a whole number",
    "The number must grow with each run, such as the run number of a pipeline.",
    "Correct the number.",
  ),
  "bad-allowance": codeText(
    "the value of `--allow` is wrong",
    "A value has the form WHAT@PLANID. The finding or the error prints it.",
    "Copy the printed value.",
    "--allow max-new-users@3f2a90c1d4e5b678",
  ),
  "unknown-subject": codeText(
    "`explain` does not know this",
    "No user, team, key, role, action, finding or code has this name.",
    "Use one of the names in the message. `roster explain --codes` lists all codes.",
  ),
  "view-without-text": codeText(
    "`--view` needs the text format",
    "It changes only the text output of a plan.",
    "Remove it, or add `--report text=FILE`.",
  ),
  "unknown-selector": codeText(
    "a selection matches no user or team",
    "`--include` or `--exclude` has a typing error.",
    "Correct it. The message shows similar names.",
  ),
  "stale-lock-too-soon": codeText(
    "`--break-stale-lock` is less than 2 minutes",
    "A call of the other run may still be in progress.",
    "Pass 2m or more.",
  ),
  "repair-with-only-new": codeText(
    "`--repair` does not work with `--only-new`",
    "`--only-new` limits the report. `--repair` applies all drift of a class, new or not.",
    "Remove one of them.",
  ),
  "repair-without-record": codeText(
    "`--repair` does not work with `--no-record`",
    "roster records each call before it sends it.",
    "Remove one of them.",
  ),
  "not-repairable": codeText(
    "`--repair` names a class that the API cannot repair",
    "roster can repair `tampered` and `unapplied`.",
    "Pass `tampered` or `unapplied`.",
  ),
  "unused-auto-approve": codeText(
    "`--auto-approve` needs `--repair`",
    "There is nothing to approve.",
    "Add `--repair CLASS`, or remove `--auto-approve`.",
  ),
  "unknown-fingerprint": codeText(
    "no recorded run has this fingerprint",
    "You can acknowledge only drift that a run has recorded.",
    "Run `roster drift`, and use a fingerprint that it shows.",
  ),
  "until-in-past": codeText(
    "the date of `--until` has passed",
    "An acknowledgement is valid until that date.",
    "Pass a date in the future.",
  ),
  "acknowledgement-too-long": codeText(
    "the acknowledgement is too long",
    "Acknowledged drift must be reviewed again. Drift about privileges or guards must be reviewed sooner.",
    "Pass an earlier date.",
  ),
  "audit-begins-later": codeText(
    "the first records of the audit trail are not there",
    "The trail begins with a later record than 1. The older records were moved away or removed. This is a warning.",
    "Find out where they are. `--from N` fails where record N is not there.",
    "roster audit verify --from 1",
  ),
  "missing-reason": codeText(
    "`--reason` says nothing",
    "Others need to know why this drift is accepted.",
    "Write a reason.",
  ),
  "missing-author": codeText(
    "the author of the acknowledgement is unknown",
    "Neither `--by` nor git names an author.",
    "Pass `--by NAME`.",
  ),
  "acknowledgements-not-editable": codeText(
    "roster cannot edit the acknowledgements file",
    "The format of the file is unusual. An edit would change more than one entry.",
    "Add the printed entry by hand.",
  ),
  "several-accounts": codeText(
    "the import has several accounts for one file",
    "A roster file has one account.",
    "Pass `--layout account` or `--layout team`, or choose one `--account`.",
  ),
  "unknown-account": codeText(
    "the API key cannot see this account",
    "The service does not list the account.",
    "Correct the account.",
  ),
  "unreadable-feed": codeText(
    "cannot read the CSV file",
    "The file does not exist, is not a regular file, or is larger than 8 MiB.",
    "Correct the path after `--from`.",
  ),
  "bad-feed": codeText(
    "the CSV file is damaged",
    "A quote is never closed, a record has too few or too many fields, or the file is not UTF-8.",
    "Correct the export. Put fields that contain separators, quotes or line breaks in quotes.",
    'email,first name,last name\nada@acme.example,Ada,"Lovelace, Countess"',
  ),
  "feed-columns": codeText(
    "a column of the CSV file is missing or not clear",
    "roster needs columns for `email`, `firstName` and `lastName`. It knows common headers; the settings can name others.",
    "Set `feed: { columns: { email: HEADER } }` in the settings.",
    'feed:\n  columns: { email: "Work email", title: "Business title" }',
  ),
  "feed-conflict": codeText(
    "the feed would make the roster invalid",
    "The result breaks a rule of roster files. The other errors name the rule. Nothing was written.",
    "Correct the export, the settings or the roster.",
  ),
  "feed-file-outside": codeText(
    "the file of `--out` is not part of the roster",
    "No run would read the file.",
    "Pass a YAML file below the roster's directories.",
    "roster import --from people.csv --out people/hr.yaml",
  ),
  "feed-not-generated": codeText(
    "the file of `--out` was not generated",
    "An import replaces the whole file. It replaces only a file that an import wrote, with `users`, `leavers` and `keys`.",
    "Pass another file, or move what was written by hand to another file.",
  ),
  "missing-call-id": codeText(
    "missing argument: the ID of a call",
    "`state resolve` needs the ID of a call.",
    "Pass an ID that `roster state resolve` lists.",
  ),
  "unknown-call-id": codeText(
    "no call with this ID has an unknown outcome",
    "The call was resolved, or it never existed.",
    "Pass an ID that `roster state resolve` lists.",
  ),
  "missing-outcome": codeText(
    "missing flag: `--done` or `--not-done`",
    "`state resolve` needs the outcome of the call.",
    "Look in the service, and pass one of the two.",
  ),
  "conflicting-outcomes": codeText(
    "a call is marked as done and not done",
    "A call has one outcome.",
    "Pass one of the two. Use `--person` for one user of the call.",
  ),
  "outcome-contradicts-state": codeText(
    "this outcome is not possible",
    "It contradicts the request of the call, or the state.",
    "Run `roster state resolve`, and check what it shows for this call.",
  ),
  "same-state-address": codeText(
    "source and target of the state are the same",
    "roster cannot move a state onto itself.",
    "Choose another target.",
  ),
  "no-state": codeText("no state to move", "The source has no state.", "Pass the address of the state."),
  "state-already-moved": codeText(
    "the state was moved before",
    "The state at this address is no longer used.",
    "Use the new address of the state.",
  ),
  "endpoint-unchanged": codeText("the state already has this endpoint", "There is nothing to change.", "Do nothing."),
  "no-service-recorded": codeText("the state has no service yet", "The next apply records the service.", "Do nothing."),
  "unusable-data": codeText(
    "the reference server cannot use this data file",
    "The file has other content, or another `roster serve` uses it.",
    "Pass `--data` with another file, or `--data memory`.",
  ),
};

const planAgain = "Plan again with `roster plan --out FILE`.";
const checkPath = "Check its path and permissions.";
const notOpened = "The file could not be opened.";

/** What can be wrong with files: rosters, plan files, snapshots, acknowledgements. */
export const otherFileFaults: Readonly<Record<string, CodeText>> = {
  "no-roster-files": codeText(
    "no roster file found",
    "The paths have no *.yaml or *.yml file.",
    "Pass another path, or start with `roster init`.",
  ),
  "unreadable-roster": codeText(
    "cannot read a roster file",
    "The file could not be opened, or is not a regular file.",
    checkPath,
  ),
  "bad-plan-file": codeText(
    "the plan file cannot be used",
    "The file is incomplete, edited, from a newer version, or not a plan. A plan file is an approval, so no byte may change.",
    planAgain,
  ),
  "unreadable-plan-file": codeText("cannot read the plan file", notOpened, checkPath),
  "plan-file-not-alone": codeText(
    "a plan file must be the only path",
    "A plan file contains everything to apply.",
    "Pass only the plan file.",
  ),
  "flag-not-for-plan-file": codeText(
    "this flag does not work with a plan file",
    "Its value was fixed when the plan was saved.",
    "Pass it to `roster plan --out FILE`.",
  ),
  "plan-file-named-as-roster": codeText(
    "the plan file has the name of a roster file",
    "roster would read it as a roster and not apply it.",
    "Choose another name for `--out`, such as team.plan.",
  ),
  "plan-file-on-stdout": codeText(
    "a plan file cannot go to standard output",
    "Only its owner may read a plan file.",
    "Pass a file name to `--out`.",
  ),
  "plan-of-another-service": codeText(
    "the plan file is for another service",
    "The plan was made for another service than this run uses.",
    "Set the endpoint to the service of the plan, or plan again.",
  ),
  "unused-expires": codeText(
    "`--expires` needs `--out`",
    "It sets how long a plan file is valid, and this command saves none.",
    "Add `--out FILE`, or remove `--expires`.",
  ),
  "state-changed-since-plan": codeText(
    "the state changed after the plan was saved",
    "Other runs have recorded changes. roster checks the facts of each action again before it runs. This is a warning.",
    "Do nothing, or plan again.",
  ),
  "snapshot-named-as-roster": codeText(
    "the snapshot has the name of a roster file",
    "roster would read it as a roster.",
    "Choose another name for `--out`.",
  ),
  "bad-snapshot": codeText(
    "the snapshot cannot be used",
    "The file is incomplete, edited, or not a snapshot.",
    "Create a new one with `roster snapshot`.",
  ),
  "unreadable-snapshot": codeText("cannot read the snapshot", notOpened, checkPath),
  "preview-not-applied": codeText(
    "a plan from a snapshot cannot be saved",
    "It is only a preview, because it did not read the service.",
    "Remove `--from`, and save a plan that reads the service.",
  ),
  "flag-not-for-snapshot": codeText(
    "this flag does not work with `--from FILE`",
    "The command reads neither the service nor the state.",
    "Pass it to `roster snapshot`.",
  ),
  "unused-max-age": codeText(
    "`--max-age` needs `--from FILE`",
    "It limits the age of a snapshot, and this command uses none.",
    "Add `--from FILE`, or remove `--max-age`.",
  ),
  "account-not-in-snapshot": codeText(
    "the snapshot does not have this account",
    "The key of the snapshot job could not list accounts, and the job did not name this one.",
    "Name the account when you run `roster snapshot`.",
  ),
  "stdin-used-twice": codeText(
    "standard input is used twice",
    "It can be a snapshot or a roster file, but not both.",
    "Pass the path of one of them.",
  ),
  "unreadable-acknowledgements": codeText("cannot read the acknowledgements file", notOpened, checkPath),
  "file-exists": codeText(
    "the file exists already",
    "roster does not overwrite files. The message shows if it wrote other files before that.",
    "Choose another name.",
  ),
};

const outOfCheckout =
  "CI is set. A change in the checkout must not choose which file roster reads or writes, or where a secret goes.";
const useRealPath = "Pass the real path of the file.";

/** What can be wrong with settings, variables, the endpoint, the key and the address of the state. */
export const settingsFaults: Readonly<Record<string, CodeText>> = {
  "unreadable-settings": codeText("cannot read the settings file", notOpened, checkPath),
  "empty-config-variable": codeText(
    "`ROSTER_CONFIG` is empty",
    "CI is set, and `ROSTER_CONFIG` has no value. Perhaps this job does not get the variable that fills it. Without its settings file, none of its guards would count.",
    "Give the job the variable. Or do not set `ROSTER_CONFIG` in it.",
  ),
  "untrusted-settings": codeText(
    "CI does not accept this setting from the checkout",
    "CI is set. Settings in the checkout may not redirect roster or relax checks, because a pull request could change them.",
    "Use a variable or a flag, or a settings file outside the checkout with ROSTER_CONFIG. If every change is reviewed before it runs, set ROSTER_TRUST_SETTINGS=1.",
  ),
  "untrusted-state": codeText(
    "the state is in git, or links out of the checkout",
    outOfCheckout,
    "Use a state outside git, and pass its real path.",
  ),
  "untrusted-plan-file": codeText("the plan file is in git, or links out of the checkout", outOfCheckout, useRealPath),
  "untrusted-snapshot": codeText("the snapshot is in git, or links out of the checkout", outOfCheckout, useRealPath),
  "untrusted-output": codeText("an output file is a link out of the checkout", outOfCheckout, useRealPath),
  "untrusted-acknowledgements": codeText(
    "the acknowledgements file is outside the checkout",
    outOfCheckout,
    "Move it into the checkout, or pass `--acknowledgements FILE`.",
  ),
  "untrusted-roster-path": codeText(
    "a roster path is a link out of the checkout",
    outOfCheckout,
    "Replace the link with the files.",
  ),
  "unknown-variable": codeText(
    "unknown ROSTER_ variable",
    "A typing error in the name would have no visible effect.",
    "Correct or unset the variable. The message shows the most similar name.",
  ),
  "bad-option": codeText(
    "an option of the library has a wrong value",
    "A program passed a value that the function does not take. The message shows what it takes.",
    "Correct the option in the program.",
  ),
  "unknown-option": codeText(
    "a function of the library has no such option",
    "A program passed an option that the function does not know. The message shows the most similar option.",
    "Correct the name in the program.",
  ),
  "bad-parallelism": codeText(
    "the parallelism is not a whole number from 1 to 64",
    "It limits how many calls run at once.",
    "Use another number.",
  ),
  "no-endpoint": codeText(
    "no service address is set",
    "roster needs `--endpoint`, ROSTER_ENDPOINT or `endpoint` in the settings.",
    "Set one of them. `roster demo` needs none.",
    "export ROSTER_ENDPOINT=https://accounts.acme.example",
  ),
  "bad-endpoint": codeText(
    "the service address is not safe for an API key",
    "It must be an https address, or http on this machine. It must have no credentials and no query.",
    "Correct the address.",
  ),
  "no-key": codeText(
    "no API key is set",
    "roster needs ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`. There is no flag for it.",
    "Set one of them.",
    "export ROSTER_API_KEY_FILE=/run/secrets/roster-key",
  ),
  "two-keys": codeText(
    "two API keys are set",
    "The variable with the key and the variable with its file are both set.",
    "Unset one of them.",
  ),
  "bad-key": codeText(
    "the API key has a wrong format",
    "It is empty, or has a line break or another character that HTTP does not allow. roster does not show it.",
    "Check where the key comes from.",
  ),
  "unreadable-key-file": codeText("cannot read the key file", notOpened, checkPath),
  "key-command-failed": codeText(
    "`apiKeyCommand` returned no key",
    "The command could not start, failed, or printed nothing.",
    "Run the command by hand.",
  ),
  "key-function-failed": codeText(
    "the function that gives the library the API key gave none",
    "It threw an error. Its message is not shown, since it could contain the key.",
    "Call the function by itself.",
  ),
  "relative-path": codeText(
    "the library got a relative path without an absolute `cwd`",
    "The library does not use the working directory.",
    "Write an absolute path, or give `cwd`.",
  ),
  "untrusted-endpoint": codeText(
    "the checkout may not choose where the API key goes",
    "The key comes from the environment. Then the address must come from the environment, a flag, or settings outside the checkout.",
    "Set ROSTER_ENDPOINT, or pass `--endpoint`.",
  ),
  "bad-webhook": codeText(
    "the webhook address is wrong",
    "It must be an https address, or http on this machine, without credentials.",
    "Correct the address.",
  ),
  "short-webhook-secret": codeText(
    "the webhook secret is too short",
    "An attacker could guess it and forge a signature.",
    "Create a secret of 32 random bytes.",
    "openssl rand -hex 32",
  ),
  "bad-proxy": codeText(
    "the proxy address is wrong",
    "It must be an http or https address.",
    "Correct it. NO_PROXY lists the hosts that need no proxy.",
  ),
  "bad-ca-file": codeText(
    "the certificate file cannot be used",
    "roster cannot read it, or it has no certificates in PEM format.",
    "Use another file.",
  ),
  "missing-state-address": codeText(
    "CI is set, but no state address",
    "A state in the checkout of a pipeline is lost after the job.",
    "Pass `--state`, or set ROSTER_STATE.",
    "export ROSTER_STATE=s3://acme-roster/state.json?region=eu-central-1",
  ),
  "unknown-state-store": codeText(
    "unknown kind of state address",
    "roster knows file:PATH, postgres://… and s3://….",
    "Correct the address.",
  ),
  "bad-state-address": codeText(
    "the state address is wrong",
    "A part is missing or has a wrong value.",
    "Correct it as the message says.",
  ),
  "missing-audit-address": codeText(
    "there is no audit trail to read",
    "The settings say that no trail is kept, or it has no records.",
    "Pass `--audit` with the place of a trail.",
    "export ROSTER_AUDIT=s3://acme-roster/audit?region=eu-central-1",
  ),
  "bad-audit-address": codeText(
    "the address of the audit trail is wrong",
    "roster knows file:PATH, postgres://… and s3://…, and `none`.",
    "Correct the address.",
  ),
  "untrusted-audit": codeText(
    "the audit trail is not trusted",
    "It is in git, or a link in the checkout leads to it. A change to the checkout could rewrite it.",
    "Name a place outside the checkout.",
  ),
  "bad-report-address": codeText(
    "the address of the reports is wrong",
    "Reports of a fleet can go to a directory, or to s3://BUCKET/PATH.",
    "Correct the address.",
    "roster fleet drift --report json=s3://acme-roster/reports",
  ),
  "bad-state-credentials": codeText(
    "the credentials of the bucket have a wrong format",
    "They have a character that HTTP does not allow.",
    "Check where they come from.",
  ),
  "no-state-credentials": codeText(
    "the credentials of the bucket are missing",
    "A bucket needs credentials from the environment.",
    "Set the variables that the message names.",
  ),
  "no-state-region": codeText(
    "the region of the bucket is unknown",
    "Requests to the bucket are signed for a region.",
    "Add `?region=REGION` to the address, or set AWS_REGION.",
  ),
  "state-of-another-service": codeText(
    "the state belongs to another service",
    "roster would use facts of one service for the other.",
    "Check the address of the service first. Another service needs a state of its own. Only if the same service has moved, run `roster state set-endpoint URL`.",
  ),
};

/** What can be wrong with a fleet. */
export const fleetFaults: Readonly<Record<string, CodeText>> = {
  "no-fleet": codeText(
    "there is no fleet file",
    "roster looks for fleet.yaml in this directory, then above it, up to the root of the repository.",
    "Change the directory, or name the file with `--fleet FILE`.",
  ),
  "unreadable-fleet": codeText("cannot read the fleet file", "The message has the reason.", "Correct the path."),
  "bad-target-name": codeText(
    "this cannot be the name of a target",
    "The name becomes a part of addresses, paths and command lines. So only letters, digits, `.`, `_` and `-` are allowed.",
    "Rename the directory, or change the pattern.",
  ),
  "duplicate-target": codeText(
    "two targets have the same name",
    "Reports and `--only` need a name for each target. Upper and lower case are the same here.",
    "Rename one of them. A pattern may have `name:`, such as a suffix for staging.",
  ),
  "shared-state": codeText(
    "two targets have the same state",
    "A state remembers one service. Two targets would mix their records.",
    "Give each target a state of its own.",
  ),
  "empty-pattern": codeText(
    "a pattern matches no directory",
    "Targets would be left out without a sign. Links and names that begin with a dot do not count.",
    "Correct the pattern. It is relative to the fleet file.",
  ),
  "open-host": codeText(
    "the name of a directory could choose a host",
    "A person who can add a directory could send the key to another server.",
    "End the host with fixed text, such as a domain of yours.",
  ),
  "unknown-target": codeText(
    "`--only` matches no target",
    "`--only` takes the name of a target.",
    "Correct it. The message shows the most similar one.",
    "roster fleet drift --only acme --only beta",
  ),
  "bad-shard": codeText(
    "`--shard` is not a part of a whole",
    "It is I/N with I from 1 to N. `auto/N` takes I from JOB_COMPLETION_INDEX, which Kubernetes sets in an Indexed Job.",
    "Correct the value.",
    "roster fleet drift --shard 2/4",
  ),
  "unknown-commit": codeText(
    "`--changed-since` cannot be compared",
    "git does not have the commit, or not the history between both. Pipelines often fetch one commit only.",
    "Fetch the whole history, such as with `fetch-depth: 0`.",
  ),
  "no-summary": codeText(
    "there is no summary of a fleet",
    "`roster fleet summarize` joins every summary.json and summary-I-of-N.json below the directory.",
    "Write them with `--report json=DIR` in each job.",
  ),
  "bad-summary": codeText(
    "a summary cannot be used",
    "The file is incomplete, is no summary of a fleet, or is of another command than the others.",
    "Remove it, or run its job again.",
  ),
  "untrusted-fleet": codeText(
    "the checkout may not choose where keys go",
    "A fleet file brings keys and endpoints together. A change to the checkout could send a key to another server, or read other files.",
    "Use a fleet file outside the checkout. If every change is reviewed before it runs, set ROSTER_TRUST_SETTINGS=1.",
  ),
  "untrusted-key-variable": codeText(
    "a fleet file in a checkout may not name this variable",
    "The variable could hold another secret, and the fleet file sends its value to an endpoint.",
    "Use a name that begins with ROSTER_KEY_. Or list it as `fleet: { keyVariables: [NAME] }` in settings outside the checkout.",
  ),
};

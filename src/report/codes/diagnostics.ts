import { type CodeText, codeText } from "./code-text.ts";

const removeOne = "Remove one of the two.";

/** What can be wrong with the shape of a roster file. */
const shape: Readonly<Record<string, CodeText>> = {
  "wrong-type": codeText(
    "a value has the wrong type",
    "The file has a map, list, text or boolean where another type is needed.",
    "Write the type that the message names. `roster init` prints the line that lets your editor check the format.",
    "roles: DEVELOPER      # wrong\nroles: [DEVELOPER]    # right",
  ),
  "quote-needed": codeText(
    "YAML does not read this value as text",
    "A text is needed here. YAML reads 007 as a number, yes or true as a boolean, and an empty value as null.",
    "Put the value in quotes.",
    'lastName: null      # wrong\nlastName: "null"    # right',
  ),
  "unknown-key": codeText(
    "a map has an unknown key",
    "roster ignores nothing, because a typing error would have no visible effect.",
    "Correct the key. The message shows the most similar one.",
  ),
  "missing-key": codeText("a key is missing", "This map needs the key.", "Add the key."),
  "unsupported-version": codeText(
    "the file has another format version",
    "This roster knows only `version: 1`.",
    "Write `version: 1`, or use a newer roster.",
  ),
  "bad-text": codeText(
    "a text is missing or too long, or has outer spaces",
    "`null` and an empty value are no text. Spaces and control characters look different from what they are. An address can have 254 characters, a name 200, and any other text 2,000.",
    "Write a shorter value without these characters, or remove the key.",
  ),
  "bad-address": codeText(
    "this is not an e-mail address",
    "An address needs an @ with text on both sides, and no spaces.",
    "Correct the address.",
  ),
  "unsafe-address": codeText(
    "this address is not safe for a new user",
    "Mail servers, URLs or people could misread it. Examples: a `/`, a second `@`, quotes, an invisible character. `validate` treats every user without a declared key as new.",
    "Correct the address. If the user exists already, declare one of their keys with `key: PREFIX`.",
  ),
  "single-label-domain": codeText(
    "the domain of a new user has no dot",
    "An address such as ada@localhost is often a typing error. `validate` treats every user without a declared key as new.",
    "Write the whole domain. If your network uses such domains, set `singleLabelDomains: true` in the settings (in CI: outside the checkout).",
  ),
  "unusual-address": codeText(
    "an address is unusual",
    "roster would not create a user with this address. Leavers, existing users, `previously` and `distinctFrom` may use it. This is a warning.",
    "Check that the service shows exactly this address, or correct it.",
  ),
  "non-ascii-address": codeText(
    "an address has non-ASCII letters before the @",
    "Many mail servers do not deliver to such an address. Some letters look like others. This is a warning.",
    "Check the address letter by letter.",
  ),
  "bad-date": codeText("this is not a date", "A date is written as 2027-01-31.", "Correct the date."),
  "unknown-choice": codeText(
    "this value is not allowed here",
    "Only a few values are allowed here.",
    "Write one of the values that the message lists.",
  ),
  "not-a-roster-file": codeText(
    "a YAML file is not a roster file",
    "It has none of the sections of a roster, such as `users` or `teams`. roster reads every YAML file of a directory.",
    "Move the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.",
  ),
  "too-many-roles": codeText("a list has too many roles", "A key can have at most 200 roles.", "Shorten the list."),
};

/** What can be wrong with names in a roster. */
const references: Readonly<Record<string, CodeText>> = {
  "missing-account": codeText(
    "no account is set",
    "Users and teams need an account. Set it in the roster file or in the settings.",
    "Write `account: IDENTIFIER` at the top of the file, or in the settings.",
  ),
  "duplicate-user": codeText(
    "two users have the same address",
    "Upper and lower case do not matter in addresses.",
    removeOne,
  ),
  "duplicate-address": codeText(
    "a former address belongs to two users",
    "An address under `previously` is also the address of another user, or of the user itself.",
    "Correct the address.",
  ),
  "duplicate-team": codeText(
    "two teams of an account have the same name",
    "roster identifies teams by name, so it cannot know which one you mean.",
    "Give both teams their `identifier`, or remove one.",
  ),
  "duplicate-identifier": codeText(
    "two teams have the same identifier",
    "An identifier belongs to one team of the service.",
    "Correct one of them.",
  ),
  "duplicate-group": codeText(
    "two groups have the same name",
    "Groups are valid in all files of the roster.",
    "Rename one of them.",
  ),
  "duplicate-role-set": codeText(
    "two role sets have the same name",
    "Role sets are valid in all files of the roster.",
    "Rename one of them.",
  ),
  "duplicate-member": codeText(
    "a user or group is listed twice",
    "A group lists a user twice, or a team lists a user or a group twice. A user may also come through groups.",
    removeOne,
  ),
  "duplicate-leaver": codeText(
    "two leavers have the same address",
    "Upper and lower case do not matter in addresses.",
    removeOne,
  ),
  "user-and-leaver": codeText(
    "a user is also a leaver",
    "A leaver has no roles, but a user may have some.",
    "Remove the user from one of the two lists.",
  ),
  "leaver-in-use": codeText(
    "a leaver is a member, admin or founder",
    "A leaver has no roles and no teams.",
    "Remove the user there, or remove them from `leavers`.",
  ),
  "leaver-key-roles": codeText(
    "a key under `keys` gives roles to a leaver",
    "A leaver has no roles.",
    "Write `roles: []`, or change the owner of the key.",
  ),
  "since-in-future": codeText(
    "the `since` date of a leaver is in the future",
    "An entry under `leavers` is valid at once, whatever `since` says.",
    "Write `until` for the user instead.",
    "users:\n  - email: ada@acme.example\n    until: 2027-01-31",
  ),
  "not-distinct": codeText(
    "`distinctFrom` names the user itself, or an address twice",
    "`distinctFrom` lists other users with similar addresses.",
    "Correct the list.",
  ),
  "on-removal-of-open-team": codeText(
    "an open team has `onRemoval`",
    "With `open: true` a team has no extra members, so `onRemoval` has no effect.",
    "Remove `open` or `onRemoval`.",
  ),
  "unknown-user": codeText(
    "this user is not in the roster",
    "Members, admins and founders must be users of a roster file.",
    "Correct the address, or add the user under `users`.",
    "users:\n  - email: ada@acme.example\n    firstName: Ada\n    lastName: Byron",
  ),
  "unknown-group": codeText(
    "this group does not exist",
    "No file defines the group under `groups`.",
    "Correct the name, or define the group.",
  ),
  "unknown-role-set": codeText(
    "this role set does not exist",
    "No file defines the role set under `roleSets`.",
    "Correct the name, or define the role set.",
    "roleSets:\n  engineer: [DEVELOPER]\nteams:\n  - name: Pricing\n    roles: [{ set: engineer }]",
  ),
  "admin-not-member": codeText(
    "the admin is not a member of the team",
    "The service makes every admin a member.",
    "Add the admin to `members`, or choose another admin.",
  ),
  "admin-other-account": codeText(
    "the admin is in another account than the team",
    "A user cannot administer a team of another account.",
    "Choose a user of the team's account.",
  ),
  "founder-not-member": codeText(
    "the founder is not a member of the team",
    "The founder of a team is always its first member.",
    "Add the founder to `members`, or choose another founder.",
  ),
  "founder-other-account": codeText(
    "the founder is in another account than the team",
    "The service creates a team in the account of its founder.",
    "Choose a user of the team's account.",
  ),
  "founder-own-key-roles": codeText(
    "a founder has `ownKeyRoles`",
    "A founder gets only the team key and has no own key.",
    "Remove `ownKeyRoles`, or choose another founder.",
  ),
  "conflicting-roles": codeText(
    "one key has two different lists of roles",
    "Two groups of equal rank give a member different roles, or two places name the same key prefix.",
    "Give the member an own entry. It overrides both groups.",
    "members:\n  - { group: on-call }\n  - { user: ada@acme.example, roles: [DEVELOPER] }",
  ),
  "full-key": codeText(
    "the file contains a whole access key",
    "The text after the dot is the secret part of the key. roster does not show this line.",
    "Write only the part before the dot. Replace the key in the service, because it was in a file.",
  ),
  "duplicate-prefix": codeText(
    "a key prefix is used twice",
    "It is listed twice, or belongs to two users or two teams.",
    "Correct one of them.",
  ),
  "section-not-allowed": codeText(
    "this file may not have this section",
    "`sections` in the settings defines which files may have which sections.",
    "Move the section to another file, or change the settings (in CI: outside the checkout).",
  ),
  "too-many-members": codeText(
    "the roster has too many members",
    "Groups multiply: a few lines can create billions of members.",
    "Split the roster, and apply the parts one by one.",
  ),
  "more-errors": codeText("there are more errors than shown", "roster shows the first 1000.", "Correct these first."),
  "until-reached": codeText(
    "the `until` date of a user has come",
    "The user is a leaver now. roster ignores their teams and groups, and plans to remove the roles from their keys. This is a warning.",
    "Remove the user from the places that the warnings name.",
  ),
  "role-set-as-role": codeText(
    "`roles` names a role set like a role",
    "A plain name in `roles` is a role of the service. A role set is written as `{ set: NAME }`. This is a warning.",
    "Write `{ set: NAME }` to use the role set, or rename the role set.",
  ),
  "more-warnings": codeText(
    "there are more warnings than shown",
    "roster shows the first 1000.",
    "Correct these first.",
  ),
};

/** What can be wrong with a roster. */
export const rosterFaults: Readonly<Record<string, CodeText>> = { ...shape, ...references };

const writeOut = "Write the values in full. In a roster, `groups` share users and `roleSets` share roles.";

/** What can be wrong with a file as YAML. */
export const yamlFaults: Readonly<Record<string, CodeText>> = {
  "yaml-syntax": codeText(
    "this is not valid YAML",
    "A quote, a bracket or a colon is missing or in the wrong place.",
    "Check the line that the error shows, and the line before it.",
  ),
  "yaml-indentation": codeText(
    "wrong indentation",
    "All entries of a map or list must start in the same column.",
    "Indent the line like its neighbours.",
    "users:\n  - email: ada@acme.example\n    firstName: Ada     # same column as email\n    lastName: Byron",
  ),
  "yaml-tab": codeText(
    "the indentation has a tab",
    "YAML allows only spaces for indentation.",
    "Replace the tab with spaces.",
  ),
  "yaml-tag": codeText(
    "tags are not allowed",
    "A tag such as `!!str` changes how YAML reads a value.",
    "Remove the tag. Put the value in quotes to make it a text.",
  ),
  "yaml-anchor": codeText("anchors are not allowed", "A few bytes could become billions of entries.", writeOut),
  "yaml-alias": codeText("aliases are not allowed", "A few bytes could become billions of entries.", writeOut),
  "yaml-merge-key": codeText("merge keys are not allowed", "They hide where a value comes from.", writeOut),
  "yaml-directive": codeText("directives are not allowed", "roster reads every file as YAML 1.2.", "Remove the line."),
  "yaml-several-documents": codeText(
    "the file has a second document",
    "A file may have only one document.",
    "Move the second document to its own file.",
  ),
  "yaml-merge-conflict": codeText(
    "the file has an unresolved merge conflict",
    "Two branches changed the same lines, and git kept both sides.",
    "Keep the lines that you need, and remove the marker lines of git.",
  ),
  "yaml-duplicate-key": codeText(
    "a map has the same key twice",
    "Only one of the two values could be used.",
    "Remove one of them.",
  ),
  "yaml-key": codeText(
    "a key is not a text",
    "Keys of maps must be texts.",
    "Write the key as a text. Put it in quotes if YAML reads it as something else.",
  ),
  "yaml-not-a-map": codeText(
    "the file is not a map",
    "Roster files and settings files are maps of sections.",
    "Start the file with `version: 1`.",
  ),
  "yaml-encoding": codeText("the file is not UTF-8", "Some bytes are not valid UTF-8.", "Save the file as UTF-8."),
  "yaml-control-character": codeText(
    "the file has an invisible character",
    "Control characters can make a file look different from its content.",
    "Remove the character.",
  ),
  "yaml-too-large": codeText(
    "the file is too large",
    "The file has too many bytes or too many entries.",
    "Split it into several files.",
  ),
  "yaml-too-deep": codeText(
    "the file is nested too deep",
    "No roster needs so many levels. A bracket or dash may be repeated by mistake.",
    "Remove the repeated characters.",
  ),
  "yaml-more-errors": codeText(
    "the file has more errors than shown",
    "roster shows the first 100. The others often follow from them.",
    "Correct these first.",
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
  "bad-period": codeText(
    "a role ends before it begins",
    "Its `until` is not later than its `from`.",
    "Correct one of the two dates.",
    "roles: [{ role: ACCOUNT_ADMIN, from: 2026-12-01, until: 2027-01-31 }]",
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
export const fileFaults: Readonly<Record<string, CodeText>> = {
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
  "empty-file": codeText(
    "a roster file is empty",
    "The file may have been cut off.",
    "Remove the file, or start it with `version: 1`.",
  ),
  "plan-as-roster": codeText(
    "this file is a plan, not a roster",
    "The command needs roster files, and the file is a saved plan.",
    "`roster show FILE` shows the plan, and `roster apply FILE` applies it.",
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
  "bad-acknowledgements": codeText(
    "the acknowledgements file has an error",
    "An entry has a missing or unknown field.",
    "Correct the file at the line that the error shows.",
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
  "bad-settings": codeText(
    "the settings file has an error",
    "A setting is unknown or has a wrong value.",
    "Correct the setting that the error shows. `roster config` shows the current settings.",
  ),
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

/** What can be wrong with the seed and the knobs of the reference server, which `roster serve` runs. */
export const referenceService: Readonly<Record<string, CodeText>> = {
  "seed-empty": codeText("the seed has no account", "Users and teams are in accounts.", "Add one under `accounts`."),
  "seed-duplicate": codeText(
    "the seed has a name or address twice",
    "Names and addresses in a seed must be unique.",
    removeOne,
  ),
  "seed-unknown-name": codeText(
    "the seed uses an unknown name",
    "Members, owners and roles must exist in the seed.",
    "Correct the name, or add it.",
  ),
  "seed-wrong-type": codeText(
    "a value in the seed has the wrong type",
    "The message shows the type that is needed.",
    "Correct the value.",
  ),
  "seed-bad-value": codeText(
    "a value in the seed is wrong",
    "The message shows what is allowed.",
    "Correct the value.",
  ),
  "seed-missing-key": codeText("a key is missing in the seed", "The message names the key.", "Add the key."),
  "seed-unknown-key": codeText(
    "the seed has an unknown key",
    "The message shows the most similar key.",
    "Correct the key.",
  ),
  "unknown-knob": codeText(
    "unknown knob",
    "The message shows the most similar knob. `--knobs list` shows all.",
    "Correct the name.",
  ),
  "bad-knob-value": codeText("a knob has a wrong value", "The message shows the allowed values.", "Correct the value."),
};

/** What can be wrong with a fleet. */
export const fleetFaults: Readonly<Record<string, CodeText>> = {
  "no-fleet": codeText(
    "there is no fleet file",
    "roster looks for fleet.yaml in this directory, then above it, up to the root of the repository.",
    "Change the directory, or name the file with `--fleet FILE`.",
  ),
  "unreadable-fleet": codeText("cannot read the fleet file", "The message has the reason.", "Correct the path."),
  "bad-fleet": codeText(
    "the fleet file has an error",
    "A key is unknown or missing, or a value is wrong.",
    "Correct the line that the error shows.",
  ),
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

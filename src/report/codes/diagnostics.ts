import { type CodeText, codeText } from "./code-text.ts";

const takeOneOut = "Take one of the two out.";

/** What can be wrong with the shape of a roster file. */
const shape: Readonly<Record<string, CodeText>> = {
  "wrong-type": codeText(
    "a value is of another type than is expected",
    "A map, list, text or boolean stands where the format knows something else.",
    "Write it as the message says; the editor line of `roster init` shows the format while you type.",
  ),
  "quote-needed": codeText(
    "a value reads as a number, a boolean or nothing",
    "A text is expected there, and YAML reads something else, as it does of 007, yes or an empty value.",
    "Put it in quotes.",
  ),
  "unknown-key": codeText(
    "a map has a key that the format does not know",
    "Nothing that is written is passed over: a slip would go unseen.",
    "Correct the key; the message names the nearest one.",
  ),
  "missing-key": codeText("a key is missing", "The format requires it in such a map.", "Add it."),
  "unsupported-version": codeText(
    "the file is of another format version",
    "Only `version: 1` is known to this roster.",
    "Write `version: 1`, or use a newer roster.",
  ),
  "bad-text": codeText(
    "a text is empty, padded or holds a control character",
    "It would not look like what it is.",
    "Write it without.",
  ),
  "bad-address": codeText(
    "a text cannot be an e-mail address",
    "An address has an @ with something on both sides, and no spaces.",
    "Correct it.",
  ),
  "unsafe-address": codeText(
    "no user is created with this address",
    "The address contains what mail servers, URLs or people can misread. Such as: a `/`, a second `@`, quotes, an invisible character, a full-width letter, an empty part of the domain. `roster validate` does not ask the service, so every user without a declared key counts as new.",
    "Correct the address. If the service has the user under this address, declare one of their keys: `key: PREFIX` with the user or a member, or `owner` under `keys`.",
  ),
  "single-label-domain": codeText(
    "the domain of a new user has no dot",
    "An address such as ada@localhost is often a slip. `roster validate` does not ask the service, so every user without a declared key counts as new.",
    "Write the whole domain. If your network has such domains, set `singleLabelDomains: true` in the settings.",
  ),
  "unusual-address": codeText(
    "an address is unusual",
    "No user would be created with this address. Leavers, `previously`, `distinctFrom` and users who are there may name it, because the service may show it. A warning.",
    "Check that the service shows the address exactly so, or correct it.",
  ),
  "non-ascii-address": codeText(
    "an address has letters beyond ASCII before the @",
    "Many mail servers do not deliver to such an address, and some letters look like others. A warning.",
    "Check the address letter by letter.",
  ),
  "bad-date": codeText("a text is no day of the calendar", "Days are written as in 2027-01-31.", "Correct it."),
  "unknown-choice": codeText(
    "a word is none of those that are known here",
    "The format knows a few words at this place.",
    "Write one of those that the message names.",
  ),
  "too-many-roles": codeText(
    "a list has more roles than any key can mean",
    "No key can have more than 200.",
    "Shorten the list.",
  ),
  "not-a-roster-file": codeText(
    "a YAML file is not a roster file",
    "It has none of the sections of a roster, such as `users` or `teams`. roster reads every YAML file of a directory.",
    "Move the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.",
  ),
};

/** What can be wrong with whom and what a roster names. */
const references: Readonly<Record<string, CodeText>> = {
  "missing-account": codeText(
    "nothing says to which account a file's people belong",
    "Users and teams need an account: of the file, or of the settings.",
    "Write `account: IDENTIFIER` at the top of the file, or in the settings.",
  ),
  "duplicate-user": codeText("two users have one address", "Addresses are compared in any letter case.", takeOneOut),
  "duplicate-address": codeText(
    "a former address is somebody else's, or the user's own",
    "An address under `previously` would lead to two people.",
    "Correct it.",
  ),
  "duplicate-team": codeText(
    "two teams of one account have one name",
    "Teams are known by their names, so that nobody could tell them apart.",
    "Give both their `identifier`, or take one out.",
  ),
  "duplicate-identifier": codeText(
    "two teams have one identifier",
    "It names one team of the service.",
    "Correct one of them.",
  ),
  "duplicate-group": codeText("two groups have one name", "Groups are for the whole roster.", "Rename one of them."),
  "duplicate-role-set": codeText(
    "two role sets have one name",
    "Role sets are for the whole roster.",
    "Rename one of them.",
  ),
  "duplicate-member": codeText(
    "somebody is named twice in one place",
    "A person stands twice in a group, or twice in a team other than through groups; or a group twice in a team.",
    takeOneOut,
  ),
  "duplicate-leaver": codeText(
    "two leavers have one address",
    "Addresses are compared in any letter case.",
    takeOneOut,
  ),
  "user-and-leaver": codeText(
    "somebody is a user and a leaver",
    "A leaver must hold nothing, and a user may.",
    "Take them out of one of both lists.",
  ),
  "leaver-in-use": codeText(
    "a leaver is a member, an administrator or a founder",
    "A leaver holds nothing.",
    "Take them out of there, or out of `leavers`.",
  ),
  "leaver-key-roles": codeText(
    "a listed key gives roles to a leaver",
    "A leaver holds nothing.",
    "Write `roles: []`, or give the key another owner.",
  ),
  "since-in-future": codeText(
    "a leaver's day is still to come",
    "`leavers` counts from now on, whatever `since` says.",
    "Write `until` with the user instead.",
  ),
  "not-distinct": codeText(
    "`distinctFrom` names the user, or somebody twice",
    "It names other people whose addresses are near.",
    "Correct it.",
  ),
  "on-removal-of-open-team": codeText(
    "`onRemoval` of an open team",
    "With `open: true` nobody is a member too many.",
    "Take one of both out.",
  ),
  "unknown-user": codeText(
    "somebody is named who is no user of the roster",
    "Members, administrators and founders are users of some file of it.",
    "Correct the address, or add the user.",
  ),
  "unknown-group": codeText(
    "a group is defined nowhere",
    "Groups stand under `groups` of any file.",
    "Correct the name, or define it.",
  ),
  "unknown-role-set": codeText(
    "a role set is defined nowhere",
    "Role sets stand under `roleSets` of any file.",
    "Correct the name, or define it.",
  ),
  "admin-not-member": codeText(
    "the administrator is not a member of the team",
    "The service makes an administrator a member.",
    "Add them to the members, or name somebody else.",
  ),
  "admin-other-account": codeText(
    "the administrator belongs to another account than the team",
    "Nobody administers a team of another account.",
    "Name somebody of the team's account.",
  ),
  "founder-not-member": codeText(
    "the founder is not a member of the team",
    "Whoever founds a team is in it.",
    "Add them to the members, or name somebody else.",
  ),
  "founder-other-account": codeText(
    "the founder belongs to another account than the team",
    "A team is founded in the account in which its founder is created.",
    "Name somebody of the team's account.",
  ),
  "founder-own-key-roles": codeText(
    "a founder is to have roles on an own key",
    "A founder's only key is the team's.",
    "Take `ownKeyRoles` out, or let somebody else found the team.",
  ),
  "conflicting-roles": codeText(
    "one key is given two different lists of roles",
    "Two groups of one rank give a person different roles in a team, or two places name one prefix.",
    "Give the person an entry of their own: it beats both groups.",
  ),
  "full-key": codeText(
    "a whole key stands where a prefix belongs",
    "What follows the dot in a key is its secret part. The line is not shown.",
    "Write the part before the dot alone, and have the key replaced: it has been in a file.",
  ),
  "duplicate-prefix": codeText(
    "one prefix is given twice",
    "It is listed twice, or declared as the key of two people or two teams.",
    "Correct one of them.",
  ),
  "section-not-allowed": codeText(
    "a section stands in a file that may not carry it",
    "`sections` in the settings says which files may carry what, so that their owners decide no more than is theirs.",
    "Move it to a file that may, or change the settings.",
  ),
  "too-many-members": codeText(
    "the roster has more memberships than can be held",
    "Groups multiply: a few lines can ask for billions.",
    "Split the roster, and apply its parts one by one.",
  ),
  "more-errors": codeText(
    "there are more errors than are shown",
    "The first thousand are shown.",
    "Mend the first ones.",
  ),
  "until-reached": codeText(
    "somebody's `until` has come",
    "From that day on they are a leaver: places in teams and groups that still name them no longer count, and their keys are planned to have no roles. A warning.",
    "Take them out of the places that the warnings name.",
  ),
  "role-set-as-role": codeText(
    "a list of roles names a role set as if it were a role",
    "A plain name in `roles` is a role of the service. A role set is written as `{ set: NAME }`. A warning.",
    "Write `{ set: NAME }` to use the role set, or rename the role set.",
  ),
  "more-warnings": codeText(
    "there are more warnings than are shown",
    "The first thousand are shown.",
    "Mend the first ones.",
  ),
};

/** What can be wrong with a roster. */
export const rosterFaults: Readonly<Record<string, CodeText>> = { ...shape, ...references };

const writeOut = "Write it out; in a roster, `groups` share people and `roleSets` share roles.";

/** What can be wrong with a file as YAML. */
export const yamlFaults: Readonly<Record<string, CodeText>> = {
  "yaml-syntax": codeText(
    "this is not YAML",
    "A quote, a bracket or a colon is missing, or something stands where it cannot.",
    "Look at the line that is shown, and the one before it.",
  ),
  "yaml-indentation": codeText(
    "entries do not start in the same column",
    "Entries of one map or list stand one below the other.",
    "Indent them alike.",
  ),
  "yaml-tab": codeText("a tab is used as indentation", "YAML knows only spaces there.", "Use spaces."),
  "yaml-tag": codeText(
    "tags are not accepted",
    "A tag such as `!!str` decides what a value is, and could decide otherwise elsewhere.",
    "Take it out; quotes make a value a text.",
  ),
  "yaml-anchor": codeText("anchors are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-alias": codeText("aliases are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-merge-key": codeText("merge keys are not accepted", "They hide where a field comes from.", writeOut),
  "yaml-directive": codeText("directives are not accepted", "Every file is read as YAML 1.2.", "Take the line out."),
  "yaml-several-documents": codeText(
    "a second document starts here",
    "A file holds one document.",
    "Give it a file of its own.",
  ),
  "yaml-merge-conflict": codeText(
    "a merge has left both sides in the file",
    "Two branches have changed the same lines, and nobody has decided yet what is meant.",
    "Keep the lines that are meant, mostly those of both sides, and take out the lines that git wrote.",
  ),
  "yaml-duplicate-key": codeText(
    "one map has a key twice",
    "Only one of the two could count, and nobody could tell which.",
    "Take one of them out.",
  ),
  "yaml-key": codeText(
    "something that is no text is used as a key",
    "Keys of maps are plain texts.",
    "Write the key as a text, in quotes where YAML would read something else.",
  ),
  "yaml-not-a-map": codeText(
    "the file holds no map",
    "A roster file, and settings, are a map of sections.",
    "Begin it with `version: 1`.",
  ),
  "yaml-encoding": codeText("the file is not UTF-8", "Its bytes are no text in UTF-8.", "Save it as UTF-8."),
  "yaml-control-character": codeText(
    "the file holds a character that nobody sees",
    "Control characters could make a file look otherwise than it reads.",
    "Take it out.",
  ),
  "yaml-too-large": codeText(
    "the file is too large to be read as one",
    "It has too many bytes or too many parts.",
    "Split it into several files.",
  ),
  "yaml-too-deep": codeText(
    "maps and lists are nested too deep",
    "No roster nests as deep as this; mostly a bracket or a dash is repeated by mistake.",
    "Look for what is repeated.",
  ),
  "yaml-more-errors": codeText(
    "the file has more errors than are shown",
    "The first hundred are shown; the others often follow from them.",
    "Mend the first ones.",
  ),
};

/** What can be wrong with what a command line says. */
export const flagFaults: Readonly<Record<string, CodeText>> = {
  usage: codeText(
    "the command line is not understood",
    "A command, a flag or an argument is unknown, missing or too many.",
    "Look at `roster help COMMAND`.",
  ),
  "bad-flag-value": codeText("a flag has a value that cannot be", "The message says what it takes.", "Correct it."),
  "bad-latency": codeText(
    "the value of --rehearse is not a time of one call",
    "It is a whole number of milliseconds or seconds, at most one minute.",
    "Write --rehearse=80ms or --rehearse=2s.",
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
    "It is WHAT@PLANID, as the finding or the refusal prints it.",
    "Copy it from there.",
  ),
  "bad-path": codeText(
    "standard input and files are named together",
    "What standard input comes to goes to standard output.",
    "Name `-` by itself, or files and directories.",
  ),
  "unknown-subject": codeText(
    "`explain` knows nothing of the kind",
    "Neither the roster, the service, the state nor the plan has such a thing, and it is no code.",
    "The message names the nearest ones; `roster explain --codes` lists every code.",
  ),
  "view-without-text": codeText(
    "--view without a text",
    "It says how the text of a plan is to be read, and another format shows none.",
    "Leave it out, or add --report text=FILE.",
  ),
  "unknown-selector": codeText(
    "a selection names nobody and no team of the roster",
    "--include or --exclude has a slip.",
    "Correct it; the message names the nearest ones.",
  ),
  "stale-lock-too-soon": codeText(
    "--break-stale-lock is less than 2 minutes",
    "A call of the run that holds the lock may still be under way.",
    "Give it 2m or more.",
  ),
  "repair-with-only-new": codeText(
    "--repair with --only-new",
    "One is about what is told, the other applies what is of a class, new or not.",
    "Leave one of them out.",
  ),
  "repair-without-record": codeText(
    "--repair with --no-record",
    "Each call is recorded before it is sent.",
    "Leave one of them out.",
  ),
  "not-repairable": codeText(
    "--repair names a class that calls cannot correct",
    "Calls correct `tampered` and `unapplied`.",
    "Name one of these.",
  ),
  "unused-auto-approve": codeText(
    "--auto-approve without --repair",
    "Nothing is to be repaired.",
    "Say what to repair.",
  ),
  "unknown-fingerprint": codeText(
    "no recorded run has seen the fingerprint",
    "Only what was seen can be acknowledged.",
    "Run `roster drift`, and name a fingerprint that it shows.",
  ),
  "until-in-past": codeText("--until has passed", "An acknowledgement counts until its day.", "Name a day to come."),
  "acknowledgement-too-long": codeText(
    "an acknowledgement is for longer than it may be",
    "What is acknowledged has to be looked at again; where a privilege or a guard is at stake, soon.",
    "Name an earlier day.",
  ),
  "missing-reason": codeText("--reason says nothing", "Somebody will want to know why it may differ.", "Say why."),
  "missing-author": codeText(
    "it is not known who acknowledges",
    "Neither --by nor git says it.",
    "Name yourself with --by.",
  ),
  "acknowledgements-not-editable": codeText(
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
  "stdin-not-writable": codeText(
    "identifiers cannot be recorded in standard input",
    "There is no file to write to.",
    "Name the roster's files.",
  ),
  "ids-conflict": codeText(
    "what was learned would make the roster invalid",
    "One prefix or identifier was learned for two.",
    "Write the `identifier` and `key` lines by hand.",
  ),
  "missing-call-id": codeText(
    "it is not said of which call",
    "`state resolve` takes the ID of a call.",
    "Name one of those that it lists.",
  ),
  "unknown-call-id": codeText(
    "no call of this ID has an unknown outcome",
    "It was settled, or never announced.",
    "Name one of those that `state resolve` lists.",
  ),
  "missing-outcome": codeText(
    "it is not said what became of a call",
    "`state resolve` takes --done or --not-done.",
    "Look in the service, and pass one of them.",
  ),
  "conflicting-outcomes": codeText(
    "a call is said to be done and not done",
    "It can be one of both.",
    "Pass one of them, for one person with --person.",
  ),
  "outcome-contradicts-state": codeText(
    "what is said of a call cannot be",
    "It contradicts what the call asked for, or what is recorded.",
    "Look at what `state resolve` shows of it.",
  ),
  "same-state-address": codeText("the state is there already", "It would be moved onto itself.", "Name another place."),
  "no-state": codeText("there is no state to move", "Nothing is kept at the place.", "Name the place of the state."),
  "state-already-moved": codeText(
    "the state was moved before",
    "It is no longer used where it was.",
    "Name the place to which it went.",
  ),
  "endpoint-unchanged": codeText("the state is about this service already", "There is nothing to change.", "Nothing."),
  "no-service-recorded": codeText(
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
  "flag-not-for-plan-file": codeText(
    "a flag cannot be said of a plan file",
    "What it does was settled when it was made.",
    "Say it to `roster plan --out FILE`.",
  ),
  "plan-file-named-as-roster": codeText(
    "a plan file would have the name of a roster file",
    "Under such a name it would never be applied.",
    "Name another file with --out.",
  ),
  "plan-file-on-stdout": codeText(
    "a plan file would go to standard output",
    "It is written for its owner alone.",
    "Name a file with --out.",
  ),
  "plan-of-another-service": codeText(
    "a plan file is for another service",
    "Its actions were compared with another service than the one of this run.",
    "Name its service, or plan again.",
  ),
  "unused-expires": codeText(
    "--expires without --out",
    "It says how long a plan file is good for, and none is written.",
    "Add --out FILE, or leave it out.",
  ),
  "state-changed-since-plan": codeText(
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
    "Have `roster snapshot` make a new one.",
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
  "flag-not-for-snapshot": codeText(
    "a flag cannot be said beside --from FILE",
    "Neither the service nor the state is asked.",
    "Say it to `roster snapshot`.",
  ),
  "unused-max-age": codeText(
    "--max-age without --from FILE",
    "It says how old a snapshot may be, and none is named.",
    "Add --from FILE, or leave it out.",
  ),
  "account-not-in-snapshot": codeText(
    "a snapshot lacks an account of the roster",
    "The key that made it may not list accounts, and nobody named this one.",
    "Name the account where `roster snapshot` runs.",
  ),
  "hashed-address": codeText(
    "the roster names somebody by what stands for a hidden address",
    "An address such as someone-3f2a90c1d4e5b678@hidden.invalid stands for one that a snapshot hides. Nobody has it, and a plan of the snapshot would tell of somebody whom the roster does not know.",
    "Write the address of the person.",
  ),
  "stdin-used-twice": codeText(
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
  "file-exists": codeText(
    "a file is there already",
    "Nothing is ever overwritten, and nothing was written.",
    "Name another one.",
  ),
};

const outOfCheckout =
  "With CI set, a change to the checkout must not be able to choose which file of the machine is read or written, or where a secret goes.";

/** What can be wrong with settings, variables, the endpoint, the key and where the state lives. */
export const settingsFaults: Readonly<Record<string, CodeText>> = {
  "bad-settings": codeText(
    "a settings file says something that cannot be",
    "A setting is unknown, or its value is not of the kind that it takes.",
    "Correct it at the place that is shown; `roster config` shows what is in force.",
  ),
  "unreadable-settings": codeText(
    "a settings file cannot be read",
    "It was found or named, and could not be opened.",
    "Look at its path and permissions.",
  ),
  "untrusted-settings": codeText(
    "a setting in the checkout is not taken from there",
    "With CI set, a settings file inside the checkout may not redirect or relax anything: a pull request could. `roster config` says what each refused setting could do.",
    "Set it by a variable or a flag, move the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1 where every change is reviewed before it runs.",
  ),
  "untrusted-state": codeText(
    "the state is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name a state that git does not keep, where it is.",
  ),
  "untrusted-plan-file": codeText(
    "a plan file is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name the plan file where it is.",
  ),
  "untrusted-snapshot": codeText(
    "a snapshot is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name the snapshot where it is.",
  ),
  "untrusted-output": codeText(
    "a file to write is a link out of the checkout",
    outOfCheckout,
    "Name the file where it is.",
  ),
  "untrusted-acknowledgements": codeText(
    "the acknowledgements lie out of the checkout",
    outOfCheckout,
    "Put them into the checkout, or name them with --acknowledgements.",
  ),
  "untrusted-roster-path": codeText(
    "a roster path is a link out of the checkout",
    outOfCheckout,
    "Put the files in the place of the link.",
  ),
  "unknown-variable": codeText(
    "the environment has a ROSTER_ variable that is not known",
    "A slip in its name would leave it without effect.",
    "Correct or unset it; the message names the nearest one.",
  ),
  "bad-parallelism": codeText(
    "the parallelism is no whole number from 1 to 64",
    "It says how many calls are under way at once.",
    "Give another number.",
  ),
  "bad-rehearse": codeText(
    "ROSTER_REHEARSE is neither 1 nor 0",
    "It says whether each plan is rehearsed.",
    "Set it to 1 or 0, or leave it out.",
  ),
  "no-endpoint": codeText(
    "nothing says where the account service is",
    "A flag, ROSTER_ENDPOINT or `endpoint` in the settings names it.",
    "Set one of them; `roster demo` needs none.",
  ),
  "bad-endpoint": codeText(
    "the endpoint is no address to which a key may be sent",
    "It is an https address, or http on this machine, without credentials and queries.",
    "Correct it.",
  ),
  "no-key": codeText(
    "there is no API key",
    "ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand` gives it; no flag does.",
    "Set one of them.",
  ),
  "two-keys": codeText(
    "a key is given twice",
    "Both the variable with a key and the one with its file are set.",
    "Unset the one that is not meant.",
  ),
  "bad-key": codeText(
    "the API key cannot be sent",
    "It is empty, or holds a line break or another character that no header carries.",
    "Look at where it comes from; it is not shown.",
  ),
  "unreadable-key-file": codeText(
    "a key file cannot be read",
    "It is named, and could not be opened.",
    "Look at its path and permissions.",
  ),
  "key-command-failed": codeText(
    "the `apiKeyCommand` gave no key",
    "It could not be run, failed, or printed nothing.",
    "Run it by hand.",
  ),
  "untrusted-endpoint": codeText(
    "a key from the environment would go where the checkout says",
    "A key that the environment gives goes only to an address from the environment, a flag, or settings outside the checkout.",
    "Name the address in the environment or by a flag.",
  ),
  "bad-webhook": codeText(
    "a webhook is no address that can be told",
    "It is an https address, or http on this machine, without credentials before its host.",
    "Correct it.",
  ),
  "short-webhook-secret": codeText(
    "the secret of a webhook is too short",
    "It could be guessed, and with it a signature be made.",
    "Make one of 32 random bytes.",
  ),
  "bad-proxy": codeText(
    "a proxy is not one that can be used",
    "It is an http or https address.",
    "Correct it; NO_PROXY names hosts that are reached without one.",
  ),
  "bad-ca-file": codeText(
    "a file of certificates cannot be used",
    "It cannot be read, or holds no certificates in PEM form.",
    "Name another file.",
  ),
  "missing-state-address": codeText(
    "CI is set, and nothing says where the state lives",
    "A state inside a pipeline's checkout would be lost with it.",
    "Pass --state or set ROSTER_STATE.",
  ),
  "unknown-state-store": codeText(
    "the state is kept in a way that is not known",
    "It is file:PATH, https://…, postgres://… or s3://….",
    "Correct the address.",
  ),
  "bad-state-address": codeText(
    "the address of the state cannot be used",
    "A part is missing, or says what it cannot.",
    "Correct it as the message says.",
  ),
  "bad-state-credentials": codeText(
    "credentials of the state cannot be sent",
    "They hold a character that no header carries.",
    "Look at where they come from.",
  ),
  "no-state-credentials": codeText(
    "credentials of the state are missing",
    "A bucket needs them, from the environment.",
    "Set the variables that the message names.",
  ),
  "no-state-region": codeText(
    "nothing says in which region the bucket is",
    "Requests to it are signed for a region.",
    "Add ?region=REGION, or set AWS_REGION.",
  ),
  "state-of-another-service": codeText(
    "the state is about another service",
    "What is remembered of one service would be taken for facts of the other.",
    "Name the state of this service; where it has only got another address, `roster state set-endpoint URL` says so.",
  ),
};

/** What can be wrong with the seed and the knobs of the reference service, which `roster serve` runs. */
export const referenceService: Readonly<Record<string, CodeText>> = {
  "seed-empty": codeText("a seed has no account", "Users and teams are in accounts.", "Add one under `accounts`."),
  "seed-duplicate": codeText(
    "a seed names something twice",
    "Names and addresses in a seed are unique.",
    "Take one of the two out.",
  ),
  "seed-unknown-name": codeText(
    "a seed names something that is not there",
    "Members, owners and roles refer to what the seed has.",
    "Correct the name, or add it.",
  ),
  "seed-wrong-type": codeText(
    "a value in a seed is of another type",
    "The message says what is expected.",
    "Correct it.",
  ),
  "seed-bad-value": codeText("a value in a seed cannot be", "The message says what is expected.", "Correct it."),
  "seed-missing-key": codeText("a key is missing in a seed", "The message says which.", "Add it."),
  "seed-unknown-key": codeText(
    "a seed has a key that is not known",
    "The message names the nearest one.",
    "Correct it.",
  ),
  "unknown-knob": codeText(
    "there is no such knob",
    "The message names the nearest one; `--knobs list` shows all.",
    "Correct the name.",
  ),
  "bad-knob-value": codeText("a knob cannot have this value", "The message says which it takes.", "Correct it."),
};

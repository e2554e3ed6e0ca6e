import { findings } from "./findings.ts";
import { guards, inCi, isHold, isStop } from "./guards.ts";
import { explainRow } from "./message.ts";
import { type CodeRow, type FindingKind, row } from "./row.ts";

type Texts = Readonly<Record<string, string>>;

/** Codes for which the exit codes of their kind do not hold, by those with which a command ends for them. */
const otherEnds: Readonly<Record<string, readonly string[]>> = {
  "0": ["until-reached", "unusual-address", "role-set-as-role", "state-changed-since-plan"],
  "0 3 9": ["unsafe-address"],
  "0 5": ["not-selected"],
  "1": ["port-in-use", "internal"],
  "1 5": ["unwritable"],
  "0 1 7 9": ["refused"],
  "1 9": ["incomplete-read"],
  "2": ["tampered", "unapplied"],
  "3 9": ["account-unavailable", "conflicting-roles"],
  "4 7": ["unauthorized", "forbidden"],
  "5": ["guard", "feed-shrinks", "declined", "not-approved", "service-reset"],
  "5 6 7": ["stale"],
  "7 8": ["locked"],
};

/** First, why a call to the account service or to the state can fail. `refused` is a finding as well, and has its text there. */
const problems: Texts = {
  unauthorized:
    "the service does not accept the API key\nThe service answered 401. The key is wrong, was revoked, or belongs to another service. roster runs `apiKeyCommand` once more, or reads the key file again. If it gets no other key, the run stops, because no later call can succeed.\nCheck ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and the endpoint. `docs/security.md` says how to replace a key.",
  forbidden:
    "the API key does not have this permission\nThe service answered 403. The key is valid, but it may not do this. A run continues with what the key may do.\nUse a key with the permission, usually one of an account administrator.",
  "not-found":
    "the service does not know this path\nThe service answered 404. The account, team or key does not exist, or this API key cannot see it.\nCorrect the identifier in the roster. If the user, team or key was created a moment ago, plan again.",
  conflict:
    "the service has this already\nThe service answered 409 or a similar status. The user or team was created meanwhile, or a deleted user still has the address. The run uses what exists, if the roster needs exactly that.\nPlan again. A finding then names the conflict.",
  "service-error":
    "the service is busy or has an internal error\nThe service answered 5xx, or asked to retry later. roster waits as long as the service says, and tries reads again a few times. After a write, it reads the service to see the result.\nTry again later, or pass a lower `--parallelism`. If the error stays, contact the operator of the service.",
  unreachable:
    "the service cannot be reached\nThe name could not be resolved, the connection or its certificate failed, or the time was over.\nCheck the endpoint, the proxy and the certificates. `roster doctor` checks each of them.",
  misunderstood: `an answer has an unknown format\nThe service sent an answer that roster cannot read, such as a login page. roster never treats it as an empty list.\nCheck the endpoint. If the service uses its own format, describe it under \`service.shapes\` in the settings file. In CI, roster does not accept the setting \`service\` ${inCi}.`,
  stale:
    "what was planned or approved does not fit any more\nBefore a call, roster read again what the plan relies on, and it had changed. Or the saved plan has expired, was applied already or was made with other guards, or `--expect-plan` names another plan. Or a run with a higher `--sequence` applied a newer roster. Or a snapshot is too old. roster did not send what does not fit.\nPlan again, and read the plan before you approve it. Use the same settings for a plan and its apply.\n\nroster plan --out plan.json\nroster apply plan.json",
  redirected:
    "the service redirects to another address\nThe service answered with a redirect. roster never follows it: the API key goes only to the configured server.\nIf you trust the new address, set it as the endpoint.",
  aborted:
    "the run stopped before this call\nAn interrupt or the `--deadline` came first. roster finished the calls in progress and started no others. Earlier changes are recorded.\nRun the command again, or allow more time. The next run does what is left.",
  state:
    "the log or a report cannot be read or written\nThe file, server, database or bucket failed, or it holds something else. Or the log was changed after it was written. roster sends nothing without its log: it could repeat a change.\nFollow the message. `roster audit verify` checks the log.",
  locked:
    "another run holds the lock of the log\nOnly one run at a time may use the state. The message shows who holds the lock, and since when.\nWait, or pass `--lock-timeout`. If that run is dead, run `roster state unlock ID`, or pass `--break-stale-lock`.",
  guard:
    "guards refuse the plan\nOne or more guards refuse the whole plan. Each one shows the numbers and the users.\nIf the plan is wrong, correct the roster. If you have read the plan and want it as it is, pass the `--allow` codes that are printed. In a pipeline, set ROSTER_ALLOW and ROSTER_REASON instead.",
  "feed-shrinks":
    "the CSV file would remove too many people\nThe file has no people, or more than 10 % of the generated users, and more than 3, would lose access. The export may be cut off. roster wrote nothing.\nCheck the export. If it is right, pass the `--allow` code that is printed. The code allows the printed people, and nobody else.\n\nroster import --from people.csv --out people/hr.yaml --allow feed-shrinks#7f3a90c1d4e5",
  declined: "you did not approve the plan\nroster sent nothing.\nDo nothing.",
  "not-approved":
    "cannot ask for approval: no terminal\nroster applies nothing without approval, and it cannot ask here.\nRead the plan, then pass `--auto-approve`. Or apply a saved plan, which counts as approved.\n\nroster plan --out team.plan\nroster apply team.plan",
  unwritable:
    "a file or another target cannot be written\nThe message shows the target and the cause. roster writes no state over another state or another file. If it is a report, the command itself has finished.\nCheck the path, its permissions and the free space, or choose an empty target.",
  "port-in-use":
    "the reference server cannot use this port\nAnother program uses the port, or you have no permission for it.\nPass `--port 0` to use a free port.",
  "not-checked":
    "no worker checked this target for too long\nThe last good result is older than `defaults.maxAge` of the fleet file. Or no worker ever succeeded, or the last tries were cut off. What changed since then is not known.\nStart `roster fleet worker`, or find out why it does not reach the target: see `roster fleet status`.",
  internal:
    "roster has a bug\nSomething unexpected happened. Earlier changes are recorded.\nReport it with the command and the printed lines.",
};

const fileFaults: Texts = {
  "yaml-syntax":
    "this is not valid YAML\nA quote, a bracket, a colon or an indentation is missing or wrong. Or git left an unresolved merge conflict.\nCheck the line that the error shows, and the line before it.",
  "yaml-not-supported":
    "roster does not read this part of YAML\nA file is one document of YAML 1.2 without tags, anchors, aliases, merge keys and directives. They can hide what a file says.\nWrite the value in full. In a roster, `groups` share users and `roleSets` share roles.",
  "yaml-encoding":
    "the file is not plain UTF-8\nSome bytes are not valid UTF-8, or the file has an invisible character.\nSave the file as UTF-8 without the character.",
  "too-large":
    "a file or the roster is too large\nA file has too many bytes or entries. Or groups and teams multiply to too many members.\nSplit it into several files. If a roster has too many members, apply its parts one by one.",
  "bad-value":
    'a value is wrong\nThe value has the wrong type or form. The message shows what is allowed.\nCorrect the value. `roster init` prints the line that lets your editor check a roster.\n\nlastName: null      # wrong\nlastName: "null"    # right',
  "unknown-key":
    "a map has an unknown key\nroster ignores nothing, because a typing error would have no visible effect.\nCorrect the key. The message shows the most similar one.",
  "missing-key":
    "a key is missing\nThis map needs the key. Users and teams need an account, from the file or from the settings.\nAdd the key.",
  duplicate:
    "something is there twice\nA map has a key twice, or two things have the same name, address, key prefix or state. The message shows where the first one is.\nRemove one of the two, or rename it.",
  "unknown-name":
    "this name does not exist\nNo user, group, role set or knob has this name. Or `explain` or `state resolve` knows nothing of this name.\nCorrect the name, or define it. The message shows the most similar one. `roster explain codes` lists all codes.\n\nusers:\n  - email: ada@acme.example\n    firstName: Ada\n    lastName: Byron",
  "more-errors":
    "there are more errors or warnings than shown\nroster shows the first 1000 of a roster, and the first 100 of a file. The others often follow from them.\nCorrect these first.",
};

/** `unsafe-address` and `conflicting-roles` have the text of the finding: a plan reports them too. */
const rosterFaults: Texts = {
  "unsupported-version":
    "the file has another format version\nThis roster knows only `version: 1`.\nWrite `version: 1`, or use a newer roster.",
  "not-a-roster-file":
    "a file is not a roster file\nIt is empty, a saved plan, a seed or the file of another program. roster reads every YAML file of a directory.\nMove the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.",
  contradiction:
    "two entries contradict each other\nOnly one of them can be true. Examples: a user who is also a leaver, a role that ends before it begins.\nRemove or correct one of the two.",
  "leaver-in-use":
    "a leaver has a team, a group or a role\nA leaver has no roles and no teams.\nRemove the leaver there, or write `roles: []` for the key. If the user came back, remove the entry under `leavers`.",
  "not-a-member":
    "the admin or first member is not a member of the team\nThe service makes the admin and the first member of a team its members.\nAdd this user to `members`, or choose another one.",
  "other-account":
    "the admin or first member is in another account than the team\nThe service creates a team in the account of its first member, and its admin belongs to it too.\nChoose a user of the team's account.",
  "full-key":
    "the value is a whole access key\nThe text after the dot is the secret part of the key. roster does not show this line.\nWrite only the part before the dot. Replace the key in the service, because others could read it.",
  "section-not-allowed": `this file may not have this section\n\`sections\` in the settings defines which files may have which sections.\nMove the section to another file, or change the settings file. In CI, roster does not accept the setting \`sections\` ${inCi}.`,
  "until-reached":
    "an `until` date has come\nThe user is a leaver now, or the member or role no longer counts. roster plans to remove the roles. This is a warning.\nRemove or move the entries that the warnings name.",
  "unusual-address":
    "an address is unusual\nroster would not create a user with this address. Leavers, existing users, `previously` and `distinctFrom` may use it. This is a warning.\nCheck that the service shows exactly this address, or correct it.",
  "role-set-as-role":
    "`roles` names a role set like a role\nA plain name in `roles` is a role of the service. A role set is written as `{ set: NAME }`. This is a warning.\nWrite `{ set: NAME }` to use the role set, or rename the role set.",
};

const inputFaults: Texts = {
  usage:
    "the command line is wrong\nA command, a flag or an argument is unknown, missing, extra, or does not work with another one.\nCorrect what the message names. `roster help COMMAND` shows what there is.",
  "bad-flag-value": "a flag or variable has a wrong value\nThe message shows what is allowed.\nCorrect the value.",
  "missing-reason":
    '`--reason` is missing, or does not fit\n`--allow` needs a reason for privileged roles and for guards that refuse a plan. The reason is one line with a letter or a digit, of at most 200 characters.\nSay why you allow it. The log records it.\n\nroster apply --allow max-new-users#7f3a90c1d4e5 --reason "INC-42: payments are down"',
  "unknown-selector":
    "a selection matches nothing\n`--include` or `--exclude` has a typing error.\nCorrect it. The message shows similar names.",
  "nothing-to-change":
    "the state needs no other endpoint\nThe state has this endpoint already, or the next apply records it.\nDo nothing.",
  "other-service":
    "the state or the plan file belongs to another service\nroster would use facts of one service for the other.\nCheck the address of the service first. Another service needs a state and a plan of its own. Only if the same service has moved, run `roster state set-endpoint URL`.",
  "unreadable-file":
    "cannot read a file\nThe file does not exist, is not a regular file, is too large, or may not be read. roster looks for fleet.yaml in this directory, then above it, up to the root of the repository.\nCheck its path and permissions, or name another file.",
  "no-roster-files":
    "no roster file found\nThe paths have no *.yaml or *.yml file.\nPass another path, or start with `roster init`.",
  "file-exists":
    "the file exists already\nroster overwrites only a file of its own of the same kind. The message shows if it wrote other files before that.\nChoose another name.",
  "bad-file":
    "a file that roster wrote cannot be used\nA plan file, snapshot or summary is incomplete, edited, from a newer version, or of another kind. A plan file is an approval, so no byte may change.\nCreate it again, such as with `roster plan --out FILE` or `roster snapshot --out FILE`.",
  "state-changed-since-plan":
    "the state changed after the plan was saved\nOther runs have recorded changes. roster checks the facts of each action again before it runs. This is a warning.\nDo nothing, or plan again.",
  "bad-feed":
    'the CSV file cannot be used\nIt is damaged, a column is missing or not clear, or its people would break a rule of roster files. Nothing was written.\nCorrect the export, the columns in the settings, or the roster.\n\nfeed:\n  columns: { email: "Work email", title: "Business title" }',
  "missing-setting":
    "a setting is missing\nThis run needs the setting or variable that the message names. With CI set, a state must be named.\nSet it with the flag or the variable that the message names.\n\nexport ROSTER_STATE=s3://acme-roster/log?region=eu-central-1",
  "unknown-variable":
    "unknown ROSTER_ variable\nA typing error in the name would have no visible effect.\nCorrect or unset the variable. The message shows the most similar name.",
  "no-endpoint":
    "no service address is set\nroster needs `--endpoint`, ROSTER_ENDPOINT or `endpoint` in the settings.\nSet one of them. `roster demo` needs none.\n\nexport ROSTER_ENDPOINT=https://accounts.acme.example",
  "no-key":
    "there is no API key\nroster needs ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and there is no flag for it. Or the command or function for it gave none.\nSet one of them, or run the command by hand.\n\nexport ROSTER_API_KEY_FILE=/run/secrets/roster-key",
  "bad-key":
    "a key is set twice, or has a wrong format\nThe key is empty, or has a line break or another character that HTTP does not allow. roster does not show it. Or a variable and its file are both set.\nCheck where the key comes from.",
  untrusted:
    "a change to the checkout could decide this\nThe file, link or setting is in a checkout, or leads out of it. A pull request could redirect roster, relax a check or send a key elsewhere.\nName it by a flag or variable, or outside the checkout with ROSTER_CONFIG. If every change is reviewed before it runs, set ROSTER_TRUST_SETTINGS=1.",
  "bad-option":
    "an option of the library is unknown or wrong\nA program passed an option or a value that the function does not take. The message shows what it takes.\nCorrect the option in the program.",
  "unknown-commit":
    "`--changed-since` cannot be compared\ngit does not have the commit, or not the history between both. Pipelines often fetch one commit only.\nFetch the whole history, such as with `fetch-depth: 0`.",
};

/** How commands end. `cli/exit-code.ts` says which one counts where several hold. */
const exitCodes: Texts = {
  "0": "done, or nothing to do\nThe command did everything, or there was nothing to do. Notices may remain.\nDo nothing.",
  "1": "failed\nFor example, roster could not read the service or write a result.\nRead the error, correct the cause, and run the command again.",
  "2": "there are changes to apply\nThe service differs from the roster, and roster can correct it. `plan --detailed-exitcode` and `drift` use this code.\nReview the plan, then apply it.",
  "3": "the input is missing or invalid (see the error)\nA file, a variable or a flag is missing or has an error. roster sent nothing.\nCorrect what the errors name. Each error shows where and how.",
  "4": "the service refused the API key or its permission\nThe service answered 401 or 403. Changes made before that are recorded.\nUse a key with the permission, and run the command again.",
  "5": "refused by a guard, or not approved\nA guard refused the plan, or nobody approved it. Or the service may have lost its data. roster sent nothing.\nRead the reason. Correct the roster, allow this plan, or approve it.",
  "6": "stale\nThe saved plan no longer fits, has expired, or was applied already. Or a newer roster was applied.\nPlan again.",
  "7": "some calls did not succeed, or have an unknown outcome\nA call failed, was skipped, or has an unknown outcome. Or its facts changed after the plan. The run names each such call.\nRun `roster apply` again. It does only what is left.",
  "8": "the log is locked\nAnother run holds the lock of the log. roster sent nothing.\nWait for that run, or pass `--lock-timeout 5m`.",
  "9": "tasks are left for a person\nroster has nothing else to change. Something in the roster is not in place, or a user has access that the roster does not give.\nDo the tasks that the output lists.",
  "129": "the terminal was closed\nroster finished the calls in progress and saved the log.\nRun the command again.",
  "130":
    "interrupted\nYou pressed Ctrl-C. roster finished the calls in progress, started no others, and saved the log.\nRun the command again.",
  "143":
    "terminated\nroster received SIGTERM. It finished the calls in progress, started no others, and saved the log.\nRun the command again.",
};

/** The classes by which `roster drift` groups what differs: it shows the first two lines of each. */
const driftClassTexts: Texts = {
  tampered:
    "changed by others\nAnother person or program changed these after roster last wrote or read them.\nRun `roster drift --repair tampered` to undo it, or write the new value into the roster.",
  unapplied:
    "not applied\nIn the roster, but never applied. `roster apply` makes these changes.\nRun `roster apply`, or `roster drift --repair unapplied`. Each new member of a team counts as one difference.",
  blocked: "tasks\nA person has to do or decide this.\nRead the finding. `roster explain CODE` says what to do.",
  pending:
    "pending\nWaiting for a person, or in progress.\nWait and run the command again. The finding says what to do if it stays.",
  unmanaged:
    "unmanaged\nIn the service, but not in the roster. If they belong here, add them to the roster. If not, remove them in the web interface of the service.\nIf this is right, do nothing.",
  information: "notices\nThese do not block anything.\nDo nothing.",
};

type CodeKind = "finding" | "guard" | "problem" | "diagnostic" | "drift-class" | "exit-code";

type Ends = (row: CodeRow, code: string) => readonly number[];

const endOf: Readonly<Record<FindingKind, number>> = { notice: 0, task: 9 };
const endsOfKind = ({ kind = "notice", orElse = kind }: CodeRow) =>
  [...new Set([endOf[kind], endOf[orElse]])].sort((a, b) => a - b);

const tables: readonly (readonly [CodeKind, about: string, Readonly<Record<string, CodeRow | string>>, Ends])[] = [
  ["finding", "a finding of a plan", findings, endsOfKind],
  ["guard", "a guard", guards, (_, code) => [isStop(code) ? 5 : 9]],
  ["problem", "why a call or a command failed", problems, () => [1, 7]],
  ["diagnostic", "a YAML file or a setting", fileFaults, () => [3]],
  ["diagnostic", "a roster", rosterFaults, () => [3]],
  ["diagnostic", "flags, settings and files", inputFaults, () => [3]],
  ["drift-class", "a class of drift", driftClassTexts, () => []],
  ["exit-code", "how a command ends", exitCodes, (_, code) => [Number(code)]],
];

export function catalogue(of?: string) {
  return tables.flatMap(([kind, about, rows, usualEnds]) => {
    return Object.entries(rows).flatMap(([code, text]) => {
      if (code !== (of ?? code) || (kind === "finding" && isHold(code))) return [];
      const one = typeof text === "string" ? row(text) : text;
      const [ends] = Object.entries(otherEnds).find(([, codes]) => codes.includes(code)) ?? [];
      const exitCodes = ends?.split(" ").map(Number) ?? usualEnds(one, code);
      return { code, kind, about, title: one.title, ...explainRow(one), exitCodes };
    });
  });
}

export function formatExitCode(code: number): string {
  return row(exitCodes[code] ?? "failed").title;
}

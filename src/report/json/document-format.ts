import type { PlanFile } from "../../codec/plan-file-format.ts";
import type { ActionOutcome } from "../../log/summary.ts";
import { acceptEntry } from "../../model/accept.ts";
import { type Action, type ActionId, action } from "../../model/action.ts";
import {
  anyOf,
  boolean,
  count,
  described,
  extended,
  inPlace,
  integer,
  list,
  literal,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  partly,
  type Static,
  string,
  together,
  typed,
  verbatim,
  writtenFrom,
} from "../../model/declare.ts";
import { byDriftClass, closedTask, coverage, driftItem, openTask } from "../../model/drift.ts";
import * as event from "../../model/event.ts";
import { because, place } from "../../model/fact.ts";
import { finding } from "../../model/finding.ts";
import { type InSync, planFields, rosterCounts } from "../../model/plan.ts";
import * as recorded from "../../model/recorded.ts";
import type { Problem } from "../../model/result.ts";
import { type ReadSummary, userList } from "../../model/snapshot.ts";
import { logHead as head } from "../../model/state.ts";
import { basis } from "../../model/subject.ts";
import {
  countPrivilegedGains,
  countTasks,
  type DriftReport,
  remainingDrift,
  reportedItems,
} from "../document/drift.ts";
import type { ExplainedTarget, Explanation } from "../explain/explain.ts";

const text = string();
const iso = string("ISO 8601.");
export const formatVersion = string({
  pattern: "^1\\.[0-9]+$",
  description: "Major and minor version of this format.",
});

export const logHead = inPlace(described(head, "A place in a log."));
export const source = anyOf(
  object({ kind: oneOf("flag", "variable"), name: string("Of the flag or the variable.") }),
  object("The settings file.", { kind: literal("settings"), place }),
);
export const explainedCode = object("What a code means.", {
  code: string("The code, such as `unproven-absence`; of an exit code, its number."),
  kind: oneOf("finding", "guard", "problem", "diagnostic", "drift-class", "exit-code"),
  about: string("The kind, for people."),
  title: text,
  means: string("What it means, and why it happens."),
  next: string("What a person can do."),
  example: optional(string("YAML or commands to paste.")),
  exitCodes: list(integer(), "With which exit codes a command ends for it, where nothing else decides."),
});
export const statement = object("One sentence, and how it is known.", {
  says: text,
  place: optional(place),
  because: optional(because),
  by: optional(string("The read that showed it.")),
  at: optional(string("When it was recorded, ISO 8601.")),
});
export const oneRead = object("One read of a run, which may have taken several requests.", {
  read: string("Its name, as `by` names it, such as `search 1`."),
  at: string("When it began, ISO 8601."),
  request: string("The request, and how many items it requested."),
});
const readsOf = (readings: ReadSummary["readings"]) => [...readings].map(([read, record]) => ({ read, ...record }));

const inSync = writtenFrom(
  object({ says: text, because, restsOn: list(basis, "How it is known.") }),
  ({ says, because, basis }: InSync) => ({ says, because, restsOn: basis === undefined ? [] : [basis] }),
);
export const explainedThing = writtenFrom(
  object("The whole story of one thing.", {
    is: oneOf("user", "team", "key", "role", "action", "finding"),
    name: string("As a person would name it."),
    from: described(oneOf("service", "saved-plan"), "Whether the service was read for it, or a saved plan alone."),
    planId: string("The plan of which the actions and findings are."),
    refused: optional(string("Why guards refuse that plan as a whole; absent where they do not.")),
    roster: list(statement, "What the roster says of it."),
    service: list(statement, "What the service shows of it."),
    state: list(statement, "What the state records of it."),
    actions: list(
      extended({ neededBy: list(string("An action's id."), "Actions of the plan that wait for it.") }, action),
      "The actions of the plan that are about it.",
    ),
    findings: list(finding, "The findings of the plan that are about it."),
    inSync: list(inSync, "What the roster asks for and is so already, so that nothing is done."),
    unasked: list(statement, "What exists in the service but not in the roster."),
    reads: list(oneRead, "The reads by which facts are known."),
  }),
  ({ plan, actions, readings, ...thing }: ExplainedTarget) => ({
    ...thing,
    planId: plan.id,
    actions: actions.map(({ action, neededBy }): Action & { readonly neededBy: readonly ActionId[] } => {
      return { ...action, neededBy };
    }),
    reads: readsOf(readings),
  }),
);
export const failure = inPlace(recorded.failure);
export const error = typed<Problem>(
  extended(
    {
      allow: optional(
        list(
          text,
          "Present where the plan is refused and can be allowed: the codes for `--allow`, as in `max-new-users#7f3a90c1d4e5`.",
        ),
      ),
    },
    failure,
  ),
);
export const learned = inPlace(event.learned);

export const outcomeCounts = object("Actions by outcome.", {
  succeeded: count(),
  unneeded: count(),
  failed: count(),
  unknown: count(),
  skipped: count(),
  stale: count(),
});
type EndedAction = ActionOutcome & { readonly action: ActionId; readonly retries?: number | undefined };
export const outcome = writtenFrom(
  typed<object>(
    extended(
      {
        action: string("The action's id."),
        retries: optional(
          integer({ minimum: 1, description: "How often its call was sent again. Absent where it was sent once." }),
        ),
      },
      anyOf(
        object("It was done.", { outcome: oneOf("succeeded"), learned }),
        object("It had no effect, or its outcome is not known.", { outcome: oneOf("failed", "unknown"), failure }),
        object("It was not sent.", {
          outcome: oneOf("skipped", "stale", "unneeded"),
          why: text,
          cause: optional(string("The id of the action whose end is the cause.")),
        }),
      ),
    ),
  ),
  ({ is, ...ended }: EndedAction) => ({ ...ended, outcome: is }),
);
export const convergence = inPlace(event.convergence);
export const run = object("The result of an apply.", {
  run: string("The run's identifier."),
  startedAt: iso,
  outcomes: list(outcome, "In the order in which the actions ended."),
  counts: outcomeCounts,
  keys: list(
    object({
      email: string("The person's address as it is written."),
      address: string("The person's folded address."),
      team: optional(string("The team whose key it is; absent for the user's own key.")),
      teamName: optional(text),
      prefix: text,
    }),
    "Key prefixes that the run learned.",
  ),
  findings: list(finding, "Findings that only the run could make."),
  verified: optional(
    object("What was touched, read again.", {
      at: iso,
      result: convergence,
      remarks: list(text, "What does not show as asked yet, one sentence each."),
    }),
  ),
  retry: optional(
    list(
      text,
      "Present where the service refused calls for good: the codes for `--allow` that send them again, as in `refused:bo@acme.example#7f3a90c1d4e5`.",
    ),
  ),
  ended: optional(
    object({
      at: iso,
      how: oneOf("completed", "stopped", "interrupted"),
      why: optional(string("Why it did not complete.")),
    }),
  ),
});
export const capabilities = inPlace(recorded.capabilities);
export const diagnostic = object("Something wrong with a roster file, the settings or the command line.", {
  code: string("Stable name of the fault, such as `unknown-key`."),
  severity: described(oneOf("error", "warning"), "Errors end the command; warnings do not."),
  message: string("What is wrong and why."),
  hint: optional(string("What to do next.")),
  place: optional(place),
  excerpt: optional(
    object("The source line at the place.", { line: text, length: count("How many columns the fault covers.") }),
  ),
});

export const tasks = object("What is left for a person. Accepted items are not in it.", {
  open: count("All of them."),
  new: count("No recorded run has seen them before."),
  closed: count("Recorded before, and proven to be gone."),
  items: list(openTask, "The oldest comes first."),
  closedItems: list(closedTask, "Proven to be gone since the last recorded run."),
});
/** What a document says of a drift, but for its items. */
export const driftFields = {
  classes: object(
    "How many of `items` are of each class.",
    byDriftClass(() => count()),
  ),
  coverage,
  onlyNew: boolean(
    "Whether `items`, `changes`, `blocking` and the exit code are about what is new alone (`--only-new`).",
  ),
  changes: count("Changes that apply can make and that are not accepted. With changes, the exit code is 2."),
  blocking: count(
    "Tasks, and keys with a privileged role that the roster does not give. Without accepted ones. With problems and no changes, the exit code is 9.",
  ),
  privilegedGains: count("How many keys have a privileged role that the roster does not give, without accepted ones."),
  tasks,
  unusedAccepts: list(
    acceptEntry,
    "Entries under `accept` in the roster that fit nothing. Empty where not everything was looked at.",
  ),
  recorded: boolean("Whether the state remembers what was seen."),
  notRecordedBecause: optional(string("Why it does not, although it was to.")),
};
export const drift = writtenFrom(
  object(
    "How the service and the roster differ, why and since when (`drift`). Absent in other documents. `actions` and `findings` are those of the plan. With `--repair` the actions are those that were run, and `items` is what is left.",
    {
      ...driftFields,
      items: list(
        driftItem,
        "One for each finding, each action, and each person of an addition of members. Privileged gains come first.",
      ),
    },
  ),
  writtenDrift,
);

export function writtenDrift(report: DriftReport) {
  const { drift, shows, record, tasks } = report;
  const items = reportedItems(report);
  return {
    classes: byDriftClass((name) => items.filter((item) => item.class === name).length),
    coverage: drift.coverage,
    onlyNew: shows === "what-is-new",
    ...remainingDrift(report),
    privilegedGains: countPrivilegedGains(report),
    tasks: { ...countTasks(tasks), items: tasks.open, closedItems: tasks.closed },
    items,
    unusedAccepts: drift.unusedAccepts,
    recorded: record.is === "recorded" || record.is === "known",
    notRecordedBecause: record.is === "not-recorded" ? record.why : undefined,
  };
}

const address = string("Where the log is, without credentials.");
export type StateReport = Static<typeof stateParts>;
const stateParts = anyOf(
  object("Who holds the lock, or held it until `unlock` broke it. `look-at-lock`: `unlock` without an ID.", {
    did: oneOf("look-at-lock", "unlock"),
    address,
    holder: nullable(
      object("Null if the lock is free.", {
        id: string("What `state unlock` takes."),
        who: optional(string("Such as `ada@build-7`.")),
        operation: optional(string("Such as `apply`.")),
        since: optional(string("ISO 8601, when the lock was taken.")),
        silentFor: optional(integer("Milliseconds since the holder gave a sign of life.")),
        fence: optional(integer("Counts the holders of this lock.")),
      }),
    ),
  }),
  object("`resolve` without an ID.", {
    did: literal("list-calls"),
    address,
    calls: list(
      object({
        id: string("What `state resolve` takes."),
        run: string("The run that announced the call."),
        action: string("The id of its action in the plan of that run."),
        at: string("ISO 8601, when it was announced or its answer was given up."),
        accepted: boolean("Whether the service took it for later."),
        kind: oneOf("create-user", "add-members", "replace-roles"),
        people: list(text, "Their addresses."),
        call: string("What was asked, in words."),
        why: string("Why reading could not show the outcome, as a sentence without a stop."),
      }),
      "The calls whose outcome is not known, oldest first.",
    ),
  }),
  object({
    did: literal("resolve"),
    address,
    id: string("The call that was resolved."),
    call: string("What of it is resolved, in words."),
    outcome: described(oneOf("done", "not-done"), "What was said of it."),
    stillOpenFor: list(text, "The addresses of people for which the call stays open."),
    left: integer("How many calls stay open, this one included if it does."),
  }),
  object({
    did: literal("copy"),
    from: string("Where the log was."),
    to: string("Where it goes on."),
    lineage: string("Names the log apart from every other."),
    open: integer("How many calls have an outcome that is not known."),
    kept: optional(described(literal(true), "`copy --keep`: nothing was copied; the log at the new place goes on.")),
  }),
  object({
    did: literal("set-endpoint"),
    address,
    from: string("Where the service was."),
    to: string("Where the service is."),
  }),
  object({
    did: literal("prune"),
    address,
    before: string("All events that went are from before this time, ISO 8601."),
    export: string("The file that has them."),
    first: integer("The position of the first event that went."),
    head: described(logHead, "The last event that went."),
    forgotten: integer("How many users remain as digests alone."),
  }),
  object("What is known again.", {
    did: literal("rebuild"),
    address,
    people: integer(),
    teams: integer("How many teams, with their identifiers."),
    memberships: integer(),
    prefixes: integer("How many prefixes of keys were learned."),
    missing: list(text, "People of the roster that the service does not show."),
    unlearned: list(text, "What could not be learned, one sentence each."),
  }),
);

export type AuditVerified = Static<typeof auditVerified>;
const auditVerified = object("The result of `audit verify`.", {
  did: literal("verify"),
  address,
  head: described(logHead, "The end of the log."),
  checkpoint: optional(integer("`--full`: the position of the checkpoint that was compared.")),
  pruned: optional(extended({ before: string("All of them are from before this time, ISO 8601.") }, logHead)),
  known: optional(described(logHead, "`--head`: the earlier head.")),
});

const auditChange = object({
  position: integer("The position of the event in the log."),
  at: string("When it was recorded, ISO 8601."),
  run: string("The run that wrote the event."),
  did: described(
    oneOf(
      "create-user",
      "add-member",
      "replace-roles",
      "key-learned",
      "moved-to",
      "endpoint-changed",
      "pruned",
      "allowance-used",
    ),
    "The kind of call. `allowance-used`: a code of `--allow` let something pass. `key-learned`: a read showed a prefix. `moved-to`: the log goes on elsewhere. `endpoint-changed`: the service has another address. `pruned`: older events were exported.",
  ),
  outcome: optional(
    described(
      oneOf("done", "failed", "there-before", "unknown"),
      "`there-before`: the user existed already. `unknown`: a later read decides.",
    ),
  ),
  person: optional(string("The e-mail address, folded.")),
  team: optional(string("The name of the team.")),
  prefix: optional(string("The prefix of the key.")),
  rolesBefore: optional(list(text, "The roles that were observed before the call.")),
  rolesAfter: optional(list(text, "The roles after the call, as shown by the service or as sent.")),
  code: optional(string("The code of `--allow`.")),
  covers: optional(list(text, "What the code covers: its subject, then the calls or values.")),
});

export type DoctorReport = Static<typeof examination>;
const examination = object("What `doctor` asked of the service, what came back, and what it means.", {
  service: nullable(string("The base address of the service; null where none could be asked.")),
  settings: list(
    object({
      name: string("As in the settings file, or a name of its own for what only flags and variables say."),
      value: string("As it is written; `set` where it is a secret."),
      from: source,
    }),
    "The settings that are set. Nothing of them is a secret.",
  ),
  checks: list(
    object({
      check: string("Stable name of the question, such as `base-address`."),
      mark: described(
        oneOf("ok", "notice", "problem"),
        "`problem`: no plan can be made so. `notice`: a plan knows or may do less.",
      ),
      asked: text,
      came: string("What came back."),
      means: optional(string("What it means for a plan, and what to do; left out where it is fine.")),
    }),
    "One for each question, in the order in which they were asked.",
  ),
  capabilities: nullable(described(capabilities, "As in `reading`; null where no user could be read.")),
});

export interface PlanFileReport {
  /** As a person would name it from here; `-` is standard input. */
  readonly path: string;
  readonly file: Pick<PlanFile, "file" | "madeAt" | "madeBy" | "expiresAt" | "basis" | "policy" | "lessons">;
  /** SHA-256 of its bytes, in hexadecimal: no fact in it differs where this is the same. */
  readonly digest: string;
  readonly is: "written" | "shown" | "shown-expired" | "applied";
}

/** What a command shows besides a plan, a run and a drift. Each is a line of `--format ndjson` too. */
export const otherParts = {
  roster: described(rosterCounts, "The roster in numbers, where it is valid."),
  reading: writtenFrom(
    object("How the service was read.", {
      service: string("The base address of the service."),
      readAt: string("When the oldest read began, ISO 8601."),
      reads: optional(list(oneRead, "When each read began and what it asked; absent of a saved plan.")),
      everyone: inPlace(userList),
      capabilities,
    }),
    ({ readings, ...reading }: ReadSummary) => ({
      ...reading,
      reads: readings.size === 0 ? undefined : readsOf(readings),
    }),
  ),
  fromSnapshot: object(
    "The plan was made of a snapshot file (`plan --from FILE`): a preview, which is never applied. Absent where the service was read.",
    { madeAt: string("ISO 8601, when the file was made; `reading.read_at` says when the service was read.") },
  ),
  planFile: writtenFrom(
    object("The plan file that was written (`plan --out`), shown or applied.", {
      path: string("The file, as it was named; `-` is standard input."),
      file: string("Its id, by which the state remembers that it was applied."),
      digest: string("SHA-256 of the bytes of the file, in hexadecimal."),
      madeAt: iso,
      madeBy: string("The version of roster that made it."),
      expiresAt: string("From when on it is not applied any more, ISO 8601."),
      rosterDigest: string("Digest of the roster that it was made for."),
      state: nullable(
        object("The place in the log at which it was made; null where there was no log yet.", {
          lineage: string("Names the log apart from every other."),
          serial: integer("The position of the last event."),
        }),
      ),
      readAt: string("When the oldest read of its plan began, ISO 8601."),
      words: list(text, "What a person has said for this plan alone, as flags."),
    }),
    ({ path, digest, file: { basis, policy, ...file } }: PlanFileReport) => ({
      path,
      digest,
      ...file,
      rosterDigest: basis.roster.digest,
      state: basis.state,
      readAt: basis.readAt,
      words: policy.words,
    }),
  ),
  examination,
  state: described(
    stateParts,
    "The result of a subcommand of `state`. Absent for other commands, for `state show`, and without a result.",
  ),
  audit: anyOf(
    auditVerified,
    object("The result of `audit`.", {
      did: literal("show"),
      address,
      changes: typed<readonly object[]>(verbatim(list(auditChange))),
    }),
  ),
  explanation: writtenFrom(
    object("What `explain` prints.", {
      codes: list(
        explainedCode,
        "What was asked about, where it is a code: one entry for each kind of thing that has it. For `codes`, every code.",
      ),
      things: list(
        explainedThing,
        "What was asked about, where it is a thing; several where a name is that of several teams.",
      ),
    }),
    (explanation: Explanation) =>
      explanation.of === "codes" ? { codes: explanation.codes, things: [] } : { codes: [], things: explanation.things },
  ),
  fleet: typed<object>(
    verbatim(
      object("What `fleet` found out about its targets. `fleet-summary.schema.json` describes that of a run.", {
        did: described(
          oneOf("validated", "plan", "drift", "apply"),
          "Whether the targets were checked, or what each of them ran.",
        ),
        file: string("The fleet file."),
        targets: list(object({}), "The targets, in order."),
      }),
    ),
  ),
};
export type OtherParts = ObjectOf<ReturnType<typeof partly<typeof otherParts>>>;

export const planDocument = together(
  object({
    formatVersion,
    command: string(
      "The command that made the document: `validate`, `plan`, `show`, `apply`, `drift`, `doctor`, `state`, `audit`, `explain` or `fleet`.",
    ),
    ...partly(planFields),
    ...partly(otherParts),
    run: optional(run),
    drift: optional(drift),
    logHead: optional(described(logHead, "Where the log ends, if the command added events to it.")),
    diagnostics: list(diagnostic, "What is wrong with the roster, the settings or the command line; warnings too."),
    error: nullable(described(error, "What ended the command before its work was done, or null.")),
    exitCode: count(),
  }),
  planFields,
);

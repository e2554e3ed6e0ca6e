import type { PlanFile } from "../../codec/plan-file-format.ts";
import { partly, together } from "../../codec/publish.ts";
import { lockHolder } from "../../log/port.ts";
import type { ActionOutcome } from "../../log/summary.ts";
import { capabilities as serviceCapabilities } from "../../model/capabilities.ts";
import * as t from "../../model/declare.ts";
import * as event from "../../model/event.ts";
import { because, place } from "../../model/fact.ts";
import { failure as callFailure, diagnostic, type Problem } from "../../model/failure.ts";
import { acceptEntry, finding } from "../../model/finding.ts";
import * as plans from "../../model/plan.ts";
import { type ReadSummary, userList } from "../../model/snapshot.ts";
import { logHead as head } from "../../model/state.ts";
import type { ExplainedAction } from "../document/actions.ts";
import { countDrift, countTasks, type DriftReport, reportedItems } from "../document/drift.ts";

const text = t.string();
const iso = t.string("ISO 8601.");
export const formatVersion = t.string({
  pattern: "^1\\.[0-9]+$",
  description: "Major and minor version of this format.",
});

export const logHead = t.inPlace(t.described(head, "A place in a log."));
export const source = t.anyOf(
  t.object({ kind: t.oneOf("flag", "variable"), name: t.string("Of the flag or the variable.") }),
  t.object("The settings file.", { kind: t.literal("settings"), place }),
);
const texts = (description: string) => t.list(text, description);
const codesToAllow = texts(
  "Codes for `--allow`, as in `max-new-users#7f3a90c1d4e5`. Absent if nothing can be allowed.",
);

export type CatalogueEntry = t.Static<typeof explainedCode>;
export const explainedCode = t.object("What a code means.", {
  code: t.string("The code, such as `unproven-absence`; of an exit code, its number."),
  kind: t.oneOf("finding", "guard", "problem", "diagnostic", "drift-class", "exit-code"),
  about: t.string("The kind, for people."),
  title: text,
  means: t.string("What it means, and why it happens."),
  next: t.string("What a person can do."),
  example: t.optional(t.string("YAML or commands to paste.")),
  exitCodes: t.list(t.integer(), "With which exit codes a command ends for it, where nothing else decides."),
});
export type Statement = t.Static<typeof statement>;
export const statement = t.object("One sentence, and how it is known.", {
  says: text,
  place: t.optional(place),
  because: t.optional(because),
  by: t.optional(t.string("The read that showed it.")),
  at: t.optional(t.string("When it was recorded, ISO 8601.")),
});
export const oneRead = t.object("One read of a run, which may have taken several requests.", {
  read: t.string("Its name, as `by` names it, such as `search 1`."),
  at: t.string("When it began, ISO 8601."),
  request: t.string("The request, and how many items it requested."),
});
const readsOf = (readings: ReadSummary["readings"]) => [...readings].map(([read, record]) => ({ read, ...record }));

const story = t.object("The whole story of one thing.", {
  is: t.oneOf("user", "team", "key", "role", "action", "finding"),
  name: t.string("As a person would name it."),
  from: t.described(t.oneOf("service", "saved-plan"), "Whether the service was read for it, or a saved plan alone."),
  planId: t.string("The plan of which the actions and findings are."),
  refused: t.optional(t.string("Why guards refuse that plan as a whole; absent where they do not.")),
  roster: t.list(statement, "What the roster says of it."),
  service: t.list(statement, "What the service shows of it."),
  state: t.list(statement, "What the state records of it."),
  actions: t.list(
    t.extended({ neededBy: texts("The ids of actions of the plan that wait for it.") }, plans.action),
    "The actions of the plan that are about it.",
  ),
  findings: t.list(finding, "The findings of the plan that are about it."),
  inSync: t.list(plans.inSync, "What the roster asks for and is so already, so that nothing is done."),
  unasked: t.list(statement, "What exists in the service but not in the roster."),
  reads: t.list(oneRead, "The reads by which facts are known."),
});
export interface ExplainedTarget extends Omit<t.Static<typeof story>, "planId" | "actions" | "reads"> {
  readonly plan: plans.Plan;
  readonly actions: readonly ExplainedAction[];
  readonly readings: ReadSummary["readings"];
}
export const explainedThing = t.converted(story, ({ plan, actions, readings, ...thing }: ExplainedTarget) => ({
  ...thing,
  planId: plan.id,
  actions: actions.map(({ action, neededBy }) => ({ ...action, neededBy })),
  reads: readsOf(readings),
}));
export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };
export const failure = t.inPlace(callFailure);
export const error = t.typed<Problem>(t.extended({ allow: t.optional(codesToAllow) }, failure));
export const learned = t.inPlace(event.learned);

export const outcomeCounts = t.object("Actions by outcome.", {
  succeeded: t.count(),
  unneeded: t.count(),
  failed: t.count(),
  unknown: t.count(),
  skipped: t.count(),
  stale: t.count(),
});
type EndedAction = ActionOutcome & { readonly action: plans.ActionId; readonly retries?: number | undefined };
const howEnded = t.anyOf(
  t.object("It was done.", { outcome: t.oneOf("succeeded"), learned }),
  t.object("It had no effect, or its outcome is not known.", { outcome: t.oneOf("failed", "unknown"), failure }),
  t.object("It was not sent.", {
    outcome: t.oneOf("skipped", "stale", "unneeded"),
    why: text,
    cause: t.optional(t.string("The id of the action whose end is the cause.")),
  }),
);
const retries = t.integer({
  minimum: 1,
  description: "How often its call was sent again. Absent where it was sent once.",
});
export const outcome = t.converted(
  t.typed<object>(t.extended({ action: t.string("The action's id."), retries: t.optional(retries) }, howEnded)),
  ({ is, ...ended }: EndedAction) => ({ ...ended, outcome: is }),
);
export const convergence = t.inPlace(event.convergence);
export const run = t.object("The result of an apply.", {
  run: t.string("The run's identifier."),
  startedAt: iso,
  outcomes: t.list(outcome, "In the order in which the actions ended."),
  counts: outcomeCounts,
  keys: t.list(
    t.object({
      email: t.string("The person's address as it is written."),
      address: t.string("The person's folded address."),
      team: t.optional(t.string("The team whose key it is; absent for the user's own key.")),
      teamName: t.optional(text),
      prefix: text,
    }),
    "Key prefixes that the run learned.",
  ),
  findings: t.list(finding, "Findings that only the run could make."),
  verified: t.optional(
    t.object("What was touched, read again.", {
      at: iso,
      result: convergence,
      remarks: texts("What does not show as asked yet, one sentence each."),
    }),
  ),
  retry: t.optional(codesToAllow, "Codes for `--allow` that send refused calls again. Absent if no call was refused."),
  ended: t.optional(
    t.object({
      at: iso,
      how: t.oneOf("completed", "stopped", "interrupted"),
      why: t.optional(t.string("Why it did not complete.")),
    }),
  ),
});
export const capabilities = t.inPlace(serviceCapabilities);

export const tasks = t.object("What is left for a person. Accepted items are not in it.", {
  open: t.count("All of them."),
  new: t.count("No recorded run has seen them before."),
  closed: t.count("Recorded before, and proven to be gone."),
  items: t.list(plans.openTask, "The oldest comes first."),
  closedItems: t.list(plans.closedTask, "Proven to be gone since the last recorded run."),
});
const classes = plans.byDriftClass(() => t.count());
export const driftFields = {
  classes: t.object("How many of `items` are of each class.", classes),
  coverage: plans.coverage,
  onlyNew: t.boolean("Whether `items`, the counts and the exit code are about what is new alone (`--only-new`)."),
  changes: t.count("Changes that apply can make, without accepted ones. With changes, the exit code is 2."),
  blocking: t.count("Tasks and `privilegedGains`, without accepted ones. With these alone, the exit code is 9."),
  privilegedGains: t.count("Keys with a privileged role that the roster does not give, without accepted ones."),
  tasks,
  unusedAccepts: t.list(acceptEntry, "Entries under `accept` that fit nothing. Empty if only a part was compared."),
  recorded: t.boolean("Whether the state remembers what was seen."),
  notRecordedBecause: t.optional(t.string("Why it does not, although it was to.")),
};
const driftDescription =
  "How the service and the roster differ, why and since when (`drift`). Absent in other documents. `actions` and `findings` are those of the plan. With `--repair` the actions are those that were run, and `items` is what is left.";
const items = t.list(
  plans.driftItem,
  "One for each finding, action and person of an addition. Privileged gains first.",
);
export const drift = t.converted(t.object(driftDescription, { ...driftFields, items }), writtenDrift);

export function writtenDrift(report: DriftReport) {
  const { drift, shows, record, tasks } = report;
  const items = reportedItems(report);
  return {
    classes: plans.byDriftClass((name) => items.filter((item) => item.class === name).length),
    coverage: drift.coverage,
    onlyNew: shows === "what-is-new",
    ...countDrift(report),
    tasks: { ...countTasks(tasks), items: tasks.open, closedItems: tasks.closed },
    items,
    unusedAccepts: drift.unusedAccepts,
    recorded: record.is === "recorded" || record.is === "known",
    notRecordedBecause: record.is === "not-recorded" ? record.why : undefined,
  };
}

const address = t.string("Where the log is, without credentials.");
export type StateReport = t.Static<typeof stateParts>;
const stateParts = t.anyOf(
  t.object("Who holds the lock, or held it until `unlock` broke it. `look-at-lock`: `unlock` without an ID.", {
    did: t.oneOf("look-at-lock", "unlock"),
    address,
    holder: t.nullable(t.described(lockHolder, "Null if the lock is free.")),
  }),
  t.object("`resolve` without an ID.", {
    did: t.literal("list-calls"),
    address,
    calls: t.list(
      t.object({
        id: t.string("What `state resolve` takes."),
        run: t.string("The run that announced the call."),
        action: t.string("The id of its action in the plan of that run."),
        at: t.string("ISO 8601, when it was announced or its answer was given up."),
        accepted: t.boolean("Whether the service took it for later."),
        kind: t.oneOf("create-user", "add-members", "replace-roles"),
        people: texts("Their addresses."),
        call: t.string("What was asked, in words."),
        why: t.string("Why reading could not show the outcome, as a sentence without a stop."),
      }),
      "The calls whose outcome is not known, oldest first.",
    ),
  }),
  t.object({
    did: t.literal("resolve"),
    address,
    id: t.string("The call that was resolved."),
    call: t.string("What of it is resolved, in words."),
    outcome: t.described(t.oneOf("done", "not-done"), "What was said of it."),
    stillOpenFor: texts("The addresses of people for which the call stays open."),
    left: t.integer("How many calls stay open, this one included if it does."),
  }),
  t.object({
    did: t.literal("copy"),
    from: t.string("Where the log was."),
    to: t.string("Where it goes on."),
    lineage: t.string("Names the log apart from every other."),
    open: t.integer("How many calls have an outcome that is not known."),
    kept: t.optional(t.literal(true), "`copy --keep`: nothing was copied; the new log goes on."),
  }),
  t.object({
    did: t.literal("set-endpoint"),
    address,
    from: t.string("Where the service was."),
    to: t.string("Where the service is."),
  }),
  t.object({
    did: t.literal("prune"),
    address,
    before: t.string("All events that went are from before this time, ISO 8601."),
    export: t.string("The file that has them."),
    first: t.integer("The position of the first event that went."),
    head: t.described(logHead, "The last event that went."),
    forgotten: t.integer("How many users remain as digests alone."),
  }),
  t.object("What is known again.", {
    did: t.literal("rebuild"),
    address,
    people: t.integer(),
    teams: t.integer("How many teams, with their identifiers."),
    memberships: t.integer(),
    prefixes: t.integer("How many prefixes of keys were learned."),
    missing: texts("People of the roster that the service does not show."),
    unlearned: texts("What could not be learned, one sentence each."),
  }),
);

export type AuditVerified = t.Static<typeof auditVerified>;
const auditVerified = t.object("The result of `audit verify`.", {
  did: t.literal("verify"),
  address,
  head: t.described(logHead, "The end of the log."),
  checkpoint: t.optional(t.integer("`--full`: the position of the checkpoint that was compared.")),
  pruned: t.optional(t.extended({ before: t.string("All of them are from before this time, ISO 8601.") }, logHead)),
  known: t.optional(logHead, "`--head`: the earlier head."),
});

const auditedCalls = ["create-user", "add-member", "replace-roles"] as const;
const outcomes = t.oneOf("done", "failed", "there-before", "unknown");
const auditChange = t.object({
  position: t.integer("The position of the event in the log."),
  at: t.string("When it was recorded, ISO 8601."),
  run: t.string("The run that wrote the event."),
  did: t.described(
    t.oneOf(...auditedCalls, "key-learned", "moved-to", "endpoint-changed", "pruned", "allowance-used"),
    "The kind of call. `allowance-used`: a code of `--allow` let something pass. `key-learned`: a read showed a prefix. `moved-to`: the log goes on elsewhere. `endpoint-changed`: the service has another address. `pruned`: older events were exported.",
  ),
  outcome: t.optional(outcomes, "`there-before`: the user existed already. `unknown`: a later read decides."),
  person: t.optional(t.string("The e-mail address, folded.")),
  team: t.optional(t.string("The name of the team.")),
  prefix: t.optional(t.string("The prefix of the key.")),
  rolesBefore: t.optional(texts("The roles that were observed before the call.")),
  rolesAfter: t.optional(texts("The roles after the call, as shown by the service or as sent.")),
  code: t.optional(t.string("The code of `--allow`.")),
  covers: t.optional(texts("What the code covers: its subject, then the calls or values.")),
});

export type DoctorReport = t.Static<typeof examination>;
const examination = t.object("What `doctor` asked of the service, what came back, and what it means.", {
  service: t.nullable(t.string("The base address of the service; null where none could be asked.")),
  settings: t.list(
    t.object({
      name: t.string("As in the settings file, or a name of its own for what only flags and variables say."),
      value: t.string("As it is written; `set` where it is a secret."),
      from: source,
    }),
    "The settings that are set. Nothing of them is a secret.",
  ),
  checks: t.list(
    t.object({
      check: t.string("Stable name of the question, such as `base-address`."),
      mark: t.described(
        t.oneOf("ok", "notice", "problem"),
        "`problem`: no plan can be made. `notice`: a plan knows less.",
      ),
      asked: text,
      came: t.string("What came back."),
      means: t.optional(t.string("What it means for a plan, and what to do; left out where it is fine.")),
    }),
    "One for each question, in the order in which they were asked.",
  ),
  capabilities: t.nullable(t.described(capabilities, "As in `reading`; null where no user could be read.")),
});

export interface PlanFileReport {
  readonly path: string;
  readonly file: Pick<PlanFile, "file" | "madeAt" | "madeBy" | "expiresAt" | "basis" | "policy" | "lessons">;
  readonly digest: string;
  readonly is: "written" | "shown" | "shown-expired" | "applied";
  /** The command line that applies what was written. */
  readonly apply?: string;
}

/** What a command shows besides a plan, a run and a drift. Each is a line of `--format ndjson` too. */
export const otherParts = {
  roster: t.described(plans.rosterCounts, "The roster in numbers, where it is valid."),
  reading: t.converted(
    t.object("How the service was read.", {
      service: t.string("The base address of the service."),
      readAt: t.string("When the oldest read began, ISO 8601."),
      reads: t.optional(t.list(oneRead, "When each read began and what it asked; absent of a saved plan.")),
      everyone: t.inPlace(userList),
      capabilities,
    }),
    ({ readings, ...reading }: ReadSummary) => ({
      ...reading,
      reads: readings.size === 0 ? undefined : readsOf(readings),
    }),
  ),
  fromSnapshot: t.object(
    "The plan was made of a snapshot file (`plan --from FILE`): a preview, which is never applied. Absent where the service was read.",
    { madeAt: t.string("ISO 8601, when the file was made; `reading.read_at` says when the service was read.") },
  ),
  planFile: t.converted(
    t.object("The plan file that was written (`plan --out`), shown or applied.", {
      path: t.string("The file, as it was named; `-` is standard input."),
      file: t.string("Its id, by which the state remembers that it was applied."),
      digest: t.string("SHA-256 of the bytes of the file, in hexadecimal."),
      madeAt: iso,
      madeBy: t.string("The version of roster that made it."),
      expiresAt: t.string("From when on it is not applied any more, ISO 8601."),
      rosterDigest: t.string("Digest of the roster that it was made for."),
      state: t.nullable(
        t.object("The place in the log at which it was made; null where there was no log yet.", {
          lineage: t.string("Names the log apart from every other."),
          serial: t.integer("The position of the last event."),
        }),
      ),
      readAt: t.string("When the oldest read of its plan began, ISO 8601."),
      words: texts("What a person has said for this plan alone, as flags."),
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
  state: t.described(
    stateParts,
    "The result of a subcommand of `state`; absent for `state show`, and without a result.",
  ),
  audit: t.anyOf(
    auditVerified,
    t.object("The result of `audit`.", {
      did: t.literal("show"),
      address,
      changes: t.typed<readonly object[]>(t.verbatim(t.list(auditChange))),
    }),
  ),
  explanation: t.converted(
    t.object("What `explain` prints.", {
      codes: t.list(
        explainedCode,
        "The codes that were asked about, one entry for each kind; for `codes`, all of them.",
      ),
      things: t.list(explainedThing, "The things that were asked about: several where several teams have a name."),
    }),
    (explanation: Explanation) =>
      explanation.of === "codes" ? { codes: explanation.codes, things: [] } : { codes: [], things: explanation.things },
  ),
  fleet: t.typed<object>(
    t.verbatim(
      t.object("What `fleet` found out about its targets. `fleet-summary.schema.json` describes that of a run.", {
        did: t.described(t.oneOf("validated", "plan", "drift", "apply"), "What each of the targets ran."),
        file: t.string("The fleet file."),
        targets: t.list(t.object({}), "The targets, in order."),
      }),
    ),
  ),
};
export type OtherParts = t.ObjectOf<ReturnType<typeof partly<typeof otherParts>>>;

export const planDocument = together(
  t.object({
    formatVersion,
    command: t.string("The command that made the document, such as `plan`."),
    ...partly(plans.planFields),
    ...partly(otherParts),
    run: t.optional(run),
    drift: t.optional(drift),
    logHead: t.optional(logHead, "Where the log ends, if the command added events to it."),
    diagnostics: t.list(diagnostic, "What is wrong with the roster, the settings or the command line; warnings too."),
    error: t.nullable(t.described(error, "What ended the command before its work was done, or null.")),
    exitCode: t.count(),
  }),
  plans.planFields,
);

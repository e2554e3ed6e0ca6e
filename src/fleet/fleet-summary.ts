import * as s from "../model/declare.ts";

/** A row: later versions may have more fields. */
const row: typeof s.object = (...declared) => s.open(s.object(...declared));

const openTask = row({
  code: s.string(),
  subject: s.string("The user, team or key that it is about."),
  since: s.optional(s.string("When a recorded run first saw it.")),
  owner: s.optional(s.string("Who is to see to it.")),
});

const heldKey = row({
  person: s.optional(s.string("Absent if the holder of the key is not known.")),
  team: s.optional(s.string("Absent for keys of no team.")),
  roles: s.list(s.string(), { minItems: 1 }),
  privileged: s.boolean("One of the roles is privileged."),
});

const shownUser = row({
  person: s.string(),
  status: s.optional(s.string("As the service shows it: active, pending, barred.")),
  keys: s.count("How many of their keys the service shows."),
  unread: s.boolean("The service does not show all of their keys and roles."),
});

const targetOutcome = row({
  name: s.string({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" }),
  service: s.string("The address of its service, without credentials."),
  status: s.described(
    s.oneOf("failed", "not-started", "changes", "problems", "clean"),
    "`changes`: an apply can correct something. `problems`: a task is left for a person.",
  ),
  exit_code: s.optional(s.integer("Absent if the target was not started.")),
  started_at: s.optional(s.string()),
  finished_at: s.optional(s.string()),
  privileged_gains: s.count("How many keys have a privileged role that the roster does not give."),
  changes: s.count("How many changes an apply can make. Privileged gains are not among them."),
  problems: s.count(
    "How many tasks are left for a person. Privileged gains are not among them. After `fleet access`, how much could not be read, and with `--person` also each user with this address.",
  ),
  done: s.count("How many calls of an apply were done."),
  error: s.optional(row({ code: s.string(), message: s.string() }), "Why the target failed."),
  reports: s.list(s.string(), "The report files of the target, relative to the directory of the summary."),
  last_success: s.optional(s.string("When it was last checked or applied, in `fleet status`.")),
  details: s.optional(
    s.list(
      s.string(),
      "What others changed, privileged gains first, or what apply would change: at most 20. After `fleet access`, what the service does not show.",
    ),
  ),
  tasks: s.optional(s.list(openTask, "Its tasks, the oldest first, after a drift: at most 20.")),
  access: s.optional(s.list(heldKey, "Who holds which roles, after `fleet access` and in reports with HTML.")),
  users: s.optional(s.list(shownUser, "Who exists in the service, also without a role: where `access` is there.")),
});

export type ShownUser = s.Static<typeof shownUser>;
export type TargetOutcome = s.Static<typeof targetOutcome>;

const roundFields = { enqueued_at: s.string(), targets: s.count(), done: s.count() };

const queue = row("What `roster fleet status` knows of the queue.", {
  waiting: s.count("How many targets wait for a worker, in all rounds."),
  running: s.list(row({ target: s.string(), worker: s.string(), since: s.string() })),
  given_up: s.list(s.string(), "Targets that failed too often. No worker tries them before they are enqueued again."),
  round: s.optional(row("The last round.", { name: s.string(), command: s.string(), ...roundFields })),
  paused: s.optional(row("Why no worker writes now.", { who: s.string(), reason: s.string(), at: s.string() })),
});

export type QueueStatus = s.Static<typeof queue>;

export const summaryPart = row(
  "What became of the targets. Absent if no target could run. Then `error` or `diagnostics` give the reason.",
  {
    did: s.described(
      s.oneOf("plan", "drift", "apply", "access", "status"),
      "The command that each target ran; `status`: what is known of each.",
    ),
    file: s.string("The fleet file."),
    person: s.optional(s.string("The selected person: the access of others is left out.")),
    finished_at: s.string("When the last target had ended."),
    queue: s.optional(queue),
    privileged_gains: s.count("How many keys have a privileged role that the roster does not give, in all targets."),
    counts: s.described(
      row({ failed: s.count(), "not-started": s.count(), changes: s.count(), problems: s.count(), clean: s.count() }),
      "How many targets have each status.",
    ),
    targets: s.list(targetOutcome, "Every target, in the order of the fleet file."),
  },
);

export type FleetSummary = s.Static<typeof summaryPart>;
export type FleetCommand = Exclude<FleetSummary["did"], "status">;

const anyObject = s.typed<object>({ type: "object" });

export const fleetSummary = row({
  format_version: s.string({ pattern: "^1\\.[0-9]+$", description: "Major and minor version of this format." }),
  command: s.literal("fleet"),
  fleet: s.optional(summaryPart),
  diagnostics: s.list(anyObject, "What is wrong with the fleet file, the settings or the command line."),
  error: s.described(
    s.anyOf(anyObject, s.typed<null>({ type: "null" })),
    "What ended the command before its work was done.",
  ),
  exit_code: s.integer("The exit code of the command: the most severe of all targets."),
});

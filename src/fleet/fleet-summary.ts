import {
  anyOf,
  boolean,
  count,
  described,
  integer,
  list,
  literal,
  object,
  oneOf,
  open,
  optional,
  type Static,
  string,
  typed,
} from "../model/declare.ts";

const openTask = open(
  object({
    code: string(),
    subject: string("The user, team or key that it is about."),
    since: optional(string("When a recorded run first saw it.")),
    owner: optional(string("Who is to see to it.")),
  }),
);

const heldKey = open(
  object({
    person: optional(string("Absent if the holder of the key is not known.")),
    team: optional(string("Absent for keys of no team.")),
    roles: list(string(), { minItems: 1 }),
    privileged: boolean("One of the roles is privileged."),
  }),
);

const targetOutcome = open(
  object({
    name: string({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" }),
    service: string("The address of its service, without credentials."),
    status: described(
      oneOf("failed", "not-started", "changes", "problems", "clean"),
      "`changes`: an apply can correct something. `problems`: a task is left for a person.",
    ),
    exit_code: optional(integer("Absent if the target was not started.")),
    started_at: optional(string()),
    finished_at: optional(string()),
    privileged_gains: count("How many keys have a privileged role that the roster does not give."),
    changes: count("How many changes an apply can make. Privileged gains are not among them."),
    problems: count(
      "How many tasks are left for a person. Privileged gains are not among them. After `fleet access`, how much could not be read.",
    ),
    done: count("How many calls of an apply were done."),
    error: optional(open(object({ code: string(), message: string() })), "Why the target failed."),
    reports: list(string(), "The report files of the target, relative to the directory of the summary."),
    last_success: optional(string("When it was last checked or applied, in `fleet status`.")),
    tasks: optional(list(openTask, "Its tasks, the oldest first, after a drift: at most 20.")),
    access: optional(list(heldKey, "Who holds which roles, after `fleet access` and in reports with HTML.")),
  }),
);

/** What became of one target. Nothing else is kept of a target that has ended. */
export type TargetOutcome = Static<typeof targetOutcome>;
export type TargetStatus = TargetOutcome["status"];

const roundFields = { enqueued_at: string(), targets: count(), done: count() };

const queue = open(
  object("What `roster fleet status` knows of the queue.", {
    waiting: count("How many targets wait for a worker, in all rounds."),
    running: list(open(object({ target: string(), worker: string(), since: string() }))),
    given_up: list(string(), "Targets that failed too often. No worker tries them before they are enqueued again."),
    round: optional(open(object("The last round.", { name: string(), command: string(), ...roundFields }))),
    paused: optional(open(object("Why no worker writes now.", { who: string(), reason: string(), at: string() }))),
  }),
);

/** The queue of the workers. */
export type QueueStatus = Static<typeof queue>;

export const summaryPart = open(
  object("What became of the targets. Absent if no target could run. Then `error` or `diagnostics` give the reason.", {
    did: described(
      oneOf("plan", "drift", "apply", "access", "status"),
      "The command that each target ran; `status`: what is known of each.",
    ),
    file: string("The fleet file."),
    person: optional(string("The selected person: the access of others is left out.")),
    finished_at: string("When the last target had ended."),
    queue: optional(queue),
    privileged_gains: count("How many keys have a privileged role that the roster does not give, in all targets."),
    counts: described(
      open(object({ failed: count(), "not-started": count(), changes: count(), problems: count(), clean: count() })),
      "How many targets have each status.",
    ),
    targets: list(targetOutcome, "Every target, in the order of the fleet file."),
  }),
);

/** What a fleet came to. */
export type FleetSummary = Static<typeof summaryPart>;
export type FleetCommand = Exclude<FleetSummary["did"], "status">;

/** What `--format json` prints, and the `summary.json` of reports. */
export const fleetSummary = open(
  object({
    format_version: string({ pattern: "^1\\.[0-9]+$", description: "Major and minor version of this format." }),
    command: literal("fleet"),
    fleet: optional(summaryPart),
    diagnostics: list(
      typed<object>({ type: "object" }),
      "What is wrong with the fleet file, the settings or the command line.",
    ),
    error: described(
      anyOf(typed<object>({ type: "object" }), typed<null>({ type: "null" })),
      "What ended the command before its work was done.",
    ),
    exit_code: integer("The exit code of the command: the most severe of all targets."),
  }),
);

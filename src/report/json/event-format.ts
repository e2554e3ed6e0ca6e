import { acceptEntry, action, finding, summary, teamInCalls, userInCalls } from "../../codec/plan-format.ts";
import {
  anyOf,
  boolean,
  count,
  described,
  extended,
  integer,
  list,
  literal,
  number,
  object,
  oneOf,
  optional,
  type Schema,
  type Static,
  string,
} from "../../model/declare.ts";
import { diagnostic, driftItem, error, learned, otherParts } from "./document-format.ts";

const at = string("When it happened, ISO 8601.");
const ofAction = {
  action: string("The id of the action."),
  name: optional(string("The action in a few words; absent of what no plan at hand knows.")),
};

/** The parts of the JSON document of these names. */
const partLines = Object.fromEntries(
  Object.entries<Schema<unknown>>(otherParts).map(([type, part]) => [type, extended({ type: literal(type) }, part)]),
);

/** The lines of `--format ndjson`, by their types. */
const ownLines = {
  version: object("The first line of every stream.", {
    type: literal("version"),
    format_version: string({ pattern: "^1\\.[0-9]+$", description: "Major and minor version of this format." }),
    roster: optional(string("The version of roster.")),
    command: string("The command; `roster` where it was not understood."),
  }),
  read: object("The progress of a long read: at its beginning, and then about once a second.", {
    type: literal("read"),
    at,
    what: string("Such as `users listed`."),
    done: count("How many so far."),
    of: optional(count("Of how many, where that is known.")),
  }),
  planned: described(
    extended(
      {
        type: literal("planned"),
        plan_id: string("Digest of what would be done."),
        service: string("The base address of the service that the plan is for."),
        users: list(userInCalls, "The users of the actions, and how calls name them."),
        teams: list(teamInCalls, "The teams of the actions, and how calls name them."),
      },
      summary,
    ),
    "The plan in numbers; its actions and findings follow.",
  ),
  planned_action: described(
    extended({ type: literal("planned_action") }, action),
    "An action of the plan, in an order that respects every dependency.",
  ),
  finding: described(extended({ type: literal("finding") }, finding), "A finding of the plan."),
  run_started: object("The run of the plan begins.", {
    type: literal("run_started"),
    at,
    run: string("The id of the run."),
    plan_id: string("The plan that is run."),
    service: string("Base address of the service."),
    actions: count("How many actions it has."),
  }),
  sequenced: object("The run has named its place among all applies.", {
    type: literal("sequenced"),
    at,
    sequence: count("A number that only grows."),
  }),
  plan_file_begun: object("A plan file is applied, for the one time that it can be.", {
    type: literal("plan_file_begun"),
    at,
    file: string("The id of the file."),
  }),
  roster_applied: object("The roster is applied as a whole.", {
    type: literal("roster_applied"),
    at,
    digest: string("Of the roster."),
    people: count("Who it is about."),
  }),
  records_moved: object("What was recorded of people and teams counts for their new addresses and names.", {
    type: literal("records_moved"),
    at,
    people: count("People."),
    teams: count("Teams."),
  }),
  users_observed: object("The run saw people and teams that the state did not know.", {
    type: literal("users_observed"),
    at,
    people: count("People."),
    teams: count("Teams."),
  }),
  access_seen: object(
    "The run saw users, members and keys that the state did not know. Later runs compare the service with it.",
    { type: literal("access_seen"), at, users: count("Users."), members: count("Members."), keys: count("Keys.") },
  ),
  service_learned: object("Something was learned of how the service answers.", {
    type: literal("service_learned"),
    at,
    service: string("Base address of the service."),
  }),
  allowances_used: object("What a person has allowed of this plan.", {
    type: literal("allowances_used"),
    at,
    allowances: list(
      object({
        code: string("The code."),
        covers: integer({ minimum: 1, description: "How many things it lets pass." }),
      }),
    ),
  }),
  epoch_started: object(
    "You allowed `service-reset`. The state has dropped its records of users, teams, members and keys.",
    { type: literal("epoch_started"), at, service: string("The base address of the service.") },
  ),
  findings_seen: object("What differs was remembered.", {
    type: literal("findings_seen"),
    at,
    seen: count("Seen for the first time."),
    gone: count("No longer there."),
  }),
  intended: object("A call is announced, durably, and will be sent.", {
    type: literal("intended"),
    at,
    ...ofAction,
    until: optional(string("Until when it may be sent, ISO 8601.")),
  }),
  declined: object("The service refused to create a user, perhaps because the user exists.", {
    type: literal("declined"),
    at,
    ...ofAction,
    error,
  }),
  settled: object("What became of a call whose outcome was not known, learned by reading.", {
    type: literal("settled"),
    at,
    ...ofAction,
    run: string("The run that announced the call."),
    done: boolean("Whether it was done."),
    unproven: optional(
      described(literal(true), "A replacement of roles that reads do not show. It may have been done all the same."),
    ),
    learned: optional(learned),
    except: optional(list(string(), "People for which reading gave no answer yet.")),
  }),
  succeeded: object("An action was done.", { type: literal("succeeded"), at, ...ofAction, learned }),
  failed: object("An action was refused, or never sent: it had no effect.", {
    type: literal("failed"),
    at,
    ...ofAction,
    error,
  }),
  unknown_outcome: object("An action was sent and its outcome is not known. It is resolved by reading.", {
    type: literal("unknown_outcome"),
    at,
    ...ofAction,
    error,
    accepted: optional(boolean("The service took it and may do it later.")),
    decided_from: optional(string("ISO 8601. If reads do not show the change by then, it was not made.")),
  }),
  skipped: object("An action was not started, because an action before it did not succeed, or the run was stopped.", {
    type: literal("skipped"),
    at,
    ...ofAction,
    why: string("Why."),
    cause: optional(string("The id of the action that is the cause.")),
  }),
  stale: object("A fact that the action rests on has moved.", {
    type: literal("stale"),
    at,
    ...ofAction,
    why: string("Which."),
  }),
  unneeded: object("Nothing was left to do.", { type: literal("unneeded"), at, ...ofAction, why: string("Why.") }),
  key_learned: object("The prefix of a key was learned.", {
    type: literal("key_learned"),
    at,
    email: string("Whose key it is."),
    address: string("The same address, folded."),
    team: optional(string("The team that the key is for; absent of the user's own.")),
    team_name: optional(string("Its name.")),
    prefix: string("The prefix, never the secret part."),
  }),
  team_identified: object("The service's identifier of a team was learned.", {
    type: literal("team_identified"),
    at,
    team: string("The team."),
    name: string("Its name."),
    account: string("Its account."),
    identifier: string("The service's identifier."),
  }),
  key_read: object("What a key was read as after its roles were replaced.", {
    type: literal("key_read"),
    at,
    prefix: string("The prefix."),
    roles: list(string(), "Its roles."),
  }),
  found: object("A finding that only the run could make.", { type: literal("found"), at, finding }),
  waiting: object("The run waits.", {
    type: literal("waiting"),
    at,
    milliseconds: number({ minimum: 0, description: "For how long." }),
    why: string("Why."),
  }),
  verified: object("What was touched was read again.", {
    type: literal("verified"),
    at,
    result: described(oneOf("converged", "pending", "diverged", "unverified"), "What that has shown."),
    remarks: list(string(), "What does not show as asked yet."),
  }),
  run_finished: object("The run has ended.", {
    type: literal("run_finished"),
    at,
    ended: described(oneOf("completed", "stopped", "interrupted"), "How."),
    why: optional(string("Why, where it was not completed.")),
    access_refused: optional(boolean("The service refused our key or our permission.")),
  }),
  drift: object("A drift in numbers; its items follow.", {
    type: literal("drift"),
    classes: object("How many items are of each class.", {}),
    coverage: object("How much of the service the roster names, as in the JSON document.", {}),
    only_new: boolean("Only what no recorded run has seen before is reported and counted."),
    tasks: object("The tasks, as in the JSON document.", {}),
    changes: count("What the exit code counts as changes that wait."),
    blocking: count("What it counts as blocking."),
    privileged_gains: count(
      "How many keys have a privileged role that the roster does not give, without accepted ones.",
    ),
    unused_accepts: list(acceptEntry, "Entries under `accept` in the roster that fit nothing."),
    recorded: boolean("What was seen is remembered."),
    not_recorded_because: optional(string("Why it is not.")),
  }),
  drift_item: described(
    extended({ type: literal("drift_item") }, driftItem),
    "One difference between the service and the roster.",
  ),
  diagnostic: described(
    extended({ type: literal("diagnostic") }, diagnostic),
    "Something wrong with the roster, the settings or the command line.",
  ),
  problem: described(extended({ type: literal("problem") }, error), "What ended the command before its work was done."),
  summary: object("The last line, however the command ended.", {
    type: literal("summary"),
    command: string("The command."),
    exit_code: count("The exit code."),
    means: string("What it says, for people."),
    plan_id: optional(string("The plan, where one was made.")),
    plan: optional(summary),
    run: optional(
      object("The run, where there was one.", {
        run: string("The id of the run."),
        counts: object("How many actions came to what.", {
          succeeded: count("Actions."),
          unneeded: count("Actions."),
          failed: count("Actions."),
          unknown: count("Actions."),
          skipped: count("Actions."),
          stale: count("Actions."),
        }),
        verified: optional(string("What reading again has shown.")),
        ended: optional(string("How it ended.")),
      }),
    ),
    drift: optional(
      object("What of a drift the exit code counts.", {
        changes: count("Changes that wait."),
        blocking: count("Blocking."),
        privileged_gains: count("Keys with a privileged role that the roster does not give."),
      }),
    ),
    errors: count("Diagnostics that are errors."),
    warnings: count("Diagnostics that are warnings."),
    problem: optional(string("The code of what ended the command before its work was done.")),
  }),
  writes_learned: object("Something was learned of how the service takes writes.", {
    type: literal("writes_learned"),
    at,
    throttling: optional(
      described(
        oneOf("no-effect", "may-have-effect"),
        'Whether a write that is answered with "come back later" may have been done.',
      ),
    ),
    members_named_by: optional(described(oneOf("identifier", "email"), "What an addition to a team names people by.")),
  }),
  member_refused: object("The service refused to add one person to a team. The end of the action reports the others.", {
    type: literal("member_refused"),
    at,
    ...ofAction,
    email: string("The person."),
    error,
  }),
};

export type EventLine = Static<(typeof ownLines)[keyof typeof ownLines]>;

export const eventLines = { ...ownLines, ...partLines };

export const eventLine = anyOf(...Object.values(eventLines));

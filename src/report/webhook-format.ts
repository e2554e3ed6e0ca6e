import {
  anyOf,
  boolean,
  count,
  described,
  extended,
  integer,
  list,
  literal,
  object,
  oneOf,
  optional,
  partly,
  string,
} from "../model/declare.ts";
import { byDriftClass, driftItem } from "../model/drift.ts";
import { driftFields } from "./json/document-format.ts";

const text = string({ maxLength: 500 });
const counts = object({ new: count(), known: count(), accepted: count() });
const { onlyNew, changes, blocking, privilegedGains, tasks } = driftFields;

const delivery = {
  formatVersion: literal("1.0"),
  delivery: string("The same for each attempt, as in the header Roster-Delivery."),
  at: string({ format: "date-time", description: "When the drift ended, or when the run began." }),
  rosterVersion: string(),
  severity: described(
    oneOf("critical", "error", "warning"),
    "`critical`: a user has a privileged role that is not in the roster, or a person allowed one. `error`: the drift failed, or a person must act. `warning`: apply corrects all of it.",
  ),
  text: string({
    maxLength: 12000,
    description:
      "A message that Slack and Teams show as it is. Privileged gains come first. `&`, `<` and `>` are written as entities.",
  }),
};

export const driftMessage = object(
  "A drift that found something, or failed. Other texts than `text` have at most 500 characters, and lists at most 20 entries.",
  {
    ...delivery,
    type: literal("drift"),
    marker: string("Finds a comment or an issue of this roster again, as in its Markdown."),
    title: optional(string("The name of the target, in a fleet.")),
    service: optional(string("The account service. Absent if roster did not reach it.")),
    exitCode: integer({ minimum: 1 }),
    means: string(),
    errors: list(object({ code: text, message: text }), { maxItems: 5, description: "What ended the drift early." }),
    ...partly({ onlyNew, changes, blocking, privilegedGains, tasks }),
    classes: optional(
      object(
        "All differences, by class.",
        byDriftClass(() => counts),
      ),
    ),
    items: optional(
      list(
        extended(
          {
            privileged: boolean("Whether the user has a privileged role that the roster does not give."),
            message: optional(
              described(
                text,
                "What was changed outside roster, what apply does about it, and the message of a finding.",
              ),
            ),
            place: optional(described(text, "File, line and column of the roster.")),
          },
          driftItem,
        ),
        {
          maxItems: 20,
          description:
            "What the exit code counts: privileged gains first, then class by class, new items first in each.",
        },
      ),
    ),
    itemsLeftOut: optional(count()),
  },
);

export const privilegeMessage = object(
  "A run gives privileged roles that a person allowed with `--allow`. roster sends it before the first call.",
  {
    ...delivery,
    type: literal("privileged-roles"),
    service: string("The account service."),
    run: described(text, "The run, as in the log."),
    logHead: string("Where the log ends before the first call, as `position:hash`."),
    planId: described(text, "The plan that the run applies."),
    reason: described(text, "Why, as the person wrote it."),
    reasonSource: optional(
      described(
        oneOf("flag", "variable", "library"),
        "Whether `--reason`, `ROSTER_REASON` or the library says the reason.",
      ),
    ),
    actor: described(text, "Who runs it."),
    actorSource: described(text, "The CI system that names the user, or `os`."),
    allowed: list(text, { maxItems: 20, description: "The values of `--allow`." }),
    gives: list(
      object({
        person: optional(text),
        team: optional(text),
        prefix: optional(text),
        roles: list(text, { maxItems: 20 }),
      }),
      { maxItems: 20, description: "Who gets which ones." },
    ),
    givesLeftOut: count("How many more it gives."),
  },
);

export const webhookMessage = anyOf(driftMessage, privilegeMessage);

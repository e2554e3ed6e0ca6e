import * as t from "../model/declare.ts";
import { byDriftClass, driftItem } from "../model/drift.ts";
import { driftFields } from "./json/document-format.ts";

const text = t.string({ maxLength: 500 });
const counts = t.object({ new: t.count(), known: t.count(), accepted: t.count() });
const classes = byDriftClass(() => counts);
const { onlyNew, changes, blocking, privilegedGains, tasks } = driftFields;
const itemText = "What was changed outside roster, what apply does about it, and the message of a finding.";
const itemFields = {
  privileged: t.boolean("Whether the user has a privileged role that the roster does not give."),
  message: t.optional(t.described(text, itemText)),
  place: t.optional(t.described(text, "File, line and column of the roster.")),
};
const items = t.list(t.extended(itemFields, driftItem), {
  maxItems: 20,
  description: "What the exit code counts: privileged gains first, then class by class, new items first in each.",
});

const delivery = {
  formatVersion: t.literal("1.0"),
  delivery: t.string("The same for each attempt, as in the header Roster-Delivery."),
  at: t.string({ format: "date-time", description: "When the drift ended, or when the run began." }),
  rosterVersion: t.string(),
  severity: t.described(
    t.oneOf("critical", "error", "warning"),
    "`critical`: a user has a privileged role that is not in the roster, or a person allowed one. `error`: the drift failed, or a person must act. `warning`: apply corrects all of it.",
  ),
  text: t.string({
    maxLength: 12000,
    description:
      "A message that Slack and Teams show as it is. Privileged gains come first. `&`, `<` and `>` are written as entities.",
  }),
};

export const driftMessage = t.object(
  "A drift that found something, or failed. Other texts than `text` have at most 500 characters, and lists at most 20 entries.",
  {
    ...delivery,
    type: t.literal("drift"),
    marker: t.string("Finds a comment or an issue of this roster again, as in its Markdown."),
    title: t.optional(t.string("The name of the target, in a fleet.")),
    service: t.optional(t.string("The account service. Absent if roster did not reach it.")),
    exitCode: t.integer({ minimum: 1 }),
    means: t.string(),
    errors: t.list(t.object({ code: text, message: text }), {
      maxItems: 5,
      description: "What ended the drift early.",
    }),
    ...t.partly({ onlyNew, changes, blocking, privilegedGains, tasks }),
    classes: t.optional(t.object("All differences, by class.", classes)),
    items: t.optional(items),
    itemsLeftOut: t.optional(t.count()),
  },
);

export const privilegeMessage = t.object(
  "A run gives privileged roles that a person allowed with `--allow`. roster sends it before the first call.",
  {
    ...delivery,
    type: t.literal("privileged-roles"),
    service: t.string("The account service."),
    run: t.described(text, "The run, as in the log."),
    logHead: t.string("Where the log ends before the first call, as `position:hash`."),
    planId: t.described(text, "The plan that the run applies."),
    reason: t.described(text, "Why, as the person wrote it."),
    reasonSource: t.optional(t.described(t.oneOf("flag", "variable", "library"), "How the reason was passed.")),
    actor: t.described(text, "Who runs it."),
    actorSource: t.described(text, "The CI system that names the user, or `os`."),
    allowed: t.list(text, { maxItems: 20, description: "The values of `--allow`." }),
    gives: t.list(
      t.object({
        person: t.optional(text),
        team: t.optional(text),
        prefix: t.optional(text),
        roles: t.list(text, { maxItems: 20 }),
      }),
      { maxItems: 20, description: "Who gets which ones." },
    ),
    givesLeftOut: t.count("How many more it gives."),
  },
);

export const webhookMessage = t.anyOf(driftMessage, privilegeMessage);

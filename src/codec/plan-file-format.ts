import { capabilities } from "../model/capabilities.ts";
import * as t from "../model/declare.ts";
import { runEvents } from "../model/event.ts";
import { type Plan, planFields, rosterCounts } from "../model/plan.ts";
import { userList } from "../model/snapshot.ts";
import { name, people, roleList, time } from "../model/values.ts";
import { checksum } from "./document.ts";

const fileFields = {
  file: t.string({
    minLength: 1,
    maxLength: 100,
    description: "The ID of this file. The log has it when an apply begins.",
  }),
  madeAt: time,
  madeBy: t.described(name, "The version of roster that wrote it."),
  expiresAt: time,
  basis: t.object("What the plan depends on.", {
    roster: t.extended({ digest: t.described(name, "Digest of what it says.") }, rosterCounts),
    state: t.nullable(
      t.object("The place in the log at which it was made. Null if there was no log.", {
        lineage: t.described(name, "Only the log of this lineage can apply it."),
        serial: t.count("The position of the last event."),
        digest: t.described(name, "Digest of its records of people, teams, keys and calls, and of the applied roster."),
      }),
    ),
    readAt: time,
    everyone: t.inPlace(userList),
    capabilities: t.verbatim(capabilities),
  }),
  policy: t.object("What a user passed for this plan.", {
    words: t.list(t.string(), "As flags, such as `--exclude user:ada@acme.example`."),
    privilegedRoles: t.described(roleList, "Roles that let their holder administer others."),
    guards: t.string("A digest of the guards that have checked the plan. With other guards, it is not applied."),
  }),
  records: t.list(
    t.object({ about: t.string("Such as `creation ada@acme.example`."), digest: t.string() }),
    "The records of the state that the actions depend on.",
  ),
  lessons: t.described(
    t.list(
      t.verbatim(
        t.anyOf(
          runEvents["roster-applied"],
          runEvents["records-moved"],
          runEvents["epoch-started"],
          runEvents["users-observed"],
          runEvents["service-learned"],
        ),
      ),
    ),
    "What the reads showed beyond the plan, as events of the log.",
  ),
  witnesses: t.described(
    people,
    "Some users that the reads showed. A search that does not find them proves no absence.",
  ),
};
export const planFileParts = t.object(fileFields);
export const planFile = t.object({ ...fileFields, ...planFields });

/** A plan that was saved to be applied later, perhaps by another machine: the file is its approval. */
export interface PlanFile extends t.Static<typeof planFileParts> {
  readonly plan: Plan;
}

/** What planning alone has taught. */
export type PlanningEvent = PlanFile["lessons"][number];

export const planFileDocument = t.extended(
  {
    document: t.literal("roster plan file"),
    formatVersion: t.described(t.literal("2.0"), "Major and minor version of this format."),
    checksum,
  },
  planFile,
);

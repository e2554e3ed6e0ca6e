import {
  anyOf,
  count,
  described,
  extended,
  inPlace,
  list,
  literal,
  nullable,
  object,
  type Static,
  string,
  verbatim,
} from "../model/declare.ts";
import { runEvents } from "../model/event.ts";
import { type Plan, planFields, rosterCounts } from "../model/plan.ts";
import { capabilities, name, people, time } from "../model/recorded.ts";
import { roleList } from "../model/role-set.ts";
import { checksum } from "../model/sha256.ts";
import { userList } from "../model/snapshot.ts";

const fileFields = {
  file: string({
    minLength: 1,
    maxLength: 100,
    description: "The ID of this file. The log has it when an apply begins.",
  }),
  madeAt: time,
  madeBy: described(name, "The version of roster that wrote it."),
  expiresAt: time,
  basis: object("What the plan depends on.", {
    roster: extended({ digest: described(name, "Digest of what it says.") }, rosterCounts),
    state: nullable(
      object("The place in the log at which it was made. Null if there was no log.", {
        lineage: described(name, "Only the log of this lineage can apply it."),
        serial: count("The position of the last event."),
        digest: described(name, "Digest of its records of people, teams, keys and calls, and of the applied roster."),
      }),
    ),
    readAt: time,
    everyone: inPlace(userList),
    capabilities: verbatim(capabilities),
  }),
  policy: object("What a user passed for this plan.", {
    words: list(string(), "As flags, such as `--exclude user:ada@acme.example`."),
    privilegedRoles: described(roleList, "Roles that let their holder administer others."),
    guards: string("A digest of the guards that have checked the plan. With other guards, it is not applied."),
  }),
  records: list(
    object({ about: string("Such as `creation ada@acme.example`."), digest: string() }),
    "The records of the state that the actions depend on.",
  ),
  lessons: described(
    list(
      verbatim(
        anyOf(
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
  witnesses: described(people, "Some users that the reads showed. A search that does not find them proves no absence."),
};
export const planFileParts = object(fileFields);
export const planFile = object({ ...fileFields, ...planFields });

/** A plan that was saved to be applied later, perhaps by another machine: the file is its approval. */
export interface PlanFile extends Static<typeof planFileParts> {
  readonly plan: Plan;
}

export const planFileDocument = extended(
  {
    document: literal("roster plan file"),
    formatVersion: described(literal("2.0"), "Major and minor version of this format."),
    checksum,
  },
  planFile,
);

import { validatorOf } from "./schema-validators.ts";

/** True for a document that `schemas/roster.schema.json` accepts. Refuses a schema that is not clean. */
export const acceptedBySchema: (document: unknown) => boolean = validatorOf("roster");

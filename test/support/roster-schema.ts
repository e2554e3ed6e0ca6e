import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

const schema: object = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8"));

/** True for a document that `schemas/roster.schema.json` accepts. Refuses a schema that is not clean. */
export const acceptedBySchema: (document: unknown) => boolean = new Ajv({ strict: true }).compile(schema);

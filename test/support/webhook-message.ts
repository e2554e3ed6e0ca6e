import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { asItIs } from "./schema-validators.ts";

/** Objects of the schema take no field that it does not name: whoever adds one describes it. */
const schema: unknown = JSON.parse(readFileSync("schemas/webhook.schema.json", "utf8"), (_, value: unknown) =>
  typeof value === "object" && value !== null && "properties" in value
    ? { additionalProperties: false, ...value }
    : value,
);

export const isWebhookMessage = new Ajv({ formats: { "date-time": true }, ...asItIs }).compile(schema as object);

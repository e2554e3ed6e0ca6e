import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

const read = (name: string): object => JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8")) as object;

/** Every type of line that the schema knows. */
export const lineTypes = Object.keys((read("events") as { readonly definitions: object }).definitions);

const ajv = new Ajv().addSchema(read("plan")).addSchema(read("events"), "events");
const isLine = new Map(lineTypes.map((type) => [type, ajv.compile({ $ref: `events#/definitions/${type}` })]));

/** Whether the schema as a whole describes a line. */
export const isEventLine = ajv.compile({ $ref: "events" });

/** A line of events, as a program reads it. */
export type EventLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** The lines of a stream, each of which is what the schema says of its type; fails at the first that is not. */
export function eventLines(text: string): readonly EventLine[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const value = JSON.parse(line) as EventLine;
      const validate = isLine.get(value.type);
      if (validate?.(value) !== true) throw new Error(`${line}\n${ajv.errorsText(validate?.errors)}`);
      return value;
    });
}

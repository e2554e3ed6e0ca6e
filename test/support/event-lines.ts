import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject } from "ajv";

const read = (name: string): object => JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8")) as object;

const ajv = new Ajv({ allErrors: false }).addSchema(read("plan"));
const isLine = ajv.compile(read("events"));

/** Every type of line that the schema knows. */
export const lineTypes = Object.keys((read("events") as { readonly definitions: object }).definitions);

/** A line of events, as a program reads it. */
export type EventLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** The lines of a stream, each of which is what the schema says; fails at the first that is not. */
export function eventLines(text: string): readonly EventLine[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isLine(value)) throw new Error(`${line}\n${faults(isLine.errors ?? [])}`);
      return value as EventLine;
    });
}

function faults(errors: readonly ErrorObject[]): string {
  return errors
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join("\n");
}

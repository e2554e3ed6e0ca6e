import { schemaOf, validatorOf } from "./schema-validators.ts";

export const lineTypes = Object.keys(schemaOf("events").definitions);

export const isEventLine = (line: unknown) => validatorOf("events")(line);

export type EventLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** The lines of a stream, each of which is what the schema says of its type; fails at the first that is not. */
export function eventLines(text: string): readonly EventLine[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const value = JSON.parse(line) as EventLine;
      const validate = validatorOf("events", value.type);
      if (!validate(value)) throw new Error(`${line}\n${JSON.stringify(validate.errors)}`);
      return value;
    });
}

import { allowedValues, type Knob, writtenValue } from "./knobs/knob.ts";
import { knobRegistry } from "./knobs.ts";

/** Every knob with its values and what they do, for a person to read. */
export function listKnobs(): string {
  return [...knobRegistry].map(([name, knob]) => `${paragraph(name, knob)}\n`).join("\n");
}

function paragraph(name: string, knob: Knob): string {
  const lines = knob.is === "choice" ? valueLines(knob.values) : [`  ${allowedValues(knob)}`];
  return [`${name}=${writtenValue(knob.otherwise)}`, `  ${knob.about}`, ...lines].join("\n");
}

function valueLines(values: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(values).map((value) => value.length));
  return Object.entries(values).map(([value, meaning]) => `    ${value.padEnd(width)}  ${meaning}`);
}

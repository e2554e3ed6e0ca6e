import { describeAllowedValues, formatKnobValue, type Knob } from "./knobs/knob.ts";
import { knobRegistry } from "./knobs.ts";

/** Every knob with its values and what they do, for a person to read. */
export function listKnobs(): string {
  return [...knobRegistry].map(([name, knob]) => `${describeKnob(name, knob)}\n`).join("\n");
}

function describeKnob(name: string, knob: Knob): string {
  const lines = knob.is === "choice" ? describeValues(knob.values) : [`  ${describeAllowedValues(knob)}`];
  return [`${name}=${formatKnobValue(knob.otherwise)}`, `  ${knob.about}`, ...lines].join("\n");
}

function describeValues(values: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(values).map((value) => value.length));
  return Object.entries(values).map(([value, meaning]) => `    ${value.padEnd(width)}  ${meaning}`);
}

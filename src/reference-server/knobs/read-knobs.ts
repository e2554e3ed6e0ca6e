import { closestMatch } from "../../model/address.ts";
import type { Diagnostic } from "../../model/failure.ts";
import type { DiagnosticDetail } from "../../yaml/source-text.ts";
import { parseFaultTriggers } from "../fault-triggers.ts";
import { type Preset, presets } from "./presets.ts";
import { type Knob, type Knobs, type KnobValue, knobRegistry } from "./registry.ts";

/** Reads knobs written as NAME=VALUE, and presets by name; of several values of one knob the last holds. No knobs where one is wrong. */
export function readKnobArguments(words: readonly string[]): {
  readonly knobs?: Partial<Knobs>;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const values = words.flatMap((word): readonly (readonly [name: string, value: KnobValue])[] => {
    const [, preset] = Object.entries(presets).find(([name]) => name === word) ?? [];
    if (preset !== undefined) return Object.entries(preset.knobs);
    const [, name = "", text = ""] = /^([^=]*)=?(.*)$/su.exec(word) ?? [];
    const knob = knobRegistry.get(name);
    const value = knob && parseKnobValue(knob, text);
    if (value !== undefined) return [[name, value]];
    diagnostics.push({ severity: "error", ...(knob === undefined ? unknownKnob(name) : badValue(name, knob, text)) });
    return [];
  });
  // Each value was read as one of its knob.
  return diagnostics.length > 0
    ? { diagnostics }
    : { knobs: Object.fromEntries(values) as Partial<Knobs>, diagnostics };
}

function unknownKnob(name: string): DiagnosticDetail {
  // The nearest name, then those that share a word with it.
  const typed = name.toLowerCase();
  const alike = [...knobRegistry.keys()].filter((one) => typed.length > 2 && one.toLowerCase().includes(typed));
  const near = [...new Set([closestMatch(name, knobRegistry.keys()) ?? [], ...alike].flat())].slice(0, 5);
  const meant = near.length === 0 ? "" : `Did you mean ${near.map((one) => `\`${one}\``).join(", ")}? `;
  const hint = `${meant}\`roster serve --knob list\` shows all knobs.`;
  return { code: "unknown-name", message: `Unknown knob \`${name}\`.`, hint };
}

function badValue(name: string, knob: Knob, text: string): DiagnosticDetail {
  const meant = knob.is === "choice" ? closestMatch(text, Object.keys(knob.values)) : undefined;
  const message = `The knob \`${name}\` cannot be \`${text}\`.`;
  const hint = `${meant === undefined ? "" : `Did you mean \`${meant}\`? `}Write ${describeAllowedValues(knob)}.`;
  return { code: "bad-value", message, hint };
}

export function listKnobs(): string {
  const knobs = [...knobRegistry].map(([name, knob]) => describeKnob(name, knob));
  return [...knobs, ...Object.entries(presets).map(describePreset)].map((text) => `${text}\n`).join("\n");
}

function describePreset([name, { about, knobs }]: readonly [string, Preset]): string {
  const lines = Object.entries(knobs).map(([knob, value]) => `  ${knob}=${formatKnobValue(value)}`);
  return [`--knob ${name}`, `  ${about}`, ...lines].join("\n");
}

function describeKnob(name: string, knob: Knob): string {
  const lines = knob.is === "choice" ? describeValues(knob.values) : [`  ${describeAllowedValues(knob)}`];
  return [`${name}=${formatKnobValue(knob.otherwise)}`, `  ${knob.about}`, ...lines].join("\n");
}

function describeValues(values: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(values).map((value) => value.length));
  return Object.entries(values).map(([value, meaning]) => `    ${value.padEnd(width)}  ${meaning}`);
}

/** The value that a text stands for; undefined where the knob has no such value. */
export function parseKnobValue(knob: Knob, text: string): KnobValue | undefined {
  switch (knob.is) {
    case "choice":
      return Object.hasOwn(knob.values, text) ? text : undefined;
    case "count":
      return /^\d{1,15}$/u.test(text) && Number(text) >= knob.least ? Number(text) : undefined;
    case "occasions":
      return parseFaultTriggers(text);
  }
}

/** What may be written in the place of a value. */
export function describeAllowedValues(knob: Knob): string {
  switch (knob.is) {
    case "choice":
      return `one of ${Object.keys(knob.values).join(", ")}`;
    case "count":
      return `a whole number, ${knob.least} or more`;
    case "occasions":
      return "never, or requests such as create@1, list@first-2, reads@every-3 or any@all, separated by commas";
  }
}

/** The text that stands for a value. */
export function formatKnobValue(value: KnobValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value.length === 0 ? "never" : value.join(",");
}

import type { Diagnostic } from "../../model/result.ts";
import { readYaml } from "../../yaml/read.ts";
import { type DiagnosticDetail, errorAt } from "../../yaml/source-text.ts";
import type { MapEntry, Node } from "../../yaml/tree.ts";
import { describeAllowedValues, formatKnobValue, type Knob, type KnobValue, parseKnobValue } from "./knob.ts";
import { type Knobs, knobRegistry } from "./registry.ts";

interface KnobsResult {
  /** Absent where a diagnostic is an error. */
  readonly knobs?: Partial<Knobs>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the name that a slip of the hand most likely meant. */
type SuggestName = (name: string, candidates: Iterable<string>) => string | undefined;

/** Reads knobs written as NAME=VALUE; of several values of one knob the last holds. */
export function readKnobArguments(words: readonly string[], nearest: SuggestName): KnobsResult {
  const diagnostics: Diagnostic[] = [];
  const values = words.flatMap((word) => {
    const mark = word.indexOf("=");
    const [name, value] = mark < 0 ? [word, ""] : [word.slice(0, mark), word.slice(mark + 1)];
    const read = readKnob(name, value, nearest);
    if (!("fault" in read)) return [[name, read.value] as const];
    diagnostics.push({ severity: "error", ...read.fault });
    return [];
  });
  return knobsResult(values, diagnostics);
}

/** Reads a file that is a map of knobs: each a word, a number or, for requests, a list of words. */
export function readKnobsFile(file: string, bytes: Uint8Array, nearest: SuggestName): KnobsResult {
  const { tree, diagnostics } = readYaml(file, bytes);
  if (diagnostics.length > 0) return { diagnostics };
  const wrong: Diagnostic[] = [];
  const values = (tree?.entries ?? []).flatMap((entry) => readEntry(entry, nearest, wrong));
  return knobsResult(values, wrong);
}

type KnobSetting = readonly [name: string, value: KnobValue];

function knobsResult(values: readonly KnobSetting[], diagnostics: readonly Diagnostic[]): KnobsResult {
  // Each value was read as one of its knob.
  return diagnostics.length > 0
    ? { diagnostics }
    : { knobs: Object.fromEntries(values) as Partial<Knobs>, diagnostics };
}

function readEntry({ key, value }: MapEntry, nearest: SuggestName, wrong: Diagnostic[]): readonly KnobSetting[] {
  const read = readKnob(key.text, textOf(value), nearest);
  if (!("fault" in read)) return [[key.text, read.value]];
  wrong.push(errorAt(read.fault.code === "unknown-knob" ? key : value, read.fault));
  return [];
}

/** A list stands for its words with commas between them. */
function textOf(node: Node): string {
  if (node.kind === "scalar") return node.text;
  return node.kind === "list" ? node.items.map(textOf).join(",") : "";
}

function readKnob(
  name: string,
  text: string,
  nearest: SuggestName,
): { readonly value: KnobValue } | { readonly fault: DiagnosticDetail } {
  const knob = knobRegistry.get(name);
  if (knob === undefined) return { fault: unknownKnob(name, nearest) };
  const value = parseKnobValue(knob, text);
  return value === undefined ? { fault: badValue(name, knob, text, nearest) } : { value };
}

function unknownKnob(name: string, nearest: SuggestName): DiagnosticDetail {
  const meant = nearest(name, knobRegistry.keys());
  const hint = `${meant === undefined ? "" : `Did you mean \`${meant}\`? `}\`roster serve --knobs list\` shows them all.`;
  return { code: "unknown-knob", message: `There is no knob \`${name}\`.`, hint };
}

function badValue(name: string, knob: Knob, text: string, nearest: SuggestName): DiagnosticDetail {
  const meant = knob.is === "choice" ? nearest(text, Object.keys(knob.values)) : undefined;
  const message = `The knob \`${name}\` cannot be \`${text}\`.`;
  const hint = `${meant === undefined ? "" : `Did you mean \`${meant}\`? `}Write ${describeAllowedValues(knob)}.`;
  return { code: "bad-knob-value", message, hint };
}

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

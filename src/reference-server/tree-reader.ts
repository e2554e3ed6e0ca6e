import type { Diagnostic } from "../model/result.ts";
import { errorAt, type MapEntry, type MapNode, type Node } from "../yaml/tree.ts";

/** Takes a value out of a located tree; where it is not what it must be, adds what is wrong and returns nothing. */
export type NodeDecoder<T> = (node: Node, wrong: Diagnostic[]) => T | undefined;

/** A key of a map. */
export interface DecodedField<T> {
  readonly read: NodeDecoder<T>;
  readonly need: "required" | "optional";
}

/** The fields of a map that is read into a `T`. */
export type DecodedFields<T> = { readonly [Name in keyof T]-?: DecodedField<Exclude<T[Name], undefined>> };

export function required<T>(read: NodeDecoder<T>): DecodedField<T> {
  return { read, need: "required" };
}

export function optional<T>(read: NodeDecoder<T>): DecodedField<T> {
  return { read, need: "optional" };
}

/** A text that is not empty. Numbers and the like have to be quoted, so that `012` stays what it is. */
export const text: NodeDecoder<string> = (node, wrong) => {
  if (node.kind !== "scalar") return addDiagnostic(node, wrong, "seed-wrong-type", "This must be a text.");
  if (node.text.trim() === "") return addDiagnostic(node, wrong, "seed-bad-value", "This must not be empty.");
  if (node.type !== "string") {
    const hint = `Put it in quotes: "${node.text}".`;
    return addDiagnostic(
      node,
      wrong,
      "seed-wrong-type",
      `This must be a text, and unquoted it is a ${node.type}.`,
      hint,
    );
  }
  return node.text;
};

/** A text of a certain form; `form` says which, such as `an e-mail address`. */
export function textLike(pattern: RegExp, form: string): NodeDecoder<string> {
  return (node, wrong) => {
    const found = text(node, wrong);
    if (found === undefined || pattern.test(found)) return found;
    return addDiagnostic(node, wrong, "seed-bad-value", `This must be ${form}.`);
  };
}

export function oneOf<T extends string>(...words: readonly T[]): NodeDecoder<T> {
  return (node, wrong) => {
    const found = text(node, wrong);
    if (found === undefined) return undefined;
    const word = words.find((candidate) => candidate === found);
    return word ?? addDiagnostic(node, wrong, "seed-bad-value", `This must be one of ${words.join(", ")}.`);
  };
}

export function listOf<T>(read: NodeDecoder<T>): NodeDecoder<readonly T[]> {
  return (node, wrong) => {
    if (node.kind !== "list") return addDiagnostic(node, wrong, "seed-wrong-type", "This must be a list.");
    return node.items.map((item) => read(item, wrong)).filter((item) => item !== undefined);
  };
}

/** A map with these keys and no others. */
export function mapOf<T>(fields: DecodedFields<T>): NodeDecoder<T> {
  const named = new Map<string, DecodedField<unknown>>(Object.entries(fields));
  return (node, wrong) => {
    if (node.kind !== "map")
      return addDiagnostic(node, wrong, "seed-wrong-type", `This must be a map of ${quotedKeys(named)}.`);
    const before = wrong.length;
    const values = decodeEntries(node, named, wrong);
    return wrong.length === before ? (Object.fromEntries(values) as T) : undefined;
  };
}

/** A map, or the text that stands for it. */
export function textOrMap<T>(fromText: (found: string) => T, read: NodeDecoder<T>): NodeDecoder<T> {
  return (node, wrong) => {
    if (node.kind !== "scalar") return read(node, wrong);
    const found = text(node, wrong);
    return found === undefined ? undefined : fromText(found);
  };
}

function decodeEntries(
  node: MapNode,
  named: ReadonlyMap<string, DecodedField<unknown>>,
  wrong: Diagnostic[],
): MapEntries {
  const values = new Map<string, unknown>();
  for (const entry of node.entries) decodeEntry(entry, named, values, wrong);
  const given = new Set(node.entries.map((entry) => entry.key.text));
  for (const [name, field] of named) {
    if (field.need === "optional" || given.has(name)) continue;
    addDiagnostic(node, wrong, "seed-missing-key", `The key \`${name}\` is missing.`);
  }
  return values;
}

type MapEntries = ReadonlyMap<string, unknown>;

function decodeEntry(
  { key, value }: MapEntry,
  named: ReadonlyMap<string, DecodedField<unknown>>,
  values: Map<string, unknown>,
  wrong: Diagnostic[],
): void {
  const field = named.get(key.text);
  if (field !== undefined) values.set(key.text, field.read(value, wrong));
  else
    addDiagnostic(key, wrong, "seed-unknown-key", `There is no key \`${key.text}\` here.`, `Use ${quotedKeys(named)}.`);
}

function quotedKeys(named: ReadonlyMap<string, unknown>): string {
  return [...named.keys()].map((name) => `\`${name}\``).join(", ");
}

function addDiagnostic(node: Node, wrong: Diagnostic[], code: string, message: string, hint?: string): undefined {
  wrong.push(errorAt(node, hint === undefined ? { code, message } : { code, message, hint }));
  return undefined;
}

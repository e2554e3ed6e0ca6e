import { definedFields } from "../model/collections.ts";
import type { JsonSchema } from "../model/declare.ts";
import type { DiagnosticsCollector, MapEntry, Node, ScalarNode, SourceRange } from "./source-text.ts";

/** Takes a value out of a located tree. On an error, it reports why, once, and returns nothing; the rest is still decoded. */
export interface Decoder<T> {
  (cursor: Cursor): T | undefined;
  /** What it takes, for editors. The build writes the published schemas from it. */
  readonly schema: JsonSchema;
}

export type Decoded<D> = D extends Decoder<infer T> ? T : never;

export function decoder<T>(schema: JsonSchema, decode: (cursor: Cursor) => T | undefined): Decoder<T> {
  return Object.assign(decode, { schema });
}

/** With what an editor shows of it: what it means, and what could stand there. */
export function described<T>(decoder: Decoder<T>, description: string, ...examples: readonly unknown[]): Decoder<T> {
  const shown = examples.length === 0 ? {} : { examples };
  return withSchema(decoder, { allOf: [decoder.schema], description, ...shown });
}

function withSchema<T>(decode: Decoder<T>, schema: JsonSchema): Decoder<T> {
  return decoder(schema, (cursor) => decode(cursor));
}

interface Decoding {
  readonly log: DiagnosticsCollector;
  /** What the whole document is called at the beginning of a sentence, such as `The settings file`. */
  readonly title: string;
}

export function decode<T>(decoder: Decoder<T>, tree: Node, decoding: Decoding): T | undefined {
  return decoder(new Cursor(tree, decoding));
}

interface FaultOptions {
  readonly code?: string;
  readonly at?: SourceRange;
}

/** A node of a document that is being decoded, and the way to it. Names and places are made only for what is reported. */
export class Cursor {
  readonly node: Node;
  /** The key under which the node stands, in a map. */
  readonly key: ScalarNode | undefined;
  readonly #decoding: Decoding;
  readonly #parent: Cursor | undefined;

  constructor(node: Node, decoding: Decoding, parent?: Cursor, key?: ScalarNode) {
    this.node = node;
    this.#decoding = decoding;
    this.#parent = parent;
    this.key = key;
  }

  entry({ key, value }: MapEntry): Cursor {
    return new Cursor(value, this.#decoding, this, key);
  }

  item(node: Node): Cursor {
    return new Cursor(node, this.#decoding, this);
  }

  get log(): DiagnosticsCollector {
    return this.#decoding.log;
  }

  /** What a message calls the node: the keys that lead to it, from the entry of a list on in which it stands. Begins a sentence. */
  get name(): string {
    if (this.#parent === undefined) return this.#decoding.title;
    return this.key === undefined ? `An entry of \`${this.#parent.#keys}\`` : `\`${this.#keys}\``;
  }

  get #keys(): string {
    if (this.key === undefined || this.#parent === undefined) return "";
    const before = this.#parent.#keys;
    return before === "" ? this.key.text : `${before}.${this.key.text}`;
  }

  /** Reports an error. Returns nothing, as the decoder does that has met it. */
  fault(message: string, hint?: string, { code = "bad-value", at = this.node }: FaultOptions = {}): undefined {
    this.#decoding.log.error(at, code, message, hint);
  }

  /** Reports an error about a line that holds a secret. */
  secretFault(code: string, message: string, hint: string): undefined {
    this.#decoding.log.errorAboutSecret(this.node, code, message, hint);
  }

  /** Reports that something else is expected, such as `a list`. */
  wrongType(expected: string, hint?: string, name = this.name): undefined {
    this.fault(`${name} must be ${expected}, not ${nodeKind(this.node)}.`, hint);
  }
}

/** Such as `a list` or `a number`. */
function nodeKind(node: Node): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  switch (node.type) {
    case "string":
      return "a text";
    case "null":
      return "nothing";
    case "number":
    case "boolean":
      return `a ${node.type}`;
  }
}

const valueHint = "Write a value, or remove the key.";

/** A text that is not empty. Numbers and the like have to be quoted, so that `012` stays what it is. */
export const text: Decoder<string> = decoder({ type: "string", minLength: 1 }, (cursor) => {
  const { node } = cursor;
  if (node.kind !== "scalar") return cursor.wrongType("a text");
  if (node.text === "" && node.type === "string") return cursor.fault(`${cursor.name} is empty.`, valueHint);
  if (node.type === "string") return node.text;
  if (node.type === "null") return cursor.fault(`${cursor.name} has no value.`, valueHint);
  const message = `${cursor.name} must be a text, but YAML reads ${nodeKind(node)} here.`;
  return cursor.fault(message, `Quote it: "${node.text}".`);
});

export const boolean: Decoder<boolean> = decoder({ type: "boolean" }, (cursor) => {
  const { node } = cursor;
  if (node.kind === "scalar" && node.type === "boolean") return node.text.toLowerCase() === "true";
  return cursor.wrongType("true or false", "Write `true` or `false`.");
});

interface NumberRange {
  readonly least: number;
  readonly most: number;
}

export function number(range: NumberRange): Decoder<number> {
  return numberIn("number", range);
}

export function wholeNumber({
  least,
  most = Number.MAX_SAFE_INTEGER,
}: Partial<NumberRange> & { least: number }): Decoder<number> {
  return numberIn("integer", { least, most });
}

function numberIn(type: "number" | "integer", { least, most }: NumberRange): Decoder<number> {
  const what = type === "number" ? "a number" : "a whole number";
  const end = most === Number.MAX_SAFE_INTEGER ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return decoder({ type, minimum: least, maximum: most }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "scalar" || node.type !== "number") return cursor.wrongType(`${what}${end}`);
    const value = Number(node.text);
    const isSuch = type === "number" ? !Number.isNaN(value) : Number.isSafeInteger(value);
    if (isSuch && value >= least && value <= most) return value;
    return cursor.fault(`${cursor.name} must be ${what}${end}, not ${node.text}.`);
  });
}

export function oneOf<const T extends string>(words: readonly T[], decoder: Decoder<string> = text): Decoder<T> {
  const quoted = quotedNames(words);
  const choice = [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].filter((part) => part !== "").join(" or ");
  const oneOfWords = andThen(decoder, (written, cursor) => {
    const known = words.find((word) => word === written);
    if (known !== undefined) return known;
    const message = `${cursor.name} must be ${choice}, not \`${written}\`.`;
    return cursor.fault(message, cursor.log.didYouMean(written, words));
  });
  return withSchema(oneOfWords, { enum: words });
}

/** A list, which may be empty unless that is said; without the entries that cannot be decoded. */
export function list<T>(item: Decoder<T>, size: "any" | "not-empty" = "any"): Decoder<readonly T[]> {
  const minItems = size === "not-empty" ? { minItems: 1 } : {};
  return decoder({ type: "array", ...minItems, items: item.schema }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "list") return cursor.wrongType("a list", listHint(node));
    if (size === "not-empty" && node.items.length === 0)
      return cursor.fault(`${cursor.name} must have at least one entry.`);
    return node.items.map((one) => item(cursor.item(one))).filter((value) => value !== undefined);
  });
}

function listHint(node: Node): string | undefined {
  if (node.kind !== "scalar") return "Begin each entry with `- `.";
  if (node.type === "null") return "Write `[]` for an empty list.";
  return /^[\w@.-]+$/u.test(node.text) ? `Write \`[${node.text}]\`.` : undefined;
}

/** A map whose keys are names that people choose; without the entries of which a name or value cannot be decoded. */
export function mapOf<T>(
  value: Decoder<T>,
  { name, hint }: { readonly name?: Decoder<string>; readonly hint?: string } = {},
): Decoder<readonly { readonly name: ScalarNode; readonly value: T }[]> {
  const names = name === undefined ? {} : { propertyNames: name.schema };
  return decoder({ type: "object", ...names, additionalProperties: value.schema }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "map") return cursor.wrongType("a map of names", hint);
    return node.entries.flatMap((entry) => {
      const named = cursor.entry({ key: entry.key, value: entry.key });
      if (name?.(named) === undefined && name !== undefined) return [];
      const decoded = value(cursor.entry(entry));
      return decoded === undefined ? [] : [{ name: entry.key, value: decoded }];
    });
  });
}

/** A key of a map. `always`: a map without its value is not decoded. */
interface Field<T, Presence extends "always" | "maybe" = "always" | "maybe"> {
  readonly decoder: Decoder<T>;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly presence: Presence;
  readonly otherwise?: T;
}

/** What an editor shows of a key, and what holds without it. */
interface FieldOptions<T> {
  readonly about?: string;
  readonly examples?: readonly unknown[] | undefined;
  /** As an editor shows it. */
  readonly default?: unknown;
  /** Stands in for a value that is missing or cannot be decoded, so that the rest of the map is known. */
  readonly otherwise?: T;
}

export function required<T>(decoder: Decoder<T>, options: FieldOptions<NoInfer<T>> = {}): Field<T, "always"> {
  return { ...shownField(decoder, options), isRequired: true, presence: "always" };
}

export function optional<T>(
  decoder: Decoder<T>,
  options: FieldOptions<NoInfer<T>> & { readonly otherwise: NoInfer<T> },
): Field<T, "always">;
export function optional<T>(decoder: Decoder<T>, options?: FieldOptions<NoInfer<T>>): Field<T, "maybe">;
export function optional<T>(decoder: Decoder<T>, options: FieldOptions<T> = {}): Field<T> {
  const presence = options.otherwise === undefined ? "maybe" : "always";
  return { ...shownField(decoder, options), isRequired: false, presence };
}

function shownField<T>(decoder: Decoder<T>, { about: description, otherwise, ...shown }: FieldOptions<T>) {
  const said = definedFields({ description, ...shown });
  const schema = Object.keys(said).length > 0 ? { allOf: [decoder.schema], ...said } : decoder.schema;
  return { decoder, schema, ...(otherwise === undefined ? {} : { otherwise }) };
}

type Fields = Readonly<Record<string, Field<unknown>>>;

type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends Field<unknown, "always"> ? Name : never]: ValueOf<F[Name]>;
} & {
  readonly [Name in keyof F as F[Name] extends Field<unknown, "always"> ? never : Name]?: ValueOf<F[Name]>;
};

type ValueOf<F> = F extends Field<infer T> ? T : never;

interface ObjectOptions {
  /** What a message calls such a map, such as `A user`; its path unless given. */
  readonly title?: string;
  /** What to do where such a map is missing or lacks a key. */
  readonly hint?: string;
  /** What to do in place of a key that is not known here, by that key. */
  readonly insteadOf?: ReadonlyMap<string, string>;
  /** The keys here, by what people call them elsewhere. Such a key is an error, and its value is known. */
  readonly alsoCalled?: ReadonlyMap<string, string>;
  /** What of its keys depends on one another. */
  readonly dependent?: JsonSchema;
}

/**
 * A map with these keys and no others. Nothing where a value that must be there cannot be had; all that is wrong with the others is
 * reported all the same.
 */
export function object<F extends Fields>(fields: F, options: ObjectOptions = {}): Decoder<ValuesOf<F>> {
  const known = Object.entries(fields).map(([name, field], position) => ({ name, field, position }));
  const always = known.filter(({ field }) => field.presence === "always");
  const positions = new Map(known.map(({ name, position }) => [name, position]));
  const needed = known.filter(({ field }) => field.isRequired).map(({ name }) => name);
  const schema = {
    type: "object",
    additionalProperties: false,
    ...(needed.length === 0 ? {} : { required: needed }),
    ...options.dependent,
    properties: Object.fromEntries(known.map(({ name, field }) => [name, field.schema])),
  };
  return decoder(schema, (cursor) => {
    const entries = knownEntries(cursor, positions, options);
    if (entries === undefined) return undefined;
    const values: Record<string, unknown> = {};
    for (const { name, field, position } of known) {
      const entry = entries[position];
      if (entry === undefined && field.isRequired) reportMissingKey(cursor, name, options);
      const value = (entry && field.decoder(cursor.entry(entry))) ?? field.otherwise;
      if (value !== undefined) values[name] = value;
    }
    const isUsable = always.every(({ name }) => Object.hasOwn(values, name));
    // Each value was decoded by the decoder of its name.
    return isUsable ? (values as ValuesOf<F>) : undefined;
  });
}

/** The entries of a map by the positions of their keys, after those keys are reported that are not known. Nothing where the node is no map. */
function knownEntries(
  cursor: Cursor,
  positions: ReadonlyMap<string, number>,
  { title, hint, insteadOf, alsoCalled }: ObjectOptions,
): readonly (MapEntry | undefined)[] | undefined {
  const { node } = cursor;
  const keysHint = () => `Its keys are ${quotedNames([...positions.keys()]).join(", ")}.`;
  if (node.kind !== "map") return cursor.wrongType("a map", hint ?? keysHint(), title);
  const entries = new Array<MapEntry | undefined>(positions.size).fill(undefined);
  for (const entry of node.entries) {
    const name = entry.key.text;
    const known = positions.get(name);
    if (known !== undefined) {
      entries[known] = entry;
      continue;
    }
    const advice = insteadOf?.get(name);
    const renamed = alsoCalled?.get(name);
    const meant = renamed ?? (advice === undefined ? cursor.log.closest(name, positions.keys()) : undefined);
    const position = positions.get(meant ?? name);
    // Read under the name that was meant: else what is there would be reported as missing.
    if (position !== undefined) entries[position] ??= entry;
    const guess = meant && (renamed === undefined ? `Did you mean \`${meant}\`?` : `Write \`${renamed}\`.`);
    const message = `${title ?? cursor.name} has no field \`${name}\`.`;
    cursor.entry(entry).fault(message, advice ?? guess ?? keysHint(), { code: "unknown-key", at: entry.key });
  }
  return entries;
}

function reportMissingKey(cursor: Cursor, name: string, { title = cursor.name, hint }: ObjectOptions): void {
  cursor.fault(`${title} needs \`${name}\`.`, hint, { code: "missing-key" });
}

function quotedNames(names: readonly string[]): readonly string[] {
  return names.map((name) => `\`${name}\``);
}

const noSchema: JsonSchema = {};

export function whenSchema(condition: JsonSchema, then: JsonSchema, otherwise: JsonSchema): JsonSchema {
  return { if: condition, then, else: otherwise };
}

/** One of several maps, by the key that only such a map has; the first one where none of these keys is there. */
export function byKey<T>(
  decoders: Readonly<Record<string, Decoder<T>>>,
  { title, hint }: { readonly title: string; readonly hint: string },
): Decoder<T> {
  const names = Object.keys(decoders);
  const [[, first] = ["", undefined], ...others] = Object.entries(decoders);
  const schema = others.reduce<JsonSchema>(
    (otherwise, [name, { schema }]) =>
      whenSchema({ type: "object", properties: { [name]: {} }, required: [name] }, schema, otherwise),
    first?.schema ?? noSchema,
  );
  return decoder(schema, (cursor) => {
    const { node } = cursor;
    const given = node.kind === "map" ? node.entries.map(({ key }) => key.text) : [];
    const [name = names[0] ?? "", ...others] = names.filter((one) => given.includes(one));
    if (others.length === 0) return decoders[name]?.(cursor);
    const choice = quotedNames(names).join(" or ");
    return cursor.fault(`${title} has either ${choice}, not both.`, hint);
  });
}

/** One decoder for each kind of node; `expected` says what can stand there, such as `a text or a list of texts`. */
export function byKind<T>(
  decoders: { readonly [Kind in Node["kind"]]?: Decoder<T> },
  expected: string,
  hint?: string,
): Decoder<T> {
  const { scalar, ...others } = decoders;
  const schema = Object.entries(others).reduce<JsonSchema>(
    (otherwise, [kind, { schema }]) =>
      otherwise === noSchema ? schema : whenSchema({ type: kind === "list" ? "array" : "object" }, schema, otherwise),
    scalar?.schema ?? noSchema,
  );
  return decoder(schema, (cursor) => {
    const decode = decoders[cursor.node.kind];
    return decode === undefined ? cursor.wrongType(expected, hint) : decode(cursor);
  });
}

/** What a decoded value amounts to. Where it is not of its form, `next` reports that, and `form` says it to editors. */
export function andThen<T, R>(
  first: Decoder<T>,
  next: (value: T, cursor: Cursor) => R | undefined,
  form?: JsonSchema,
): Decoder<R> {
  return decoder(form === undefined ? first.schema : { allOf: [first.schema], ...form }, (cursor) => {
    const value = first(cursor);
    return value === undefined ? undefined : next(value, cursor);
  });
}

/** A value, and whether nothing is wrong with what it was taken from. */
export function checked<T>(decode: Decoder<T>): Decoder<{ readonly value: T; readonly isWhole: boolean }> {
  return decoder(decode.schema, (cursor) => {
    const before = cursor.log.count;
    const value = decode(cursor);
    return value === undefined ? undefined : { value, isWhole: cursor.log.count === before };
  });
}

export interface SourceValue<T> {
  readonly value: T;
  readonly at: SourceRange;
}

export function located<T>(decoder: Decoder<T>): Decoder<SourceValue<T>> {
  return andThen(decoder, (value, { node }) => ({ value, at: node }));
}

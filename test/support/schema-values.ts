import { readFileSync } from "node:fs";
import fc from "fast-check";
import { validState } from "../../src/codec/generated/state.js";
import { decodeState } from "../../src/codec/state.ts";
import { type RunEvent, runEvents } from "../../src/model/event.ts";
import type { State } from "../../src/model/state.ts";
import { codePoint } from "./code-point.ts";

/** The keywords of JSON Schema that our published formats use. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const plain = fc.nat().map((number) => `w${number.toString(36)}`);

/** Texts with everything that has ever broken a format: names of properties, line ends, quotes, halves of pairs. */
const nasty = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8, unit: codePoint }).filter((text) => text.trim() !== ""),
  fc.constantFrom("__proto__", "constructor", "toString", "\u2028", "a\n", '"', "\\", "\ud800", "}\n{", "İ"),
);

const files = ["state.schema.json", "log-event.schema.json", "plan.schema.json"];
const schemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  files.map((file) => [file, JSON.parse(readFileSync(`schemas/${file}`, "utf8"))]),
);

/** Whatever the names in it. */
export const anyState: fc.Arbitrary<State> = valuesOf("state.schema.json#", nasty).chain((document) => {
  const decoded = decodeState(JSON.stringify(document), "log.jsonl", validState);
  return decoded.ok ? fc.constant(decoded.value) : anyState;
});

/** Findings are written in another form than they have in a run. */
export const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  ...Object.keys(runEvents)
    .filter((type) => type !== "found")
    .map((type) => valuesOf(`log-event.schema.json#/definitions/${type}`, nasty) as fc.Arbitrary<RunEvent>),
);

/** Values with every field that a published schema describes, now there and now not. */
export function valuesOf(ref: string, words: fc.Arbitrary<string> = plain): fc.Arbitrary<unknown> {
  const [file = "", path = ""] = ref.split("#");
  const parts = path.split("/").filter((part) => part !== "");
  const schema = parts.reduce<unknown>((at, part) => Reflect.get(at as object, part), schemas[file]) as Schema;
  return valuesIn(schema, words, (inner) => valuesOf(inner.startsWith("#") ? `${file}${inner}` : inner, words));
}

function valuesIn(
  schema: Schema,
  words: fc.Arbitrary<string>,
  resolve: (ref: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const inside = (inner: Schema) => valuesIn(inner, words, resolve);
  const { allOf, ...rest } = schema;
  if (allOf !== undefined) {
    const [only, ...others] = allOf;
    if (only !== undefined && others.length === 0 && !("properties" in rest)) return inside(only);
    const own = "properties" in rest ? [inside(rest)] : [];
    return fc.tuple(...allOf.map(inside), ...own).map((parts) => Object.assign({}, ...parts));
  }
  if (schema.$ref !== undefined) return resolve(schema.$ref);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inside));
  return valuesOfType([schema.type].flat()[0], schema, words, inside);
}

function valuesOfType(
  type: string | undefined,
  schema: Schema,
  words: fc.Arbitrary<string>,
  inside: (inner: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const {
    properties = {},
    required = [],
    items = {},
    minItems = 0,
    minProperties = 0,
    minimum = 0,
    maximum = minimum + 99,
    pattern,
  } = schema;
  switch (type) {
    case "object": {
      const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, inside(field)]));
      return fc
        .record(fields, { requiredKeys: [...required], noNullPrototype: true })
        .filter((value) => Object.keys(value).length >= minProperties);
    }
    case "array":
      return fc.array(inside(items), { minLength: minItems, maxLength: minItems + 2 });
    case "string":
      return pattern === undefined ? words : fc.stringMatching(new RegExp(pattern, "u"));
    case "integer":
    case "number":
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 99) });
    case "boolean":
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

/** The same where lists have the same members: codecs sort lists of roles and of records. */
export function withoutOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutOrder(inner)]));
  }
  const members = value.map((inner) => JSON.stringify(sortedNames(withoutOrder(inner))));
  return [...new Set(members)].sort();
}

function sortedNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const named = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(named.map(([name, inner]) => [name, sortedNames(inner)]));
}

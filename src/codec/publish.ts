import * as t from "../model/declare.ts";

/** In snake case. */
export function publishedName(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** What is declared of a value, under the published names and in the order of the declaration. */
export function publish<T>(schema: t.Schema<T>, value: T): t.JsonSchema {
  return converterOf(schema as t.Node, ways.publish)(value) as t.JsonSchema;
}

/** What a valid document says. */
export function readPublished<T>(schema: t.Schema<T>, document: unknown): T {
  return converterOf(schema as t.Node, ways.readPublished)(document) as T;
}

/** The same fields, each of which may be absent. */
export function partly<const F extends t.Fields>(fields: F) {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    t.isOptional(field) ? field : t.optional(field),
  ]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof F]: F[Name] extends t.Optional<unknown> ? F[Name] : t.Optional<t.Static<F[Name]>>;
  };
}

/** Of those of these fields that are not optional, a published document has all or none. */
export function together<T>(schema: t.Schema<T>, fields: t.Fields): t.Schema<T> {
  const names = ((t.object(fields) as t.Node).required ?? []).map(publishedName);
  const others = names.map((name) => [name, names.filter((other) => other !== name)]);
  return { ...schema, dependencies: Object.fromEntries(others) };
}

export function fieldsOf(schema: t.JsonSchema): t.Fields {
  const { properties = {}, required = [] } = schema as t.Node;
  const fields = Object.entries(properties);
  return Object.fromEntries(fields.map(([name, field]) => [name, required.includes(name) ? field : t.optional(field)]));
}

/** Into JSON, or from valid JSON, under these names. */
interface Way {
  readonly is: "write" | "read";
  readonly nameOf: (name: string) => string;
  /** Made once of each declaration: a plan has hundreds of thousands of fields. */
  readonly made: WeakMap<t.Node, Converter>;
}

type Converter = (value: unknown) => unknown;

const ownName = (name: string) => name;
const ways = {
  publish: { is: "write", nameOf: publishedName, made: new WeakMap() },
  readPublished: { is: "read", nameOf: publishedName, made: new WeakMap() },
  writeVerbatim: { is: "write", nameOf: ownName, made: new WeakMap() },
  readVerbatim: { is: "read", nameOf: ownName, made: new WeakMap() },
} as const satisfies Readonly<Record<string, Way>>;

function converterOf(node: t.Node, way: Way): Converter {
  const made = way.made.get(node) ?? makeConverter(node, way);
  way.made.set(node, made);
  return made;
}

const asItIs: Converter = (value) => value;

/** A conversion comes first when writing and last when reading, so that all below it has the declared form. */
function makeConverter(node: t.Node, way: Way): Converter {
  const { to, from } = node[t.conversion] ?? {};
  const verbatimWay = way.is === "write" ? ways.writeVerbatim : ways.readVerbatim;
  const declared = convertDeclared(node, node[t.isVerbatim] ? verbatimWay : way);
  if (to !== undefined && way.is === "write") return (value) => declared(to(value));
  return from !== undefined && way.is === "read" ? (value) => from(declared(value)) : declared;
}

function convertDeclared({ allOf, anyOf, items, properties }: t.Node, way: Way): Converter {
  if (allOf?.[0] !== undefined) return converterOf(allOf[0], way);
  if (anyOf !== undefined) return convertUnion(anyOf, way);
  if (properties !== undefined) return convertFields(properties, way);
  if (items === undefined) return asItIs;
  const convert = converterOf(items, way);
  return convert === asItIs ? asItIs : (list) => (Array.isArray(list) ? list.map(convert) : list);
}

/** Of an object only declared fields are taken. Nothing undefined is written, but null where the field is nullable. */
function convertFields(properties: NonNullable<t.Node["properties"]>, way: Way): Converter {
  const fields = Object.entries(properties).map(([name, node]) => {
    const [from, to] = way.is === "write" ? [name, way.nameOf(name)] : [way.nameOf(name), name];
    return { from, to, takesAbsent: isNullable(node), convert: converterOf(node, way) };
  });
  if (way.nameOf === ownName && fields.every(({ convert }) => convert === asItIs)) return asItIs;
  return (value) => {
    const converted: Record<string, unknown> = {};
    for (const { from, to, takesAbsent, convert } of fields) {
      const given: unknown = Reflect.get(Object(value), from);
      const field = given === undefined && !takesAbsent ? undefined : convert(given);
      if (field !== undefined) converted[to] = field;
    }
    return converted;
  };
}

/** By the fields in which the members differ: those of which only some values are declared. No value fits two members. */
function convertUnion(members: readonly t.Node[], way: Way): Converter {
  const choices = members
    .filter(({ type }) => type !== "null")
    .map((node) => ({ marks: marksOf(node, way), convert: converterOf(node, way) }));
  if (choices.length === members.length && choices.every(({ convert }) => convert === asItIs)) return asItIs;
  const none = way.is === "write" ? null : undefined;
  return (value) => {
    if (value === undefined || value === null) return none;
    const choice = choices.find(({ marks }) =>
      marks.every(({ name, isAllowed }) => isAllowed(Reflect.get(Object(value), name))),
    );
    return choice === undefined ? value : choice.convert(value);
  };
}

function marksOf({ properties = {}, required = [] }: t.Node, way: Way) {
  return Object.entries(properties).flatMap(([name, node]) => {
    const { const: only, enum: values = only === undefined ? undefined : [only] } = node.allOf?.[0] ?? node;
    if (values === undefined) return [];
    const isAllowed = (field: unknown) => values.includes(field) || (field === undefined && !required.includes(name));
    return [{ name: way.is === "write" ? name : way.nameOf(name), isAllowed }];
  });
}

function isNullable({ allOf, anyOf }: t.Node): boolean {
  return allOf?.[0] === undefined ? anyOf?.[0]?.type === "null" : isNullable(allOf[0]);
}

import { sortedMap } from "./collections.ts";

/** A JSON Schema, and the type of what it accepts. The validators and the converters of documents are made of it. */
export interface Schema<T> extends JsonSchema {
  readonly [accepts]?: T;
}

declare const accepts: unique symbol;

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export type Static<S> = S extends Schema<infer T> ? T : never;

export interface Optional<T> {
  readonly optional: Schema<T>;
  /** It is null where it is absent. */
  readonly isNull?: true | undefined;
}

export type Fields = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

type OptionalName<F> = { [Name in keyof F]: F[Name] extends Optional<unknown> ? Name : never }[keyof F];

/** What an object with these fields is, beside what it has of `Own`: as one type, editors and errors show its fields. */
export type ObjectOf<F, Own = unknown> = Own & {
  readonly [Name in keyof F as Exclude<Name, OptionalName<F>>]: Static<F[Name]>;
} & {
  readonly [Name in keyof F as Extract<Name, OptionalName<F>>]?: F[Name] extends Optional<infer T>
    ? T | undefined
    : never;
} extends infer All
  ? { [Name in keyof All]: All[Name] }
  : never;

export type Extended<F, T> = T extends unknown ? ObjectOf<F, T> : never;

type ObjectParts<F> = readonly [fields: F] | readonly [description: string, fields: F];

/** As JSON Schema names them; a text is a description. */
export type Keywords = Readonly<Record<string, string | number>> | string;

function schemaOfType(type: string, keywords: Keywords): JsonSchema {
  return { type, ...(typeof keywords === "string" ? { description: keywords } : keywords) };
}

function scalar<T>(type: string, always: JsonSchema = {}): (keywords?: Keywords) => Schema<T> {
  return (keywords = {}) => ({ ...schemaOfType(type, keywords), ...always });
}

export const string = scalar<string>("string");
export const integer = scalar<number>("integer");
export const number = scalar<number>("number");
export const boolean = scalar<boolean>("boolean");
/** How many, from 0. */
export const count = scalar<number>("integer", { minimum: 0 });

/** It is undefined where null is written. */
export function nullable<T>(schema: Schema<T>): Optional<T> {
  const { description } = schema as JsonSchema;
  const written = { ...(description === undefined ? {} : { description }), anyOf: [{ type: "null" }, schema] };
  return { optional: written as Schema<T>, isNull: true };
}

export function literal<const T extends string | number | boolean>(value: T): Schema<T> {
  return { const: value };
}

export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return { enum: values };
}

export function list<T>(items: Schema<T>, keywords: Keywords = {}): Schema<readonly T[]> {
  return { ...schemaOfType("array", keywords), items };
}

export function object<const F extends Fields>(...declared: ObjectParts<F>): Schema<ObjectOf<F>> {
  const [description, fields] = declared.length === 1 ? [undefined, ...declared] : declared;
  const properties = Object.entries<Schema<unknown> | Optional<unknown>>(fields);
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    additionalProperties: false,
    required: properties.filter(([, field]) => !isOptional(field) || field.isNull).map(([name]) => name),
    properties: Object.fromEntries(
      properties.map(([name, field]) => [name, isOptional(field) ? field.optional : field]),
    ),
  };
}

/** Later versions may have more fields: programs ignore those that they do not know. */
export function open<T>({ additionalProperties: _closed, ...schema }: Schema<T> & JsonSchema): Schema<T> {
  return schema as Schema<T>;
}

export function optional<T>(schema: Schema<T>, description?: string): Optional<T> {
  return { optional: description === undefined ? schema : described(schema, description) };
}

export function nonEmpty<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, minProperties: 1 };
}

export function isOptional(field: Schema<unknown> | Optional<unknown>): field is Optional<unknown> {
  return Object.hasOwn(field, "optional");
}

export function anyOf<S extends readonly Schema<unknown>[]>(...schemas: S): Schema<Static<S[number]>> {
  return { anyOf: schemas };
}

/** An object with further fields before its own; of a union, each of them. It has no others, as before. */
export function extended<const F extends Fields, T>(fields: F, schema: Schema<T>): Schema<Extended<F, T>> {
  const { anyOf: members, allOf: [only] = [], required, properties } = schema as Node;
  if (members !== undefined) return { anyOf: members.map((member) => extended(fields, member)) };
  if (only !== undefined) return { ...(schema as JsonSchema), allOf: [extended(fields, only)] };
  const added: JsonSchema = object(fields);
  return {
    ...(schema as JsonSchema),
    required: [added["required"], required].flat(),
    properties: Object.assign({}, added["properties"], properties),
  };
}

/** What the program has in another form than it is written in: a conversion that is left out changes nothing. */
export function converted<T, W>(
  schema: Schema<W>,
  to: ((value: T) => W) | undefined,
  from?: (written: W) => T,
): Schema<T> {
  return Object.assign({ ...(schema as JsonSchema) }, { [conversion]: { to, from } });
}

/** A copy for a schema whose readers do not need the file of the original. */
export function inPlace<T>(schema: Schema<T>): Schema<T> {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Reflect.ownKeys(value).map((key) => [key, copy(Reflect.get(value, key))]));
  };
  return copy(schema) as Schema<T>;
}

/** Records of which each says by what it is known, in that order: the program has them by it. */
export function keyed<Key extends string, T>(items: Schema<T>, keyOf: (item: T) => Key, keywords: Keywords = {}) {
  return converted<ReadonlyMap<Key, T>, readonly T[]>(
    list(items, keywords),
    (map) => [...sortedMap(map).values()],
    (list) => new Map(list.map((item) => [keyOf(item), item])),
  );
}

/** Records by a name that they do not have themselves. */
export function named<const Name extends string, Key extends string, T extends object>(
  name: Name,
  key: Schema<Key>,
  items: Schema<T>,
  keywords: Keywords = {},
): Schema<ReadonlyMap<Key, T>> {
  type Item = T & { readonly [K in Name]: Key };
  return converted<ReadonlyMap<Key, T>, readonly Item[]>(
    list(typed<Item>(extended({ [name]: key }, items)), keywords),
    (map) => [...map].map(([key, item]) => ({ [name]: key, ...item }) as Item),
    (list) => new Map(list.map(({ [name]: key, ...item }) => [key, item as unknown as T])),
  );
}

/** Written under the names that the program has for it, whatever is around it. */
export function verbatim<T>(schema: Schema<T>): Schema<T> {
  return { allOf: [schema], [isVerbatim]: true };
}

export const conversion = Symbol("conversion");
export const isVerbatim = Symbol("verbatim");

/** What the program tells apart by type alone. */
export function typed<T>(schema: Schema<unknown>): Schema<T> {
  return schema as Schema<T>;
}

/** What it says where it is used. */
export function described<T>(schema: Schema<T>, description: string): Schema<T> {
  return { allOf: [schema], description };
}

/** The keywords that converters follow; a value of another schema is written as it is. */
export interface Node extends JsonSchema {
  readonly const?: unknown | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly type?: string | undefined;
  readonly allOf?: readonly Node[] | undefined;
  readonly anyOf?: readonly Node[] | undefined;
  readonly items?: Node | undefined;
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly [conversion]?: { to?(value: unknown): unknown; from?(written: unknown): unknown };
  readonly [isVerbatim]?: true;
}

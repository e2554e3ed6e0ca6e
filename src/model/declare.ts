/**
 * Declares formats. A declaration is a JSON Schema, and the static type of what that accepts. The build writes the schemas and compiles
 * validators of them; the program knows the types alone and loads nothing of this.
 */
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
}

export type Fields = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

type OptionalName<F> = { [Name in keyof F]: F[Name] extends Optional<unknown> ? Name : never }[keyof F];

/** What an object with these fields is, beside what it has of `Own`: one type, whose fields editors and errors show. */
export type ObjectOf<F, Own = unknown> = Own & {
  readonly [Name in keyof F as Exclude<Name, OptionalName<F>>]: Static<F[Name]>;
} & {
  readonly [Name in keyof F as Extract<Name, OptionalName<F>>]?: F[Name] extends Optional<infer T> ? T : never;
} extends infer All
  ? { [Name in keyof All]: All[Name] }
  : never;

/** What is written as JSON, which leaves out what is undefined. */
export type Written<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Name in keyof T]: Written<T[Name]> | (object extends Pick<T, Name> ? undefined : never) };

export type Extended<F, T> = T extends unknown ? ObjectOf<F, T> : never;

/** Fields, after what they are together where that is not plain. */
export type ObjectParts<F> = readonly [fields: F] | readonly [description: string, fields: F];

/** Constraints and descriptions, as JSON Schema names them; a text is a description. */
export type Keywords = Readonly<Record<string, string | number>> | string;

function schemaOfType(type: string, keywords: Keywords): JsonSchema {
  return { type, ...(typeof keywords === "string" ? { description: keywords } : keywords) };
}

export function string(keywords: Keywords = {}): Schema<string> {
  return schemaOfType("string", keywords);
}

export function integer(keywords: Keywords = {}): Schema<number> {
  return schemaOfType("integer", keywords);
}

export function number(keywords: Keywords = {}): Schema<number> {
  return schemaOfType("number", keywords);
}

export function boolean(keywords: Keywords = {}): Schema<boolean> {
  return schemaOfType("boolean", keywords);
}

/** How many, from 0. */
export function count(keywords: Keywords = {}): Schema<number> {
  return { ...schemaOfType("integer", keywords), minimum: 0 };
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { description } = schema as JsonSchema;
  return { ...(description === undefined ? {} : { description }), anyOf: [{ type: "null" }, schema] };
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
    required: properties.filter(([, field]) => !isOptional(field)).map(([name]) => name),
    properties: Object.fromEntries(
      properties.map(([name, field]) => [name, isOptional(field) ? field.optional : field]),
    ),
  };
}

/** Programs pass over fields that they do not know: later versions may have more. */
export function open<T>({ additionalProperties: _closed, ...schema }: Schema<T> & JsonSchema): Schema<T> {
  return schema as Schema<T>;
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** The same fields, each of which may be absent. */
export function partly<const F extends Fields>(fields: F) {
  const entries = Object.entries(fields).map(([name, field]) => [name, isOptional(field) ? field : optional(field)]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof F]: F[Name] extends Optional<unknown> ? F[Name] : Optional<Static<F[Name]>>;
  };
}

/** Of these fields, all are there or none. */
export function together<T>(schema: Schema<T>, names: readonly string[]): Schema<T> {
  const others = names.map((name) => [name, names.filter((other) => other !== name)]);
  return { ...schema, dependencies: Object.fromEntries(others) };
}

export function nonEmpty<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, minProperties: 1 };
}

function isOptional(field: Schema<unknown> | Optional<unknown>): field is Optional<unknown> {
  return Object.hasOwn(field, "optional");
}

export function anyOf<S extends readonly Schema<unknown>[]>(...schemas: S): Schema<Static<S[number]>> {
  return { anyOf: schemas };
}

/** An object with further fields before its own; of a union, each of them. It has no others, as before. */
export function extended<const F extends Fields, T>(fields: F, schema: Schema<T>): Schema<Extended<F, T>> {
  const { anyOf: members, required, properties } = schema as JsonSchema;
  if (Array.isArray(members)) return { anyOf: members.map((member: Schema<unknown>) => extended(fields, member)) };
  const added: JsonSchema = object(fields);
  return {
    ...(schema as JsonSchema),
    required: [added["required"], required].flat(),
    properties: Object.assign({}, added["properties"], properties),
  };
}

/** Texts that the program tells apart by type, or what a codec reads into another form. */
export function typed<T>(schema: Schema<unknown>): Schema<T> {
  return schema as Schema<T>;
}

/** What it says where it is used. */
export function described<T>(schema: Schema<T>, description: string): Schema<T> {
  return { allOf: [schema], description };
}

export interface Format {
  readonly title: string;
  readonly description: string;
  readonly root: JsonSchema;
  /** Programs pass over fields that they do not know: later versions may have more. */
  readonly isOpen?: true;
  readonly examples?: readonly unknown[];
  /** Definitions by their names; or a module, of which what it declares and exports is one. */
  readonly declarations: Readonly<Record<string, unknown>>;
}

/** What a definition is: a declaration, or the schema of what decodes it. */
function schemaOf(declared: unknown): unknown {
  return typeof declared === "function" ? Reflect.get(declared, "schema") : declared;
}

/** By the names of their files. A schema refers to what another one of them defines. */
export function jsonSchemas(formats: Readonly<Record<string, Format>>): Readonly<Record<string, JsonSchema>> {
  const places = new Map<unknown, { readonly file: string; readonly path: string }>();
  for (const [file, { declarations, root }] of Object.entries(formats)) {
    for (const [name, declared] of Object.entries(declarations)) {
      const schema = schemaOf(declared);
      if (typeof schema === "object") places.set(schema, { file, path: `#/definitions/${name}` });
    }
    places.set(root, { file, path: "#" });
  }
  const written = (file: string, { title, description, examples, root, declarations, isOpen }: Format): JsonSchema => {
    const refer = (value: unknown): unknown => {
      const place = places.get(value);
      if (place === undefined) return inline(value);
      return { $ref: place.file === file ? place.path : `${place.file}${place.path}`.replace(/#$/u, "") };
    };
    const inline = (declared: unknown): unknown => {
      if (typeof declared !== "object" || declared === null) return declared;
      if (Array.isArray(declared)) return declared.map(refer);
      const value = isOpen ? open(declared as JsonSchema) : declared;
      const { allOf: [only, ...others] = [], ...own } = value as { readonly allOf?: readonly unknown[] };
      if (only !== undefined && others.length === 0 && !places.has(only))
        return { ...own, ...(inline(only) as object), ...(inline(own) as object) };
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, refer(inner)]));
    };
    const definitions = Object.entries(declarations).flatMap(([name, declared]) => {
      const schema = schemaOf(declared);
      return places.has(schema) && schema !== root ? [[name, inline(schema)] as const] : [];
    });
    return {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: `https://roster.example/schemas/${file}`,
      title,
      description,
      ...(inline(root) as object),
      ...(examples === undefined ? {} : { examples }),
      definitions: Object.fromEntries(definitions),
    };
  };
  return Object.fromEntries(Object.entries(formats).map(([file, format]) => [file, written(file, format)]));
}

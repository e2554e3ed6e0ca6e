import { type JsonSchema, type Node, open } from "../model/declare.ts";
import { publishedName } from "./publish.ts";

interface Format {
  readonly title: string;
  readonly description: string;
  readonly root: JsonSchema;
  /** `published`: what `publish` writes, with names in snake case. */
  readonly names?: "published" | undefined;
  /** As `open` makes a schema, everywhere in it. */
  readonly isOpen?: true | undefined;
  readonly examples?: readonly unknown[] | undefined;
  /** Definitions by their names; or a module, of which what it declares and exports is one. */
  readonly declarations: Readonly<Record<string, unknown>>;
}

/** By the names of their files. A schema refers to what another one of them defines. */
export function jsonSchemas(formats: Readonly<Record<string, Format>>): Readonly<Record<string, JsonSchema>> {
  /** Where a schema is defined, by the schema itself. */
  const places = new Map<unknown, { readonly file: string; readonly path: string }>();
  const definitionsOf = ({ declarations, root }: Format) =>
    Object.entries(declarations).flatMap(([name, declared]) => {
      // A decoder has the schema of what it decodes.
      const schema: unknown = typeof declared === "function" ? Reflect.get(declared, "schema") : declared;
      return typeof schema === "object" && schema !== root ? [[name, schema] as const] : [];
    });
  for (const [file, format] of Object.entries(formats)) {
    for (const [name, schema] of definitionsOf(format)) places.set(schema, { file, path: `#/definitions/${name}` });
    places.set(format.root, { file, path: "#" });
  }
  const written = (file: string, format: Format): JsonSchema => {
    const { title, description, examples, root, isOpen, names } = format;
    const refer = (value: unknown): unknown => {
      const place = places.get(value);
      if (place === undefined) return inline(value);
      return { $ref: place.file === file ? place.path : `${place.file}${place.path}`.replace(/#$/u, "") };
    };
    const inline = (declared: unknown): unknown => {
      if (typeof declared !== "object" || declared === null) return declared;
      if (Array.isArray(declared)) return declared.map(refer);
      const named = names === "published" ? withPublishedNames(declared as Node) : (declared as Node);
      const schema: Node = isOpen ? open(named) : named;
      const { allOf: [only, ...others] = [], ...own } = schema;
      if (only !== undefined && others.length === 0 && !places.has(only))
        return Object.assign({}, inline(own), inline(only), inline(own));
      return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, refer(inner)]));
    };
    return {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: `https://roster.example/schemas/${file}`,
      title,
      description,
      ...Object(inline(root)),
      ...(examples === undefined ? {} : { examples }),
      definitions: Object.fromEntries(definitionsOf(format).map(([name, schema]) => [name, inline(schema)])),
    };
  };
  return Object.fromEntries(Object.entries(formats).map(([file, format]) => [file, written(file, format)]));
}

function withPublishedNames(schema: Node): Node {
  const { properties, required } = schema;
  const fields = properties && Object.entries(properties).map(([name, field]) => [publishedName(name), field] as const);
  return {
    ...schema,
    ...(fields && { properties: Object.fromEntries(fields) }),
    ...(required && { required: required.map(publishedName) }),
  };
}

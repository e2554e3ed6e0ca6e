import { Ajv } from "ajv";
import { describe, expect, expectTypeOf, test } from "vitest";
import { jsonSchemas } from "../../../src/codec/json-schemas.ts";
import { publish, readPublished } from "../../../src/codec/publish.ts";
import {
  anyOf,
  converted,
  described,
  extended,
  integer,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  type Static,
  string,
  type typed,
  verbatim,
} from "../../../src/model/declare.ts";

const name = string({ minLength: 1 });
const came = object("Somebody came.", { type: literal("came"), who: name, with: optional(list(name)) });
const left = object({ type: literal("left"), who: described(name, "Who left.") });
const line = extended({ position: integer({ minimum: 1 }), previous: optional(string()) }, anyOf(came, left));

function schemaOf(root: Schema<unknown>) {
  const format = { title: "Lines", description: "What happened.", root, declarations: { name, came, name2: 1, root } };
  return jsonSchemas({ "line.schema.json": format })["line.schema.json"] ?? {};
}

describe("a declaration", () => {
  test("is the type: everything is read-only, and what may be absent may be undefined", () => {
    interface Came {
      readonly type: "came";
      readonly who: string;
      readonly with?: readonly string[] | undefined;
    }
    expectTypeOf<Static<typeof came>>().toEqualTypeOf<Came>();
    expectTypeOf<Static<typeof line>>().toEqualTypeOf<
      | (Came & { readonly position: number; readonly previous?: string | undefined } extends infer T
          ? { [N in keyof T]: T[N] }
          : never)
      | {
          readonly position: number;
          readonly previous?: string | undefined;
          readonly type: "left";
          readonly who: string;
        }
    >();
    type Id = string & { readonly brand: true };
    expectTypeOf<Static<ReturnType<typeof typed<Id>>>>().toEqualTypeOf<Id>();
  });

  test("is the schema: what is exported is a definition, and the others refer to it", () => {
    expect(schemaOf(anyOf(came, left))).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://roster.example/schemas/line.schema.json",
      title: "Lines",
      description: "What happened.",
      anyOf: [
        { $ref: "#/definitions/came" },
        {
          type: "object",
          additionalProperties: false,
          required: ["type", "who"],
          properties: {
            type: { const: "left" },
            who: { allOf: [{ $ref: "#/definitions/name" }], description: "Who left." },
          },
        },
      ],
      definitions: {
        name: { type: "string", minLength: 1 },
        came: {
          type: "object",
          description: "Somebody came.",
          additionalProperties: false,
          required: ["type", "who"],
          properties: {
            type: { const: "came" },
            who: { $ref: "#/definitions/name" },
            with: { type: "array", items: { $ref: "#/definitions/name" } },
          },
        },
      },
    });
  });

  test("of a union that is extended asks each of its objects for the further fields, and still takes no others", () => {
    const accepts = new Ajv({ strict: true }).compile(schemaOf(line));
    const whole = { position: 1, type: "left", who: "ada" };
    const lines = [
      whole,
      { ...whole, previous: "p", type: "came", with: ["bo"] },
      { ...whole, previous: 1 },
      { ...whole, other: 1 },
      { ...whole, with: ["bo"] },
      { type: "left", who: "ada" },
      { position: 1, type: "left" },
    ];
    expect(lines.map((one) => accepts(one))).toEqual([true, true, false, false, false, false, false]);
  });
});

describe("a published value", () => {
  const person = converted<{ readonly name: string }, string>(
    string(),
    ({ name }) => name,
    (name) => ({ name }),
  );
  const made = object({ kind: literal("made"), madeBy: person, leftAt: nullable(integer()) });
  const gone = object({ kind: oneOf("lost", "left"), leftAt: optional(integer()), asIs: verbatim(made) });
  const either = described(anyOf(made, gone), "Either of them.");
  const madeByAda = { kind: "made", madeBy: { name: "ada" } } as const;
  const ownNames = { kind: "made", madeBy: "ada", leftAt: null };

  test.each<readonly [string, Static<typeof either>, object]>([
    ["of one kind, null where it is absent", madeByAda, { kind: "made", made_by: "ada", left_at: null }],
    ["of that kind, not null", { ...madeByAda, leftAt: 0 }, { kind: "made", made_by: "ada", left_at: 0 }],
    ["of another kind", { kind: "left", leftAt: 0, asIs: madeByAda }, { kind: "left", left_at: 0, as_is: ownNames }],
    ["without what is optional", { kind: "lost", asIs: madeByAda }, { kind: "lost", as_is: ownNames }],
  ])("%s is written under the published names, and read back", (_, value, written) => {
    expect(publish(either, value)).toStrictEqual(written);
    expect(readPublished(either, written)).toStrictEqual(value);
  });

  test("has nothing that is not declared, whatever a document has", () => {
    const more = JSON.parse(
      '{ "kind": "made", "made_by": "ada", "left_at": null, "x": 1, "__proto__": { "leftAt": 1 } }',
    );
    expect(readPublished(either, more)).toStrictEqual(madeByAda);
    expect(publish(either, { ...madeByAda, ...{ x: 1 } })).toStrictEqual({
      kind: "made",
      made_by: "ada",
      left_at: null,
    });
  });
});

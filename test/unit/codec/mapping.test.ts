import { describe, expect, test } from "vitest";
import {
  type Codec,
  derived,
  fields,
  inline,
  type JsonObject,
  list,
  named,
  orNull,
  plain,
  roles,
  variants,
} from "../../../src/codec/mapping.ts";

interface Person {
  readonly firstName: string;
  readonly externalIdentifier?: string;
}

const person: Codec<Person, JsonObject> = fields({ firstName: plain, externalIdentifier: plain });

/** What a value is written as, and that as it is read back. */
function both<T>(codec: Codec<T>, value: T): { readonly written: unknown; readonly read: T } {
  const written: unknown = JSON.parse(JSON.stringify(codec.encode(value)));
  return { written, read: codec.decode(written) };
}

describe("the fields of an object", () => {
  test("are written with underscores, in the order of their description, and read back", () => {
    const ada = { externalIdentifier: "e", firstName: "Ada" };
    expect(Object.keys(person.encode(ada) as object)).toEqual(["first_name", "external_identifier"]);
    expect(both(person, ada)).toEqual({ written: { first_name: "Ada", external_identifier: "e" }, read: ada });
  });

  test("that are absent stay absent", () => {
    const { written, read } = both(person, { firstName: "Ada" });
    expect([written, Object.keys(read)]).toStrictEqual([{ first_name: "Ada" }, ["firstName"]]);
  });

  test("that nobody describes are passed over, whatever their names", () => {
    const text = '{"first_name":"Ada","__proto__":{"externalIdentifier":"evil"},"constructor":1,"firstName":"Eve"}';
    const read = person.decode(JSON.parse(text));
    expect([read, Object.getPrototypeOf(read)]).toStrictEqual([{ firstName: "Ada" }, Object.prototype]);
  });

  test("may have another name, be null, be left out where they are as usual, and follow from others", () => {
    interface Thing {
      readonly id: string;
      readonly owner?: Person;
      readonly rule: "usual" | "other";
    }
    const thing = fields<Thing, "idLength">({
      id: named("thing_id", plain),
      idLength: derived(({ id }) => id.length),
      owner: orNull(person),
      rule: plain,
    });
    expect(both(thing, { id: "t", rule: "usual" })).toStrictEqual({
      written: { thing_id: "t", id_length: 1, owner: null, rule: "usual" },
      read: { id: "t", rule: "usual" },
    });
    expect(both(thing, { id: "t", rule: "other", owner: { firstName: "Ada" } })).toStrictEqual({
      written: { thing_id: "t", id_length: 1, owner: { first_name: "Ada" }, rule: "other" },
      read: { id: "t", rule: "other", owner: { firstName: "Ada" } },
    });
  });

  test("of an inner object may stand among them", () => {
    const shown = fields<{ readonly by: string; readonly who: Person }>({ by: plain, who: inline(person) });
    expect(both(shown, { by: "list", who: { firstName: "Ada" } })).toStrictEqual({
      written: { by: "list", first_name: "Ada" },
      read: { by: "list", who: { firstName: "Ada" } },
    });
  });
});

type Shape = { readonly is: "dot" } | { readonly is: "line"; readonly endPoint: string };

const shape = variants<Shape, "is">("is", { dot: fields({ is: plain }), line: fields({ is: plain, endPoint: plain }) });

test("members of a union are told apart by their tag", () => {
  expect(both(list(shape), [{ is: "line", endPoint: "p" }, { is: "dot" }])).toStrictEqual({
    written: [{ is: "line", end_point: "p" }, { is: "dot" }],
    read: [{ is: "line", endPoint: "p" }, { is: "dot" }],
  });
  expect(() => shape.decode({ is: "constructor" })).toThrow("no is is constructor");
});

test("roles are read in their order and once", () => {
  expect(roles.decode(["B", "A", "B"])).toEqual(["A", "B"]);
});

import { describe, expect, test } from "vitest";
import {
  andThen,
  boolean,
  byKey,
  byKind,
  checked,
  type Decoder,
  decode,
  list,
  located,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  wholeNumber,
} from "../../../src/yaml/decode.ts";
import { readGeneral } from "../../../src/yaml/general.ts";
import { DiagnosticsCollector } from "../../../src/yaml/source-text.ts";

/** The value that a decoder takes out of a text, and each error as its place, code, message and hint. */
function decoded<T>(decoder: Decoder<T>, written: string) {
  const { tree } = readGeneral("f.yaml", new TextEncoder().encode(written));
  if (tree === undefined) throw new Error(written);
  const title = "The file";
  const log = new DiagnosticsCollector(title);
  const value = decode(decoder, tree, { log, title });
  const errors = log
    .diagnostics()
    .map(({ place, code, message, hint }) =>
      [`${place?.line}:${place?.column} ${code}: ${message}`, ...(hint === undefined ? [] : [hint])].join(" "),
    );
  return { value, errors };
}

const person = object(
  {
    name: required(text),
    nick: required(text, { otherwise: "" }),
    age: optional(wholeNumber({ least: 0, most: 150 })),
  },
  { title: "A person" },
);
const people = object({ people: optional(list(person), { otherwise: [] }) });

describe("a map with known keys", () => {
  test("gives the values of its keys", () => {
    const written = "people:\n  - { name: Ada, nick: A, age: 36 }\n";
    expect(decoded(people, written)).toEqual({ value: { people: [{ name: "Ada", nick: "A", age: 36 }] }, errors: [] });
  });

  test("is known without what cannot be decoded and without a value that something stands in for", () => {
    const written = "people:\n  - { name: Ada, age: old }\n  - { nick: B }\n  - Cy\n";
    expect(decoded(people, written)).toEqual({
      value: { people: [{ name: "Ada", nick: "" }] },
      errors: [
        "2:5 missing-key: A person needs `nick`.",
        "2:23 bad-value: `age` must be a whole number from 0 to 150, not a text.",
        "3:5 missing-key: A person needs `name`.",
        "4:5 bad-value: A person must be a map, not a text. Its keys are `name`, `nick`, `age`.",
      ],
    });
  });

  test("has no other keys", () => {
    const options = { insteadOf: new Map([["born", "Write `age`."]]) };
    const child = object({ name: optional(text), age: optional(text) }, options);
    const written = "child: { nmae: Ada, born: 1815, __proto__: x }\n";
    expect(decoded(object({ child: required(child) }), written)).toEqual({
      // Read under the name that was meant, so that nothing else is reported as missing.
      value: { child: { name: "Ada" } },
      errors: [
        "1:10 unknown-key: `child` has no field `nmae`. Did you mean `name`?",
        "1:21 unknown-key: `child` has no field `born`. Write `age`.",
        "1:33 unknown-key: `child` has no field `__proto__`. Its keys are `name`, `age`.",
      ],
    });
  });
});

const anyOne: Readonly<Record<string, readonly [decoder: Decoder<unknown>, written: string, error: string]>> = {
  "a list for a text": [text, "[a]", "bad-value: `x` must be a text, not a list."],
  "a number for a text": [text, "012", 'bad-value: `x` must be a text, but YAML reads a number here. Quote it: "012".'],
  "nothing for a text": [text, "", "bad-value: `x` has no value. Write a value, or remove the key."],
  "an empty text": [text, '""', "bad-value: `x` is empty. Write a value, or remove the key."],
  "a text for a boolean": [
    boolean,
    "yes",
    "bad-value: `x` must be true or false, not a text. Write `true` or `false`.",
  ],
  "a number that is too large": [
    number({ least: 0, most: 1 }),
    "1.5",
    "bad-value: `x` must be a number from 0 to 1, not 1.5.",
  ],
  "part of a number": [
    wholeNumber({ least: 0 }),
    "0.5",
    "bad-value: `x` must be a whole number of at least 0, not 0.5.",
  ],
  "a number that is none": [
    wholeNumber({ least: 0 }),
    ".nan",
    "bad-value: `x` must be a whole number of at least 0, not .nan.",
  ],
  "another word": [oneOf(["on", "off"]), "onn", "bad-value: `x` must be `on` or `off`, not `onn`. Did you mean `on`?"],
  "a text for a list": [list(text), "a", "bad-value: `x` must be a list, not a text. Write `[a]`."],
  "nothing for a list": [list(text), "", "bad-value: `x` must be a list, not nothing. Write `[]` for an empty list."],
  "an empty list": [list(text, "not-empty"), "[]", "bad-value: `x` must have at least one entry."],
  "a list for a map of names": [
    mapOf(text, { hint: "Write names." }),
    "[]",
    "bad-value: `x` must be a map of names, not a list. Write names.",
  ],
  "another kind of node": [
    byKind({ scalar: text }, "a text or so", "Write a text."),
    "{}",
    "bad-value: `x` must be a text or so, not a map. Write a text.",
  ],
};

test.each(Object.entries(anyOne))("%s is reported once", (_, [decoder, written, error]) => {
  const { value, errors } = decoded(object({ x: optional(decoder) }), `x: ${written}\n`);
  expect({ value, errors: errors.map((one) => one.replace(/^\d+:\d+ /u, "")) }).toEqual({
    value: {},
    errors: [error],
  });
});

test("what is wrong within a list is named by the keys that lead there", () => {
  const written = 'groups: { "on call": [a, 1], b: 2 }\n';
  const groups = object({ groups: required(mapOf(list(text))) });
  const { value, errors } = decoded(groups, written);
  expect(value?.groups.map((one) => [one.name.text, one.value])).toEqual([["on call", ["a"]]]);
  expect(errors).toEqual([
    '1:26 bad-value: An entry of `groups.on call` must be a text, but YAML reads a number here. Quote it: "1".',
    "1:33 bad-value: `groups.b` must be a list, not a number. Write `[2]`.",
  ]);
});

describe("one of several maps", () => {
  const shape = byKey<object>(
    { round: object({ round: required(text) }), square: object({ square: required(text) }) },
    { title: "A shape", hint: "Make it two." },
  );

  test.each([
    ["{ square: a }", { square: "a" }, []],
    ["{}", undefined, ["1:8 missing-key: `shape` needs `round`."]],
    [
      "{ round: a, square: b }",
      undefined,
      ["1:8 bad-value: A shape has either `round` or `square`, not both. Make it two."],
    ],
  ])("%s", (written, value, errors) => {
    const read = decoded(object({ shape: optional(shape) }), `shape: ${written}\n`);
    expect([read.value?.shape, read.errors]).toEqual([value, errors]);
  });
});

test("a value can be known together with its place, and with whether all of it could be decoded", () => {
  const both = object({
    at: required(located(text)),
    whole: required(checked(list(text))),
    part: required(checked(list(text))),
  });
  const { value } = decoded(
    andThen(both, ({ at, ...others }) => ({ ...others, at: [at.value, at.at.place.column] })),
    "at: a\nwhole: [b]\npart: [c, 1]\n",
  );
  expect(value).toEqual({
    at: ["a", 5],
    whole: { value: ["b"], isWhole: true },
    part: { value: ["c"], isWhole: false },
  });
});

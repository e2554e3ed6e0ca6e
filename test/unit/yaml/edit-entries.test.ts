import { describe, expect, test } from "vitest";
import { type EntryEdits, editEntries } from "../../../src/yaml/edit-entries.ts";

const nothing: EntryEdits = { set: [], remove: [], append: [] };

function edited(text: string, edits: Partial<EntryEdits>): unknown {
  const result = editEntries(new TextEncoder().encode(text), { ...nothing, ...edits });
  return result.ok ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(result.value) : result;
}

function at(line: number, column: number) {
  return { file: "", line, column };
}

const people = `# head
users:
  # the first
  - email: a # A
    name: "A"
  - { email: b, name: B } # B

  # the third
  -
    email: c
    name: C
# tail
teams: []
`;

describe("items of a list over several lines", () => {
  test("go with their lines; comments and empty lines between them stay", () => {
    expect(edited(people, { remove: [at(4, 5)] })).toBe(people.replace('  - email: a # A\n    name: "A"\n', ""));
    expect(edited(people, { remove: [at(6, 5)] })).toBe(people.replace("  - { email: b, name: B } # B\n", ""));
    expect(edited(people, { remove: [at(10, 5)] })).toBe(people.replace("  -\n    email: c\n    name: C\n", ""));
  });

  test("go with all lines of their last value", () => {
    const text = "users:\n  - email: a\n    previously:\n      - b\n      - c # C\n  - email: d\n";
    expect(edited(text, { remove: [at(2, 5)] })).toBe("users:\n  - email: d\n");
    const block = "users:\n  - email: a\n    title: |\n      T\n\n      U\n  - email: d\n";
    expect(edited(block, { remove: [at(2, 5)] })).toBe("users:\n  - email: d\n");
  });

  test("leave an empty list where all of them go", () => {
    expect(edited("users:\n  - a\n  - b # B\nteams: []\n", { remove: [at(2, 5), at(3, 5)] })).toBe(
      "users: []\nteams: []\n",
    );
  });

  test("make room for those that are added, in the line ends of the file", () => {
    const entries = [[["email", "x"] as const, ["roles", []] as const]];
    const edits = { remove: [at(2, 5)], append: [{ list: "users", entries }] };
    expect(edited("users:\r\n  - email: a\r\nteams: []\r\n", edits)).toBe(
      "users:\r\n  - email: x\r\n    roles: []\r\nteams: []\r\n",
    );
  });

  test("may begin at the margin, and end the file without a line break", () => {
    expect(edited("users:\n- email: a\n- email: b", { remove: [at(3, 3)] })).toBe("users:\n- email: a\n");
  });
});

describe("items of a list in brackets", () => {
  test.each([
    ["the first", 1, "on: [b, c] # n\n"],
    ["one in the middle", 2, "on: [a, c] # n\n"],
    ["the last", 3, "on: [a, b] # n\n"],
  ])("go with a comma: %s", (_, nth, after) => {
    expect(edited("on: [a, b, c] # n\n", { remove: [at(1, 3 + 3 * nth)] })).toBe(after);
  });

  test("go together", () => {
    expect(edited("on: [a, b, c] # n\n", { remove: [at(1, 9), at(1, 12)] })).toBe("on: [a] # n\n");
    expect(edited("on: [a, b, c] # n\n", { remove: [at(1, 6), at(1, 9)] })).toBe("on: [c] # n\n");
    expect(edited("on: [a, b] # n\n", { remove: [at(1, 6), at(1, 9)] })).toBe("on: [] # n\n");
  });

  test("go line by line, and leave the comments of others", () => {
    const lines = "on: [\n  a, # A\n  b,\n  c # C\n]\n";
    expect(edited(lines, { remove: [at(3, 3)] })).toBe("on: [\n  a, # A\n  c # C\n]\n");
    expect(edited(lines, { remove: [at(3, 3), at(4, 3)] })).toBe("on: [\n  a, # A\n   # C\n]\n");
  });
});

describe("values", () => {
  test("are replaced, and added after a key", () => {
    const values = [["name", "Ann: X"] as const, ["title", "T"] as const];
    const set = (line: number) => ({ set: [{ place: at(line, 5), after: "name", values }] });
    expect(edited(people, set(4))).toBe(people.replace('name: "A"\n', 'name: "Ann: X"\n    title: T\n'));
    expect(edited(people, set(6))).toBe(people.replace("name: B }", 'name: "Ann: X", title: T }'));
  });

  test("in blocks are not replaced: the place says where", () => {
    const text = "users:\n  - email: a\n    name: |\n      A\n";
    const set = [{ place: at(2, 5), after: "email", values: [["name", "B"] as const] }];
    expect(edited(text, { set })).toEqual({ ok: false, error: at(2, 5) });
  });
});

describe("entries", () => {
  const append = [{ list: "users", entries: [[["email", "x"] as const]] }];

  test.each([
    ["an empty list", "users: [] # none\nteams: []\n", "users: [{ email: x }] # none\nteams: []\n"],
    ["an empty list alone on its line", "users: []\nteams: []\n", "users:\n  - email: x\nteams: []\n"],
    ["a key without a value", "users:\nteams: []\n", "users:\n  - email: x\nteams: []\n"],
    ["a list in brackets", "users: [{ email: a }]\n", "users: [{ email: a }, { email: x }]\n"],
    ["no such key", "teams: []", "teams: []\nusers:\n  - email: x\n"],
    ["a byte order mark", "\ufeffteams: []\n", "\ufeffteams: []\nusers:\n  - email: x\n"],
  ])("are added to %s", (_, before, after) => {
    expect(edited(before, { append })).toBe(after);
  });

  test("are not added to a document in braces, nor to something else under the key", () => {
    expect(edited("{ users: [] }\n", { append })).toEqual({ ok: false, error: undefined });
    expect(edited("users: text\n", { append })).toEqual({ ok: false, error: undefined });
  });

  test("that are not there cannot be edited", () => {
    expect(edited(people, { remove: [at(1, 1)] })).toEqual({ ok: false, error: at(1, 1) });
    expect(edited(people, { set: [{ place: at(5, 5), after: "a", values: [["b", "c"]] }] })).toEqual({
      ok: false,
      error: at(5, 5),
    });
  });
});

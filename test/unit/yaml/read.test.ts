import { describe, expect, test } from "vitest";
import { readGeneral } from "../../../src/yaml/general.ts";
import { readYaml } from "../../../src/yaml/read.ts";
import { maxRosterFileBytes, type Node } from "../../../src/yaml/source-text.ts";
import { size } from "../../support/property-runs.ts";
import { testTextCases, unescaped } from "../../support/text-cases.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readGeneral("roster.yaml", bytesOf(text));

/** A tree as nested arrays: user-chosen names must not become properties here either. */
function shape(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.type === "string" ? node.text : { [node.type]: node.text };
    case "list":
      return node.items.map(shape);
    case "map":
      return new Map(node.entries.map(({ key, value }) => [key.text, shape(value)]));
  }
}

function faults(text: string): readonly string[] {
  return read(text).diagnostics.map(({ place, excerpt, code, message }) => {
    return `${place?.line}:${place?.column}+${excerpt?.length} ${code}: ${message}`;
  });
}

const values: Record<string, readonly [text: string, shape: unknown]> = {
  "a map": [
    "a: b\nc: [d, {e: f}]\n",
    new Map<string, unknown>([
      ["a", "b"],
      ["c", ["d", new Map([["e", "f"]])]],
    ]),
  ],
  "a pair in a bracketed list is a map": ["a: [set: engineer]", new Map([["a", [new Map([["set", "engineer"]])]]])],
  "a document marker and a byte order mark": ["\ufeff---\na: b\n...\n", new Map([["a", "b"]])],
  "carriage returns": ["a:\r\n  - b\r\n", new Map([["a", ["b"]]])],
  "quoted and folded texts": [
    "a: \"1\"\nb: 'no'\nc: >-\n  x\n  y\n",
    new Map([
      ["a", "1"],
      ["b", "no"],
      ["c", "x y"],
    ]),
  ],
  "names of object members": [
    "__proto__: a\nconstructor: b\ntoString: c\nhasOwnProperty: d\n",
    new Map([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
      ["hasOwnProperty", "d"],
    ]),
  ],
  "numbers keep what was written": [
    "a: [012, 1e3, 0x1F, 123456789012345678901234567890, -1.50, .inf]",
    new Map([
      ["a", ["012", "1e3", "0x1F", "123456789012345678901234567890", "-1.50", ".inf"].map((number) => ({ number }))],
    ]),
  ],
  "booleans, nothing, and what only looks like it": [
    "a: [true, False, null, ~, no, on, 2027-01-31, 1.2.3]\nb:\n",
    new Map<string, unknown>([
      [
        "a",
        [{ boolean: "true" }, { boolean: "False" }, { null: "null" }, { null: "~" }, "no", "on", "2027-01-31", "1.2.3"],
      ],
      ["b", { null: "" }],
    ]),
  ],
};

test.each(Object.entries(values))("reads %s", (_, [text, expected]) => {
  const reading = read(text);
  expect(reading.diagnostics).toEqual([]);
  expect(reading.tree && shape(reading.tree)).toEqual(expected);
});

test.each(["", "\n", "# only a comment\n", "---\n", "...\n"])("an empty file has no tree and no error: %j", (text) => {
  expect(read(text)).toEqual({ diagnostics: [] });
});

test("nodes know their place and length", () => {
  const tree = read("users:\n  - email: ada@acme.example\n    ünï: 'x y'\n").tree;
  const users = tree?.entries[0]?.value;
  const user = users?.kind === "list" ? users.items[0] : undefined;
  const entries = user?.kind === "map" ? user.entries : [];
  const spots = entries.flatMap(({ key, value }) => [key, value]).map(({ place, length }) => ({ ...place, length }));
  expect(spots).toEqual([
    { file: "roster.yaml", line: 2, column: 5, length: 5 },
    { file: "roster.yaml", line: 2, column: 12, length: 16 },
    { file: "roster.yaml", line: 3, column: 5, length: 3 },
    { file: "roster.yaml", line: 3, column: 10, length: 5 },
  ]);
  expect(users?.source.lineAt(3)).toBe("    ünï: 'x y'");
});

testTextCases(new URL("./read.txt", import.meta.url), (_, [text = ""]) => faults(unescaped(text)));

test("a whole error shows its line and says what to do", () => {
  expect(read("a: 1\nb: *x # why\n").diagnostics).toEqual([
    {
      code: "yaml-not-supported",
      severity: "error",
      message: "Aliases are not allowed.",
      hint: "Write the value out. Use `groups` to share people and `roleSets` to share roles.",
      place: { file: "roster.yaml", line: 2, column: 4 },
      excerpt: { line: "b: *x # why", length: 2 },
    },
  ]);
});

test("what can still be understood keeps its tree beside its errors", () => {
  expect(read("a: 1\na: 2\n").tree?.entries.map(({ value }) => shape(value))).toEqual([{ number: "1" }]);
  expect(read("a: 1\nb: *x\n").tree).toBeUndefined();
});

describe("bytes", () => {
  test("invalid UTF-8 is located", () => {
    const reading = readGeneral("f.yaml", new Uint8Array([...bytesOf("a: é\nb: "), 0xc3, 0x28, 0x0a]));
    expect(reading.diagnostics).toMatchObject([
      { code: "yaml-encoding", place: { line: 2, column: 4 }, excerpt: { line: "b: \ufffd(", length: 1 } },
    ]);
  });

  test("a character cut off at the end is located", () => {
    const reading = readGeneral("f.yaml", new Uint8Array([...bytesOf("a: b"), 0xe2, 0x82]));
    expect(reading.diagnostics).toMatchObject([{ code: "yaml-encoding", place: { line: 1, column: 5 } }]);
  });

  test("UTF-16 is recognized", () => {
    const reading = readGeneral("f.yaml", new Uint8Array([0xff, 0xfe, 0x61, 0x00]));
    expect(reading.diagnostics).toMatchObject([
      { code: "yaml-encoding", hint: "It looks like UTF-16: save it as UTF-8.", place: { line: 1, column: 1 } },
    ]);
  });

  test("more than 8 MiB are not parsed", () => {
    const reading = readGeneral("f.yaml", new Uint8Array(8 * 1024 * 1024 + 1).fill(0x23));
    expect(reading).toEqual({
      diagnostics: [
        {
          code: "too-large",
          severity: "error",
          message: "The file is larger than 8388608 bytes (8 MiB), the limit for one file.",
          hint: "Split it: roster reads all files of a directory together.",
          place: { file: "f.yaml", line: 1, column: 1 },
        },
      ],
    });
  });

  describe("of a roster", () => {
    const mebibyte = 1024 * 1024;
    const entry = "- a text of a roster that stands in one line, which is the usual form of most of them\n";
    const large = `a:\n${entry.repeat(Math.ceil((8 * mebibyte) / entry.length))}`;
    const lines = large.split("\n").length;

    test("more than 8 MiB are read in the usual form", async () => {
      const { tree, diagnostics } = await readYaml("f.yaml", new TextEncoder().encode(large), maxRosterFileBytes);
      const list = tree?.entries[0]?.value;
      expect([diagnostics, list?.kind === "list" && list.items.length]).toEqual([[], lines - 2]);
    });

    test("more than 8 MiB in another form are refused where that form begins", async () => {
      const bytes = new TextEncoder().encode(`${large}- &name b\n`);
      expect(await readYaml("f.yaml", bytes, maxRosterFileBytes)).toEqual({
        diagnostics: [
          {
            code: "too-large",
            severity: "error",
            message:
              "A file of more than 8388608 bytes (8 MiB) must be in the usual form. From here on this file is not.",
            hint: "Write each value in one line, without tabs. Or split the file: roster reads all files of a directory together.",
            place: { file: "f.yaml", line: lines, column: 3 },
            excerpt: { line: "- &name b", length: 1 },
          },
        ],
      });
    });

    test("more than 64 MiB are not parsed", async () => {
      const { diagnostics } = await readYaml(
        "f.yaml",
        new Uint8Array(64 * mebibyte + 1).fill(0x23),
        maxRosterFileBytes,
      );
      expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
        ["too-large", "The file is larger than 67108864 bytes (64 MiB), the limit for one file."],
      ]);
    });
  });
});

describe("hostile input never crashes", async () => {
  const deep = 100_000;
  const nested: Record<string, string> = {
    brackets: "[".repeat(deep),
    braces: "{a: ".repeat(deep),
    dashes: "- ".repeat(deep),
    "question marks": "? ".repeat(deep),
    "keys in one line": "a: ".repeat(deep),
    "keys, each deeper": Array.from({ length: 2000 }, (_, level) => `${" ".repeat(level)}a:\n`).join(""),
  };

  test("100 000 levels, one after the other in one process, after a duplicate key", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(faults("a: 1\na: 2\n")).toHaveLength(1);
      for (const text of [`${"[".repeat(10_000)}`, ...Object.values(nested)]) {
        expect(read(text).diagnostics.map(({ code }) => code)).toEqual(["yaml-syntax"]);
      }
    }
  });

  test("100 levels are read, 101 are not", async () => {
    const levels = (count: number) => `a: ${"[".repeat(count - 1)}${"]".repeat(count - 1)}`;
    expect(faults(levels(100))).toEqual([]);
    expect(faults(levels(101))).toEqual(["1:103+1 yaml-syntax: Maps and lists are nested more than 100 levels deep."]);
  });

  test("an alias bomb is refused where it starts", async () => {
    const lines = ["a: &a [x, x]", ...["b", "c", "d", "e"].map((name) => `${name}: &${name} [*a, *a, *a, *a]`)];
    expect(read(lines.join("\n")).tree).toBeUndefined();
  });

  test("a hundred errors are told, the rest is counted", async () => {
    const { diagnostics } = read(`a: "${"\\q\n  ".repeat(5_000)}"`);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)?.message).toBe("roster.yaml has 4900 more errors.");
  });

  test("any number of errors in one line take no time and no memory", async () => {
    expect(faults(`a: "${"\\q".repeat(size(1_000_000))}"`)).toHaveLength(1);
    expect(faults("]".repeat(size(200_000)))).toHaveLength(1);
  });

  test("a very long line is not shown beside its error", async () => {
    expect(read(`a: ["${"x".repeat(2000)}" "y"]`).diagnostics).toMatchObject([{ place: { line: 1, column: 2008 } }]);
    expect(read(`a: ["${"x".repeat(2000)}" "y"]`).diagnostics[0]).not.toHaveProperty("excerpt");
  });

  test("a long list in one line is located in linear time", async () => {
    const length = size(100_000);
    const tree = read(`a: [${"b, ".repeat(length)}]`).tree;
    const list = tree?.entries[0]?.value;
    expect(list?.kind === "list" && list.items.at(-1)?.place.column).toBe(3 * length + 2);
  });
});

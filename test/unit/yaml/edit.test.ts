import { describe, expect, test } from "vitest";
import { appendToList, replaceValues } from "../../../src/yaml/edit.ts";

const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));
const bytes = (written: string) => new TextEncoder().encode(written);
const entries = [
  ["name", "a b"],
  ["day", "2026-12-31"],
] as const;

const appendings: Readonly<Record<string, { readonly before: string; readonly after: string | undefined }>> = {
  "to a list in a block, as far in as its items": {
    before: "version: 1\nall:\n    - name: x # first\n      day: y\n\n# the end\nmore: 1\n",
    after:
      'version: 1\nall:\n    - name: x # first\n      day: y\n    - name: a b\n      day: "2026-12-31"\n\n# the end\nmore: 1\n',
  },
  "to a list that is not set in": {
    before: "all:\n- name: x\n",
    after: 'all:\n- name: x\n- name: a b\n  day: "2026-12-31"\n',
  },
  "to a list between brackets": {
    before: "all: [{ name: x }] # so\n",
    after: 'all: [{ name: x }, { name: a b, day: "2026-12-31" }] # so\n',
  },
  "to a list with a comma behind its last item": {
    before: "all: [ {name: x}, ]\n",
    after: 'all: [ {name: x}, { name: a b, day: "2026-12-31" }, ]\n',
  },
  "to a list between brackets over several lines": {
    before: "all: [\n  { name: x }, # so\n  { name: y } # and so\n]\n",
    after: 'all: [\n  { name: x }, # so\n  { name: y }, { name: a b, day: "2026-12-31" } # and so\n]\n',
  },
  "to an empty list": { before: "all: []\n", after: 'all: [{ name: a b, day: "2026-12-31" }]\n' },
  "under a key with nothing under it": {
    before: "all: # none yet\nmore: 1\n",
    after: 'all: # none yet\n  - name: a b\n    day: "2026-12-31"\nmore: 1\n',
  },
  "under a key that does not exist yet": {
    before: "version: 1",
    after: 'version: 1\nall:\n  - name: a b\n    day: "2026-12-31"\n',
  },
  "with the line breaks of the file": {
    before: "version: 1\r\nall:\r\n  - name: x\r\n",
    after: 'version: 1\r\nall:\r\n  - name: x\r\n  - name: a b\r\n    day: "2026-12-31"\r\n',
  },
  "at the end of a file without a last line break": {
    before: "all:\n  - name: x",
    after: 'all:\n  - name: x\n  - name: a b\n    day: "2026-12-31"',
  },
  "to what is no list, not at all": { before: "all: 7\n", after: undefined },
  "to a file that is no map, not at all": { before: "- all\n", after: undefined },
  "to a map between braces, not at all": { before: "{ all: [] }\n", after: undefined },
};

describe("a map is appended", () => {
  test.each(Object.entries(appendings))("%s", (_, { before, after }) => {
    expect(text(appendToList(bytes(before), "all", entries))).toBe(after);
  });
});

const place = { file: "", line: 3, column: 5 };
const listed = "version: 1\nall:\n  - name: x # first\n    day: 'y'\n  - { name: z, day: q }\n";

describe("values are replaced", () => {
  test("where they stand, and nothing else", () => {
    expect(text(replaceValues(bytes(listed), place, entries))).toBe(
      'version: 1\nall:\n  - name: a b # first\n    day: "2026-12-31"\n  - { name: z, day: q }\n',
    );
  });

  test("between braces too", () => {
    expect(text(replaceValues(bytes(listed), { ...place, line: 5 }, entries))).toBe(
      "version: 1\nall:\n  - name: x # first\n    day: 'y'\n  - { name: a b, day: \"2026-12-31\" }\n",
    );
  });

  test.each([
    ["a key that is not there", listed.replace("day: 'y'", "days: 'y'")],
    ["a text over several lines", listed.replace("'y'", "|\n      y")],
    ["a key without a value", listed.replace("'y'", "")],
    ["a map that begins elsewhere", `\n${listed}`],
  ])("not where there is %s", (_, before) => {
    expect(replaceValues(bytes(before), place, entries)).toBe(undefined);
  });
});

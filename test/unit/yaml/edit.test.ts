import { describe, expect, test } from "vitest";
import { appendToList, insertEntries, type MapInsertion, replaceValues } from "../../../src/yaml/edit.ts";

function at(line: number, column: number, parts: Partial<MapInsertion> = {}): MapInsertion {
  return { place: { file: "f", line, column }, after: "name", key: "identifier", value: "t-1", ...parts };
}

function inserted(text: string, ...insertions: readonly MapInsertion[]) {
  const { bytes, done, left } = insertEntries(new TextEncoder().encode(text), insertions);
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), done: done.length, left: left.length };
}

const user = { after: "user", key: "key", value: "k1" };

const cases: Readonly<Record<string, { text: string; insertions: readonly MapInsertion[]; becomes: string }>> = {
  "goes on a line of its own in a block map, after the comment of the line before": {
    text: "teams:\n  - name: A   # ours\n    # about it\n    roles: [X]\n",
    insertions: [at(2, 5)],
    becomes: "teams:\n  - name: A   # ours\n    identifier: t-1\n    # about it\n    roles: [X]\n",
  },
  "goes into the line of a flow map": {
    text: "teams: [{ name: A, roles: [] }, {name: B}]\n",
    insertions: [at(1, 9), at(1, 33, { value: "012" })],
    becomes: 'teams: [{ name: A, identifier: t-1, roles: [] }, {name: B, identifier: "012"}]\n',
  },
  "stands beside its neighbour in a flow map of many lines": {
    text: "teams:\n  - {\n      name: A, # ours\n      roles: [],\n    }\n",
    insertions: [at(2, 5)],
    becomes: "teams:\n  - {\n      name: A, identifier: t-1, # ours\n      roles: [],\n    }\n",
  },
  "follows a value of many lines": {
    text: "teams:\n  - name: >-\n      A\n      B\n    roles: []\n  - name: 'C\n      D'\n",
    insertions: [at(2, 5), at(6, 5)],
    becomes:
      "teams:\n  - name: >-\n      A\n      B\n    identifier: t-1\n    roles: []\n  - name: 'C\n      D'\n    identifier: t-1\n",
  },
  "ends a file that has no line break at its end": {
    text: "teams:\r\n  - name: A",
    insertions: [at(2, 5)],
    becomes: "teams:\r\n  - name: A\r\n    identifier: t-1",
  },
  "keeps the line ends and the byte order mark of the file": {
    text: "\ufeffteams:\r\n  - name: A\r\n    roles: []\r\n",
    insertions: [at(2, 5)],
    becomes: "\ufeffteams:\r\n  - name: A\r\n    identifier: t-1\r\n    roles: []\r\n",
  },
  "makes a map of a bare text in a list": {
    text: 'members:\n  - ada@x.example # first\n  - "bo@x.example"\n  - a{b}@x.example\nothers: [cy@x.example, di@x.example]\n',
    insertions: [at(2, 5, user), at(3, 5, user), at(4, 5, user), at(5, 10, user)],
    becomes:
      "" +
      'members:\n  - { user: ada@x.example, key: k1 } # first\n  - { user: "bo@x.example", key: k1 }\n' +
      '  - { user: "a{b}@x.example", key: k1 }\nothers: [{ user: cy@x.example, key: k1 }, di@x.example]\n',
  },
  "finds a map whose keys are quoted": {
    text: 'teams:\n  - "name": A\n',
    insertions: [at(2, 5)],
    becomes: 'teams:\n  - "name": A\n    identifier: t-1\n',
  },
};

describe("an entry", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { text, insertions, becomes }) => {
    expect(inserted(text, ...insertions)).toEqual({ text: becomes, done: insertions.length, left: 0 });
  });

  test.each([
    ["there is no map", "teams:\n  - name: A\n", at(1, 3)],
    ["the map has no such key", "teams:\n  - { group: A }\n", at(2, 5)],
    ["the map has the entry already", "teams:\n  - { name: A, identifier: t-2 }\n", at(2, 5)],
    ["the file cannot be read", "teams: [\n", at(1, 1)],
  ])("is left where %s", (_sentence, text, insertion) => {
    expect(inserted(text, insertion)).toEqual({ text, done: 0, left: 1 });
  });
});

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

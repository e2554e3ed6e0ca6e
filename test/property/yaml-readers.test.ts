import fc from "fast-check";
import { expect, test } from "vitest";
import { readGeneral } from "../../src/yaml/general.ts";
import { readYaml } from "../../src/yaml/read.ts";
import { readRegular } from "../../src/yaml/regular.ts";
import { decodeText, type Node, type YamlDocument } from "../../src/yaml/source-text.ts";
import { alwaysAsync } from "../support/always.ts";
import type { Json } from "../support/arbitrary-documents.ts";
import { runs } from "../support/property-runs.ts";
import { untidy } from "../support/untidy-yaml.ts";
import { yamlPieces } from "../support/yaml-pieces.ts";

function everything(node: Node): unknown {
  const { line, column } = node.place;
  const at = `${line}:${column}+${node.length}`;
  switch (node.kind) {
    case "scalar":
      return [at, node.type, node.text];
    case "list":
      return [at, node.items.map(everything)];
    case "map":
      return [at, node.entries.map(({ key, value }) => [everything(key), everything(value)])];
  }
}

function shown({ tree, diagnostics }: YamlDocument): string {
  return JSON.stringify({ tree: tree && everything(tree), diagnostics });
}

function isRegular(text: string): boolean {
  const decoded = decodeText("f.yaml", new TextEncoder().encode(text));
  return decoded.ok && readRegular(decoded.value).tree !== undefined;
}

const odd = fc.constantFrom(
  ...["", "012", "true", "~", "null", "1e3", ".inf", "-1", "a: b", "a:b", "a #b", "#a", "- a", "-a", "?", ": a"],
  ...["it's", 'say "hi"', "back\\slash", "[x]", "{x}", "a, b", "データ", "é", "<<", "---", "...", "%a", "@a", "`a"],
  ...["a:", " a ", "x\ny", "https://acme.example/?a=1&b=2#c", "C#", "!a", "&a", "*a", "|", ">", "__proto__"],
);
const usual = fc.constantFrom(..."ada@acme.example users email firstName Ada Team_1 DEVELOPER b c".split(" "));
const words = fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd });
const { document } = fc.letrec<{ document: { [name: string]: Json }; value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    words,
    fc.constantFrom<Json>(true, null, 12),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("document"),
  ),
  document: fc.dictionary(words, tie("value"), { maxKeys: 4 }),
}));

/** As people write it, and in the one layout of `users: [{ … }]` that most rosters have. */
const written = fc
  .tuple(document, fc.infiniteStream(fc.nat({ max: 1000 })))
  .map(([value, draws]) => untidy(value, (choices) => (draws.next().value ?? 0) % choices));

const edit: fc.Arbitrary<{ readonly at: number; readonly remove: number; readonly insert: string }> = fc.record({
  at: fc.nat({ max: 10_000 }),
  remove: fc.nat({ max: 3 }),
  insert: fc.constantFrom("", ...yamlPieces),
});
/** What a slip of the hand, a merge or somebody hostile makes of it. */
const mutated = fc.tuple(written, fc.array(edit, { maxLength: 3 })).map(([text, edits]) =>
  edits.reduce((before, { at, remove, insert }) => {
    const start = at % (before.length + 1);
    return before.slice(0, start) + insert + before.slice(start + remove);
  }, text),
);
const assembled = fc.array(fc.constantFrom(...yamlPieces), { maxLength: 25 }).map((parts) => parts.join(""));

test("both readers give one tree and one list of errors", async () => {
  const all = new Set<string>();
  const regular = new Set<string>();
  await alwaysAsync(
    { numRuns: runs(48_000, 80) },
    fc.oneof({ weight: 2, arbitrary: mutated }, { weight: 1, arbitrary: assembled }),
    async (text) => {
      all.add(text);
      if (isRegular(text)) regular.add(text);
      const bytes = new TextEncoder().encode(text);
      expect(shown(await readYaml("f.yaml", bytes))).toBe(shown(readGeneral("f.yaml", bytes)));
    },
  );
  // The test says nothing where too few texts were for our reader, or none were against it.
  expect(regular.size).toBeGreaterThan(runs(48_000, 80) / 5);
  expect(all.size - regular.size).toBeGreaterThan(runs(48_000, 80) / 5);
});

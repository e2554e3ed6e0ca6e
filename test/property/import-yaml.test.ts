import fc from "fast-check";
import { expect, test } from "vitest";
import { readYaml } from "../../src/yaml/read.ts";
import type { Node } from "../../src/yaml/source-text.ts";
import { writeYaml, YamlBlock, YamlComment, type YamlMap, type YamlValue } from "../../src/yaml/write.ts";
import { always } from "../support/always.ts";
import { codePoint } from "../support/code-point.ts";
import { runs } from "../support/property-runs.ts";
import { yamlPieces } from "../support/yaml-pieces.ts";

const hostile = fc.array(fc.constantFrom(...yamlPieces), { maxLength: 8 }).map((parts) => parts.join(""));
const text = fc.oneof(
  hostile,
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const names = fc.uniqueArray(fc.constantFrom("a", "b", "key", "roles"), { minLength: 1, maxLength: 4 });
const remark = text.map((said) => new YamlComment(said));

const { part } = fc.letrec<{ part: YamlValue; list: Items; map: Items }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    text,
    ...[tie("list"), tie("map")].flatMap((items) => [items, items.map((one) => new YamlBlock(one))]),
  ),
  list: fc
    .tuple(fc.array(tie("part"), { maxLength: 4 }), fc.array(remark, { maxLength: 1 }))
    .map(([items, said]) => [...items, ...said]),
  map: fc
    .record({ keys: names, values: fc.array(tie("part"), { minLength: 4, maxLength: 4 }), said: remark })
    .map(({ keys, values, said }) => ({
      ...Object.fromEntries(keys.map((key, index) => [key, values[index] ?? ""])),
      "# said": said,
    })),
}));

type Items = readonly YamlValue[] | YamlMap;

function meant(written: YamlValue): unknown {
  if (typeof written !== "object") return written;
  const items: unknown = written instanceof YamlBlock ? written.items : written;
  if (Array.isArray(items)) return items.flatMap((item) => (item instanceof YamlComment ? [] : [meant(item)]));
  return Object.entries(Object(items)).flatMap(([key, value]) =>
    value instanceof YamlComment ? [] : [[key, meant(value as YamlValue)]],
  );
}

function read(node: Node): unknown {
  if (node.kind === "scalar") return node.type === "string" ? node.text : { type: node.type };
  if (node.kind === "list") return node.items.map(read);
  return node.entries.map(({ key, value }) => [key.text, read(value)]);
}

test("what is written reads back as what was meant, whatever the texts and comments hold", () => {
  always({ seed: 31, numRuns: runs(3000) }, part, text, (value, said) => {
    const written = writeYaml([said], { value });
    const { tree, diagnostics } = readYaml("f", new TextEncoder().encode(written));
    expect({ told: diagnostics, value: tree?.entries.map((one) => read(one.value)) }).toEqual({
      told: [],
      value: [meant(value)],
    });
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readGeneral } from "../../src/yaml/general.ts";
import { type Node, plainScalarType } from "../../src/yaml/source-text.ts";
import { always } from "../support/always.ts";
import { runs } from "../support/property-runs.ts";
import { yamlPieces } from "../support/yaml-pieces.ts";

const settings = { seed: 20_261_120, numRuns: runs(12_000) };
const read = (text: string) => readGeneral("f", new TextEncoder().encode(text));

/** What the reader refuses wherever it stands says nothing here, and for half a pair no byte stands. */
const whole = yamlPieces.filter((piece) => !/[\p{Cs}\p{Cf}\p{Cn}\0\u007f]/u.test(piece));
const fragmentText = fc.array(fc.constantFrom(...whole), { maxLength: 30 }).map((parts) => parts.join(""));

function plain(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.text;
    case "list":
      return node.items.map(plain);
    case "map":
      return node.entries.map(({ key, value }) => [key.text, plain(value)]);
  }
}

function reference(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, part]) => [key, reference(part)]);
  if (Array.isArray(value)) return value.map(reference);
  return value ?? "";
}

test("accepts nothing that the library refuses, and means the same where it accepts", () => {
  always(settings, fragmentText, (text) => {
    const { tree, diagnostics } = read(text);
    const document = parseDocument(text, { schema: "failsafe", logLevel: "silent" });
    if (document.errors.length > 0) expect(diagnostics).not.toEqual([]);
    if (diagnostics.length === 0 && tree !== undefined)
      expect(plain(tree)).toEqual(reference(document.toJS({ mapAsMap: true })));
  });
});

test("any bytes give a tree or located errors", () => {
  always(settings, fc.uint8Array({ maxLength: 60 }), (bytes) => {
    const { diagnostics } = readGeneral("f", bytes);
    for (const { place, excerpt } of diagnostics) {
      expect(place?.file).toBe("f");
      expect(excerpt?.length).toBeGreaterThan(0);
    }
  });
});

test("every scalar has the type that the core schema gives it", () => {
  const letters = fc.array(fc.constantFrom(..."0123456789+-.eExXoOabfinullt~"), { minLength: 1, maxLength: 6 });
  const words = "null Null NULL ~ true TRUE False yes no on .inf -.INF .nan +.Inf 0o17 0o8 0x1F".split(" ");
  always(
    settings,
    fc.oneof(
      letters.map((parts) => parts.join("")),
      fc.constantFrom(...words),
    ),
    (text) => {
      const document = parseDocument(`[ ${text} ]`, { logLevel: "silent" });
      const [value] = document.errors.length > 0 ? [text] : document.toJS();
      if (typeof value === "object" && value !== null) return;
      expect(plainScalarType(text)).toBe(value === null ? "null" : typeof value);
    },
  );
});

import { expect, test } from "vitest";
import { planFile } from "../../../src/codec/plan-file-format.ts";
import type { JsonSchema } from "../../../src/model/declare.ts";
import { planDocument } from "../../../src/report/json/document-format.ts";
import { eventLines } from "../../../src/report/json/ndjson.ts";
import { webhookMessage } from "../../../src/report/webhook.ts";

interface Node extends JsonSchema {
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

/** The unions in a declaration, without those in what is written as it is. */
function unionsIn(node: unknown, seen = new Set<unknown>()): readonly (readonly Node[])[] {
  if (typeof node !== "object" || node === null || seen.has(node)) return [];
  seen.add(node);
  if (Object.getOwnPropertySymbols(node).some(({ description }) => description === "verbatim")) return [];
  const { anyOf: members = [] } = node as Node;
  return [members.filter(({ type }) => type !== "null"), ...Object.values(node).flatMap((one) => unionsIn(one, seen))];
}

function valuesOf({ properties = {} }: Node, name: string): readonly unknown[] {
  const { allOf: [only] = [], ...own } = properties[name] ?? {};
  const { const: value, enum: values } = only ?? own;
  return Array.isArray(values) ? values : [value];
}

test("a required field tells apart any two members of a union that is published", () => {
  const unions = [planDocument, ...Object.values(eventLines), webhookMessage, planFile].flatMap((one) => unionsIn(one));
  const pairs = unions.flatMap((members) =>
    members.flatMap((one, at) => members.slice(at + 1).map((other) => [one, other] as const)),
  );
  expect(pairs.length).toBeGreaterThan(30);
  const alike = pairs.filter(([one, other]) =>
    (one.required ?? []).every((name) => {
      const [mine, theirs] = [valuesOf(one, name), valuesOf(other, name)];
      return (
        !other.required?.includes(name) ||
        mine.includes(undefined) ||
        theirs.includes(undefined) ||
        mine.some((value) => theirs.includes(value))
      );
    }),
  );
  expect(alike).toEqual([]);
});

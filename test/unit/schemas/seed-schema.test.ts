import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSeed } from "../../../src/reference-server/read-seed.ts";

const schema = JSON.parse(readFileSync("schemas/seed.schema.json", "utf8"));
const isSeed = new Ajv({ strict: true }).compile(schema);

const examples: readonly unknown[] = schema.examples;
const files = ["examples/acme.seed.yaml", "examples/leavers.seed.yaml"].map((file) => readFileSync(file, "utf8"));

test.each([...files, ...examples.map((example) => JSON.stringify(example))])("both take an example", (text) => {
  const { diagnostics } = readSeed("seed.yaml", new TextEncoder().encode(text));
  expect([isSeed(parse(text)), diagnostics]).toEqual([true, []]);
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { declaredSchemas } from "../../../src/cli/schemas.ts";

test.each(Object.entries(declaredSchemas))("%s is what the declaration says", (file, schema) => {
  const written: unknown = JSON.parse(readFileSync(`schemas/${file}`, "utf8"));
  expect(written, `schemas/${file} is not current. \`npm run build\` writes it.`).toEqual(schema);
});

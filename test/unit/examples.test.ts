import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatRoster } from "../../src/roster/format.ts";

const rosters = readdirSync("examples", { recursive: true, encoding: "utf8" })
  .filter((file) => /^(?:acme|leavers|quickstart)\/.*\.yaml$/u.test(file))
  .sort();

test.each(rosters)("the roster file examples/%s is formatted", (file) => {
  const bytes = readFileSync(join("examples", file));
  const formatted = formatRoster(file, bytes);
  expect(formatted.ok && new TextDecoder().decode(formatted.value)).toBe(bytes.toString());
});

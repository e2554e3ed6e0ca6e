import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const place = "test/e2e/traps";
const noTest = "none yet";

interface Row {
  readonly trap: number;
  readonly files: string;
  readonly tests: string;
}

/** The rows of the table "Traps and their tests", each trap with its few words left out. */
function tableRows(): readonly Row[] {
  const [, section = ""] = readFileSync("test/README.md", "utf8").split("## Traps and their tests");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gmu) ?? [];
  return [...rows].map(([, trap, files = "", tests = ""]) => ({ trap: Number(trap), files, tests }));
}

/** The same rows as the titles of the tests give them: a test's title begins with its trap's number. */
function rowsOfTests(): readonly Row[] {
  const titles = readdirSync(place).flatMap((file) =>
    [...readFileSync(join(place, file), "utf8").matchAll(/^.*\("?\n? *"?(\d+): (.+?)",?(?: |$)/gmu)].map(
      ([, trap, title = ""]) => ({ trap: Number(trap), file: file.replace(".test.ts", ""), title }),
    ),
  );
  return Array.from({ length: 60 }, (_, index) => {
    const own = titles.filter(({ trap }) => trap === index + 1);
    const files = [...new Set(own.map(({ file }) => file))].join(", ");
    return { trap: index + 1, files: files || noTest, tests: own.map(({ title }) => title).join("; ") || noTest };
  });
}

describe("the table of traps", () => {
  test("names the tests of each of the sixty, and no others", () => {
    expect(tableRows()).toEqual(rowsOfTests());
  });
});

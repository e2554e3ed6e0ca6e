import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Belongs = (path: string) => boolean;

function countIn(folder: string, belongs: Belongs, unit: RegExp): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(belongs)
    .reduce((sum, path) => sum + (readFileSync(`${folder}/${path}`, "utf8").match(unit)?.length ?? 0), 0);
}

const isCode: Belongs = (path) => /\.(?:tsx?|mjs)$/u.test(path) && !path.includes("generated/");
/** Cases that stand in texts count like those in code; recorded outputs have a row of their own. */
const isTest: Belongs = (path) => isCode(path) || (path.endsWith(".txt") && !path.includes("recorded/"));
const lines = /\n/gu;

/** How large the program is, room by room: to be read, and held by nothing. */
test("the size of the program is printed", () => {
  const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const sizes = {
    ...Object.fromEntries(rooms.map(({ name }) => [`src/${name}`, countIn(`src/${name}`, isCode, lines)])),
    src: countIn("src", isCode, lines),
    files: readdirSync("src", { recursive: true, encoding: "utf8" }).filter(isCode).length,
    schemas: countIn("schemas", (path) => path.includes("."), lines),
    test: countIn("test", isTest, lines),
    recordings: countIn("test/baselines/recorded", (path) => path.includes("."), lines),
    build: countIn(".build", isCode, lines),
    "words in docs": countIn("docs", (path) => path.endsWith(".md"), /\S+/gu),
  };
  console.info(
    Object.entries(sizes)
      .map(([name, size]) => `${String(size).padStart(7)} ${name}`)
      .join("\n"),
  );
  expect(sizes.src).toBeGreaterThan(0);
});

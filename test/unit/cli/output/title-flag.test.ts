import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { insideScene } from "../../../support/inside-scene.ts";

test("a title stands in the Markdown of every way out", async () => {
  const at = await insideScene();
  const planned = await at.run(["plan", "--format", "markdown", "--title", "EU"]);
  expect(planned.stdout.split("\n").slice(0, 2)).toEqual([
    "<!-- roster:plan EU -->",
    "## roster plan (EU): up to 5 calls wait",
  ]);
  const misspelt = await at.run(["plan", "--format", "markdown", "--title=EU", "--no-such-flag"]);
  expect([misspelt.code, misspelt.stdout.split("\n")[0]]).toEqual([3, "<!-- roster:plan EU -->"]);
  await at.run(["plan", "--report", "markdown=plan.md", "--title", "EU"]);
  expect(await readFile(join(at.cwd, "plan.md"), "utf8")).toMatch(/^<!-- roster:plan EU -->\n/u);
});

test("a title that nothing tells is refused before anything is done", async () => {
  const at = await insideScene();
  const { code, stderr } = await at.run(["apply", "--auto-approve", "--title", "EU"]);
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining("--title is told in markdown, github and prometheus alone"),
  ]);
  expect(at.writes()).toEqual([]);
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { insideScene } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

test("a title stands in the Markdown of every way out", async () => {
  const at = await insideScene();
  const planned = await at.run(["plan", "--format", "markdown", "--title", "EU"]);
  expect(planned.stdout.split("\n").slice(0, 2)).toEqual([
    "<!-- roster:plan EU -->",
    "## roster plan (EU): up to 5 calls planned",
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
    expect.stringContaining("--title works only with markdown, html, github and prometheus."),
  ]);
  expect(at.writes()).toEqual([]);
});

describe("the view of a plan", () => {
  test("is what plan, show and apply tell it in", async () => {
    const at = await insideScene();
    const planned = await at.run(["plan", "--view", "calls", "--out", "plan.json"]);
    expect(planned.stdout).toContain("\n  1. + create user ada@acme.example (Ada Lovelace) in acc-1");
    const shown = await at.run(["show", "plan.json", "--view", "teams"]);
    expect(shown.stdout).toContain("\nTeam Red (new, ");
    const applied = await at.run(["apply", "plan.json", "--view", "calls"]);
    expect(applied.stdout).toContain("\n  1. + create user ada@acme.example (Ada Lovelace) in acc-1");
  });

  test("is refused where nobody is shown a text of the plan", async () => {
    const at = await insideScene();
    const runs = [
      ["plan", "--view", "calls", "--format", "json"],
      ["show", "plan.json", "--view", "calls", "--format", "json"],
      ["apply", "--auto-approve", "--view", "calls", "--format", "json"],
    ];
    for (const args of runs) {
      const { code, stderr } = await at.run(args);
      expect([code, stderr]).toEqual([3, expect.stringContaining("error[usage]")]);
    }
    expect(at.writes()).toEqual([]);
  });

  test("may go with another format where a text is written beside it", async () => {
    const at = await insideScene();
    const planned = await at.run(["plan", "--view", "calls", "--format", "json", "--report", "text=plan.txt"]);
    expect(planned.code).toBe(0);
  });

  test("calls those roles privileged that the settings, and later the file, call so", async () => {
    const at = await insideScene();
    const people = "[ada@acme.example, bo@acme.example]";
    await writeRoster(at.cwd, {
      "roster.config.yaml": `guards:\n  privileged-roles: { roles: [DEVELOPER], people: ${people} }\n`,
    });
    const planned = await at.run(["plan", "--out", "plan.json"]);
    const shown = await at.run(["show", "plan.json"]);
    const line = "  ! bo@acme.example (Bo Diaz) gains DEVELOPER on the key in Red  ";
    expect([planned.stdout.includes(line), shown.stdout.includes(line)]).toEqual([true, true]);
  });
});

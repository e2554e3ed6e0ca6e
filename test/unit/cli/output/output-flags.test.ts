import { describe, expect, test } from "vitest";
import { insideScene } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

describe("the view of a plan", () => {
  test("is what plan, show and apply tell it in", async () => {
    const at = await insideScene();
    const planned = await at.run(["plan", "--view", "calls", "--out", "plan.json"]);
    expect(planned.stdout).toContain("\n  + 1. create user ada@acme.example (Ada Lovelace) in acc-1");
    const shown = await at.run(["show", "plan.json", "--view", "teams"]);
    expect(shown.stdout).toContain("\nTeam Red (new, ");
    const applied = await at.run(["apply", "plan.json", "--view", "calls"]);
    expect(applied.stdout).toContain("\n  + 1. create user ada@acme.example (Ada Lovelace) in acc-1");
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
    const line = "  + bo@acme.example (Bo Diaz): gains DEVELOPER on the key in Red  ";
    expect([planned.stdout.includes(line), shown.stdout.includes(line)]).toEqual([true, true]);
  });
});

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { integrationFiles, rosterLines, scriptsIn } from "../support/integrations.ts";
import { outsideProgram } from "../support/outside-program.ts";

describe.skipIf(outsideProgram("sh") === undefined)("the shipped examples", () => {
  test.each(integrationFiles.filter((file) => rosterLines(file).some(([, command]) => command === "plan")))(
    "%s: a plan passes with calls or without, and fails where problems block the whole change",
    (file) => {
      const plans = scriptsIn(file).flatMap((script) =>
        script.split("\n").filter((line) => /^ *roster plan /u.test(line)),
      );
      expect(plans.length).toBeGreaterThan(0);
      // The comment on a fork's pull request shows whatever was planned; its check is the other job.
      const isComment = file === "github/roster-fork-comment.yml";
      for (const plan of plans) {
        const ends = [0, 2, 9, 1].map(
          (code) => spawnSync("sh", ["-c", `roster() { return ${code}; }; ${plan}`], { stdio: "ignore" }).status,
        );
        expect({ plan, isDetailed: plan.includes(" --detailed-exitcode "), ends }).toEqual(
          isComment ? { plan, isDetailed: false, ends: [0, 1, 1, 1] } : { plan, isDetailed: true, ends: [0, 0, 1, 1] },
        );
      }
    },
  );

  test("Atlantis takes what only people can mend for no failure of an apply, as the others do", () => {
    const apply = scriptsIn("atlantis/repos.yaml").find((script) => script.startsWith("roster apply")) ?? "";
    const ends = [0, 7, 9].map(
      (code) => spawnSync("sh", ["-c", `roster() { return ${code}; }; ${apply}`], { stdio: "ignore" }).status,
    );
    expect(ends).toEqual([0, 1, 0]);
  });
});

import { describe, expect, test } from "vitest";
import { crowd, crowdHead, crowdLines, pagesAsked } from "../../support/crowd.ts";
import { isDeep } from "../../support/property-runs.ts";
import { companyThere, scene, sceneWith, standing } from "../../support/trap-scene.ts";

describe.concurrent("traps of interruptions and size", () => {
  test("57: two operators apply at once, each with a state of their own", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { latencyMs: 50 } });
    const other = await sceneWith(onTestFinished, at.server);
    await Promise.all([at.apply(), other.apply()]);
    const codes = [
      (await at.apply()).code,
      (await other.apply()).code,
      (await at.plan()).code,
      (await other.plan()).code,
    ];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0, 0, 0], ...companyThere });
  });

  test("60: thousands of users on pages of twenty are read once each and in little memory", async ({
    onTestFinished,
  }) => {
    const users = isDeep ? 10_000 : 4000;
    const at = await scene(onTestFinished, {
      knobs: { maxPerPage: 20 },
      seed: crowd(users),
      roster: crowdHead + crowdLines(1, 3),
    });
    const run = await at.runBuilt(["drift", "--format", "json"], {
      NODE_OPTIONS: `--max-old-space-size=${isDeep ? 96 : 48}`,
    });
    const { findings } = JSON.parse(run.stdout) as { findings: { code: string }[] };
    expect({
      code: run.code,
      unmanaged: findings.filter(({ code }) => code === "unmanaged").length,
      pages: pagesAsked(at.server).length,
    }).toEqual({ code: 0, unmanaged: users - 4, pages: users / 20 + 3 });
  });
});

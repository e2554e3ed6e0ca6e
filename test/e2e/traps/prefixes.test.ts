import { describe, expect, test } from "vitest";
import { everythingWritten } from "../../support/everything-written.ts";
import { atHeart, single, thereAtHeart } from "../../support/trap-rosters.ts";
import { scene, standing } from "../../support/trap-scene.ts";

describe.concurrent("traps of prefixes", () => {
  test.for(["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12"] as const)(
    "27: the prefix stands where this service puts it (%s), and no secret is kept",
    async (create, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { create } });
      const { code, output } = await at.apply("--debug");
      expect({ code, ...atHeart(at.server) }).toEqual({ code: 0, ...thereAtHeart });
      const told = [output.stdout, output.stderr, everythingWritten(at.directory)].join("\n");
      const prefixes = at.server.world.users.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => prefix));
      const secrets = prefixes.map((prefix) => at.server.world.fullKey(prefix).slice(prefix.length + 1));
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    },
  );

  test("28: of two keys in one answer the one that was asked for is taken", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { create: "C10" }, roster: single });
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, keys: standing(at.server).keys }).toEqual({
      codes: [0, 0],
      keys: ["ada@acme.example own: DEVELOPER", "ada@acme.example project: TEAM_ROLE"],
    });
    const team = await scene(onTestFinished, { knobs: { create: "C10" } });
    expect((await team.apply()).code).toBe(0);
    expect(standing(team.server).keys).toContain("ada@acme.example own: TEAM_ROLE");
  });

  test("28: where nothing tells two keys apart, neither is touched", async ({ onTestFinished }) => {
    const knobs = { create: "C10-ambiguous", showKeyKinds: "none", showTeams: "none" } as const;
    const at = await scene(onTestFinished, { knobs, roster: single });
    const first = await at.apply();
    const after = await at.plan();
    expect({ codes: [first.code, after.code], told: first.findings, keys: standing(at.server).keys }).toEqual({
      codes: [7, 9],
      told: ["!key-prefix-unknown user ada@acme.example"],
      keys: ["ada@acme.example own: TEAM_ROLE", "ada@acme.example project: TEAM_ROLE"],
    });
  });
});

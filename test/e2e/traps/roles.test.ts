import { describe, expect, test } from "vitest";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { redRoster, redSeed } from "../../support/trap-rosters.ts";
import { companyThere, scene, standing, writesOf } from "../../support/trap-scene.ts";

describe.concurrent("traps of roles", () => {
  test("39: the service keeps TEAM_ROLE on every key, and is asked once", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { putRoles: "keep-TEAM_ROLE" } });
    await at.apply();
    const puts = writesOf(at.server).filter((line) => line.startsWith("PUT")).length;
    const second = await at.apply();
    const third = await at.plan();
    const again = writesOf(at.server).filter((line) => line.startsWith("PUT")).length - puts;
    expect({ puts, again, codes: [second.code, third.code], told: third.findings }).toEqual({
      puts: 2,
      again: 0,
      codes: [0, 0],
      told: [`roles-kept-by-service service ${at.server.endpoint}`],
    });
  });

  test("39: the service refuses keys without TEAM_ROLE, and gets it from then on", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { putRoles: "reject-without-TEAM_ROLE" } });
    const first = await at.apply();
    const puts = at.server.requests.filter(({ method }) => method === "PUT").length;
    const done = at.server.requests.filter(({ method, status }) => method === "PUT" && status === 200).length;
    const second = await at.apply();
    const again = at.server.requests.filter(({ method }) => method === "PUT").length - puts;
    expect({
      done,
      again,
      codes: [first.code, second.code],
      told: second.findings,
      keys: standing(at.server).keys,
    }).toEqual({
      done: 2,
      again: 0,
      codes: [0, 0],
      told: [`roles-kept-by-service service ${at.server.endpoint}`],
      keys: [
        "ada@acme.example Red: DEVELOPER, TEAM_ROLE",
        "bo@acme.example Red: DEVELOPER, TEAM_ROLE",
        "bo@acme.example own: TEAM_ROLE",
      ],
    });
  });

  test("40: the service merges in place of replacing, and is asked once", async ({ onTestFinished }) => {
    const seed = redSeed(["ada"], ["ada"], ["DEVELOPER", "DATA_SCIENTIST"]);
    const at = await scene(onTestFinished, { knobs: { putRoles: "merge" }, seed, roster: redRoster(["ada"]) });
    const first = await at.apply();
    const second = await at.apply();
    expect({ codes: [first.code, second.code], told: second.findings, writes: writesOf(at.server) }).toEqual({
      codes: [0, 0],
      told: [`roles-kept-by-service service ${at.server.endpoint}`],
      writes: ["PUT /api/accounting/access-keys/red0ada/roles"],
    });
  });

  test("41: a role in another letter case is unknown before any call asks for it", async ({ onTestFinished }) => {
    const seed = redSeed(["ada", "bo"], ["ada", "bo"], ["TEAM_ROLE"]);
    const at = await scene(onTestFinished, { seed, roster: redRoster(["ada", "bo"], "developer") });
    const { code, findings } = await at.apply();
    expect({ code, findings, writes: writesOf(at.server) }).toEqual({
      code: 9,
      findings: ["!unknown-role role developer"],
      writes: [],
    });
  });

  test.for(["PROJECT", "SYSTEM_OWNER"] as const)(
    "41: a role that is not for a team's key (%s) is refused before any call asks for it",
    async (role, { onTestFinished }) => {
      const seed = redSeed(["ada", "bo"], ["ada", "bo"], ["TEAM_ROLE"]);
      const at = await scene(onTestFinished, {
        knobs: { roleKinds: "strict" },
        seed,
        roster: redRoster(["ada", "bo"], role),
      });
      const { code, findings } = await at.apply();
      expect({ code, findings, writes: writesOf(at.server) }).toEqual({
        code: 9,
        findings: [`!unknown-role role ${role}`],
        writes: [],
      });
    },
  );

  test("42: no read shows the roles of keys, so that what was asked for is remembered", async ({ onTestFinished }) => {
    const knobs = { showKeyRoles: "none", putRolesAnswer: "empty" } as const;
    const seed = redSeed(["ada"], ["ada"], ["DEVELOPER"]);
    const at = await scene(onTestFinished, { knobs, seed, roster: redRoster(["ada", "bo"]) });
    const before = await at.plan();
    const { actions } = JSON.parse(before.output.stdout) as { actions: { kind: string; before?: { known: string } }[] };
    const first = await at.apply();
    const writes = writesOf(at.server).length;
    const second = await at.apply();
    expect({
      before: actions.filter(({ kind }) => kind === "replace-roles").map((action) => action.before?.known),
      codes: [first.code, second.code],
      more: writesOf(at.server).length - writes,
      hidden: second.capabilities,
      keys: standing(at.server).keys,
    }).toMatchObject({
      before: ["unknown", "unknown"],
      codes: [0, 0],
      more: 0,
      hidden: { roles_on_keys: "hidden" },
      keys: [
        "ada@acme.example Red: DEVELOPER",
        "ada@acme.example own: TEAM_ROLE",
        "bo@acme.example Red: DEVELOPER",
        "bo@acme.example own: TEAM_ROLE",
      ],
    });
  });

  test("43: roles are a set, whatever their order and however often one stands there", async ({ onTestFinished }) => {
    const seed = redSeed(["ada"], ["ada"], ["DEVELOPER", "AUDITOR"]);
    const at = await scene(onTestFinished, { seed, roster: redRoster(["ada"], "AUDITOR, DEVELOPER, DEVELOPER") });
    const { code, planned } = await at.plan();
    expect({ code, planned }).toEqual({ code: 0, planned: [] });
  });

  test("44: what would take the administration from the key in use is withheld", async ({ onTestFinished }) => {
    const roster = "version: 1\naccount: acc-1\nkeys:\n  - { prefix: reference0admin0key0, roles: [DEVELOPER] }\n";
    const at = await scene(onTestFinished, { roster });
    const { code, findings } = await at.apply();
    expect({ code, told: findings.filter((line) => line.startsWith("!")), writes: writesOf(at.server) }).toEqual({
      code: 9,
      told: ["!own-key key reference0admin0key0"],
      writes: [],
    });
  });

  test("45: a prefix is one segment of a path, in its own letter case", async ({ onTestFinished }) => {
    const owner = "ada@acme.example";
    const prefixes = ["a/b%+é", "Twin0Key", "tWIN0kEY"];
    const seed: Seed = {
      ...redSeed(["ada"], ["ada"]),
      keys: prefixes.map((prefix) => ({ prefix, owner, roles: ["TEAM_ROLE"] })),
    };
    const keys = `keys:\n  - { prefix: "a/b%+é", owner: ${owner}, roles: [AUDITOR] }\n  - { prefix: Twin0Key, owner: ${owner}, roles: [DEVELOPER] }\n`;
    const at = await scene(onTestFinished, { seed, roster: redRoster(["ada"]) + keys });
    const { code } = await at.apply();
    const held = at.server.world.users.flatMap(({ accessKeys }) =>
      accessKeys.filter(({ prefix }) => prefixes.includes(prefix)).map(({ prefix, roles }) => [prefix, roles]),
    );
    expect({ code, writes: [...writesOf(at.server)].sort(), held }).toEqual({
      code: 0,
      writes: [
        "PUT /api/accounting/access-keys/Twin0Key/roles",
        "PUT /api/accounting/access-keys/a%2Fb%25%2B%C3%A9/roles",
      ],
      held: [
        ["a/b%+é", [{ identifier: "AUDITOR" }]],
        ["Twin0Key", [{ identifier: "DEVELOPER" }]],
        ["tWIN0kEY", [{ identifier: "TEAM_ROLE" }]],
      ],
    });
  });

  test.for(["404", "400"] as const)(
    "46: a new key is not there for 2 s (%s), which is waited for",
    async (keyLagStatus, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { keyLagMs: 2000, keyLagStatus }, time: "virtual" });
      const codes = [(await at.apply()).code, (await at.plan()).code];
      expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
    },
  );
});

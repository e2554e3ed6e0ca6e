import { describe, expect, test } from "vitest";
import { allowanceFor } from "../../support/drawn/printed-words.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { createElsewhere, single } from "../../support/trap-rosters.ts";
import { company, companyThere, creationsOf, scene, sceneWith, standing, writesOf } from "../../support/trap-scene.ts";

const bo = { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" };

describe.concurrent("traps of creation", () => {
  // The first, because it waits longest.
  test("33: a creation that is taken for later and does not show is given up as unknown", async ({
    onTestFinished,
  }) => {
    const hour = 3_600_000;
    // The service names a time after which nothing is asked a second time in this run.
    const knobs = {
      create: "C9",
      retryAfterSeconds: 16,
      searchLagMs: hour,
      listLagMs: hour,
      detailLagMs: hour,
    } as const;
    const at = await scene(onTestFinished, { knobs, roster: single, time: "virtual" });
    const { code, troubles } = await at.apply();
    expect({ code, troubles, creations: creationsOf(at.server) }).toEqual({
      code: 7,
      troubles: ["create-user:ada@acme.example unknown misunderstood", "replace-roles:own:ada@acme.example skipped"],
      creations: 1,
    });
  });

  test.for(["reset", "502", "504"] as const)(
    "24: the answer to a creation is lost (%s), and reading tells what became of it",
    async (dropResponseAs, { onTestFinished }) => {
      const knobs = { dropResponse: ["create@first-2"], dropResponseAs } as const;
      const at = await scene(onTestFinished, { knobs });
      await at.apply();
      const second = await at.apply();
      const third = await at.plan();
      expect({ codes: [second.code, third.code], creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
        codes: [0, 0],
        creations: 2,
        ...companyThere,
      });
      const state = await at.run(["state", "show"]);
      const prefixes = at.server.world.users.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => prefix));
      expect(prefixes.filter((prefix) => prefix !== "reference0admin0key0" && !state.stdout.includes(prefix))).toEqual(
        [],
      );
    },
  );

  test("24: the answer to an addition of members is lost, and nobody is mailed twice", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { dropResponse: ["members@1"] } });
    await at.apply();
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
  });

  test.for(["409", "400", "422", "500", "200"] as const)(
    "25: somebody is created elsewhere in the meantime (%s), and is adopted",
    async (conflict, { onTestFinished }) => {
      const at = await scene(onTestFinished, {
        knobs: { conflict },
        meanwhile: (route, number, { world }) => {
          if (route === "create" && number === 2) world.addUser(bo);
        },
      });
      const { code } = await at.apply();
      expect({ code, creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
        code: 0,
        creations: 2,
        ...companyThere,
      });
    },
  );

  test("25: somebody is there whom no read shows yet, and the next run adopts them", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {
      knobs: { searchLagMs: 2500, listLagMs: 2500, detailLagMs: 2500 },
      time: "virtual",
    });
    await createElsewhere(at.server, bo);
    await at.apply();
    const { code } = await at.apply();
    expect({ code, ...standing(at.server) }).toEqual({ code: 0, ...companyThere });
  });

  test.for(["400", "422", "409"] as const)(
    "25: a refusal that is no conflict fails with the service's words, and the rest goes on (conflicts are %s)",
    async (conflict, { onTestFinished }) => {
      const roster = company.replace("lastName: Diaz", `lastName: Diaz, title: ${"x".repeat(51)}`);
      const at = await scene(onTestFinished, { knobs: { conflict, maxTitle: 50 }, roster });
      const { code, troubles, output } = await at.apply();
      expect({
        code,
        troubles,
        says: output.stdout.includes("The field title has 51 letters"),
        ...standing(at.server),
      }).toEqual({
        code: 7,
        troubles: [
          "create-user:bo@acme.example failed refused",
          "add-members:acc-1/red skipped",
          "replace-roles:acc-1/red:bo@acme.example skipped",
        ],
        says: true,
        people: ["ada@acme.example"],
        teams: ["Red: ada@acme.example"],
        mails: [],
        keys: ["ada@acme.example Red: DEVELOPER"],
      });
    },
  );

  test("26: a creation is answered with 409 although it was done", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { conflict: "409-though-created" } });
    const codes = [(await at.apply()).code, (await at.apply()).code, (await at.plan()).code];
    expect({ codes, creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
      codes: [0, 0, 0],
      creations: 2,
      ...companyThere,
    });
  });

  test("29: a team is created by name, with a role that grants nothing, and never as an empty object", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, { roster: company.replace("roles: [DEVELOPER]", "roles: []") });
    const proxy = await faultProxy(at.server.endpoint, {}, onTestFinished);
    const through = await sceneWith(
      onTestFinished,
      at.server,
      company.replace("roles: [DEVELOPER]", "roles: []"),
      proxy.endpoint,
    );
    expect((await through.apply()).code).toBe(0);
    const bodies = proxy.passed.filter(({ method, url }) => method === "POST" && url.endsWith("/users"));
    expect(bodies.map(({ body }) => JSON.parse(body))).toEqual([
      {
        email: "ada@acme.example",
        firstName: "Ada",
        lastName: "Lovelace",
        team: { name: "Red", accessKeyRoles: ["TEAM_ROLE"] },
      },
      { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" },
    ]);
    expect(standing(at.server).keys).toEqual([
      "ada@acme.example Red: ",
      "bo@acme.example Red: ",
      "bo@acme.example own: TEAM_ROLE",
    ]);
  });

  test("29: a privilege that a first member gets is shown in the plan", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { roster: company.replace("roles: [DEVELOPER]", "roles: [ACCOUNT_ADMIN]") });
    const held = await at.run(["plan"]);
    expect(held.stdout).toContain("first member, gets TEAM_ROLE and roles that the service adds");
    expect(held.stdout).toContain("ada@acme.example would gain ACCOUNT_ADMIN when team Red is created");
    const word = allowanceFor("privileged-roles:ada@acme.example", held.stdout);
    const { stdout } = await at.run(["plan", "--view", "calls", "--allow", word, "--reason", "INC-42"]);
    expect(stdout).toContain("creates team Red and becomes its admin; the key in Red gets ACCOUNT_ADMIN, TEAM_ROLE");
  });

  test("30: the service appends what was asked for to more, and the key is made exact once", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, { knobs: { firstMemberRoles: "ACCOUNT_ADMIN+TEAM_ROLE" } });
    const first = await at.apply();
    const writes = writesOf(at.server).filter((line) => line.startsWith("PUT")).length;
    const after = await at.plan();
    expect({ codes: [first.code, after.code], writes, ...standing(at.server) }).toEqual({
      codes: [0, 0],
      writes: 2,
      ...companyThere,
    });
  });

  test("31: whoever is there already is not the first member of a new team", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    at.server.world.addUser({ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" });
    at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
    const { code, findings } = await at.apply();
    expect({ code, findings, writes: writesOf(at.server) }).toEqual({
      code: 9,
      findings: ["!cannot-create-team team acc-1/red"],
      writes: [],
    });
  });

  test("32: a team's roles go to the key that came with the team, not to that of the creation", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, { knobs: { showTeams: "created-only" } });
    const { output } = await at.plan();
    const { code } = await at.apply("--allow", allowanceFor("unproven-absence:Red", output.stdout));
    expect({ code, keys: standing(at.server).keys }).toEqual({ code: 0, keys: companyThere.keys });
  });

  test("33: a creation is taken for later (202), and shows after a while", async ({ onTestFinished }) => {
    const knobs = { create: "C9", searchLagMs: 2000, listLagMs: 2000, detailLagMs: 2000 } as const;
    const at = await scene(onTestFinished, { knobs, roster: single, time: "virtual" });
    const first = await at.apply();
    const after = await at.plan();
    expect({ codes: [first.code, after.code], creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
      codes: [0, 0],
      creations: 1,
      people: ["ada@acme.example"],
      teams: [],
      mails: [],
      keys: ["ada@acme.example own: DEVELOPER"],
    });
  });

  test("34: what the service makes of a profile is told as its way, and asks for nothing", async ({
    onTestFinished,
  }) => {
    const roster = company.replace("lastName: Diaz", "lastName: Diaz, title: Engineer, externalIdentifier: hr-7");
    const at = await scene(onTestFinished, { knobs: { externalId: "email", texts: "drop-title" }, roster });
    const first = await at.apply();
    const writes = writesOf(at.server).length;
    const second = await at.apply();
    const third = await at.plan();
    expect({
      codes: [first.code, second.code, third.code],
      more: writesOf(at.server).length - writes,
      findings: third.findings,
    }).toEqual({ codes: [0, 0, 0], more: 0, findings: ["profile-differs user bo@acme.example"] });
  });
});

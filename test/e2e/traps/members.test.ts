import { describe, expect, test } from "vitest";
import { faultProxy } from "../../support/fault-proxy.ts";
import { redRoster, redSeed } from "../../support/trap-rosters.ts";
import { companyThere, scene, sceneWith, standing, writesOf } from "../../support/trap-scene.ts";

interface RunOfMembers {
  readonly run: {
    readonly outcomes: readonly {
      readonly learned?: { readonly members?: readonly { address: string; outcome: { added: boolean } }[] };
    }[];
  };
}

describe.concurrent("traps of members", () => {
  test.for(["reinvite", "remove"] as const)(
    "35: whoever is a member is not added again (%s)",
    async (readd, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { readd } });
      const codes = [(await at.apply()).code];
      const writes = writesOf(at.server).length;
      codes.push((await at.apply()).code);
      expect({ codes, more: writesOf(at.server).length - writes, ...standing(at.server) }).toEqual({
        codes: [0, 0],
        more: 0,
        ...companyThere,
      });
    },
  );

  test("35: a membership that no read shows is remembered, or else told, and nobody is added on a doubt", async ({
    onTestFinished,
  }) => {
    const knobs = { readd: "reinvite", showTeams: "created-only", create: "C1" } as const;
    const seed = redSeed(["ada", "bo"], ["ada", "bo"]);
    const at = await scene(onTestFinished, { knobs, seed, roster: redRoster(["ada", "bo", "cy"]) });
    const first = await at.apply();
    const second = await at.apply();
    const posts = writesOf(at.server).filter((line) => line.endsWith("/members"));
    const unknown = ["ada", "bo"].map((name) => `!unproven-absence member ${name}@acme.example of team acc-1/red`);
    expect({
      codes: [first.code, second.code],
      told: second.findings,
      posts,
      mails: standing(at.server).mails,
    }).toEqual({
      codes: [9, 9],
      told: unknown,
      posts: ["POST /api/accounting/teams/t-red/members"],
      mails: ["Red cy@acme.example"],
    });
  });

  test.for(["M6", "M1"] as const)(
    "36: a whole batch is refused because of one (%s), and the others are added all the same",
    async (members, { onTestFinished }) => {
      const knobs = { members, memberLagMs: 3_600_000 } as const;
      const seed = redSeed(["ada", "bo", "cy"], ["ada"]);
      const at = await scene(onTestFinished, { knobs, seed, roster: redRoster(["ada", "bo", "cy", "di"]) });
      const { code } = await at.apply();
      expect({ code, ...standing(at.server) }).toMatchObject({
        code: 7,
        teams: ["Red: ada@acme.example, bo@acme.example, cy@acme.example"],
        mails: ["Red bo@acme.example", "Red cy@acme.example"],
      });
    },
  );

  test.for(["M4", "M4-list", "M5", "M5-201"] as const)(
    "37: one of a batch fails in an answer of success (%s), and is told by name",
    async (kind, { onTestFinished }) => {
      const knobs = { members: kind, memberLagMs: 3_600_000 } as const;
      const seed = redSeed(["ada", "bo"], ["ada"]);
      const at = await scene(onTestFinished, { knobs, seed, roster: redRoster(["ada", "bo", "di"]) });
      const { code, output } = await at.apply();
      const { run } = JSON.parse(output.stdout) as RunOfMembers;
      const members = run.outcomes.flatMap(({ learned }) => learned?.members ?? []);
      const added = members.map((one) => `${one.address} ${one.outcome.added ? "added" : "not added"}`).sort();
      expect({ code, added, teams: standing(at.server).teams, mails: standing(at.server).mails }).toEqual({
        code: 7,
        added: ["bo@acme.example added", "di@acme.example not added"],
        teams: ["Red: ada@acme.example, bo@acme.example"],
        mails: ["Red bo@acme.example"],
      });
    },
  );

  test.for(["M2", "M3", "M3-201", "M4", "M4-list", "M5", "M5-201"] as const)(
    "37: an addition that succeeds is understood (%s)",
    async (members, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { members } });
      const { code } = await at.apply();
      expect({ code, ...standing(at.server) }).toEqual({ code: 0, ...companyThere });
    },
  );

  test("37: an addition that is queued (202) shows when it is done, and is not sent again", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, { knobs: { members: "M7" } });
    await at.apply();
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
  });

  test("38: members are named by identifier where the service shows one", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { memberIdentifiers: "identifier" } });
    const { code } = await at.apply();
    expect({ code, ...standing(at.server) }).toEqual({ code: 0, ...companyThere });
  });

  test("38: a service that knows members by their addresses alone gets one by address first, then the others", async ({
    onTestFinished,
  }) => {
    const seed = redSeed(["ada", "bo", "cy"], ["ada"]);
    const knobs = { memberIdentifiers: "email" } as const;
    const at = await scene(onTestFinished, { knobs, seed, roster: redRoster(["ada", "bo", "cy"]) });
    const proxy = await faultProxy(at.server.endpoint, {}, onTestFinished);
    const through = await sceneWith(onTestFinished, at.server, redRoster(["ada", "bo", "cy"]), proxy.endpoint);
    const { code } = await through.apply();
    const named = proxy.passed
      .filter(({ url }) => url.endsWith("/members"))
      .map(({ body }) => (JSON.parse(body) as { identifier: string }[]).map(({ identifier }) => identifier));
    expect({ code, named, ...standing(at.server) }).toMatchObject({
      code: 0,
      named: [["u-bo", "u-cy"], ["bo@acme.example"], ["cy@acme.example"]],
      teams: ["Red: ada@acme.example, bo@acme.example, cy@acme.example"],
      mails: ["Red bo@acme.example", "Red cy@acme.example"],
    });
  });
});

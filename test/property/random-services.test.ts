import fc from "fast-check";
import { expect, test } from "vitest";
import { ordinaryCompany } from "../support/drawn/company.ts";
import { type Draw, draws, everyWay, waysOf } from "../support/drawn/draw.ts";
import { play, tallyOf } from "../support/drawn/play.ts";
import { runs } from "../support/property-runs.ts";

test("whatever service is drawn, and whatever words are given, nobody, no team and no mail is there twice", async () => {
  const numRuns = runs(480, 80);
  const { failure, ...tally } = await tallyOf(fc.sample(draws, { seed: 11, numRuns }));
  expect(failure ?? "nothing").toBe("nothing");
  expect(tally.draws).toBe(numRuns);
  expect(tally.reached).toBeGreaterThanOrEqual(numRuns * 0.4);
  expect(tally.teamCreations).toBeGreaterThanOrEqual(numRuns * 0.8);
});

test("every value of every way is drawn", () => {
  const seen = new Set(fc.sample(draws, { seed: 1, numRuns: 4000 }).flatMap(({ service }) => waysOf(service)));
  expect(everyWay.filter((way) => !seen.has(way))).toEqual([]);
});

test("a service that hides, lags, loses and throttles ends with one team of each name and one mail a person", async () => {
  const draw: Draw = {
    service: {
      kind: "reference",
      ways: {
        showKeys: "none",
        showTeams: "none",
        createStatus: "200",
        searchLagMs: 30_000,
        listLagMs: 30_000,
        flaky: ["create@1"],
        throttleAfterEffect: ["create@4", "members@1"],
        flakyStatus: "429",
        dropResponse: ["create@3"],
        readd: "reinvite",
      },
    },
    company: {
      ...ordinaryCompany,
      newPeople: 6,
      therePeople: 2,
      newTeams: [
        { admin: "new", members: [5], roles: undefined },
        { admin: "there", members: [3], roles: undefined },
      ],
    },
    seed: 1,
    runs: Array.from({ length: 5 }, () => ({ format: "text", parallelism: 4, pause: 2000 })),
  };
  expect(await play(draw)).toMatchObject({ troubles: [], teamCreations: 2 });
});

const apply = (format: "text" | "json", parallelism: number, pause: number) => ({ format, parallelism, pause });

test("a team whose creation was lost is not created again where search passes over its first member and a list shows them", async () => {
  const draw: Draw = {
    service: {
      kind: "second",
      ways: { keysInLists: "hidden", searchShape: "map", searches: "first-5-of-all", lostAfterEffect: 2 },
    },
    company: {
      ...ordinaryCompany,
      newPeople: 4,
      therePeople: 1,
      newTeams: [
        { admin: "new", members: [], roles: [] },
        { admin: "there", members: [1, 7, 5], roles: ["DEVELOPER", "TEAM_ROLE"] },
        { admin: "new", members: [], roles: [] },
      ],
      oldTeam: { identifier: "open", membersThere: 0, newMembers: [2], roles: ["TEAM_ROLE"] },
      hasFormerAddress: true,
    },
    seed: 948722,
    runs: [
      apply("text", 1, 0),
      apply("json", 1, 0),
      apply("text", 4, 30_000),
      apply("text", 1, 300_000),
      apply("json", 1, 1_800_000),
    ],
  };
  expect(await play(draw)).toMatchObject({ troubles: [], codes: [9, 7, 9, 9, 9], teamCreations: 3 });
});

test("a team is reached whose administrator the service did not know in the first seconds", async () => {
  const draw: Draw = {
    service: { kind: "second", ways: { writesKnowNewThings: "after-2s" } },
    company: {
      ...ordinaryCompany,
      newPeople: 4,
      therePeople: 1,
      newTeams: [
        { admin: "new", members: [], roles: undefined },
        { admin: "new", members: [], roles: ["DEVELOPER", "TEAM_ROLE"] },
      ],
      oldTeam: { identifier: "open", membersThere: 1, newMembers: [0, 3], roles: [] },
    },
    seed: 999990,
    runs: [apply("text", 1, 0), apply("text", 4, 0), apply("text", 1, 0), apply("text", 1, 0), apply("json", 1, 0)],
  };
  expect(await play(draw)).toMatchObject({ troubles: [], isReached: true });
});

test("nobody is created twice by a service that is busy after it has worked, shows users late and takes an address twice", async () => {
  const draw: Draw = {
    service: {
      kind: "reference",
      ways: { conflict: "second-user", searchLagMs: 30_000, throttleAfterEffect: ["create@2", "members@1"] },
    },
    company: {
      ...ordinaryCompany,
      newPeople: 4,
      therePeople: 1,
      newTeams: [],
    },
    seed: 279280,
    runs: Array.from({ length: 5 }, () => apply("text", 1, 0)),
  };
  expect(await play(draw)).toMatchObject({ troubles: [], isReached: true });
});

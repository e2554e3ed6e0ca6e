import fc from "fast-check";
import { expect, test } from "vitest";
import { type Draw, draws, everyWay, waysOf } from "../support/drawn/draw.ts";
import { play } from "../support/drawn/play.ts";
import { tallyOf } from "../support/drawn/tally.ts";
import { runs } from "../support/property-runs.ts";

test("whatever service is drawn, and whatever words are given, nobody, no team and no mail is there twice", async () => {
  const numRuns = runs(480);
  const { failure, ...tally } = await tallyOf(fc.sample(draws, { seed: 11, numRuns }));
  expect(failure ?? "nothing").toBe("nothing");
  expect(tally.draws).toBe(numRuns);
  expect(tally.reached).toBeGreaterThanOrEqual(numRuns * 0.4);
  expect(tally.foundings).toBeGreaterThanOrEqual(numRuns * 0.8);
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
      newPeople: 6,
      therePeople: 2,
      newTeams: [
        { admin: "new", members: [5], roles: undefined },
        { admin: "there", members: [3], roles: undefined },
      ],
      oldTeam: undefined,
      ownKeyRoles: undefined,
      hasLeaver: false,
      hasFormerAddress: false,
      hasCaller: false,
      hasProtected: false,
      nearDuplicates: "on",
      writesCapitals: false,
    },
    seed: 1,
    runs: Array.from({ length: 5 }, () => ({ format: "text", parallelism: 4, pause: 2000 })),
  };
  expect(await play(draw)).toMatchObject({ troubles: [], foundings: 2 });
});

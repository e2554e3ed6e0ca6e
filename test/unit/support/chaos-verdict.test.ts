import { describe, expect, test } from "vitest";
import type { ChaosDraw, RunDraw } from "../../support/chaos-draw.ts";
import { story } from "../../support/chaos-story.ts";
import { isPending, likelyRenames } from "../../support/chaos-verdict.ts";

const person = { there: false, joins: 0, leaves: undefined, ownKeyRoles: undefined };

const run: RunDraw = {
  edition: 0,
  parallelism: 1,
  tampering: [],
  faults: [],
  kill: undefined,
  pause: 0,
  stateFault: undefined,
  losesState: false,
};

/** Two people are created; somebody else removes the second, so long after that. */
function removedAfter(pause: number): ChaosDraw {
  const removal = { does: "deletes-user", person: 1, team: 0, roles: [] } as const;
  return {
    company: { people: [person, person], teams: [] },
    service: { showsAll: true, knobs: {} },
    state: "file",
    runs: [
      { ...run, pause },
      { ...run, tampering: [removal] },
    ],
  };
}

async function played(pause: number) {
  const lines: string[] = [];
  const troubles = await story(removedAfter(pause), (line) => lines.push(line));
  const second = lines.find((line) => line.startsWith("run 2: exit code")) ?? "";
  const { findings } = JSON.parse(second.slice(second.indexOf("{"))) as { findings: { code: string }[] };
  return { troubles, code: Number(/\d+/u.exec(second.slice(6))?.[0]), told: findings.map(({ code }) => code) };
}

describe("somebody whom roster created and somebody else removed", () => {
  test("is missing at once: a read has shown them before", async () => {
    expect(await played(300)).toEqual({ troubles: [], code: 9, told: ["user-missing"] });
  });

  test("is missing after it, which blocks", async () => {
    expect(await played(15 * 60_000)).toEqual({ troubles: [], code: 9, told: ["user-missing"] });
  });

  const bo = "bo@acme.example";
  const told = [{ blocking: false, code: "write-pending", subject: `user ${bo}` }];
  test.each([
    ["is, until the window is over", 899_999, [bo], told, true],
    ["is not, once it is over", 900_000, [bo], told, false],
    ["is not, where roster says nothing of them", 1, [bo], [], false],
    ["is not, where nobody removed them", 1, [], told, false],
  ])("to the judge pending: %s", (_, now, removed, findings, expected) => {
    const witness = { createdAt: new Map([[bo, 0]]) };
    expect(isPending({ witness, removed: new Set(removed), now }, bo, findings)).toBe(expected);
  });
});

describe("a team of the roster that is not there", () => {
  const team = (name: string, ...members: string[]) => ({ name, members });
  const wanted = (...teams: ReturnType<typeof team>[]) => ({
    people: [],
    teams: teams.map((one) => ({ ...one, roles: undefined, open: false })),
  });
  const search = team("Search", "ada@acme.example", "bo@acme.example", "cy@acme.example");
  test.each([
    ["is a likely rename of an unwanted team with two of its members", [team("Find", ...search.members.slice(1))], 1],
    ["is none of a team with one of them", [team("Find", "ada@acme.example")], 0],
    ["is none where it is there as well", [team("Find", ...search.members), search], 0],
  ])("%s", (_, teams, count) => {
    const server = { world: { teams } } as unknown as Parameters<typeof likelyRenames>[1];
    expect(likelyRenames(wanted(search), server)).toEqual(wanted(search).teams.slice(0, count));
  });

  test("is none of a team that the roster has too", () => {
    const find = team("Find", ...search.members);
    const server = { world: { teams: [find] } } as unknown as Parameters<typeof likelyRenames>[1];
    expect(likelyRenames(wanted(search, find), server)).toEqual([]);
  });
});

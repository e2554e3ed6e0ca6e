import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { runs } from "../support/property-runs.ts";
import { scene, standing, writesOf } from "../support/trap-scene.ts";

/** As the public answers show keys: `keyType` is user or system, `isDefault` is true for users' keys, and no key names a team. */
const publicKeys: Partial<Knobs> = { showKeyKinds: "user-or-system", showTeams: "none" };

const holders = fc.array(
  fc.record({
    own: fc.boolean(),
    teams: fc.subarray(["Red", "Blue"]),
    projects: fc.nat({ max: 2 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const email = (index: number) => `p${index}@acme.example`;

/** People with any keys. Somebody without an own key has none of the kind `user`. */
function seedOf(
  people: readonly { readonly own: boolean; readonly teams: readonly string[]; readonly projects: number }[],
) {
  const users = people.map((_, index) => ({ email: email(index), firstName: `P${index}`, lastName: "Test" }));
  const keys = people.flatMap(({ own, projects }, index) => {
    const owner = email(index);
    const status = own ? "Active" : "Deleted";
    return [
      { prefix: `own${index}`, owner, kind: "user" as const, roles: ["DEVELOPER"], status },
      ...Array.from({ length: projects }, (_, number) => ({
        prefix: `project${index}x${number}`,
        owner,
        kind: "project" as const,
        roles: ["PROJECT"],
      })),
    ];
  });
  const teams = ["Red", "Blue"].map((name) => ({
    identifier: `t-${name}`,
    name,
    members: people.flatMap((one, index) => (one.teams.includes(name) ? [{ user: email(index) }] : [])),
  }));
  return { users, keys, teams: teams.filter(({ members }) => members.length > 0).map(withAdmin) };
}

function withAdmin<T extends { readonly members: readonly { readonly user: string }[] }>(
  team: T,
): T & { readonly admin: string } {
  return { ...team, admin: team.members[0]?.user ?? "" };
}

describe("a service that says of keys only whether they are a user's or the system's", () => {
  test("no key is taken for anybody's own: none is planned for, and none is imported as such", async () => {
    await fc.assert(
      fc.asyncProperty(holders, async (people) => {
        const ends: (() => unknown)[] = [];
        const atEnd = (end: () => unknown) => void ends.push(end);
        try {
          const users = people.map(
            (_, index) =>
              `  - { email: ${email(index)}, firstName: P${index}, lastName: Test, ownKeyRoles: [AUDITOR] }`,
          );
          const roster = ["version: 1", "account: acc-1", "users:", ...users, ""].join("\n");
          const at = await scene(atEnd, { knobs: publicKeys, seed: seedOf(people), roster });
          const { planned, findings } = await at.plan();
          expect({ planned, findings: findings.toSorted() }).toEqual({
            planned: [],
            findings: people.map((_, index) => `!key-prefix-unknown user ${email(index)}`).sort(),
          });
          await at.run(["import", "imported"]);
          const directory = join(at.directory, "imported");
          const files = (await readdir(directory)).filter((name) => name.endsWith(".yaml"));
          const texts = await Promise.all(files.map((name) => readFile(join(directory, name), "utf8")));
          expect(texts.join("\n")).not.toContain("ownKeyRoles");
          const projects = people.flatMap((one, index) => (one.projects > 0 ? [`project${index}x0`] : []));
          expect(projects.filter((prefix) => !texts.join("\n").includes(prefix))).toEqual([]);
        } finally {
          for (const end of ends.reverse()) await end();
        }
      }),
      { numRuns: runs(60), endOnFailure: true },
    );
  });

  test("the key of a new team's first member is the one that the creation shows, and gets its roles at once", async () => {
    for (const create of ["C1", "C2", "C3", "C4", "C5", "C6", "C7"] as const) {
      const at = await scene(onTestFinished, { knobs: { ...publicKeys, create } });
      const words = printedWords((await at.plan()).output.stdout);
      const report = await at.apply(...words.flatMap(({ word }) => ["--allow", word]));
      const { keys, mails } = standing(at.server);
      expect({ create, keys, mails, findings: report.findings.filter((one) => one.includes("ada@")) }).toEqual({
        create,
        keys: ["ada@acme.example Red: DEVELOPER", "bo@acme.example own: TEAM_ROLE"],
        mails: [],
        findings: [],
      });
      expect(report.findings).toContain("!team-identifier-unknown team acc-1/red");
    }
  });

  test("where the answer alone shows the team, everybody's key gets its roles in one run", async () => {
    const knobs: Partial<Knobs> = { ...publicKeys, showTeams: "created-only" };
    const at = await scene(onTestFinished, { knobs, time: "virtual" });
    const words = printedWords((await at.plan()).output.stdout);
    await at.apply(...words.flatMap(({ word }) => ["--allow", word]));
    const { keys, mails } = standing(at.server);
    expect({ keys, mails }).toEqual({
      keys: ["ada@acme.example Red: DEVELOPER", "bo@acme.example Red: DEVELOPER", "bo@acme.example own: TEAM_ROLE"],
      mails: ["Red bo@acme.example"],
    });
    expect((await at.plan()).planned).toEqual([]);
    expect(writesOf(at.server).length).toBe(5);
  });
});

test("where keys show their teams, a user's key without one is their own", async () => {
  const users = [{ email: email(0), firstName: "P0", lastName: "Test" }];
  const keys = [{ prefix: "own0", owner: email(0), kind: "user" as const, roles: ["DEVELOPER"] }];
  const teams = [{ identifier: "t-Red", name: "Red", admin: email(0), members: [{ user: email(0) }] }];
  const roster = [
    "version: 1",
    "account: acc-1",
    "users:",
    `  - { email: ${email(0)}, firstName: P0, lastName: Test, ownKeyRoles: [AUDITOR] }`,
    "",
  ].join("\n");
  const knobs: Partial<Knobs> = { showKeyKinds: "user-or-system", showTeams: "full" };
  const at = await scene(onTestFinished, { knobs, seed: { users, keys, teams }, roster });
  expect((await at.plan()).planned).toEqual(["replace-roles:own0"]);
});

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Seed } from "../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";

/** Beside the administrator whose key is used, 400 users and 35 teams, two of them of one name, and 20 inactive people, some of them in teams. */
function largeSeed(): Seed {
  const people = Array.from({ length: 400 }, (_, index) => ({
    email: `person.${index}@acme.example`,
    firstName: index % 7 === 0 ? "no" : `First ${index}`,
    lastName: index % 11 === 0 ? "O'Brien: #1" : `Last ${index}`,
    status: index % 20 === 3 ? "inactive" : "active",
    ...(index % 3 === 0 ? { title: `${index % 9}12` } : {}),
    ...(index % 5 === 0 ? { source: "people-office" } : {}),
  }));
  const roles = [["TEAM_ROLE"], ["DEVELOPER", "TEAM_ROLE"], ["ACCOUNT_ADMIN", "TEAM_ROLE"]];
  const teams = Array.from({ length: 35 }, (_, index) => ({
    identifier: index === 34 ? "012" : `t-${index}`,
    name: index < 2 ? "Data Science" : `Team ${index}: "x"`,
    admin: `person.${index * 11}@acme.example`,
    members: Array.from({ length: 12 }, (__, place) => ({
      user: `person.${(index * 11 + place * 3) % 400}@acme.example`,
      roles: roles[place % 4 === 0 ? 1 : place === 5 ? 2 : 0] ?? [],
    })),
  }));
  const keys = [{ prefix: "nightly7Qk2", owner: "person.1@acme.example", roles: ["PROJECT"] }];
  return { accounts: [{ identifier: "acc-1" }], users: people, teams, keys };
}

async function serviceWith(seed: Seed) {
  const server = await startReferenceServer({ port: 0, seed });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { server, run: (...args: readonly string[]) => inside(args, { cwd, env }), cwd };
}

describe("an account of 400 users and 35 teams", () => {
  test("is adopted in three commands with no edit", async () => {
    const { server, run, cwd } = await serviceWith(largeSeed());
    const imported = await run("import", "adopted");
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toContain("Imported 380 users, 35 teams, 1 key into");
    expect((await run("validate", "adopted")).code).toBe(0);
    const plan = await run("plan", "adopted", "--detailed-exitcode");
    expect({ code: plan.code, says: plan.stdout.includes("No changes.") }).toEqual({ code: 0, says: true });
    expect(server.requests.every(({ method, path }) => method === "GET" || path.includes("/search"))).toBe(true);
    const files = await readdir(join(cwd, "adopted"), { recursive: true });
    expect(files.filter((file) => file.endsWith(".yaml"))).toEqual(["roster.yaml"]);
  });
});

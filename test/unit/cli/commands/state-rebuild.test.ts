import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";

interface Rebuilt {
  readonly state?: {
    readonly people: number;
    readonly teams: number;
    readonly memberships: number;
    readonly prefixes: number;
    readonly missing: readonly string[];
    readonly unlearned: readonly string[];
  };
  readonly error: { readonly code: string } | null;
}

async function rebuild(at: InsideScene): Promise<Rebuilt & { readonly code: number }> {
  const run = await at.run(["state", "rebuild", "--format", "json"]);
  return { ...(JSON.parse(run.stdout) as Rebuilt), code: run.code };
}

async function lost(): Promise<InsideScene> {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve"]);
  await rm(`${at.cwd}/.roster`, { recursive: true });
  return at;
}

describe("roster state rebuild", () => {
  test("knows people, teams, memberships and prefixes again, after which nothing is to do", async () => {
    const at = await lost();
    const { code, state } = await rebuild(at);
    const { unlearned: _, ...known } = state ?? { unlearned: [] };
    expect({ code, known }).toEqual({
      code: 0,
      known: {
        did: "rebuild",
        address: `file:${at.cwd}/.roster/state.json`,
        people: 2,
        teams: 1,
        memberships: 2,
        prefixes: 3,
        missing: [],
      },
    });
    const before = at.writes();
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(0);
    expect(at.writes()).toEqual(before);
  });

  test("tells whom the service does not show, and what nobody can learn again", async () => {
    const at = await lost();
    at.server.world.removeUser("bo@acme.example");
    at.server.setKnobs({ showTeams: "none" });
    const run = await at.run(["state", "rebuild"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("1 person of the roster is not shown");
    expect(run.stdout).toContain("- bo@acme.example");
    expect(run.stdout).toContain("Who is in which team: the service does not show it.");
    expect(run.stdout).toContain("Calls that were under way when the state was lost");
  });

  test("overwrites no state (5), and reads nothing then", async () => {
    const at = await insideScene();
    await at.run(["apply", "--auto-approve"]);
    const before = at.server.requests.length;
    const refused = await rebuild(at);
    expect([refused.code, refused.error?.code, at.server.requests.length]).toEqual([5, "state-exists", before]);
  });

  test("fails where the service cannot be read, and leaves the place empty", async () => {
    const at = await lost();
    const run = await at.run(["state", "rebuild"], { env: { ROSTER_API_KEY: "nobody.secretsecret" } });
    expect(run.code).toBe(4);
    expect((await rebuild(at)).code).toBe(0);
  });
});

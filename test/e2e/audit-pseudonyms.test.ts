import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

const ROSTER_AUDIT_KEY = "4f1c7d2b9a6e80534f1c7d2b9a6e8053";
const env = { ROSTER_AUDIT_KEY };
const bo = "bo@acme.example";
const onlyAda = twoPeople.replace(/\n.*email: bo@.*\n/u, "\n").replace(", { user: bo@acme.example }", "");

const trailOf = ({ cwd }: InsideScene) => readFileSync(join(cwd, ".roster/state.json.audit.jsonl"), "utf8");

/** Two people were created, and bo has left roster and service since. */
async function withoutBo(): Promise<InsideScene> {
  const at = await insideScene();
  expect((await at.run(["apply", "--auto-approve"], { env })).code).toBe(0);
  await writeRoster(at.cwd, { "roster.yaml": onlyAda });
  at.server.world.removeUser(bo);
  return at;
}

describe("an audit trail with ROSTER_AUDIT_KEY", () => {
  test("has a pseudonym in place of each address, and can be verified without the key", async () => {
    const at = await withoutBo();
    expect(trailOf(at)).not.toMatch(/@acme\.example|\bada\b|bo@/iu);
    expect(trailOf(at)).toMatch(/"person":"someone-[0-9a-f]{16}@hidden\.invalid"/u);
    expect((await at.run(["audit", "verify"])).code).toBe(0);
    const hidden = await at.run(["audit", "show"]);
    expect([hidden.code, hidden.stdout]).toEqual([0, expect.stringMatching(/created someone-[0-9a-f]{16}@hidden/u)]);
    expect(hidden.stdout).not.toContain("@acme.example");
  });

  test("shows the people of the state with the key", async () => {
    const at = await withoutBo();
    const shown = await at.run(["audit", "show"], { env });
    expect(shown.stdout).toContain("created ada@acme.example and team Red");
    expect(shown.stdout).toContain(`created ${bo}`);
    expect((await at.run(["audit", "show", "--person", bo], { env })).stdout).toContain(`added ${bo} to Red`);
    const access = await at.run(["access", "--as-of", "2999-01-01", "--format", "csv"], { env });
    expect(access.stdout).toMatch(/^ada@acme\.example,.*DEVELOPER/mu);
  });

  test("keeps the pseudonym of a forgotten person, who is found only by their address", async () => {
    const at = await withoutBo();
    expect((await at.run(["state", "forget", bo, "--auto-approve"], { env })).code).toBe(0);
    const all = (await at.run(["audit", "show"], { env })).stdout;
    expect(all).toContain("created ada@acme.example and team Red");
    expect(all).toMatch(/created someone-[0-9a-f]{16}@hidden\.invalid/u);
    expect(all).not.toContain(bo);
    const { stdout } = await at.run(["audit", "export", "--format", "csv", "--person", bo], { env });
    expect(stdout).toContain(`create-user,done,${bo},`);
    expect(stdout).not.toContain("ada@");
    const other = { ROSTER_AUDIT_KEY: ROSTER_AUDIT_KEY.toUpperCase() };
    expect((await at.run(["audit", "show", "--person", bo], { env: other })).stdout).not.toContain(bo);
    expect((await at.run(["audit", "verify"])).code).toBe(0);
  });

  test("takes no key that can be guessed, and no output shows the key", async () => {
    const at = await insideScene();
    const { code, stderr } = await at.run(["apply", "--auto-approve"], { env: { ROSTER_AUDIT_KEY: "too-short" } });
    expect([code, stderr]).toEqual([3, expect.stringContaining("error[short-audit-key]")]);
    expect(at.writes()).toEqual([]);
    const config = await at.run(["config"], { env });
    expect(config.stdout).not.toContain(ROSTER_AUDIT_KEY);
  });
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ReferenceServerOptions, startReferenceServer } from "../../../../src/reference-server/server.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { type InsideResult, inside } from "../../../support/inside.ts";
import { insideScene, twoPeople } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

test("a plan is rehearsed where that is asked for, and nothing is sent, mailed or written", async () => {
  const scene = await insideScene();
  const plain = await scene.run(["plan"]);
  const { code, stdout, stderr } = await scene.run(["plan", "--rehearse"]);
  expect([code, stderr.replace(/\d+ ?ms/gu, "N ms")]).toEqual([
    0,
    "The reads of this run took N ms each (median): --rehearse=N ms shows how long an apply takes at that.\n",
  ]);
  const settled = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "AT");
  expect(settled(stdout).startsWith(settled(plain.stdout))).toBe(true);
  expect(settled(stdout).slice(settled(plain.stdout).length)).toBe(
    [
      "",
      "Rehearsed in memory: 5 calls (2 to create users, 1 to add members and 2 to replace roles) and 1",
      "read, 1 mail. Nothing is left to do.",
      "  At 100 ms a call it takes about 500 ms, after 500 ms of reading; about 500 ms if one write in 10",
      "  must wait 1 s. At least 4 calls, one after another.",
      "",
    ].join("\n"),
  );
  expect([scene.writes(), scene.server.outbox]).toEqual([[], []]);
  await expect(readFile(join(scene.cwd, ".roster/state.json"))).rejects.toThrow("ENOENT");
});

test("what is rehearsed is what an apply does", async () => {
  const scene = await insideScene();
  const planned = JSON.parse((await scene.run(["plan", "--rehearse=80ms", "--format", "json"])).stdout);
  const { rehearsal } = planned;
  const applied = await scene.run(["apply", "--auto-approve", "--rehearse"]);
  expect([applied.code, applied.stdout.includes("Nothing is left to do.")]).toEqual([0, true]);
  const { create_user, add_members, replace_roles } = rehearsal.calls;
  expect(rehearsal).toMatchObject({ converges: true, mails: scene.server.outbox.length, time: { latency_ms: 80 } });
  expect(create_user + add_members + replace_roles).toBe(scene.writes().length);
  expect((await scene.run(["plan", "--rehearse"])).stdout).toContain("Rehearsed in memory: nothing to do.\n");
});

test.each([
  ["the settings", "rehearse: true\n", {}, true],
  ["ROSTER_REHEARSE", "", { ROSTER_REHEARSE: "1" }, true],
  ["ROSTER_REHEARSE before the settings", "rehearse: true\n", { ROSTER_REHEARSE: "0" }, false],
  ["the settings of a checkout in a pipeline", "rehearse: true\n", { CI: "true", ROSTER_STATE: "file:s.json" }, true],
  ["nobody", "", {}, false],
])("it is asked for by %s", async (_, settings, env, isAsked) => {
  const scene = await insideScene();
  await writeRoster(scene.cwd, { "roster.config.yaml": settings, ".git/HEAD": "x" });
  const { code, stdout } = await scene.run(["plan", "roster.yaml"], { env });
  expect([code, stdout.includes("Rehearsed in memory")]).toEqual([0, isAsked]);
});

/** A service whose key in use is an Account Administrator's, who may not give what the roster asks for. */
async function withoutPermission(): Promise<{
  readonly writes: () => number;
  run(args: readonly string[]): Promise<InsideResult>;
  readonly cwd: string;
}> {
  const seed: ReferenceServerOptions["seed"] = {
    roles: [{ identifier: "SYSTEM_OWNER", type: "user" }],
    users: [{ email: "root@acme.example", firstName: "R", lastName: "T" }],
    keys: [{ prefix: "inuse", secret: "s3cret", owner: "root@acme.example", kind: "user", roles: ["ACCOUNT_ADMIN"] }],
  };
  const server = await startReferenceServer({ port: 0, seed });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  const settings = "guards: { privileged-roles: off }\n";
  await writeRoster(cwd, {
    "r/roster.yaml": twoPeople.replace("DEVELOPER", "SYSTEM_OWNER"),
    "roster.config.yaml": settings,
  });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const isWrite = ({ method, path }: { method: string; path: string }) => method !== "GET" && !path.endsWith("/search");
  return { cwd, writes: () => server.requests.filter(isWrite).length, run: (args) => inside(args, { cwd, env }) };
}

test("a plan that runs into trouble is shown, refused and not saved, and an apply of it sends nothing", async () => {
  const { cwd, run, writes } = await withoutPermission();
  const planned = await run(["plan", "r", "--rehearse=80ms", "--out", "plan.json"]);
  expect(planned.code).toBe(5);
  expect(planned.stdout).toContain("! would fail: ");
  expect(planned.stdout).toContain(
    'the service says: "Only a Platform Administrator may give or take the role SYSTEM_OWNER"',
  );
  expect(planned.stderr).toContain("error[rehearsal-failed]: The rehearsal of this plan found ");
  expect(planned.stderr.replace(/\s+/gu, " ")).toContain(
    "If the rehearsal is wrong for this service, remove --rehearse and set ROSTER_REHEARSE=0",
  );
  expect((await run(["plan", "r", "--detailed-exitcode"])).code).toBe(2);
  await expect(readFile(join(cwd, "plan.json"))).rejects.toThrow("ENOENT");
  const applied = await run(["apply", "r", "--rehearse", "--auto-approve", "--format", "json"]);
  expect([applied.code, JSON.parse(applied.stdout)]).toMatchObject([
    5,
    { error: { code: "rehearsal-failed" }, rehearsal: { converges: false }, exit_code: 5 },
  ]);
  expect(writes()).toBe(0);
});

test("a plan file is not rehearsed again, and says so", async () => {
  const scene = await insideScene();
  await scene.run(["plan", "--rehearse", "--out", "plan.json"]);
  const { code, stderr } = await scene.run(["apply", "plan.json", "--rehearse"]);
  expect([code, stderr.includes("--rehearse cannot be used with a plan file")]).toEqual([3, true]);
});

test.each([
  ["addresses as they are", [], {}],
  ["hashed addresses", ["--hash-addresses"], { ROSTER_SNAPSHOT_KEY: "0123456789abcdef0123456789abcdef" }],
])("a plan of a snapshot with %s is rehearsed without a key, the same every time", async (_, flags, env) => {
  const scene = await insideScene();
  await scene.run(["apply", "--auto-approve"]);
  await writeRoster(scene.cwd, {
    "roster.yaml": twoPeople
      .replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\nteams:")
      .replace("{ user: bo@acme.example }", "{ user: bo@acme.example }, { user: cy@acme.example }"),
  });
  const observed = await scene.run(["snapshot", "--out", "snapshot.json", ...flags], { env });
  expect([observed.code, observed.stderr]).toEqual([0, expect.any(String)]);
  const told = [];
  for (const round of [1, 2]) {
    const run = await inside(["plan", "roster.yaml", "--from", "snapshot.json", "--rehearse"], {
      cwd: scene.cwd,
      env,
    });
    told.push(run.stdout);
    expect([round, run.code, run.stdout]).toEqual([round, 0, expect.stringContaining("Nothing is left to do.")]);
  }
  expect(told[0]).toBe(told[1]);
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { expect, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

type OnFinished = TestContext["onTestFinished"];

async function scene(onTestFinished: OnFinished) {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const runIn = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    inside(args, { cwd, env: { ...env, ...more } });
  const run = (...args: readonly string[]) => runIn({}, ...args);
  const writes = () => server.requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("/search"));
  return { server, cwd, env, run, runIn, writes, trail: join(cwd, ".roster/state.json.audit.jsonl") };
}

test("what an apply did is in the trail, for people and for programs, and never a key", async ({ onTestFinished }) => {
  const { server, run, trail } = await scene(onTestFinished);
  expect((await run("apply", "--auto-approve")).code).toBe(0);
  const verified = await run("audit", "verify");
  expect([verified.code, verified.stdout.includes("no record was changed, removed or added")]).toEqual([0, true]);
  const rows: readonly Record<string, unknown>[] = JSON.parse(
    (await run("audit", "export", "--format", "json")).stdout,
  );
  const changes = rows.filter(({ did }) => did !== "key-learned");
  expect(changes.map(({ did, person, team, outcome }) => [did, person, team, outcome].join(" ")).sort()).toEqual([
    "add-member bo@acme.example Red done",
    "create-user ada@acme.example Red done",
    "create-user bo@acme.example  done",
    "replace-roles ada@acme.example Red done",
    "replace-roles bo@acme.example Red done",
  ]);
  const text = readFileSync(trail, "utf8");
  expect(text.includes(server.key.split(".")[1] ?? "")).toBe(false);
  const lines = text.split("\n").length;
  expect((await run("apply", "--auto-approve")).code).toBe(0);
  expect(readFileSync(trail, "utf8").split("\n").length).toBe(lines);
});

test("a run in a pipeline records its change request and who approved it, with a saved plan too", async ({
  onTestFinished,
}) => {
  const { run, runIn } = await scene(onTestFinished);
  const merge = {
    GITLAB_CI: "true",
    GITLAB_USER_LOGIN: "olga",
    CI_JOB_URL: "https://gitlab.example/-/jobs/7",
    ROSTER_CHANGE_REQUEST: "https://gitlab.example/people/-/merge_requests/12",
    ROSTER_APPROVERS: "bo, cy",
  };
  await run("plan", "--out", "plan.json");
  const applied = await runIn(merge, "apply", "plan.json");
  expect(applied.code, applied.stderr).toBe(0);
  const { stdout } = await run("audit", "show");
  for (const said of [
    "apply by olga (gitlab)",
    merge.CI_JOB_URL,
    `change request ${merge.ROSTER_CHANGE_REQUEST}`,
    "approved by bo\n",
    "approved by cy\n",
  ])
    expect(stdout).toContain(said);
  const exported = await run("audit", "export", "--format", "json");
  expect(JSON.parse(exported.stdout)[0]).toMatchObject({
    change_request: merge.ROSTER_CHANGE_REQUEST,
    approvers: ["bo", "cy"],
  });
  expect((await run("audit", "verify")).code).toBe(0);
});

test("a record that was changed is found, and no run goes on behind it", async ({ onTestFinished }) => {
  const { run, writes, trail } = await scene(onTestFinished);
  await run("apply", "--auto-approve");
  const before = writes().length;
  const text = readFileSync(trail, "utf8");
  writeFileSync(trail, text.replace("bo@acme.example", "di@acme.example"));
  const verified = await run("audit", "verify");
  expect(verified.code).toBe(1);
  expect(verified.stderr).toMatch(
    /error\[state\]: the audit trail was changed: record \d+ was changed after it was written/u,
  );
  writeFileSync(trail, text.split("\n").slice(0, 2).join("\n").concat("\n"));
  const applied = await run("apply", "--auto-approve");
  expect([applied.code, writes().length]).toEqual([1, before]);
  expect(applied.stderr).toContain("it ends with record 2, and the state remembers record");
});

test("a trail whose first records were cut off is told, and fails where they are wanted", async ({
  onTestFinished,
}) => {
  const { run, trail } = await scene(onTestFinished);
  await run("apply", "--auto-approve");
  const whole = await run("audit", "verify", "--from", "1");
  expect([whole.code, whole.stderr]).toEqual([0, ""]);
  const lines = readFileSync(trail, "utf8").trimEnd().split("\n");
  const last = lines.length;
  writeFileSync(trail, `${lines.at(-1)}\n`);
  const cut = await run("audit", "verify");
  expect([cut.code, cut.stderr]).toEqual([
    0,
    expect.stringContaining(
      `warning[audit-begins-later]: The trail begins with record ${last}. Records 1 to ${last - 1} are not there.`,
    ),
  ]);
  for (const from of ["1", `${last - 1}`]) {
    const { code, stderr } = await run("audit", "verify", "--from", from);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`record ${from} of the audit trail is missing: the trail begins with record ${last}`),
    ]);
  }
  const known = await run("audit", "verify", "--from", `${last}`);
  expect([known.code, known.stderr]).toEqual([0, ""]);
  for (const from of ["0", "-1", "x", "1.5", ""]) expect((await run("audit", "verify", `--from=${from}`)).code).toBe(3);
  writeFileSync(trail, "");
  expect((await run("audit", "verify", "--from", "1")).code).toBe(1);
});

test("a trail that cannot be written stops an apply before its first call, unless none is wanted", async ({
  onTestFinished,
}) => {
  const { cwd, runIn, writes, trail } = await scene(onTestFinished);
  await mkdir(join(cwd, "taken"));
  const refused = await runIn({ ROSTER_AUDIT: "file:taken" }, "apply", "--auto-approve");
  expect([refused.code, writes()]).toEqual([1, []]);
  expect(refused.stderr).toContain("error[state]: the audit trail could not be read at");
  const without = await runIn({ ROSTER_AUDIT: "none" }, "apply", "--auto-approve");
  expect([without.code, existsSync(trail)]).toEqual([0, false]);
});

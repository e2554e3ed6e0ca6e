import { expect, type TestContext, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

async function scene(onTestFinished: TestContext["onTestFinished"]) {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const run = (...args: readonly string[]) => inside(args, { cwd, env });
  const approved = (await run("plan", "--format", "json")).stdout;
  const { plan_id: id }: { readonly plan_id: string } = JSON.parse(approved);
  const writes = () => server.requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("/search"));
  return { server, cwd, run, id, writes };
}

test("the plan that was approved is applied, by its ID as the plan shows it", async ({ onTestFinished }) => {
  const { run, id } = await scene(onTestFinished);
  expect((await run("plan")).stdout).toContain(`Plan ID ${id}.`);
  expect((await run("apply", "--auto-approve", "--expect-plan", id)).code).toBe(0);
});

test("another plan is shown and not applied (6), whatever has changed since", async ({ onTestFinished }) => {
  const { cwd, run, id, writes } = await scene(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople.replaceAll("bo@acme.example", "eve@acme.example") });
  const byId = await run("apply", "--auto-approve", "--expect-plan", id);
  expect([byId.code, byId.stdout.includes("eve@acme.example"), writes()]).toEqual([6, true, []]);
  expect(byId.stderr).toMatch(
    new RegExp(`error\\[stale\\]: the plan has the ID [0-9a-f]{16} now, and ${id} was approved\n`, "u"),
  );
});

test("a saved plan is applied only if it is the one that was approved", async ({ onTestFinished }) => {
  const { run, id, writes } = await scene(onTestFinished);
  await run("plan", "--out", "plan.json");
  const other = await run("apply", "plan.json", "--expect-plan", "0123456789abcdef");
  expect([other.code, writes()]).toEqual([6, []]);
  expect((await run("apply", "plan.json", "--expect-plan", id)).code).toBe(0);
});

test("what is no ID is refused (3)", async ({ onTestFinished }) => {
  const { run } = await scene(onTestFinished);
  const { code, stderr } = await run("apply", "--auto-approve", "--expect-plan", "plan.json");
  expect([code, stderr]).toEqual([3, expect.stringContaining("--expect-plan plan.json is not the ID of a plan.")]);
});

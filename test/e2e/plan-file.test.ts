import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { decodePlanFile, encodePlanFile } from "../../src/codec/plan-file.ts";
import type { PlanFile } from "../../src/codec/plan-file-format.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type CommandOptions, emptyDirectory, roster } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { clockAhead } from "../support/plan-file-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { company, companyThere, standing } from "../support/trap-scene.ts";

/** A service, and a pipeline whose jobs have the checkout, the plan file and the state, and no terminal. */
async function pipeline(onRequest: (route: string) => void = () => undefined) {
  const server = await startReferenceServer({ port: 0, onRequest });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "co/.git/HEAD": "x", "co/roster.yaml": company });
  const state = `file:${join(cwd, "log.jsonl")}`;
  const env = { CI: "1", ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: state };
  const at = join(cwd, "co");
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    inside(args, { cwd: at, env: { ...env, ...more } });
  /** The built command, in a process that can be killed. */
  const runBuilt = (args: readonly string[], started: CommandOptions["started"]) =>
    roster(args, { cwd: at, env, ...(started === undefined ? {} : { started }) });
  /** An hour later, so that nobody waits for what was done a moment ago to show. */
  const later = (args: readonly string[]) => inside(args, { cwd: at, env, clock: clockAhead(1) });
  return { server, run, runBuilt, later, cwd };
}

/** Changes a plan file as somebody who knows its format: the checksum in it is right again. */
async function forge(path: string, change: (file: PlanFile) => PlanFile): Promise<void> {
  const read = decodePlanFile(await readFile(path, "utf8"));
  if (!read.ok) throw new Error(read.error);
  await writeFile(path, encodePlanFile(change(read.value)));
}

test("an approved ID is the ID of its actions: a file that claims another one is refused", async () => {
  const { server, run, cwd } = await pipeline();
  const path = join(cwd, "plan.json");
  await run(["plan", "--out", "../plan.json"]);
  const approved = JSON.parse(await readFile(path, "utf8")).plan_id as string;
  await forge(path, (file) => ({ ...file, plan: { ...file.plan, actions: file.plan.actions.slice(0, 1) } }));
  for (const command of [
    ["show", "../plan.json"],
    ["apply", "../plan.json", "--expect-plan", approved],
  ]) {
    const { code, stderr } = await run(command);
    expect([code, stderr]).toEqual([3, expect.stringContaining("its plan ID is not the ID of its actions")]);
  }
  const { stdout } = await run(["plan", "--format", "json"]);
  const document = JSON.parse(stdout) as { readonly actions: readonly unknown[] };
  await writeFile(path, JSON.stringify({ ...document, actions: document.actions.slice(0, 1) }));
  const shown = await run(["show", "../plan.json"]);
  expect([shown.code, shown.stderr]).toEqual([3, expect.stringContaining("its plan ID is not the ID")]);
  expect(standing(server)).toEqual({ people: [], teams: [], keys: [], mails: [] });
});

test("whoever makes, shows and applies a plan file sees one digest, which any edit changes", async () => {
  const { run, cwd } = await pipeline();
  const path = join(cwd, "plan.json");
  const digestIn = ({ stdout }: { readonly stdout: string }) => /^SHA-256: ([0-9a-f]{64})$/mu.exec(stdout)?.[1];
  const digest = async () =>
    createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  const made = digestIn(await run(["plan", "--out", "../plan.json"]));
  expect([made, digestIn(await run(["show", "../plan.json"]))]).toEqual([await digest(), await digest()]);
  await forge(path, (file) => ({ ...file, witnesses: [] }));
  const shown = digestIn(await run(["show", "../plan.json"]));
  expect([shown, shown === made]).toEqual([await digest(), false]);
  const applied = await run(["apply", "../plan.json", "--format", "json"]);
  expect(JSON.parse(applied.stdout)).toMatchObject({ plan_file: { digest: await digest() } });
});

test("a plan that other guards have checked is not applied", async () => {
  const { server, run, cwd } = await pipeline();
  const settings = (text: string) => writeFile(join(cwd, "co/roster.config.yaml"), text);
  await settings("guards: { max-new-users: 5 }\n");
  const trust = { ROSTER_TRUST_SETTINGS: "1" };
  expect((await run(["plan", "--out", "../plan.json"], trust)).code).toBe(0);
  await settings("# Another line.\nguards: { max-new-users: 1 }\n");
  const refused = await run(["apply", "../plan.json"], trust);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("error[stale]")]);
  expect(standing(server)).toEqual({ people: [], teams: [], keys: [], mails: [] });
  await settings("# Another line.\nguards: { max-new-users: 5 }\n");
  expect((await run(["apply", "../plan.json"], trust)).code).toBe(0);
});

test("a pipeline saves a plan, shows it, and applies it in another job: once", async () => {
  const { server, run, cwd } = await pipeline();
  const codes: (number | null)[] = [];
  const job = async (...args: readonly string[]) => {
    const ended = await run(args);
    codes.push(ended.code);
    return ended;
  };
  await job("plan", "--out", "../plan.json", "--detailed-exitcode");
  const shown = await job("show", "../plan.json");
  const applied = await job("apply", "../plan.json", "--sequence", "7", "--format", "json");
  await job("apply", "../plan.json", "--sequence", "8");
  await job("plan", "--detailed-exitcode");
  expect(codes).toEqual([2, 0, 0, 6, 0]);
  expect(shown.stdout).toContain("Plan: create 2 users and 1 team");
  expect(standing(server)).toEqual(companyThere);
  const secret = server.key.split(".")[1] ?? "";
  expect([await readFile(join(cwd, "plan.json"), "utf8"), applied.stdout].join("")).not.toContain(secret);
});

test("a plan file that was killed in the middle is not applied again, and an apply of the roster goes on", async () => {
  let kill = (): void => undefined;
  let creations = 0;
  const { server, run, runBuilt, later } = await pipeline((route) => {
    if (route === "create" && ++creations === 2) kill();
  });
  expect((await run(["plan", "--out", "../plan.json"])).code).toBe(0);
  const killed = await runBuilt(["apply", "../plan.json"], (child) => {
    kill = () => void child.kill("SIGKILL");
  });
  expect(killed.signal).toBe("SIGKILL");
  const again = await later(["apply", "../plan.json"]);
  expect([again.code, again.stderr]).toEqual([6, expect.stringContaining("this plan file was already applied")]);
  expect(again.stderr).toContain("roster apply");
  expect((await later(["apply", "--auto-approve"])).code).toBe(0);
  expect(standing(server)).toEqual(companyThere);
  expect((await later(["plan", "--out", "../plan.json", "--detailed-exitcode"])).code).toBe(0);
});

test("the log says what the plan file allows, and nothing that the environment of its apply says", async () => {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople, "roster.config.yaml": "guards: { max-new-users: 1 }\n" });
  const run = (args: readonly string[], more = {}) =>
    inside(args, { cwd, env: { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...more } });
  const refused = await run(["plan"]);
  const [word = ""] = /max-new-users#[0-9a-f]{12}/u.exec(refused.stderr) ?? [];
  await run(["plan", "--out", "plan.json", "--allow", word, "--reason", "INC-42"]);
  const applied = await run(["apply", "plan.json"], {
    ROSTER_ALLOW: "max-role-removals#0123456789ab",
    ROSTER_REASON: "another",
  });
  const rows = JSON.parse((await run(["audit", "--format", "json"])).stdout).audit.changes;
  expect([applied.code, [...new Set(rows.flatMap((row: { allowed: string[] }) => row.allowed))]]).toEqual([0, [word]]);
});

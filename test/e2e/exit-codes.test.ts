import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDirectory, roster } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** A second team whose only member will be Red's first member: it cannot be created in one plan. */
const twoTeamsOneFirstMember = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
teams:
  - { name: Red, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
  - { name: Blue, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
`;
const apply = ["apply", "--auto-approve"];
const inState = (name: string) => ["--state", `file:${name}.json`];

/** The exit codes of commands, one after the other; with `built`, those of the built command. */
async function codesOf({ cwd, env, run }: InsideScene, ...commands: readonly (readonly string[])[]) {
  const codes: (number | null)[] = [];
  for (const [first, ...args] of commands) {
    const ended = first === "built" ? roster(args, { cwd, env }) : run([first ?? "", ...args]);
    codes.push((await ended).code);
  }
  return codes;
}

describe("exit codes", () => {
  test("0, 2 and 0 again: a plan, a plan that tells, an apply, and a plan with nothing to do", async () => {
    const at = await insideScene();
    expect(await codesOf(at, ["built", "validate"], ["plan"], ["built", "plan", "--detailed-exitcode"])).toEqual([
      0, 0, 2,
    ]);
    expect(await codesOf(at, ["drift"], ["built", ...apply])).toEqual([2, 0]);
    const written = at.writes();
    expect(await codesOf(at, ["plan", "--detailed-exitcode"], ["built", "drift"], apply)).toEqual([0, 0, 0]);
    expect([written.length > 0, at.writes()]).toEqual([true, written]);
  });

  test("1: the state is lost before the first call, which is not sent", async () => {
    const at = await insideScene();
    await at.run([...apply, ...inState("first")]);
    const before = { writes: at.writes(), requests: at.server.requests.length };
    const running = at.run([...apply, "--format", "json"]);
    while (at.server.requests.length === before.requests) await new Promise((resolve) => setImmediate(resolve));
    // At once, so that no later request is answered before it.
    rmSync(join(at.cwd, ".roster"), { recursive: true });
    const { code, stdout } = await running;
    const document = JSON.parse(stdout) as { exit_code: number; error: { code: string } };
    expect([code, document.exit_code, document.error.code, at.writes()]).toEqual([1, 1, "state", before.writes]);
    expect(await codesOf(at, apply)).toEqual([0]);
  });

  test.each([
    [1, "the service cannot be reached", { ROSTER_ENDPOINT: "http://127.0.0.1:9", ROSTER_API_KEY: "a.secretsecret" }],
    [4, "the service does not accept the API key", { ROSTER_API_KEY: "nobody.secretsecret" }],
  ])("%i: %s", async (expected, _, env) => {
    const { code, stderr } = await (await insideScene()).run(["plan"], { env });
    expect([code, stderr.includes("secretsecret")]).toEqual([expected, false]);
  });

  test("3: a roster that is none, with its place", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.yaml": twoPeople.replace("firstName: Bo", "firstNam: Bo") });
    const { code, stderr } = await at.run(["validate"]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/roster\.yaml:5:31[\s\S]*firstName/u)]);
  });

  test.each(["plan", "drift", "apply"])("3: %s with the state of another service", async (command) => {
    const [first, second] = [await insideScene(), await insideScene()];
    await first.run(apply);
    const env = { ROSTER_ENDPOINT: second.server.endpoint, ROSTER_API_KEY: second.server.key };
    const { code, stdout } = await first.run([command, "--format", "json"], { env });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
    expect([code, diagnostics.map((one) => one.code)]).toEqual([3, ["other-service"]]);
    for (const { server } of [first, second]) expect(diagnostics[0]?.message).toContain(server.endpoint);
    expect(second.server.requests).toEqual([]);
    expect((await first.run(["plan", ...inState("other")], { env })).code).toBe(0);
    // The same where an apply has only met the people.
    expect(await codesOf(first, [...apply, ...inState("met")])).toEqual([0]);
    expect((await first.run(["plan", ...inState("met")], { env })).code).toBe(3);
  });

  test("5: nobody approved, and nothing was done", async () => {
    const at = await insideScene();
    const { code, stderr } = await at.run(["apply"]);
    expect([code, stderr, at.writes()]).toEqual([5, expect.stringContaining("--auto-approve"), []]);
  });

  test("8: another run holds the lock of the log", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { ".roster/log.jsonl.lock/other/owner.json": "{}" });
    expect(await codesOf(at, apply)).toEqual([8]);
  });

  test("9: everything that can be done was done, and a team without a first member remains", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.yaml": twoTeamsOneFirstMember });
    const { code, stdout } = await at.run(apply);
    expect([code, stdout]).toEqual([9, expect.stringContaining("Blue")]);
    expect(await codesOf(at, ["plan"], ["plan", "--detailed-exitcode"])).toEqual([0, 9]);
  });

  test("9: the service keeps a privilege on a key, by the run that met it and by every run after it", async () => {
    const at = await insideScene();
    await at.run(apply);
    const { keys } = JSON.parse((await at.run(["state", "show", "--format", "json"])).stdout) as {
      keys: readonly { prefix: string }[];
    };
    at.server.world.setKeyRoles(keys[0]?.prefix ?? "", ["ACCOUNT_ADMIN", "DEVELOPER"]);
    at.server.setKnobs({ putRoles: "merge" });
    const met = await at.run(apply);
    const before = at.writes();
    expect([met.code, ...(await codesOf(at, apply)), met.stdout]).toEqual([
      9,
      9,
      expect.stringContaining("roles-kept-by-service"),
    ]);
    expect(at.writes()).toEqual(before);
  });

  test("130: an interrupt while the service does not answer", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { cwd } = await insideScene();
    const { port } = silent.address() as AddressInfo;
    const env = { ROSTER_ENDPOINT: `http://127.0.0.1:${port}`, ROSTER_API_KEY: "a.b" };
    const run = await roster(["plan"], {
      cwd,
      env,
      started: (child) => void silent.once("request", () => void child.kill("SIGINT")),
    });
    expect(run.code).toBe(130);
  });
});

describe("--format json", () => {
  test("prints one document on every exit path, and it agrees with the exit code", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "bad.yaml": "version: 1\nusers: 7\n" });
    const json = (line: string, env = {}) => at.run([...line.split(" "), "--format", "json"], { env });
    const runs = [
      await json("plan roster.yaml --detailed-exitcode"),
      await json("plan bad.yaml"),
      await json("plan roster.yaml", { ROSTER_API_KEY: "a.b" }),
      await json("plan --nonsense"),
      await json("apply roster.yaml"),
      await json("apply roster.yaml --auto-approve"),
      await json("drift roster.yaml"),
      await json("validate roster.yaml"),
      await json("validate bad.yaml"),
    ];
    const documents = runs.map(({ stdout }) => JSON.parse(stdout) as { format_version: string; exit_code: number });
    expect(documents.map(({ exit_code }) => exit_code)).toEqual(runs.map(({ code }) => code));
    expect(runs.map(({ code }) => code)).toEqual([2, 3, 4, 3, 5, 0, 0, 0, 3]);
    expect(new Set(documents.map(({ format_version }) => format_version))).toEqual(new Set(["1.0"]));
  });

  test("a saved plan shows as it was", async () => {
    const at = await insideScene();
    const [saved, planned] = [await at.run(["plan", "--format", "json"]), await at.run(["plan"])];
    await writeRoster(at.cwd, { "plan.json": saved.stdout });
    const { code, stdout } = await at.run(["show", "plan.json"]);
    const actionLines = (text: string) => text.split("\n").filter((line) => /^\s*[+~!]/u.test(line));
    expect([code, stdout]).toEqual([0, expect.stringContaining("+ ada@acme.example")]);
    expect(actionLines(stdout)).toEqual(actionLines(planned.stdout));
  });
});

test("a roster of several files of which one cannot be read says just that, and not that its people are missing", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, {
    "people.yaml": "version: 1\nusers: [\n",
    "teams.yaml": "version: 1\naccount: acc-1\nteams: [{ name: Red, members: [{ user: ada@acme.example }] }]\n",
  });
  const { code, stderr } = await inside(["validate"], { cwd });
  expect([code, [...stderr.matchAll(/error\[([a-z-]+)\]/gu)].map(([, told]) => told)]).toEqual([3, ["yaml-syntax"]]);
});

test.each(["", "# only a comment\n", "---\n"])("a roster that was cut off to %j is none", async (text) => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": text });
  const { code, stderr } = await inside(["validate"], { cwd });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/roster\.yaml:\d+:\d+: error\[/u)]);
});

test("a checkout never takes the environment's key elsewhere, also where ROSTER_CONFIG names it from outside", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, {
    "co/.git/HEAD": "x",
    "co/roster.config.yaml": "endpoint: http://127.0.0.1:9\nstate: file:log.jsonl\n",
    "co/roster.yaml": twoPeople,
    "out/keep": "",
  });
  const env = { ROSTER_CONFIG: "../co/roster.config.yaml", ROSTER_API_KEY: "a.b" };
  const { code, stderr } = await inside(["plan", "../co/roster.yaml"], { cwd: join(cwd, "out"), env });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/error\[untrusted\]: .* comes from /u)]);
});

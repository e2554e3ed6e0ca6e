import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, roster } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";

const small = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Red, admin: ada@acme.example, roles: [DEVELOPER], members: [{ user: ada@acme.example }, { user: bo@acme.example }] }
`;

/** A second team whose only member will be Red's first member: it cannot be created in one plan. */
const twoTeamsOneFirstMember = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
teams:
  - { name: Red, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
  - { name: Blue, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
`;

async function service(atEnd: AtEnd): Promise<{ server: ReferenceServer; env: Record<string, string> }> {
  const server = await startReferenceServer({ port: 0 });
  atEnd(() => server.close());
  return { server, env: { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key } };
}

async function directoryWith(content: string, atEnd: AtEnd): Promise<string> {
  const directory = emptyDirectory(atEnd);
  await writeRoster(directory, { "roster.yaml": content });
  return directory;
}

describe("exit codes", () => {
  test.concurrent("0, 2 and 0 again: a plan, a plan that tells, an apply, and a plan with nothing to do", async ({
    onTestFinished,
  }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    expect((await roster(["validate"], { cwd })).code).toBe(0);
    expect((await inside(["plan"], { cwd, env })).code).toBe(0);
    expect((await roster(["plan", "--detailed-exitcode"], { cwd, env })).code).toBe(2);
    expect((await inside(["drift"], { cwd, env })).code).toBe(2);
    expect((await roster(["apply", "--auto-approve"], { cwd, env })).code).toBe(0);
    expect((await inside(["plan", "--detailed-exitcode"], { cwd, env })).code).toBe(0);
    expect((await roster(["drift"], { cwd, env })).code).toBe(0);
  });

  test.concurrent("a second apply makes no write", async ({ onTestFinished }) => {
    const { server, env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    await inside(["apply", "--auto-approve"], { cwd, env });
    const before = writesOf(server);
    expect(before.length).toBeGreaterThan(0);
    expect((await inside(["apply", "--auto-approve"], { cwd, env })).code).toBe(0);
    expect(writesOf(server)).toEqual(before);
  });

  test.concurrent("1: the state is lost before the first call, which is not sent", async ({ onTestFinished }) => {
    const { server, env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    await inside(["apply", "--auto-approve"], { cwd, env: { ...env, ROSTER_STATE: "file:first.json" } });
    const before = { writes: writesOf(server), requests: server.requests.length };
    const running = inside(["apply", "--auto-approve", "--format", "json"], { cwd, env });
    while (server.requests.length === before.requests) await new Promise((resolve) => setImmediate(resolve));
    // At once, so that no later request is answered before it.
    rmSync(join(cwd, ".roster"), { recursive: true });
    const run = await running;
    const document = JSON.parse(run.stdout) as { exit_code: number; error: { code: string } };
    expect({ code: run.code, told: document.exit_code, error: document.error.code }).toEqual({
      code: 1,
      told: 1,
      error: "state",
    });
    expect(writesOf(server)).toEqual(before.writes);
    expect((await inside(["apply", "--auto-approve"], { cwd, env })).code).toBe(0);
  });

  test.concurrent("1: the service cannot be reached", async ({ onTestFinished }) => {
    const cwd = await directoryWith(small, onTestFinished);
    const env = { ROSTER_ENDPOINT: "http://127.0.0.1:9", ROSTER_API_KEY: "prefix.secretsecret" };
    const run = await inside(["plan"], { cwd, env });
    expect(run.code).toBe(1);
    expect(run.stderr).not.toContain("secretsecret");
  });

  test.concurrent("3: a roster that is none, with its place", async ({ onTestFinished }) => {
    const cwd = await directoryWith(small.replace("firstName: Bo", "firstNam: Bo"), onTestFinished);
    const run = await inside(["validate"], { cwd });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("roster.yaml:5:31");
    expect(run.stderr).toContain("firstName");
  });

  test.each(["plan", "drift", "apply"])("3: %s with the state of another service", async (command) => {
    const [first, second] = [await service(onTestFinished), await service(onTestFinished)];
    const cwd = await directoryWith(small, onTestFinished);
    await inside(["apply", "--auto-approve"], { cwd, env: first.env });
    const run = await inside([command, "--format", "json"], { cwd, env: second.env });
    const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { code: string; message: string }[] };
    expect({ code: run.code, codes: diagnostics.map(({ code }) => code) }).toEqual({
      code: 3,
      codes: ["other-service"],
    });
    expect(diagnostics[0]?.message).toContain(first.server.endpoint);
    expect(diagnostics[0]?.message).toContain(second.server.endpoint);
    expect(second.server.requests).toEqual([]);
    expect((await inside(["plan"], { cwd, env: { ...second.env, ROSTER_STATE: "file:other.json" } })).code).toBe(0);
  });

  test.concurrent("3: the state of another service, of which an apply has only met the people", async ({
    onTestFinished,
  }) => {
    const [first, second] = [await service(onTestFinished), await service(onTestFinished)];
    const cwd = await directoryWith(small, onTestFinished);
    await inside(["apply", "--auto-approve"], { cwd, env: first.env });
    const env = { ...first.env, ROSTER_STATE: "file:met.json" };
    expect((await inside(["apply", "--auto-approve"], { cwd, env })).code).toBe(0);
    expect((await inside(["plan"], { cwd, env: { ...env, ...second.env } })).code).toBe(3);
  });

  test.concurrent("4: the service does not accept the API key", async ({ onTestFinished }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    const run = await inside(["plan"], { cwd, env: { ...env, ROSTER_API_KEY: "nobody.secretsecret" } });
    expect(run.code).toBe(4);
    expect(run.stderr).not.toContain("secretsecret");
  });

  test.concurrent("5: nobody approved, and nothing was done", async ({ onTestFinished }) => {
    const { server, env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    const run = await inside(["apply"], { cwd, env });
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("--auto-approve");
    expect(writesOf(server)).toEqual([]);
  });

  test.concurrent("8: another run holds the lock of the log", async ({ onTestFinished }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    await writeRoster(cwd, { ".roster/log.jsonl.lock/other/owner.json": "{}" });
    const run = await inside(["apply", "--auto-approve"], { cwd, env });
    expect(run.code).toBe(8);
  });

  test.concurrent("9: everything that can be done was done, and a team without a first member remains", async ({
    onTestFinished,
  }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(twoTeamsOneFirstMember, onTestFinished);
    const run = await inside(["apply", "--auto-approve"], { cwd, env });
    expect(run.code).toBe(9);
    expect(run.stdout).toContain("Blue");
    expect((await inside(["plan"], { cwd, env })).code).toBe(0);
    expect((await inside(["plan", "--detailed-exitcode"], { cwd, env })).code).toBe(9);
  });

  test.concurrent("130: an interrupt while the service does not answer", async ({ onTestFinished }) => {
    const { createServer } = await import("node:http");
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const port = (silent.address() as { port: number }).port;
    const cwd = await directoryWith(small, onTestFinished);
    const env = { ROSTER_ENDPOINT: `http://127.0.0.1:${port}`, ROSTER_API_KEY: "a.b" };
    let interrupt = (): void => undefined;
    silent.once("request", () => interrupt());
    const run = await roster(["plan"], {
      cwd,
      env,
      started: (child) => {
        interrupt = () => void child.kill("SIGINT");
      },
    });
    expect(run.code).toBe(130);
  });
});

describe("--format json", () => {
  test.concurrent("prints one document on every exit path, and it agrees with the exit code", async ({
    onTestFinished,
  }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    await writeFile(join(cwd, "bad.yaml"), "version: 1\nusers: 7\n");
    const runs = [
      await inside(["plan", "roster.yaml", "--format", "json", "--detailed-exitcode"], { cwd, env }),
      await inside(["plan", "bad.yaml", "--format", "json"], { cwd, env }),
      await inside(["plan", "roster.yaml", "--format", "json"], { cwd, env: { ...env, ROSTER_API_KEY: "a.b" } }),
      await inside(["plan", "--format=json", "--nonsense"], { cwd, env }),
      await inside(["apply", "roster.yaml", "--format", "json"], { cwd, env }),
      await inside(["apply", "roster.yaml", "--format", "json", "--auto-approve"], { cwd, env }),
      await inside(["drift", "roster.yaml", "--format", "json"], { cwd, env }),
      await inside(["validate", "roster.yaml", "--format", "json"], { cwd }),
      await inside(["validate", "bad.yaml", "--format", "json"], { cwd }),
    ];
    const documents = runs.map(({ stdout }) => JSON.parse(stdout) as { format_version: string; exit_code: number });
    expect(documents.map(({ exit_code }) => exit_code)).toEqual(runs.map(({ code }) => code));
    expect(runs.map(({ code }) => code)).toEqual([2, 3, 4, 3, 5, 0, 0, 0, 3]);
    expect(new Set(documents.map(({ format_version }) => format_version))).toEqual(new Set(["1.0"]));
  });

  test.concurrent("a saved plan shows as it was", async ({ onTestFinished }) => {
    const { env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    const saved = await inside(["plan", "--format", "json"], { cwd, env });
    await writeFile(join(cwd, "plan.json"), saved.stdout);
    const shown = await inside(["show", "plan.json"], { cwd });
    const planned = await inside(["plan"], { cwd, env });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("+ ada@acme.example");
    const actionLines = (text: string) => text.split("\n").filter((line) => /^\s*[+~!]/u.test(line));
    expect(actionLines(shown.stdout)).toEqual(actionLines(planned.stdout));
  });
});

function writesOf(server: ReferenceServer): readonly string[] {
  return server.requests
    .filter(({ method, path }) => method === "PUT" || (method === "POST" && !path.endsWith("/search")))
    .map(({ method, path }) => `${method} ${path}`);
}

describe("a roster of several files", () => {
  test.concurrent("of which one cannot be read says just that, and not that its people are missing", async ({
    onTestFinished,
  }) => {
    const cwd = emptyDirectory(onTestFinished);
    await writeRoster(cwd, {
      "people.yaml": "version: 1\nusers: [\n",
      "teams.yaml": "version: 1\naccount: acc-1\nteams: [{ name: Red, members: [{ user: ada@acme.example }] }]\n",
    });
    const run = await inside(["validate"], { cwd });
    expect({ code: run.code, codes: [...run.stderr.matchAll(/error\[([a-z-]+)\]/gu)].map(([, code]) => code) }).toEqual(
      {
        code: 3,
        codes: ["yaml-syntax"],
      },
    );
  });
});

describe("a roster that was cut off", () => {
  test.each([
    ["", "nothing"],
    ["# only a comment\n", "a comment"],
    ["---\n", "a marker"],
  ])("to %j is none", async (text) => {
    const cwd = await directoryWith(text, onTestFinished);
    const run = await inside(["validate"], { cwd });
    expect({ code: run.code, told: /roster\.yaml:\d+:\d+: error\[/u.test(run.stderr) }).toEqual({
      code: 3,
      told: true,
    });
  });
});

describe("a service that keeps a privilege on a key", () => {
  test.concurrent("is told as blocking by the run that met it (9), and by every run after it", async ({
    onTestFinished,
  }) => {
    const { server, env } = await service(onTestFinished);
    const cwd = await directoryWith(small, onTestFinished);
    await inside(["apply", "--auto-approve"], { cwd, env });
    const { keys } = JSON.parse((await inside(["state", "show", "--format", "json"], { cwd })).stdout) as {
      keys: readonly { prefix: string }[];
    };
    server.world.setKeyRoles(keys[0]?.prefix ?? "", ["ACCOUNT_ADMIN", "DEVELOPER"]);
    server.setKnobs({ putRoles: "merge" });
    const met = await inside(["apply", "--auto-approve"], { cwd, env });
    const before = writesOf(server).length;
    const again = await inside(["apply", "--auto-approve"], { cwd, env });
    expect({
      codes: [met.code, again.code],
      told: met.stdout.includes("roles-kept-by-service"),
      writes: writesOf(server).length - before,
    }).toEqual({ codes: [9, 9], told: true, writes: 0 });
  });
});

test("a checkout never takes the environment's key elsewhere, also where ROSTER_CONFIG names it from outside", async () => {
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, {
    "co/.git/HEAD": "x",
    "co/roster.config.yaml": "endpoint: http://127.0.0.1:9\nstate: file:log.jsonl\n",
    "co/roster.yaml": small,
    "out/keep": "",
  });
  const env = { ROSTER_CONFIG: "../co/roster.config.yaml", ROSTER_API_KEY: "a.b" };
  const run = await inside(["plan", "../co/roster.yaml"], { cwd: join(cwd, "out"), env });
  expect({ code: run.code, told: /error\[untrusted\]: .* comes from /u.test(run.stderr) }).toEqual({
    code: 3,
    told: true,
  });
});

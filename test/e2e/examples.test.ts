import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";

interface PlanDocument {
  readonly summary: {
    readonly create_users: number;
    readonly create_teams: number;
    readonly mails: number;
    readonly calls: { readonly reads: number; readonly writes: number; readonly at_most: number };
    readonly findings: number;
  };
}

async function serviceFor(example: string): Promise<{ server: ReferenceServer; env: Record<string, string> }> {
  const file = `examples/${example}.seed.yaml`;
  const bytes = await readFile(file).catch(() => undefined);
  const seed = bytes === undefined ? undefined : readSeed(file, bytes).seed;
  const server = await startReferenceServer({ port: 0, ...(seed === undefined ? {} : { seed }) });
  onTestFinished(() => server.close());
  const state = `file:${join(emptyDirectory(), "log.jsonl")}`;
  return { server, env: { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: state } };
}

function writesOf(server: ReferenceServer): number {
  return server.requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("/search")).length;
}

describe("the examples", () => {
  test.each(["quickstart", "acme"])("%s is valid, applies as planned, and then nothing remains", async (example) => {
    const { server, env } = await serviceFor(example);
    const cwd = resolve(".");
    const path = `examples/${example}`;
    expect(await inside(["validate", path], { cwd })).toMatchObject({ code: 0, stderr: "" });
    const planned = await inside(["plan", "--format", "json", path], { cwd, env });
    const { summary } = JSON.parse(planned.stdout) as PlanDocument;
    const people = server.world.users.length;
    expect((await inside(["apply", "--auto-approve", path], { cwd, env })).code).toBe(0);
    expect({
      created: server.world.users.length - people,
      mails: server.outbox.length,
      writesAtMost: writesOf(server) <= summary.calls.at_most,
      findings: summary.findings,
    }).toEqual({ created: summary.create_users, mails: summary.mails, writesAtMost: true, findings: 0 });
    const again = await inside(["plan", "--detailed-exitcode", path], { cwd, env });
    expect({ code: again.code, says: again.stdout.includes("No changes.") }).toEqual({ code: 0, says: true });
    expect((await inside(["drift", path], { cwd, env })).code).toBe(0);
  });

  test("acme has what it is an example of: two new teams of one administrator, each with a first member of its own", async () => {
    const { server, env } = await serviceFor("acme");
    await inside(["apply", "--auto-approve", "examples/acme"], { cwd: resolve("."), env });
    const teams = server.world.teams.filter(({ name }) => name === "Forecasting" || name === "Pricing");
    expect(teams.map(({ name, admin }) => ({ name, admin }))).toEqual([
      { name: "Forecasting", admin: "olga@acme.example" },
      { name: "Pricing", admin: "olga@acme.example" },
    ]);
  });

  test("leavers: who has left holds no role, and is told until somebody has done by hand what no call can", async () => {
    const { server, env } = await serviceFor("leavers");
    const cwd = resolve(".");
    const rolesOf = (email: string) => {
      const user = server.world.users.find((one) => one.email === email);
      return user?.accessKeys.map(({ roles }) => roles.map(({ identifier }) => identifier));
    };
    expect((await inside(["apply", "--auto-approve", "examples/leavers"], { cwd, env })).code).toBe(9);
    const [di, bo, fay] = ["di", "bo", "fay"].map((name) => rolesOf(`${name}@acme.example`));
    expect({ di, bo, fay }).toEqual({
      di: [[], [], []],
      bo: [["TEAM_ROLE"], ["DEVELOPER", "TEAM_ROLE"]],
      fay: [["TEAM_ROLE"], []],
    });
    const drift = await inside(["drift", "--format", "json", "examples/leavers"], { cwd, env });
    const { findings } = JSON.parse(drift.stdout) as { findings: readonly { code: string; subject: string }[] };
    expect(findings.map(({ code, subject }) => `${code}: ${subject}`)).toEqual(
      expect.arrayContaining([
        "leaver-remains: user di@acme.example",
        "extra-member: member fay@acme.example of team acc-1/support",
      ]),
    );
    server.world.removeUser("di@acme.example");
    server.world.removeMember("Support", "fay@acme.example");
    const after = await inside(["plan", "--detailed-exitcode", "examples/leavers"], { cwd, env });
    expect({ code: after.code, says: after.stdout.includes("No changes.") }).toEqual({ code: 0, says: true });
  });

  test("the demo ends well, and shows drift and its repair", async () => {
    const run = await inside(["demo"], { cwd: emptyDirectory() });
    expect({
      code: run.code,
      codes: [...run.stdout.matchAll(/\(exit code (\d+)\)/gu)].map(([, code]) => code),
    }).toEqual({
      code: 0,
      codes: ["0", "0", "0", "2", "0"],
    });
  });
});

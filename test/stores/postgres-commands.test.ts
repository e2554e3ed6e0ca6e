import { describe, expect, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, prompt, roster } from "../support/command.ts";
import type { Fault } from "../support/fault.ts";
import { faultProxy, type PassedRequest } from "../support/fault-proxy.ts";
import { postgresPlace } from "../support/postgres-place.ts";
import { type PostgresServer, postgresPrograms, serverOfThisFile, serverPassword } from "../support/postgres-server.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { unwrap } from "../support/state-place.ts";
import { readWhole } from "../support/whole-log.ts";
import { witnessOf } from "../support/witness.ts";

const programs = postgresPrograms();

const company = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Ito }
  - { email: di@acme.example, firstName: Di, lastName: Roe }
teams:
  - name: Red
    admin: ada@acme.example
    roles: [DEVELOPER]
    members: [{ user: ada@acme.example }, { user: bo@acme.example }, { user: cy@acme.example }]
`;

const apply = ["apply", "--auto-approve", "roster.yaml"];
const secondWrite = 2;

/** A service and a roster, with the log in PostgreSQL. What befalls the first run at its second write is the test's. */
async function scene(postgres: PostgresServer, atEnd: AtEnd) {
  const place = await postgresPlace(postgres);
  const directory = emptyDirectory(atEnd);
  await writeRoster(directory, { "roster.yaml": company });
  const server = await startReferenceServer({ port: 0 });
  atEnd(() => server.close());
  const witness = witnessOf(server);
  let signal: (name: NodeJS.Signals) => void = () => undefined;
  let strike: "kill" | "stop" = "kill";
  let writes = 0;
  let struck: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    struck = resolve;
  });
  const fault = ({ isWrite }: PassedRequest): Fault | undefined => {
    writes += isWrite ? 1 : 0;
    if (!isWrite || writes !== secondWrite) return undefined;
    struck();
    if (strike === "kill") return { is: "kill", when: "after-commit" };
    signal("SIGSTOP");
    return undefined;
  };
  const proxy = await faultProxy(server.endpoint, { fault, kill: () => signal("SIGKILL"), onPass: witness.see }, atEnd);
  const env = { ...prompt, ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: place.address };
  const run = (args: readonly string[]) => roster(args, { cwd: directory, env });
  return {
    place,
    server,
    run,
    happened,
    passed: proxy.passed,
    /** With one write at a time, so that the one that is struck is the only one announced. */
    begin(how: "kill" | "stop") {
      strike = how;
      const started = (child: { kill(name: NodeJS.Signals): boolean }): void => {
        signal = (name) => child.kill(name);
      };
      return roster([...apply, "--parallelism", "1"], { cwd: directory, env, started });
    },
    revive: () => proxy.revive({ onPass: witness.see }),
    goOn: () => signal("SIGCONT"),
    breaches: witness.breaches,
    accounts: () => server.world.users.map(({ email }) => email.split("@")[0]).sort(),
  };
}

describe.skipIf(programs === undefined)("commands with their log in PostgreSQL", () => {
  const postgres = serverOfThisFile(programs);

  test("an apply that is killed after its call is run again, and doubles nobody", async ({ onTestFinished }) => {
    const { begin, revive, run, accounts, breaches, place } = await scene(postgres(), onTestFinished);
    expect((await begin("kill")).signal).toBe("SIGKILL");
    revive();
    const second = await run(apply);
    expect({ code: second.code, said: second.stderr }).toEqual({
      code: 0,
      said: expect.stringContaining(": it was done"),
    });
    expect((await run(apply)).stdout).toContain("No changes");
    expect({ accounts: accounts(), breaches: breaches() }).toEqual({
      accounts: ["ada", "bo", "cy", "di", "root"],
      breaches: [],
    });
    const { events } = unwrap(await readWhole(await place.open()));
    const announced = events.flatMap(({ event }) =>
      event.type === "intended" && event.intent.kind === "create-user" ? [event.intent.email] : [],
    );
    expect(announced.sort()).toEqual(["ada", "bo", "cy", "di"].map((name) => `${name}@acme.example`));
    expect(await place.sql("SELECT id FROM roster_lock WHERE name = $1", [place.name])).toEqual([{ id: null }]);
    expect(`${second.stdout}${second.stderr}${JSON.stringify(events)}`).not.toContain(serverPassword);
  });

  test("of two applies at once the second is told who runs, or waits", async ({ onTestFinished }) => {
    const { begin, run, happened, goOn, accounts, breaches } = await scene(postgres(), onTestFinished);
    const first = begin("stop");
    await happened;
    const refused = await run(apply);
    expect(refused.code).toBe(8);
    expect(refused.stderr).toMatch(/the log is locked by \S+@\S+ for apply since 20\d\d-/u);
    const waiting = run([...apply, "--lock-timeout", "30s"]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    goOn();
    expect((await first).code).toBe(0);
    const waited = await waiting;
    expect({ code: waited.code, done: waited.stdout.includes("No changes") }).toEqual({ code: 0, done: true });
    expect({ accounts: accounts(), breaches: breaches() }).toEqual({
      accounts: ["ada", "bo", "cy", "di", "root"],
      breaches: [],
    });
  });

  test("a run that was stopped for long and taken over starts no call when it goes on", async ({ onTestFinished }) => {
    const { place, begin, run, happened, goOn, passed, accounts, breaches } = await scene(postgres(), onTestFinished);
    const first = begin("stop");
    await happened;
    const hasty = await run([...apply, "--break-stale-lock", "2m"]);
    expect(hasty.code).toBe(8);
    await place.sql("UPDATE roster_lock SET seen_at = seen_at - interval '20 minutes' WHERE name = $1", [place.name]);
    const second = await run([...apply, "--break-stale-lock", "15m"]);
    expect({ code: second.code, said: second.stderr }).toEqual({
      code: 0,
      said: expect.stringContaining(": it was done"),
    });
    const before = passed.length;
    const isWrite = (request: PassedRequest) => request.isWrite;
    goOn();
    const fenced = await first;
    expect({ code: fenced.code, writes: passed.slice(before).filter(isWrite) }).toEqual({ code: 7, writes: [] });
    expect(fenced.stderr).toContain("connection to the database was lost");
    expect((await run(apply)).stdout).toContain("No changes");
    expect({ accounts: accounts(), breaches: breaches() }).toEqual({
      accounts: ["ada", "bo", "cy", "di", "root"],
      breaches: [],
    });
  });
});

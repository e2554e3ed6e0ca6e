import { describe, expect, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/start.ts";
import { type AtEnd, type CommandResult, emptyDirectory, roster } from "../support/command.ts";
import { killingProxy, type Strike } from "../support/killing-proxy.ts";
import { writeRoster } from "../support/roster-directory.ts";

const company = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Ito, ownKeyRoles: [DEVELOPER] }
  - { email: di@acme.example, firstName: Di, lastName: Roe }
teams:
  - name: Red
    admin: ada@acme.example
    roles: [DEVELOPER]
    members: [{ user: ada@acme.example }, { user: bo@acme.example }, { user: cy@acme.example }]
  - name: Blue
    admin: ada@acme.example
    roles: [TEAM_ROLE]
    members: [{ user: ada@acme.example }, { user: di@acme.example }]
`;

/** The writes of an undisturbed apply of the company. */
const writes = 4 + 2 + 4;

interface Aftermath {
  readonly first: CommandResult;
  readonly second: CommandResult;
  readonly third: CommandResult;
  readonly accounts: readonly string[];
  readonly mails: readonly string[];
}

async function killAndRunAgain(strike: Pick<Strike, "write" | "when">, atEnd: AtEnd): Promise<Aftermath> {
  const directory = emptyDirectory(atEnd);
  await writeRoster(directory, { "roster.yaml": company });
  const server = await startReferenceServer({ port: 0 });
  let kill = (): void => undefined;
  const proxy = await killingProxy(server.endpoint, { ...strike, strike: () => kill() }, atEnd);
  const env = { ROSTER_ENDPOINT: proxy, ROSTER_API_KEY: server.key };
  const args = ["apply", "--auto-approve", "roster.yaml"];
  const started = (child: { kill(signal: NodeJS.Signals): boolean }): void => {
    kill = () => child.kill("SIGKILL");
  };
  const first = await roster(args, { cwd: directory, env, started });
  const second = await roster(args, { cwd: directory, env });
  const third = await roster(args, { cwd: directory, env });
  const accounts = [...server.world.users].map(({ email }) => email).sort();
  const mails = server.outbox.map(({ team, address }) => `${team} ${address}`).sort();
  await server.close();
  return { first, second, third, accounts, mails };
}

describe("kill -9 in an apply, then apply again", () => {
  const strikes = Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) => [
    { write, when: "before-commit" as const },
    { write, when: "after-commit" as const },
  ]);

  test.concurrent.for(strikes)(
    "at write $write, $when, doubles nobody and mails nobody twice",
    async (strike, context) => {
      const { first, second, third, accounts, mails } = await killAndRunAgain(strike, context.onTestFinished);
      expect(first.signal).toBe("SIGKILL");
      expect({ code: second.code, stderr: second.code === 0 ? "" : second.stderr }).toEqual({ code: 0, stderr: "" });
      expect(third.code).toBe(0);
      expect(third.stdout).toContain("No changes");
      expect(accounts).toEqual([
        "ada@acme.example",
        "bo@acme.example",
        "cy@acme.example",
        "di@acme.example",
        "root@reference.example",
      ]);
      expect(new Set(mails).size).toBe(mails.length);
      expect(mails.length).toBe(3);
    },
  );

  test("the keys that the next apply learns by reading are told by it", async ({ onTestFinished: atEnd }) => {
    const directory = emptyDirectory(atEnd);
    const own = company.split("teams:")[0] ?? "";
    await writeRoster(directory, { "roster.yaml": own });
    const server = await startReferenceServer({ port: 0 });
    atEnd(() => server.close());
    let kill = (): void => undefined;
    const proxy = await killingProxy(server.endpoint, { write: 4, when: "after-commit", strike: () => kill() }, atEnd);
    const env = { ROSTER_ENDPOINT: proxy, ROSTER_API_KEY: server.key };
    const args = ["apply", "--auto-approve", "roster.yaml", "--parallelism", "1"];
    await roster(args, {
      cwd: directory,
      env,
      started: (child) => {
        kill = () => child.kill("SIGKILL");
      },
    });
    const second = await roster([...args, "--format", "json"], { cwd: directory, env });
    const { run } = JSON.parse(second.stdout) as { run: { keys: { email: string; prefix: string }[] } };
    const last = [...server.world.users].at(-1);
    expect(run.keys.map(({ email }) => email)).toContain(last?.email);
  });
});

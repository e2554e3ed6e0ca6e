import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../src/reference-server/identifiers.ts";
import { emptyDirectory } from "../support/command.ts";
import { isDeep } from "../support/property-runs.ts";

const seed = 20_261_124;

interface Created {
  readonly identifier: string;
  readonly email: string;
  readonly team: { readonly identifier: string };
  readonly accessKeys: readonly { readonly prefix: string }[];
}

test(`what serve has answered is there after SIGKILL, and no identifier is given twice (seed ${seed})`, async () => {
  const cwd = emptyDirectory();
  const draw = seededRandom(seed);
  const answered: Created[] = [];
  let starts = 0;
  let tried = 0;
  while (starts < (isDeep ? 10 : 3)) {
    const { child, endpoint, key } = await serve(cwd);
    starts += 1;
    expect(await peopleThere(endpoint, key)).toEqual(expect.arrayContaining(answered.map(inShort)));
    const enough = answered.length + 4 + draw() * 8;
    const write = async (): Promise<void> => {
      while (child.signalCode === null) {
        tried += 1;
        const created = await create(endpoint, key, `n${tried}@acme.example`).catch(() => undefined);
        if (created === undefined) return;
        answered.push(created);
        // The other writers' requests are under way, each at a place of its own.
        if (answered.length >= enough) void pause(draw() * 5).then(() => child.kill("SIGKILL"));
      }
    };
    await Promise.all([write(), write(), write()]);
    if (child.signalCode === null) await once(child, "exit");
  }
  const { child, endpoint, key } = await serve(cwd);
  const there = await peopleThere(endpoint, key);
  child.kill();
  expect(there).toEqual(expect.arrayContaining(answered.map(inShort)));
  expect(answered.length).toBeGreaterThan(12);
  const given = [
    there.map(([identifier]) => identifier),
    answered.map(({ team }) => team.identifier),
    answered.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => prefix)),
  ];
  for (const names of given) expect(new Set(names).size).toBe(names.length);
});

type Person = readonly [identifier: string, email: string, prefixes: readonly string[]];

function inShort({ identifier, email, accessKeys }: Created): Person {
  return [identifier, email, accessKeys.map(({ prefix }) => prefix)];
}

async function serve(cwd: string): Promise<{ child: ChildProcess; endpoint: string; key: string }> {
  const args = [resolve("dist/main.js"), "serve", "--port", "0", "--data", "service.jsonl"];
  const child = spawn(process.execPath, args, { cwd, env: {}, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes("ROSTER_API_KEY")) break;
  }
  const word = (name: string) => new RegExp(`export ${name}=(\\S+)`, "u").exec(said)?.[1] ?? "";
  return { child, endpoint: word("ROSTER_ENDPOINT"), key: word("ROSTER_API_KEY") };
}

async function create(endpoint: string, key: string, email: string): Promise<Created> {
  const response = await fetch(`${endpoint}/api/accounting/accounts/acc-1/users`, {
    method: "POST",
    headers: { authorization: `ApiKey ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ email, firstName: "N", lastName: "X", team: {} }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Created;
}

async function peopleThere(endpoint: string, key: string): Promise<readonly Person[]> {
  const headers = { authorization: `ApiKey ${key}` };
  const response = await fetch(`${endpoint}/api/accounting/users?per-page=1000`, { headers });
  return ((await response.json()) as Created[]).map(inShort);
}

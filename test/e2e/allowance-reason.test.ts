import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { allowanceFor } from "../support/drawn/printed-words.ts";
import { inside } from "../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { isWebhookMessage } from "../support/webhook-message.ts";

const boIsAdmin = twoPeople.replace(
  "{ user: bo@acme.example }",
  "{ user: bo@acme.example, roles: [DEVELOPER, ACCOUNT_ADMIN] }",
);

/** Two people were applied, and the roster makes one of them an administrator. */
async function scene() {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, { "roster.yaml": boIsAdmin });
  const word = allowanceFor("privileged-roles:bo@acme.example", (await at.run(["plan"])).stdout);
  const sent = at.writes().length;
  /** What the log says of the last run. */
  const lastRun = () => {
    const lines = readFileSync(join(at.cwd, ".roster/log.jsonl"), "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === "command-started");
  };
  return { ...at, word, writes: () => at.writes().length - sent, lastRun };
}

async function webhook(received: (message: Readonly<Record<string, unknown>>) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    received(JSON.parse(await text(request)) as Record<string, unknown>);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

test.each([
  ["is missing", [], " is allowed without a reason. It needs --reason."],
  ["says nothing", ["--reason", "\u{200B}…"], "--reason has no letter or digit."],
  ["is of two lines", ["--reason", "INC-42\nall is down"], "--reason has a line break."],
  ["is too long", ["--reason", "a".repeat(201)], "--reason has more than 200 characters."],
])("a privileged role is not allowed where the reason %s", async (_, reason, says) => {
  const at = await scene();
  const stopped = await at.run(["apply", "--auto-approve", "--allow", at.word, ...reason]);
  expect([stopped.code, stopped.stderr.includes(says), at.writes()]).toEqual([3, true, 0]);
});

test("a reason without an exception is refused", async () => {
  const at = await scene();
  const stopped = await at.run(["apply", "--auto-approve", "--reason", "INC-42"]);
  expect([stopped.code, stopped.stderr.includes("--reason has no effect without --allow.")]).toEqual([3, true]);
});

test.each([
  ["flag", (word: string) => ({ flags: ["--allow", word, "--reason", "INC-42: all is down"], env: {} })],
  ["variable", (word: string) => ({ flags: [], env: { ROSTER_ALLOW: word, ROSTER_REASON: "INC-42: all is down" } })],
])("why a privileged role is allowed is recorded, and told before the first call: from a %s", async (source, say) => {
  const at = await scene();
  const seen: unknown[] = [];
  const hook = await webhook((message) => {
    expect(isWebhookMessage(message), JSON.stringify(isWebhookMessage.errors)).toBe(true);
    const { severity, reason, reason_source, gives } = message;
    seen.push({ severity, reason, reason_source, gives, sent: at.writes() });
  });
  const { flags, env } = say(at.word);
  const done = await at.run(["apply", "--auto-approve", ...flags], { env: { ROSTER_WEBHOOK: hook, ...env } });
  expect([done.code, at.writes()], done.stderr).toEqual([0, 1]);
  expect(seen).toEqual([
    {
      severity: "critical",
      reason: "INC-42: all is down",
      reason_source: source,
      gives: [{ person: "bo@acme.example", team: "Red", prefix: expect.any(String), roles: ["ACCOUNT_ADMIN"] }],
      sent: 0,
    },
  ]);
  expect(at.lastRun()).toMatchObject({
    actor: { source: "os" },
    allowed: [at.word],
    reason: { text: "INC-42: all is down", source },
  });
  const shown = (await at.run(["audit"])).stdout;
  expect(shown).toContain(`reason (${source}): INC-42: all is down`);
  const covers = [
    "user bo@acme.example",
    expect.stringMatching(/^ACCOUNT_ADMIN on the key of bo@acme\.example in "acc-1\/red", last done at /u),
  ];
  const rows = async (...flags: readonly string[]) => {
    const { stdout } = await at.run(["audit", "--format", "ndjson", ...flags]);
    return stdout
      .trimEnd()
      .split("\n")
      .flatMap((line) => (line.includes('"allowance-used"') ? [JSON.parse(line)] : []));
  };
  const row = { did: "allowance-used", person: "bo@acme.example", code: at.word, covers };
  expect(await rows()).toEqual([expect.objectContaining(row)]);
  expect(await rows("--only", "user:bo@acme.example")).toEqual(await rows());
  expect(await rows("--only", "user:ada@acme.example")).toEqual([]);
  const [
    {
      covers: [who, what],
    },
  ] = (await rows()) as [{ covers: readonly string[] }];
  expect(shown).toContain(`allowed ${at.word}, which covers: ${who} and ${what}`);
  expect((await at.run(["audit", "--format", "csv"])).stdout).toContain(`${who}; ${what?.replaceAll('"', '""')}`);
});

test("a plan file keeps the reason, and its apply records and tells it", async () => {
  const at = await scene();
  const seen: unknown[] = [];
  const hook = await webhook(({ reason, allowed }) => seen.push([reason, allowed, at.writes()]));
  await at.run(["plan", "--out", "plan.json", "--allow", at.word, "--reason", "INC-42"]);
  const done = await at.run(["apply", "plan.json"], { env: { ROSTER_WEBHOOK: hook } });
  expect([done.code, seen], done.stderr).toEqual([0, [["INC-42", [at.word], 0]]]);
  expect(at.lastRun()).toMatchObject({ allowed: [at.word], reason: { text: "INC-42", source: "flag" } });
});

test("nobody is told where no privileged role is allowed, and a webhook that fails stops nothing", async () => {
  const at = await scene();
  const hook = await webhook(() => expect.unreachable());
  expect((await at.run(["apply", "--auto-approve"], { env: { ROSTER_WEBHOOK: hook } })).code).toBe(9);
  const flags = ["--allow", at.word, "--reason", "INC-42"];
  const env = { ROSTER_WEBHOOK: "http://127.0.0.1:9/hook" };
  const done = await at.run(["apply", "--auto-approve", ...flags], { env });
  expect([done.code, done.stderr.includes("was not notified"), at.writes()]).toEqual([0, true, 1]);
});

/** What a shell makes of a line that somebody has copied: `roster` is the built command. */
async function pasted(line: string, { cwd, env }: Pick<InsideScene, "cwd" | "env">) {
  const script = `roster() { "${process.execPath}" "${resolve("dist/main.js")}" "$@"; }; ${line} --auto-approve`;
  const child = spawn("bash", ["-c", script], { cwd, env: { PATH: process.env["PATH"], ...env } });
  const [stdout, code] = await Promise.all([text(child.stdout), new Promise((done) => child.on("close", done))]);
  return { code, stdout };
}

test.each([
  ["text", "privileged-roles", (out: string) => /To allow it:\s+`([^`]+)`/u.exec(out)?.[1]],
  ["text", "privileged-roles", (out: string) => /^To allow it:\n {2}(.+)$/mu.exec(out)?.[1]],
  ["markdown", "privileged-roles", (out: string) => /To allow it: `([^`]+)`/u.exec(out)?.[1]],
  [
    "json",
    "privileged-roles",
    (out: string) => /To allow it: `([^`]+)`/u.exec(JSON.parse(out).findings[0].message)?.[1],
  ],
  ["text", "max-new-users", (out: string) => /want it, run\s+`([^`]+)`/u.exec(out)?.[1]],
  ["json", "max-new-users", (out: string) => /want it, run `([^`]+)`/u.exec(JSON.parse(out).error.hint)?.[1]],
] as const)("the command that %s prints for %s works in a shell as it is", async (format, guard, commandIn) => {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve", "--state", "file:my log.jsonl"]);
  const isStop = guard === "max-new-users";
  const cyToo = twoPeople.replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Ito }\nteams:");
  await writeRoster(at.cwd, {
    "it's new/roster.yaml": isStop ? cyToo : boIsAdmin,
    "roster.config.yaml": isStop ? "guards: { max-new-users: 0 }\n" : "guards: { max-new-users: 9 }\n",
  });
  const { ROSTER_ENDPOINT: endpoint = "", ...env } = at.env;
  const settings = ["--endpoint", endpoint, "--state", "file:my log.jsonl"];
  const printed = await inside(["plan", "it's new", ...settings, "--format", format], { cwd: at.cwd, env });
  const command = commandIn(format === "text" ? printed.stdout + printed.stderr : printed.stdout) ?? "";
  expect(command).toContain("roster apply 'it'\\''s new' --endpoint");
  const done = await pasted(command, { cwd: at.cwd, env });
  expect([done.code, done.stdout.includes("Verified: all changes are in place.")], done.stdout).toEqual([0, true]);
});

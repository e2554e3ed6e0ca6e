import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { roster } from "../support/command.ts";
import { allowanceFor } from "../support/drawn/printed-words.ts";
import { eventLines } from "../support/event-lines.ts";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { isWebhookMessage } from "../support/webhook-message.ts";

const hour = 3_600_000;
const boIsAdmin = twoPeople.replace(
  "{ user: bo@acme.example }",
  "{ user: bo@acme.example, roles: [DEVELOPER, ACCOUNT_ADMIN] }",
);

interface Finding {
  readonly code: string;
  readonly subject: string;
  readonly blocking: boolean;
  readonly fingerprint: string;
}

interface Document {
  readonly findings?: readonly Finding[];
  readonly run?: { readonly findings: readonly Finding[] };
}

/** A roster of two people that was applied, with a clock that a test moves on. */
async function scene() {
  const at = await insideScene();
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const write = (roster: string) => writeRoster(at.cwd, { "roster.yaml": roster });
  const run = (...args: readonly string[]) => {
    // Whatever was done before must show by now, so that nothing is waited for.
    ahead += 60_000;
    return at.run(args, { clock });
  };
  const read = async (...args: readonly string[]) => {
    const { code, stdout } = await run(...args, "--format", "json");
    const { findings = [], run: ran } = JSON.parse(stdout) as Document;
    const told = [...(ran?.findings ?? []), ...findings].filter((one) => one.code === "break-glass-access");
    return { code, told };
  };
  await run("apply", "--auto-approve");
  return {
    ...at,
    run,
    read,
    write,
    pass: (hours: number) => {
      ahead += hours * hour;
    },
    /** The exit code of a command, and which emergency access it tells of: `!` where it blocks. */
    told: async (...args: readonly string[]) => {
      const { code, told } = await read(...args);
      return [code, told.map(({ blocking }) => (blocking ? "!there" : "there"))];
    },
    offered: async () => allowanceFor("privileged-roles", (await run("plan")).stdout),
    /** The kinds of the records of the audit trail. */
    trail: () =>
      readFileSync(join(at.cwd, ".roster/state.json.audit.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { kind: string }).kind),
    rolesOfBo: () =>
      at.server.world.users
        .find(({ email }) => email === "bo@acme.example")
        ?.accessKeys.find(({ kind }) => kind === "team")
        ?.roles.map(({ identifier }) => identifier)
        .sort(),
  };
}

/** A webhook that does something before it answers. */
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

test("a guard is passed in an emergency: first the audit trail, then the webhook, then the call", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const before = at.writes().length;
  const seen: unknown[] = [];
  const hook = await webhook((message) => {
    expect(isWebhookMessage(message), JSON.stringify(isWebhookMessage.errors)).toBe(true);
    seen.push([message["severity"], message["reason"], at.writes().length - before, at.trail().slice(-2)]);
  });
  const flags = ["--break-glass", "INC-42: all is down", "--until", "4h", "--webhook", hook];
  const done = await at.run("apply", "--auto-approve", ...flags, "--allow", await at.offered());
  expect([done.code, seen]).toEqual([0, [["critical", "INC-42: all is down", 0, ["run-started", "break-glass"]]]]);
  expect([at.rolesOfBo(), at.writes().length - before]).toEqual([["ACCOUNT_ADMIN", "DEVELOPER"], 1]);
});

test("access of an emergency is a notice, then blocks, until an apply has taken it back", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  expect(await at.told("apply", "--auto-approve")).toEqual([9, []]);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--allow", await at.offered()];
  expect(await at.told("apply", "--auto-approve", ...flags)).toEqual([0, []]);
  expect(await at.told("plan", "--detailed-exitcode")).toEqual([0, ["there"]]);
  expect(await at.told("drift")).toEqual([0, ["there"]]);
  at.pass(4);
  expect(await at.told("plan", "--detailed-exitcode")).toEqual([9, ["!there"]]);
  expect(await at.told("apply", "--auto-approve")).toEqual([9, ["!there"]]);
  expect(await at.told("drift")).toEqual([9, ["!there"]]);
  await at.write(twoPeople);
  expect([await at.told("apply", "--auto-approve"), at.rolesOfBo()]).toEqual([[0, []], ["DEVELOPER"]]);
  expect([await at.told("plan", "--detailed-exitcode"), await at.told("drift")]).toEqual([
    [0, []],
    [0, []],
  ]);
  expect(at.trail().slice(-5)).toEqual(["run-started", "plan", "call", "break-glass-closed", "run-ended"]);
});

test("access of an emergency that was taken away in the service is closed by a later apply", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--allow", await at.offered()];
  await at.run("apply", "--auto-approve", ...flags);
  const bo = at.server.world.users.find(({ email }) => email === "bo@acme.example");
  at.server.world.setKeyRoles(bo?.accessKeys.find(({ kind }) => kind === "team")?.prefix ?? "", ["DEVELOPER"]);
  await at.write(twoPeople);
  at.pass(4);
  expect(await at.told("apply", "--auto-approve")).toEqual([0, []]);
  expect(at.trail().filter((kind) => kind.startsWith("break-glass"))).toEqual(["break-glass", "break-glass-closed"]);
});

test("access of an emergency is closed by a plan file too: roles that are given later are no emergency", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--allow", await at.offered()];
  await at.run("apply", "--auto-approve", ...flags);
  at.pass(4);
  const applySaved = async (...more: readonly string[]) => {
    await at.run("plan", "--out", "plan.json", ...more);
    await at.run("apply", "plan.json");
  };
  await at.write(twoPeople);
  await applySaved();
  await applySaved();
  expect(at.trail().filter((kind) => kind.startsWith("break-glass"))).toEqual(["break-glass", "break-glass-closed"]);
  await at.write(boIsAdmin);
  await applySaved("--allow", await at.offered());
  expect([at.rolesOfBo(), await at.told("drift")]).toEqual([
    ["ACCOUNT_ADMIN", "DEVELOPER"],
    [0, []],
  ]);
});

test("access of an emergency that a reviewed file accepts blocks nothing, until the file says", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--allow", await at.offered()];
  await at.run("apply", "--auto-approve", ...flags);
  at.pass(4);
  const [{ fingerprint } = { fingerprint: "" }] = (await at.read("drift")).told;
  const today = new Date(Date.now() + 4 * hour);
  const until = new Date(today.getTime() + 72 * hour).toISOString().slice(0, 10);
  const accepting = ["drift", "acknowledge", fingerprint, "--until", until, "--reason", "migration", "--by", "eda"];
  expect((await at.run(...accepting)).code).toBe(0);
  expect((await at.run("drift")).code).toBe(0);
  expect(await at.told("plan", "--detailed-exitcode")).toEqual([0, ["there"]]);
  expect(await at.told("apply", "--auto-approve")).toEqual([0, ["there"]]);
  at.pass(5 * 24);
  expect(await at.told("plan", "--detailed-exitcode")).toEqual([9, ["!there"]]);
  expect((await at.run("drift")).code).toBe(9);
});

test("a run that is killed before its first call has left its record, and nothing to take back", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const allow = await at.offered();
  const before = at.writes().length;
  let child: { kill(signal: NodeJS.Signals): boolean } | undefined;
  const hook = await webhook(() => child?.kill("SIGKILL"));
  const args = ["apply", "--auto-approve", "--break-glass", "INC-42", "--until", "4h", "--webhook", hook];
  const killed = await roster([...args, "--allow", allow], {
    cwd: at.cwd,
    env: at.env,
    started: (process) => {
      child = process;
    },
  });
  expect([killed.signal, at.writes().length - before, at.trail().slice(-2)]).toEqual([
    "SIGKILL",
    0,
    ["run-started", "break-glass"],
  ]);
  at.pass(5);
  expect((await at.told("plan"))[1]).toEqual([]);
});

test("the stream of events tells of an emergency, and of its end", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--allow", await at.offered()];
  const begun = await at.run("apply", "--auto-approve", ...flags, "--format", "ndjson");
  const events = (stdout: string) => eventLines(stdout).filter(({ type }) => `${type}`.startsWith("break_glass"));
  const [, allow = ""] = flags.slice(-2);
  expect(events(begun.stdout)).toMatchObject([
    { type: "break_glass_begun", reason: "INC-42", allowed: [allow], gives: 1 },
  ]);
  const bo = at.server.world.users.find(({ email }) => email === "bo@acme.example");
  at.server.world.setKeyRoles(bo?.accessKeys.find(({ kind }) => kind === "team")?.prefix ?? "", ["AUDITOR"]);
  await at.write(twoPeople);
  at.pass(4);
  const closed = await at.run("apply", "--auto-approve", "--format", "ndjson");
  expect(events(closed.stdout)).toMatchObject([{ type: "break_glass_closed", gone: 1 }]);
});

test("a webhook that fails does not stop an emergency, and that is said", async () => {
  const at = await scene();
  await at.write(boIsAdmin);
  const flags = ["--break-glass", "INC-42", "--until", "4h", "--webhook", "http://127.0.0.1:9/hook"];
  const { code, stderr } = await at.run("apply", "--auto-approve", ...flags, "--allow", await at.offered());
  expect([code, at.rolesOfBo()]).toEqual([0, ["ACCOUNT_ADMIN", "DEVELOPER"]]);
  expect(stderr).toContain("warning: the webhook at http://127.0.0.1:9 was not notified: ");
  expect(stderr).toContain("warning: break-glass: the apply goes on; inform your team\n");
});

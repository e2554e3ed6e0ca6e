import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, prompt, roster } from "../support/command.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { canTrace, hasMet, type Injection, traced } from "../support/traced-command.ts";
import { companyThere, standing } from "../support/trap-scene.ts";

const kinds = ["mkdir", "fsync", "fdatasync", "rename", "unlink", "rmdir"];
const apply = ["apply", "--auto-approve", "roster.yaml"];

async function stage(atEnd: AtEnd) {
  const cwd = emptyDirectory(atEnd);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const server = await startReferenceServer({ port: 0 });
  atEnd(() => server.close());
  const env = { ...prompt, ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { cwd, env, server };
}

async function counts(): Promise<ReadonlyMap<string, number>> {
  const undo: Parameters<AtEnd>[0][] = [];
  const { cwd, env } = await stage((step) => undo.push(step));
  const { calls, code, stderr } = await traced(apply, { cwd, env }, { calls: kinds });
  for (const step of undo.reverse()) await step();
  if (code !== 0) throw new Error(stderr);
  return new Map(kinds.map((kind) => [kind, calls.filter((line) => line.includes(` ${kind}(`)).length]));
}

const isTraced = canTrace();
if (!isTraced) console.warn("strace is not installed here, or may not trace: the faults that it injects are skipped.");
const made = isTraced ? await counts() : new Map<string, number>();

function each(call: string, does: string, on?: string): readonly Injection[] {
  const count = on === undefined ? (made.get(call) ?? 0) : (made.get("fdatasync") ?? 0);
  return Array.from({ length: count }, (_, index) => ({
    call,
    number: index + 1,
    does,
    ...(on === undefined ? {} : { on }),
  }));
}

const kills = kinds.flatMap((kind) => each(kind, "signal=SIGKILL"));

const errors = [
  ...each("fsync", "error=EIO"),
  ...each("fdatasync", "error=EIO"),
  ...each("fdatasync", "error=ENOSPC"),
  ...each("pwrite64", "error=ENOSPC", "log.jsonl"),
  ...each("rename", "error=ENOSPC"),
  ...each("mkdir", "error=EROFS"),
  ...each("unlink", "error=EACCES"),
  ...each("rmdir", "error=EACCES"),
];

/** A run that finds nothing to do leaves the mark of a dead one to the next that records anything. */
const lasting = ["log.jsonl", "log.jsonl.checkpoint", "log.jsonl.open"];

/** Milliseconds after which a call that was announced and not sent counts as not done: its time-out, and what reads may be late. */
const settled = 60_000;

/** Applies under an injection, and then until nothing is left to do. */
async function disturbed(injection: Injection, atEnd: AtEnd) {
  const { cwd, env, server } = await stage(atEnd);
  const states = join(cwd, ".roster");
  const on = injection.on === undefined ? {} : { on: join(states, injection.on) };
  const first = await traced(apply, { cwd, env }, { calls: [injection.call], injection: { ...injection, ...on } });
  const codes: (number | null)[] = [];
  let last = "";
  const began = Date.now();
  while ((codes.length < 3 || Date.now() - began < settled) && !last.includes("No changes")) {
    if (codes.length >= 3) await setTimeout(5000);
    const again = await roster(apply, { cwd, env });
    codes.push(again.code);
    last = `${again.stdout}${again.stderr}`;
  }
  const audited = await roster(["audit", "verify"], { cwd, env });
  return {
    first,
    after: {
      isDone: last.includes("No changes"),
      last: codes.at(-1),
      there: standing(server),
      audited: audited.code,
      strays: (await readdir(states)).filter((name) => !lasting.includes(name) && !name.endsWith(".new")),
    },
  };
}

const whole = {
  isDone: true,
  last: 0,
  there: companyThere,
  audited: 0,
  strays: [],
};

describe.skipIf(!isTraced)("an apply whose file system is disturbed at any call", () => {
  test("makes calls of each kind", () => {
    console.info(`an apply makes ${[...made].map(([kind, count]) => `${count} ${kind}`).join(", ")}`);
    expect([...made.values()].every((count) => count > 0)).toBe(true);
  });

  test.concurrent.for(kills)(
    "killed at $call $number, it comes to the roster when it is run again",
    async (injection, { onTestFinished }) => {
      const { first, after } = await disturbed(injection, onTestFinished);
      // What is recorded in one turn shares a sync, so that a run may need fewer of them than the one that was counted.
      expect(first.signal).toBe(hasMet(first, injection) ? "SIGKILL" : null);
      expect(after).toEqual(whole);
    },
  );

  test.concurrent.for(errors)(
    "$does at $call $number, it says so, and comes to the roster when it is run again",
    async (injection, { onTestFinished }) => {
      const { first, after } = await disturbed(injection, onTestFinished);
      expect(first.signal).toBe(null);
      expect([0, 1, 7]).toContain(first.code);
      if (first.code !== 0) expect(`${first.stdout}${first.stderr}`).toContain(".roster");
      expect(after).toEqual(whole);
    },
  );
});

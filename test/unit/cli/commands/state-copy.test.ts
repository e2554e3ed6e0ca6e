import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import type { LogEvent } from "../../../../src/model/event.ts";
import { creationIntent, intended, noon } from "../../../support/event-builders.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";

const json = ["--format", "json"];
const events: readonly LogEvent[] = [
  { type: "sequenced", at: noon, sequence: 12 },
  intended("r1", "create-user:cy", creationIntent("cy")),
];

/** Appends events to the log at a path, as a run does. */
async function record(at: InsideScene, path: string, appended = events): Promise<void> {
  const store = fileStore({ path: join(at.cwd, path), clock: systemClock, randomness: systemRandomness });
  const session = await store.lock({ run: "r1", operation: "apply", at: noon });
  if (!session.ok) throw new Error(session.error.message);
  await session.value.append(appended);
  await session.value.close();
}

async function scene(): Promise<InsideScene> {
  const at = await insideScene();
  await record(at, ".roster/log.jsonl");
  return at;
}

function textOf(at: InsideScene, path: string): string {
  return readFileSync(join(at.cwd, path), "utf8");
}

async function endOf(at: InsideScene, args: readonly string[]): Promise<readonly [number, string | undefined]> {
  const { code, stdout } = await at.run([...args, ...json]);
  const { error, diagnostics } = JSON.parse(stdout) as {
    error: { code: string } | null;
    diagnostics: readonly { message: string }[];
  };
  return [code, error?.code ?? diagnostics[0]?.message];
}

async function shown(at: InsideScene, place: string): Promise<Record<string, unknown>> {
  return JSON.parse((await at.run(["state", "show", "--state", place, ...json])).stdout) as Record<string, unknown>;
}

const copy = ["state", "copy", "file:elsewhere.jsonl"];

describe("roster state copy", () => {
  test("takes every line along, open calls too, and ends the old log, which refuses every run", async () => {
    const at = await scene();
    const before = textOf(at, ".roster/log.jsonl");
    const state = await shown(at, "file:.roster/log.jsonl");
    const copied = JSON.parse((await at.run([...copy, ...json])).stdout);
    expect([copied.exit_code, copied.state]).toEqual([
      0,
      {
        did: "copy",
        from: `file:${at.cwd}/.roster/log.jsonl`,
        to: `file:${at.cwd}/elsewhere.jsonl`,
        lineage: state["lineage"],
        open: 1,
      },
    ]);
    expect(textOf(at, "elsewhere.jsonl")).toBe(before);
    expect(await shown(at, "file:elsewhere.jsonl")).toEqual(state);
    const left = await shown(at, "file:.roster/log.jsonl");
    expect(left).toMatchObject({ lineage: state["lineage"], moved: { to: `file:${at.cwd}/elsewhere.jsonl` } });
    const ended = textOf(at, ".roster/log.jsonl");
    expect([ended.startsWith(before), ended.slice(before.length).split('"type":"moved-to"').length]).toEqual([true, 2]);
    for (const command of ["plan", "drift", "apply"]) {
      const run = await at.run([command]);
      expect([run.code, run.stderr.includes(`was moved to file:${at.cwd}/elsewhere.jsonl`)]).toEqual([1, true]);
    }
    expect(at.server.requests).toEqual([]);
    expect(await endOf(at, ["state", "unlock"])).toEqual([0, undefined]);
  });

  test("keeps the chain: a head that was known before is in the copy, and runs go on behind it", async () => {
    const at = await scene();
    const head = async (place: string) => {
      const { stdout } = await at.run(["audit", "verify", "--state", place, ...json]);
      const { position, hash } = JSON.parse(stdout).audit.head as { position: number; hash: string };
      return `${position}:${hash}`;
    };
    const known = await head("file:.roster/log.jsonl");
    await at.run(copy);
    expect(await head("file:elsewhere.jsonl")).toBe(known);
    await record(at, "elsewhere.jsonl");
    const args = ["audit", "verify", "--expect-head", known];
    for (const place of ["file:elsewhere.jsonl", "file:.roster/log.jsonl"])
      expect(await endOf(at, [...args, "--state", place])).toEqual([0, undefined]);
  });

  test.each<[string, (whole: string) => string]>([
    ["in the middle of the copy", (whole) => whole.slice(0, whole.indexOf("\n", 200) + 1)],
    ["in the middle of a line", (whole) => whole.slice(0, -40)],
    ["after the copy", (whole) => whole],
  ])("is done again where it was broken off %s", async (_, left) => {
    const at = await scene();
    const whole = textOf(at, ".roster/log.jsonl");
    writeFileSync(join(at.cwd, "elsewhere.jsonl"), left(whole));
    expect(await endOf(at, copy)).toEqual([0, undefined]);
    expect(textOf(at, "elsewhere.jsonl")).toBe(whole);
    expect((await shown(at, "file:.roster/log.jsonl"))["moved"]).toBeDefined();
  });

  test.each<[string, (at: InsideScene) => Promise<void>]>([
    ["another log", (at) => record(at, "elsewhere.jsonl")],
    [
      "the same log, which has gone on since",
      async (at) => {
        writeFileSync(join(at.cwd, "elsewhere.jsonl"), textOf(at, ".roster/log.jsonl"));
        await record(at, "elsewhere.jsonl");
      },
    ],
  ])("overwrites nothing (5): %s", async (_, fill) => {
    const at = await scene();
    await fill(at);
    const before = [textOf(at, "elsewhere.jsonl"), textOf(at, ".roster/log.jsonl")];
    expect(await endOf(at, copy)).toEqual([5, "unwritable"]);
    expect([textOf(at, "elsewhere.jsonl"), textOf(at, ".roster/log.jsonl")]).toEqual(before);
  });

  test("copies nothing of a log that was changed before its checkpoint, and does not end it (1)", async () => {
    const at = await scene();
    const path = join(at.cwd, ".roster/log.jsonl");
    const changed = readFileSync(path, "utf8").replace('"sequence":12', '"sequence":13');
    writeFileSync(path, changed);
    expect(await endOf(at, copy)).toEqual([1, "state"]);
    expect(existsSync(join(at.cwd, "elsewhere.jsonl"))).toBe(false);
    expect(textOf(at, ".roster/log.jsonl")).toBe(changed);
  });

  test("is refused for a log that was moved already, and where a log was moved from (3, 5)", async () => {
    const at = await scene();
    await at.run(copy);
    expect(await endOf(at, ["state", "copy", "file:third.jsonl"])).toEqual([
      3,
      expect.stringMatching(/^The log of .* was moved to file:.*elsewhere\.jsonl at /u),
    ]);
    const back = ["state", "copy", "file:.roster/log.jsonl", "--state", "file:elsewhere.jsonl"];
    expect(await endOf(at, back)).toEqual([5, "unwritable"]);
  });

  test.each<[string, readonly string[], RegExp]>([
    ["where there is nothing to copy", [...copy, "--state", "file:a.jsonl"], /^There is no log at file:/u],
    ["to where it is", ["state", "copy", "file:.roster/log.jsonl"], /^The log is at file:.* already\.$/u],
    ["to a place of no kind", ["state", "copy", "elsewhere"], /^The log address elsewhere has an unknown kind\.$/u],
  ])("is refused %s (3)", async (_, args, message) => {
    expect(await endOf(await scene(), args)).toEqual([3, expect.stringMatching(message)]);
  });

  test("obeys CI, where the state must be named", async () => {
    const run = await (await scene()).run(copy, { env: { CI: "true" } });
    expect([run.code, run.stderr.includes("error[missing-setting]")]).toEqual([3, true]);
  });
});

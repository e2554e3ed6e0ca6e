import { chmodSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventLines } from "../support/event-lines.ts";
import { type InsideResult, inside } from "../support/inside.ts";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** What a stream is about: that it begins and ends as it must, and what stands between. */
function streamOf({ code, stdout }: InsideResult) {
  const lines = eventLines(stdout);
  const types = lines.map(({ type }) => type);
  const [first, last] = [lines[0], lines.at(-1)];
  return {
    code,
    begins: types.indexOf("version") === 0 && types.lastIndexOf("version") === 0,
    ends: types.indexOf("summary") === types.length - 1,
    once: types.filter((type) => type === "planned").length <= 1,
    agrees: last?.["exit_code"] === code && first?.["command"] === last?.["command"],
    between: [...new Set(types.slice(1, -1))],
  };
}

const whole = { begins: true, ends: true, once: true, agrees: true };

describe("--format ndjson", () => {
  test("tells everything in lines, of which the last is the summary, whatever becomes of the command", async () => {
    const { run, cwd, env, server } = await insideScene();
    server.world.addUser({ email: "zoe@acme.example", firstName: "Zoe", lastName: "Roe" });
    await writeRoster(cwd, { "bad.yaml": "version: 1\nusers: 7\n" });
    const told = async (line: string, more = {}) => {
      const { code, between, ...rest } = streamOf(
        await run([...line.split(" "), "--format", "ndjson"], { env: { ...env, ...more } }),
      );
      expect(rest).toEqual(whole);
      return `${code} ${between.join(" ")}`;
    };
    const planned = "read planned planned_action";
    const did = "run_started intended succeeded writes_learned access_seen key_read verified run_finished";
    expect([
      await told("validate roster.yaml"),
      await told("validate bad.yaml"),
      await told("plan roster.yaml --detailed-exitcode"),
      await told("plan bad.yaml"),
      await told("plan roster.yaml --nonsense"),
      await told("plan roster.yaml --include ada"),
      await told("plan roster.yaml", { ROSTER_API_KEY: "nobody.secretsecret" }),
      await told("apply roster.yaml"),
      await told("apply roster.yaml --auto-approve"),
      await told("drift roster.yaml"),
      await told("doctor"),
      await told("audit verify"),
    ]).toEqual([
      "0 roster",
      "3 diagnostic",
      `2 ${planned} roster reading`,
      ...Array(3).fill("3 diagnostic"),
      "4 roster problem",
      `5 ${planned} roster reading problem`,
      `0 ${planned} ${did} roster reading`,
      "0 read planned finding drift drift_item roster reading",
      "0 examination",
      "0 audit",
    ]);
  });

  test("tells that a call is announced before the call is there", async () => {
    let told = () => "";
    const known: boolean[] = [];
    const scene = await insideScene({
      onRequest: (route) => {
        if (route === "create") known.push(told().includes('{"type":"intended"'));
      },
    });
    const host = scene.host();
    told = () => host.told.stdout;
    await inside(["apply", "--auto-approve", "--format", "ndjson"], { cwd: scene.cwd, env: scene.env }, host);
    expect(known.length).toBeGreaterThan(1);
    expect(known).not.toContain(false);
  });

  test("is interrupted with a summary", async () => {
    let interrupt = (): void => undefined;
    const scene = await insideScene({ onRequest: () => interrupt() });
    const host = scene.host();
    interrupt = () => host.interrupt("SIGINT");
    const run = await inside(["plan", "--format", "ndjson"], { cwd: scene.cwd, env: scene.env }, host);
    expect(streamOf(run)).toMatchObject({ code: 130, ...whole });
  });

  test("stands in a report as it would have been printed, beside another format", async () => {
    const { run, cwd } = await insideScene();
    const { code, stdout } = await run([
      "apply",
      "--auto-approve",
      "--format",
      "json",
      "--report",
      "ndjson=events.ndjson",
      "--report",
      "text=plan.txt",
    ]);
    const told = readFileSync(join(cwd, "events.ndjson"), "utf8");
    expect(streamOf({ code, stdout: told, stderr: "" })).toMatchObject(whole);
    expect(eventLines(told).filter(({ type }) => type === "succeeded").length).toBeGreaterThan(1);
    expect(JSON.parse(stdout)).toMatchObject({ command: "apply", exit_code: 0 });
    expect(readFileSync(join(cwd, "plan.txt"), "utf8")).toContain("Done: ");
  });
});

describe("--report", () => {
  test("is written on every way out, and agrees with the exit code", async () => {
    const { run, cwd } = await insideScene();
    await writeRoster(cwd, { "bad.yaml": "version: 1\nusers: 7\n" });
    const codeIn = (name: string) =>
      (JSON.parse(readFileSync(join(cwd, name), "utf8")) as { exit_code: number }).exit_code;
    const runs = {
      invalid: await run(["plan", "bad.yaml", "--report", "json=invalid"]),
      usage: await run(["plan", "--nonsense", "--report=json=usage"]),
      waits: await run(["plan", "roster.yaml", "--detailed-exitcode", "--report", "json=waits"]),
    };
    expect(Object.entries(runs).map(([name, { code }]) => [name, code, codeIn(name)])).toEqual([
      ["invalid", 3, 3],
      ["usage", 3, 3],
      ["waits", 2, 2],
    ]);
  });

  test.each([
    ["0", [], 1],
    ["2", ["--detailed-exitcode"], 1],
    ["3", ["--include", "ada"], 3],
  ])("that cannot be written is told, and makes of %s what all the others agree on", async (_, flags, code) => {
    const { run, cwd } = await insideScene();
    const reports = ["--report", "json=nowhere/plan.json", "--report", "json=plan.json"];
    const done = await run(["plan", "--format", "json", ...reports, ...flags]);
    const documents = [done.stdout, readFileSync(join(cwd, "plan.json"), "utf8")].map(
      (text) => JSON.parse(text) as { exit_code: number; diagnostics: { code: string }[] },
    );
    expect([done.code, ...documents.map(({ exit_code }) => exit_code)]).toEqual([code, code, code]);
    for (const { diagnostics } of documents) expect(diagnostics.map((one) => one.code)).toContain("unwritable");
    expect(done.stderr).toContain("nowhere/plan.json cannot be written: ENOENT");
  });

  test.each([
    ["a format that has nothing to tell of the command", ["doctor", "--report", "nothing=x"], "formats are text"],
    ["no file", ["plan", "--report", "json="], "Write FORMAT=FILE"],
    ["standard output", ["plan", "--report", "json=-"], "Write FORMAT=FILE"],
    ["the name of a roster file", ["plan", "--report", "json=plan.yaml"], "roster file"],
  ])("of %s is refused (3)", async (_, args, why) => {
    const { run } = await insideScene();
    const { code, stderr } = await run(args);
    expect({ code, told: stderr.includes(why) }).toEqual({ code: 3, told: true });
  });

  test.each([
    ["has the name of a roster file", ["--report", "json=roster.yaml"], "roster.yaml", twoPeople],
    ["was named for another report", ["--report", "json=kept", "--report", "text=./kept"], "kept", "{"],
  ])("that is refused because its file %s touches it on no way out", async (_, reports, file, still) => {
    const { run, cwd } = await insideScene();
    await writeRoster(cwd, { "roster.yaml": twoPeople });
    expect((await run(["plan", ...reports])).code).toBe(3);
    expect(readFileSync(join(cwd, file), "utf8").slice(0, still.length)).toBe(still);
  });

  test.each([
    ["the plan that is saved", ["plan", "roster.yaml", "--out", "plan.json"]],
    ["the plan that is shown", ["show", "plan.json"]],
    ["the snapshot that is planned with", ["plan", "roster.yaml", "--from", "snapshot.json"], "snapshot.json"],
  ])("never takes the place of %s", async (_, args, file = "plan.json") => {
    const { run, cwd } = await insideScene();
    await run(["plan", "roster.yaml", "--out", "plan.json"]);
    await run(["snapshot", "roster.yaml", "--out", "snapshot.json"]);
    const { code, stderr } = await run([...args, "--report", `json=${file}`]);
    expect({
      code,
      stderr: stderr.includes(`${file} cannot be written: it is a log, a saved plan or a snapshot`),
    }).toEqual({ code: 1, stderr: true });
    expect(readFileSync(join(cwd, file), "utf8")).toMatch(/^\{\n"document": "roster /u);
  });

  test("never takes the place of a log or its checkpoint", async () => {
    const { run } = await insideScene();
    const apply = ["apply", "--auto-approve", "--state", "file:log.jsonl", "roster.yaml"];
    expect((await run(apply)).code).toBe(0);
    for (const file of ["log.jsonl", "log.jsonl.checkpoint"]) {
      const { code, stderr } = await run([...apply, "--report", `json=${file}`]);
      expect({ code, told: stderr.includes("it is a log, ") }).toEqual({ code: 1, told: true });
    }
    expect((await run(apply)).stdout).toContain("No changes");
  });

  test("keeps the file that was there, and its mode, where it is replaced", async () => {
    const { run, cwd } = await insideScene();
    await writeRoster(cwd, { "kept.json": "old", "roster.yaml": twoPeople });
    chmodSync(join(cwd, "kept.json"), 0o600);
    symlinkSync("kept.json", join(cwd, "link.json"));
    expect((await run(["validate", "--report", "json=link.json"])).code).toBe(0);
    const mode = statSync(join(cwd, "kept.json")).mode & 0o777;
    expect({ mode, code: JSON.parse(readFileSync(join(cwd, "kept.json"), "utf8")).exit_code }).toEqual({
      mode: 0o600,
      code: 0,
    });
  });
});

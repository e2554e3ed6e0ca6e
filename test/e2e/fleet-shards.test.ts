import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { fleetScene } from "../support/fleet-scene.ts";
import { inside } from "../support/inside.ts";

const names = ["a", "b", "c", "d", "e"];

test("shards together are the fleet, and their summaries are joined", async () => {
  const scene = await fleetScene(names.map((name) => ({ name })));
  await scene.fleet("apply --auto-approve");
  scene.servers.get("c")?.world.setKeyRoles("red-key", ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"]);
  const drift = (index: number) =>
    scene.fleet("drift --shard auto/2 --report json=out --report html=out", { JOB_COMPLETION_INDEX: `${index}` });
  expect((await drift(0)).stdout).toMatch(/Shard 1 of 2, 3 of 5 targets: /u);
  // Nobody goes through a link to what others have put elsewhere.
  mkdirSync(join(scene.cwd, "elsewhere"));
  writeFileSync(join(scene.cwd, "elsewhere/summary.json"), "{");
  symlinkSync("../elsewhere", join(scene.cwd, "out/link"));
  const missing = await scene.fleet("summarize out");
  expect(missing.code).toBe(7);
  expect(missing.stdout).toContain("No summary of shard 2 of 2: 2 targets missing.\n");
  expect((await drift(1)).stdout).toMatch(/Shard 2 of 2, 2 of 5 targets: /u);
  const whole = await scene.fleet("summarize out --report html=site --format json");
  expect(whole.code).toBe(2);
  const document = JSON.parse(whole.stdout);
  expect(document.fleet.targets.map(({ name }: { readonly name: string }) => name)).toEqual(names);
  expect(document.fleet).toMatchObject({ selected: 5, privileged_gains: 1, counts: { clean: 4, changes: 1 } });
  const schema: object = JSON.parse(readFileSync("schemas/fleet-summary.schema.json", "utf8"));
  expect(new Ajv({ strict: true }).compile(schema)(document)).toBe(true);
  expect(readdirSync(join(scene.cwd, "site")).sort()).toEqual(["index.html", "summary.json", "targets"]);
  expect((await scene.fleet("summarize out")).stdout.split("\n")[0]).toBe(
    "1 key has a privileged role that the roster does not give: c.",
  );
});

test("a summary of another night does not stand in for a shard that is missing", async () => {
  const scene = await fleetScene([{ name: "a" }, { name: "b" }]);
  for (const index of [0, 1])
    await scene.fleet("drift --shard auto/2 --report json=out", { JOB_COMPLETION_INDEX: `${index}` });
  const file = join(scene.cwd, "out/summary-2-of-2.json");
  const old = JSON.parse(readFileSync(file, "utf8"));
  old.fleet.finished_at = "2026-11-01T03:00:00.000Z";
  writeFileSync(file, JSON.stringify(old));
  const { code, stdout, stderr } = await scene.fleet("summarize out");
  expect([code, stdout]).toEqual([7, expect.stringContaining("No summary of shard 2 of 2")]);
  expect(stderr).toContain("left out, older than 20h: out/summary-2-of-2.json\n");
});

test("reports of jobs, each in a directory of its own, are linked from the page of all", async () => {
  const scene = await fleetScene([{ name: "a" }, { name: "b" }]);
  for (const name of ["a", "b"]) await scene.fleet(`drift --only ${name} --report html=out/fleet-${name}`);
  for (let round = 0; round < 2; round += 1)
    expect((await scene.fleet("summarize out --report html=out")).code).toBe(2);
  const links = [...readFileSync(join(scene.cwd, "out/index.html"), "utf8").matchAll(/href="([^"#]+\.html)"/gu)];
  expect(links.map(([, link]) => link)).toEqual(["fleet-a/targets/a.html", "fleet-b/targets/b.html"]);
  for (const [, link = ""] of links) expect(readFileSync(join(scene.cwd, "out", link), "utf8")).toContain("<h1>");
});

describe("summaries", () => {
  const summarize = async (files: Readonly<Record<string, string>>) => {
    const scene = await fleetScene([]);
    mkdirSync(join(scene.cwd, "out", "job-1"), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(scene.cwd, "out", file), text);
    const { code, stderr } = await scene.fleet("summarize out");
    return [code, /error\[([a-z-]+)\]: (.*)/u.exec(stderr)?.slice(1)];
  };
  const target = {
    name: "a",
    service: "",
    status: "clean",
    privileged_gains: 0,
    changes: 0,
    problems: 0,
    done: 0,
  };
  const summary = (did: string, ...reports: readonly string[]) =>
    JSON.stringify({
      format_version: "1.0",
      command: "fleet",
      fleet: {
        did,
        file: "fleet.yaml",
        finished_at: new Date().toISOString(),
        selected: 0,
        privileged_gains: 0,
        counts: { failed: 0, not_started: 0, changes: 0, problems: 0, clean: 0 },
        targets: reports.length === 0 ? [] : [{ ...target, reports }],
      },
      diagnostics: [],
      error: null,
      exit_code: 0,
    });

  test.each<readonly [Readonly<Record<string, string>>, string, string]>([
    [{}, "unreadable-file", "No summary of a fleet was found in out."],
    [{ "summary.json": "{" }, "bad-file", "The summary out/summary.json cannot be used: it is not JSON."],
    [
      { "job-1/summary-1-of-2.json": '{"command":"fleet"}' },
      "bad-file",
      "The summary out/job-1/summary-1-of-2.json cannot be used: it is not the summary of a fleet.",
    ],
    ...["https://evil.example/targets/a.html", "//evil.example/targets/a.html", "javascript:targets/a.html"].map(
      (link) =>
        [
          { "summary.json": summary("plan", link) },
          "bad-file",
          "The summary out/summary.json cannot be used: it is not the summary of a fleet.",
        ] as const,
    ),
    [
      { "summary.json": summary("plan"), "job-1/summary.json": summary("drift") },
      "bad-file",
      "The summaries in out are of several commands: drift and plan.",
    ],
  ])("that cannot be joined are an error: %j", async (files, code, message) => {
    expect(await summarize(files)).toEqual([3, [code, message]]);
  });

  test("of no target are joined", async () => {
    expect(await summarize({ "summary.json": summary("plan"), "job-1/summary.json": summary("plan") })).toEqual([
      0,
      undefined,
    ]);
  });
});

test("a matrix has the targets of which a roster file has changed since a commit", async () => {
  const scene = await fleetScene(["a", "b", "b2"].map((name) => ({ name, endpoint: "https://x.example" })));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@x.example", ...args], {
      cwd: scene.cwd,
      stdio: "pipe",
    });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "one");
  git("switch", "-qc", "change");
  const changed = async (ref = "main") => {
    const { code, stdout } = await inside(["fleet", "matrix", "--format", "github", "--changed-since", ref], {
      cwd: scene.cwd,
    });
    return code === 0 ? JSON.parse(stdout).include.map(({ name }: { readonly name: string }) => name) : code;
  };
  expect(await changed()).toEqual([]);
  rmSync(join(scene.cwd, "rosters/b/roster.yaml"));
  writeFileSync(join(scene.cwd, "rosters/b/other.yaml"), "version: 1\n");
  git("add", "-A");
  git("commit", "-qm", "two");
  expect(await changed()).toEqual(["b"]);
  // What has happened on the other branch since is no change of this one.
  git("switch", "-q", "main");
  writeFileSync(join(scene.cwd, "rosters/a/more.yaml"), "version: 1\n");
  git("add", "-A");
  git("commit", "-qm", "three");
  git("switch", "-q", "change");
  expect(await changed()).toEqual(["b"]);
  writeFileSync(join(scene.cwd, "fleet.yaml"), `${readFileSync(join(scene.cwd, "fleet.yaml"), "utf8")}# more\n`);
  git("commit", "-qam", "four");
  expect(await changed()).toEqual(["a", "b", "b2"]);
  expect([await changed("nowhere"), await changed("--output=x")]).toEqual([3, 3]);
  expect(readdirSync(scene.cwd)).not.toContain("x");
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { bucketCredentials } from "../support/s3-place.ts";
import { smallS3 } from "../support/small-s3.ts";

/** Where a log is kept, and its lines. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  read(): string;
  /** Changes the text of a line. */
  change(from: string, to: string): void;
  /** Takes away what was added last. */
  cut(): void;
}

const places: Readonly<Record<string, (cwd: string) => Promise<Place>>> = {
  "a file": async (cwd) => {
    const path = join(cwd, ".roster/log.jsonl");
    return {
      env: {},
      read: () => readFileSync(path, "utf8"),
      change: (from, to) => writeFileSync(path, readFileSync(path, "utf8").replace(from, to)),
      cut: () => writeFileSync(path, /^(?:.*\n){4}/u.exec(readFileSync(path, "utf8"))?.[0] ?? ""),
    };
  },
  "a bucket": async () => {
    const bucket = await smallS3({ clock: { now: Date.now } });
    onTestFinished(() => bucket.close());
    const batches = () => [...bucket.objects()].filter(([path]) => path.startsWith("roster/log/")).sort();
    return {
      env: {
        ROSTER_STATE: `s3://acme/roster/log?region=us-east-1&endpoint=${bucket.endpoint}`,
        AWS_ACCESS_KEY_ID: bucketCredentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: bucketCredentials.secretAccessKey,
      },
      read: () =>
        batches()
          .map(([, text]) => text)
          .join(""),
      change(from, to) {
        for (const [path, text] of batches()) bucket.put(path, text.replace(from, to));
      },
      cut() {
        const last = batches()
          .slice(1)
          .map(([path]) => path);
        bucket.replace(new Map([...bucket.objects()].filter(([path]) => !last.includes(path))));
      },
    };
  },
};

async function scene(place = "a file") {
  const { server, cwd, run: runAll, writes } = await insideScene();
  const log = await places[place]?.(cwd);
  if (log === undefined) throw new Error(`no place ${place}`);
  const runIn = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    runAll(args, { env: { ...log.env, ...more } });
  const run = (...args: readonly string[]) => runIn({}, ...args);
  const rows = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run("audit", "--format", "ndjson", ...args);
    expect(code, stderr).toBe(0);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
  };
  const apply = async () => {
    const applied = await run("apply", "--auto-approve");
    expect(applied.code, applied.stderr).toBe(0);
    return applied;
  };
  return { server, cwd, log, run, runIn, rows, apply, writes };
}

const changes = [
  "add-member bo@acme.example Red done",
  "create-user ada@acme.example Red done",
  "create-user bo@acme.example  done",
  "replace-roles ada@acme.example Red done",
  "replace-roles bo@acme.example Red done",
];

describe("the log", () => {
  test.each(Object.keys(places))(
    "in %s has what an apply did, for people and for programs, and never a key; an apply that has nothing to do adds nothing",
    async (place) => {
      const { server, log, run, rows, apply } = await scene(place);
      await apply();
      const done = (await rows()).filter(({ did }) => did !== "key-learned");
      expect(done.map(({ did, person, team, outcome }) => [did, person, team, outcome].join(" ")).sort()).toEqual(
        changes,
      );
      const document = JSON.parse((await run("audit", "--format", "json")).stdout);
      const shown: readonly Record<string, unknown>[] = document.audit.changes;
      expect(shown.map(({ position, did, person }) => [position, did, person])).toEqual(
        (await rows()).map(({ position, did, person }) => [position, did, person]),
      );
      const [header = "", ...table] = (await run("audit", "--format", "csv")).stdout.trimEnd().split("\n");
      expect([header.split(",").slice(0, 4), table.length]).toEqual([
        ["position", "at", "run", "command"],
        shown.length,
      ]);
      const text = (await run("audit")).stdout;
      for (const said of [", apply by ", "created ada@acme.example and team Red, key ", "added bo@acme.example to Red"])
        expect(text).toContain(said);
      const verified = await run("audit", "verify");
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringContaining("none was changed, removed or added in between"),
      ]);
      expect(log.read()).not.toContain(server.key.split(".")[1] ?? "no key");
      // The first reads after an apply may show more than it recorded.
      await apply();
      const lines = log.read();
      await apply();
      expect(log.read()).toBe(lines);
    },
  );

  test("is shown for one person, one team, one run and a time", async () => {
    const { rows, run, apply } = await scene();
    await apply();
    const all = await rows();
    const people = async (...args: readonly string[]) => new Set((await rows(...args)).map(({ person }) => person));
    expect(await people("--only", "user:Bo@acme.example")).toEqual(new Set(["bo@acme.example"]));
    expect((await rows("--only", "team:red")).every(({ team }) => team === "Red")).toBe(true);
    expect(await rows("--only", `run:${all[0]?.["run"]}`)).toEqual(all);
    expect(await rows("--since", "1h")).toEqual(all);
    expect(await rows("--as-of", "2020-01-01")).toEqual([]);
    const { code, stdout } = await run("audit", "--only", "user:nobody@acme.example");
    expect([code, stdout]).toEqual([0, expect.stringContaining("No matching changes in file:")]);
  });

  test("has the change request of a run in a pipeline and who approved it, with a saved plan too", async () => {
    const { run, runIn, rows } = await scene();
    const merge = {
      GITLAB_CI: "true",
      GITLAB_USER_LOGIN: "olga",
      CI_JOB_URL: "https://gitlab.example/-/jobs/7",
      ROSTER_CHANGE_REQUEST: "https://gitlab.example/people/-/merge_requests/12",
      ROSTER_APPROVERS: "bo, cy",
    };
    await run("plan", "--out", "plan.json");
    const applied = await runIn(merge, "apply", "plan.json");
    expect(applied.code, applied.stderr).toBe(0);
    const { stdout } = await run("audit");
    for (const said of [
      "apply by olga (gitlab)",
      merge.CI_JOB_URL,
      `change request ${merge.ROSTER_CHANGE_REQUEST}`,
      "approved by bo\n",
      "approved by cy\n",
    ])
      expect(stdout).toContain(said);
    expect((await rows())[0]).toMatchObject({ change_request: merge.ROSTER_CHANGE_REQUEST, approvers: ["bo", "cy"] });
  });
});

describe("a log that was changed", () => {
  test.each(Object.keys(places))(
    "in %s is found by audit verify, with the position, and is shown to nobody",
    async (place) => {
      const { log, run, apply } = await scene(place);
      await apply();
      const lines = log.read();
      log.change("bo@acme.example", "di@acme.example");
      const position = lines.slice(0, lines.indexOf("bo@acme.example")).split("\n").length;
      for (const args of [["audit", "verify"], ["audit"], ["audit", "--format", "csv"], ["access", "--as-of", "1h"]]) {
        const { code, stdout, stderr } = await run(...args);
        expect([args, code, stdout]).toEqual([args, 1, ""]);
        expect(stderr).toContain(`error[state]: position ${position} of the log was changed after it was written`);
      }
    },
  );

  test.each(Object.keys(places))(
    "in %s, cut off behind its checkpoint, stops every run before its first call",
    async (place) => {
      const { server, log, run, apply } = await scene(place);
      await apply();
      log.cut();
      const before = server.requests.length;
      for (const args of [["plan"], ["drift"], ["apply", "--auto-approve"], ["state", "show"]]) {
        const { code, stderr } = await run(...args);
        expect([args, code, server.requests.length]).toEqual([args, 1, before]);
        expect(stderr).toContain("error[state]: a part of the log is missing: ");
      }
    },
  );
});

function headIn(printed: string): string {
  return /^Log head: (\d+:[0-9a-f]{64})$/mu.exec(printed)?.[1] ?? "no head";
}

describe("audit verify", () => {
  test("proves by an earlier head that nothing was cut off", async () => {
    const { cwd, log, run, apply } = await scene();
    const head = headIn((await apply()).stdout);
    await writeRoster(cwd, { "roster.yaml": twoPeople.replace("DEVELOPER", "DEVELOPER, USER") });
    await run("apply", "--auto-approve");
    const goesOn = await run("audit", "verify", "--expect-head", head);
    expect([goesOn.code, goesOn.stdout]).toEqual([0, expect.stringContaining(`It goes on from the head ${head}.`)]);
    log.cut();
    const behind = await run("audit", "verify");
    expect([behind.code, behind.stderr]).toEqual([1, expect.stringContaining("it ends before its checkpoint")]);
    await rm(join(cwd, ".roster/log.jsonl.checkpoint"));
    expect((await run("audit", "verify")).code).toBe(0);
    const cut = await run("audit", "verify", "--expect-head", head);
    expect([cut.code, cut.stderr]).toEqual([
      1,
      expect.stringContaining(`the log does not go on from the head ${head}`),
    ]);
    for (const none of ["0", "x", `${head}0`, `-1:${"0".repeat(64)}`, ""])
      expect((await run("audit", "verify", `--expect-head=${none}`)).code, none).toBe(3);
  });

  test("is what an apply can ask for: a log without an earlier head stops it (6) before its first call", async () => {
    const { server, cwd, log, run, apply } = await scene();
    const head = headIn((await apply()).stdout);
    const goesOn = await run("apply", "--auto-approve", "--expect-head", head);
    expect(goesOn.code, goesOn.stderr).toBe(0);
    log.cut();
    await rm(join(cwd, ".roster/log.jsonl.checkpoint"));
    const before = server.requests.length;
    const refused = await run("apply", "--auto-approve", "--expect-head", head);
    expect([refused.code, server.requests.length, refused.stderr]).toEqual([
      6,
      before,
      expect.stringContaining(`the log does not go on from the head ${head}`),
    ]);
  });

  test("compares what the events add up to with the last checkpoint", async () => {
    const { log, run, apply } = await scene();
    await apply();
    const full = await run("audit", "verify", "--format", "json");
    const taken = log
      .read()
      .split("\n")
      .flatMap((line) => (line.includes('"type":"checkpoint-taken"') ? [JSON.parse(line)] : []));
    expect([full.code, JSON.parse(full.stdout).audit.checkpoint]).toEqual([0, taken.at(-1)?.head.position]);
    log.change(taken.at(-1)?.digest, "0".repeat(64));
    const differs = await run("audit", "verify");
    expect([differs.code, differs.stderr]).toEqual([
      1,
      expect.stringContaining("names another state than the events add up to"),
    ]);
  });

  test("of a log that nobody has begun says so, and begins none", async () => {
    const { cwd, run } = await scene();
    const { code, stdout } = await run("audit", "verify");
    expect([code, stdout, existsSync(join(cwd, ".roster"))]).toEqual([
      0,
      expect.stringContaining("The log has no events yet."),
      false,
    ]);
  });
});

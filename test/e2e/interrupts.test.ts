import { spawn, spawnSync } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import type { OnRequest } from "../../src/reference-server/service-context.ts";
import { type AtEnd, type CommandOptions, type CommandResult, emptyDirectory, roster } from "../support/command.ts";
import { type InsideResult, inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { holdingProxy } from "../support/passing-proxy.ts";
import { writeRoster } from "../support/roster-directory.ts";

interface Scene {
  readonly server: ReferenceServer;
  readonly cwd: string;
  run(args: readonly string[], more?: Pick<CommandOptions, "env" | "started">): Promise<CommandResult>;
  /** Applies once more, in this process: nobody interrupts that. */
  again(): Promise<InsideResult>;
}

async function scene(atEnd: AtEnd, onRequest: OnRequest = () => undefined): Promise<Scene> {
  const server = await startReferenceServer({ port: 0, onRequest });
  atEnd(() => server.close());
  const cwd = emptyDirectory(atEnd);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return {
    server,
    cwd,
    run: (args, more) => roster(args, { cwd, ...more, env: { ...env, ...more?.env } }),
    again: () => inside(applying, { cwd, env }),
  };
}

const applying = ["apply", "--auto-approve", "--parallelism", "1"];
const lockFile = ".roster/log.jsonl.lock";

/** Everybody once, and one mail: what an apply that nothing has disturbed leaves behind. */
const done = { users: ["ada@acme.example", "bo@acme.example", "root@reference.example"], mails: ["bo@acme.example"] };

function standing({ server }: Scene) {
  return {
    users: server.world.users.map(({ email }) => email).sort(),
    mails: server.outbox.map(({ address }) => address),
  };
}

describe("a signal in the middle of an apply", () => {
  test.concurrent.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "%s lets the call under way end, begins nothing more, saves and unlocks (%i)",
    async ([signal, code], { onTestFinished }) => {
      let interrupt = (): void => undefined;
      const at = await scene(onTestFinished, (route) => {
        if (route === "create") interrupt();
      });
      // So that the signal is there before the answer.
      at.server.setKnobs({ latencyMs: 500 });
      const first = await at.run(applying, {
        started: (child) => {
          interrupt = () => void child.kill(signal);
        },
      });
      const created = standing(at).users.length - 1;
      expect({ code: first.code, created, locked: existsSync(join(at.cwd, lockFile)) }).toEqual({
        code,
        created: 1,
        locked: false,
      });
      expect(first.stderr).toContain("interrupted: no new call starts");
      expect(existsSync(join(at.cwd, ".roster/log.jsonl.checkpoint"))).toBe(true);
      at.server.setKnobs({ latencyMs: 0 });
      interrupt = () => undefined;
      const second = await at.again();
      expect({ code: second.code, ...standing(at) }).toEqual({ code: 0, ...done });
    },
  );

  test.concurrent("and once more ends it at once, and the next apply goes on from there", async ({
    onTestFinished,
  }) => {
    let interrupt = (): void => undefined;
    const at = await scene(onTestFinished, (route) => {
      if (route === "create") interrupt();
    });
    at.server.setKnobs({ hang: ["create@1"] });
    const first = await at.run(applying, {
      started: (child) => {
        interrupt = () => {
          child.kill("SIGINT");
          // Signals that reach a busy process within 200 ms of each other are one.
          const again = setInterval(() => child.kill("SIGINT"), 400);
          onTestFinished(() => clearInterval(again));
        };
      },
    });
    expect({ code: first.code, locked: existsSync(join(at.cwd, lockFile)) }).toEqual({ code: 130, locked: true });
    interrupt = () => undefined;
    const second = await at.again();
    expect({ code: second.code, ...standing(at) }).toEqual({ code: 0, ...done });
  });
});

test.concurrent("of applies at once one goes on, one says who holds the state (8), and one waits for it (0)", async ({
  onTestFinished,
}) => {
  const at = await scene(onTestFinished);
  const gate = await holdingProxy(at.server.endpoint, onTestFinished);
  const env = { ROSTER_ENDPOINT: gate.endpoint };
  const first = at.run(applying, { env });
  await gate.reached;
  const third = at.run([...applying, "--lock-timeout", "2m"], { env });
  const second = await at.run(applying, { env });
  gate.open();
  const codes = [(await first).code, second.code, (await third).code];
  expect({ codes, ...standing(at) }).toEqual({ codes: [0, 8, 0], ...done });
  expect(second.stderr).toMatch(/the log is locked by \S+@\S+/u);
  expect(second.stderr).toMatch(/--lock-timeout 5m\s+waits for it/u);
  expect((await third).stdout).toContain("No changes");
});

test.concurrent("an interrupt while the service does not answer ends the command (130)", async ({ onTestFinished }) => {
  let interrupt = (): void => undefined;
  const at = await scene(onTestFinished, () => interrupt());
  at.server.setKnobs({ hang: ["any@all"] });
  const { code } = await at.run(["plan"], {
    started: (child) => {
      interrupt = () => void child.kill("SIGINT");
    },
  });
  expect(code).toBe(130);
});

describe("what is printed", () => {
  async function printing(at: Scene, stdout: "nowhere" | number, ...flags: readonly string[]) {
    const env = { PATH: process.env["PATH"], ROSTER_ENDPOINT: at.server.endpoint, ROSTER_API_KEY: at.server.key };
    const child = spawn(process.execPath, [resolve("dist/main.js"), "plan", ...flags], {
      cwd: at.cwd,
      env,
      stdio: ["ignore", stdout === "nowhere" ? "pipe" : stdout, "pipe"],
    });
    if (stdout === "nowhere") child.stdout?.destroy();
    const ended = new Promise<number | null>((end) => child.on("close", end));
    const stderr = child.stderr === null ? "" : await text(child.stderr);
    return { code: await ended, stderr };
  }

  test.concurrent("may have nobody who reads it any more, which is no failure", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished);
    expect(await printing(at, "nowhere")).toEqual({ code: 0, stderr: "" });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "is told as lost where the disk is full (1), once, however many lines are lost",
    { concurrent: true },
    async ({ onTestFinished }) => {
      const at = await scene(onTestFinished);
      const told = "error: the result could not be printed: ENOSPC\n";
      const lost = await printing(at, openSync("/dev/full", "w"), "--format", "ndjson");
      expect(lost).toEqual({ code: 1, stderr: told });
    },
  );

  test.skipIf(!existsSync("/dev/full"))(
    "ends no run in the middle where standard error is on the full disk, too",
    { concurrent: true },
    async ({ onTestFinished }) => {
      const at = await scene(onTestFinished);
      const full = openSync("/dev/full", "w");
      const env = { PATH: process.env["PATH"], ROSTER_ENDPOINT: at.server.endpoint, ROSTER_API_KEY: at.server.key };
      const args = [resolve("dist/main.js"), ...applying, "--format", "ndjson"];
      const child = spawn(process.execPath, args, { cwd: at.cwd, env, stdio: ["ignore", full, full] });
      const code = await new Promise<number | null>((end) => child.on("close", end));
      expect({ code, ...standing(at) }).toEqual({ code: 1, ...done });
    },
  );

  test.skipIf(process.platform === "win32")("is told as lost where a disk takes only a part of it (1)", () => {
    const file = join(emptyDirectory(), "help");
    const command = `ulimit -f 1; "${process.execPath}" "${resolve("dist/main.js")}" help plan --all > "${file}"`;
    const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, "error: the result could not be printed: EFBIG\n"]);
  });
});

test.concurrent("work that never ends is told as a defect, and not taken for success", async ({ onTestFinished }) => {
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  await writeFile(
    join(cwd, "stuck.mjs"),
    `import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
files.readdir = () => new Promise(() => undefined);
syncBuiltinESMExports();
`,
  );
  const run = await roster(["validate"], { cwd, env: { NODE_OPTIONS: `--import ${join(cwd, "stuck.mjs")}` } });
  expect({ code: run.code, stdout: run.stdout, told: run.stderr.includes("stopped with work unfinished") }).toEqual({
    code: 1,
    stdout: "",
    told: true,
  });
});

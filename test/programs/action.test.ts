import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { action } from "../support/action.ts";
import { type AtEnd, emptyDirectory } from "../support/command.ts";
import { outsideProgram } from "../support/outside-program.ts";
import { isDeep } from "../support/property-runs.ts";

const isMissing = ["bash", "git", "npm", "tar"].some((program) => outsideProgram(program) === undefined);

const machine = { temp: "", tarball: "" };
const ends: (() => void | Promise<void>)[] = [];
const atEnd: AtEnd = (undo) => void ends.push(undo);

async function step(
  name: string,
  inputs: Readonly<Record<string, string>>,
  { cwd = machine.temp, env = {}, umask = "022" } = {},
) {
  const found = action.runs.steps.find((one) => one.name === name);
  const filled = Object.entries(found?.env ?? {}).map(([variable, value]) => [
    variable,
    value.replace(/\$\{\{ ([\w.-]+) \}\}/gu, (_, expression: string) => {
      const [, input] = /^inputs\.(.*)$/u.exec(expression) ?? [];
      if (input !== undefined) return inputs[input] ?? action.inputs[input]?.default ?? "";
      return { "runner.temp": machine.temp, "github.action_path": inputs["source"] ?? "" }[expression] ?? "";
    }),
  ]);
  const outputs = join(machine.temp, "outputs");
  writeFileSync(outputs, "");
  const flags = ["--noprofile", "--norc", "-eo", "pipefail", "-c", `umask ${umask}\n${found?.run ?? "exit 99"}`];
  const child = spawn("bash", flags, {
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      npm_config_offline: "true",
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_OUTPUT: outputs,
      ...Object.fromEntries(filled),
      ...env,
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { code, said: `${stdout}${stderr}`, outputs: readFileSync(outputs, "utf8") };
}

/** The files of this checkout in another place, with the modes that the umask gives them. */
function copyCheckout(to: string, { umask, more = "" }: { readonly umask: string; readonly more?: string }): void {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  const script = 'umask "$1"; mkdir -p "$2"; tar -c --null -T - | tar -x --no-same-permissions -C "$2"';
  execFileSync("bash", ["--norc", "-ec", script, "copy", umask, to], { input: `${listed}${more}` });
}

describe.skipIf(isMissing)("the steps of the action", () => {
  beforeAll(async () => {
    machine.temp = emptyDirectory(atEnd);
    const checkout = join(machine.temp, "checkout");
    copyCheckout(checkout, { umask: "022", more: "dist\0" });
    const pack = "node .build/modes.mjs; npm pack --silent --ignore-scripts --offline";
    const name = execFileSync("bash", ["--norc", "-ec", pack], { cwd: checkout, encoding: "utf8" }).trim();
    machine.tarball = join(checkout, name);
    const { code, said } = await step("Install", { package: machine.tarball });
    expect(code, said).toBe(0);
    return () => {
      for (const end of ends) void end();
    };
  });

  test("validate, and let a failure through", async () => {
    const cwd = emptyDirectory();
    cpSync("examples/quickstart", join(cwd, "roster"), { recursive: true });
    expect(await step("Run", { command: "validate" }, { cwd })).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "roster/faulty.yaml"), "version: 1\nuser: []\n");
    const { code, said, outputs } = await step("Run", { command: "validate" }, { cwd });
    expect([code, outputs.includes("exit_code=3\n")]).toEqual([3, true]);
    expect(said).toContain("::error file=roster/faulty.yaml,line=2,");
  });

  test("plan against a service, with the exit codes that are accepted", async () => {
    const server = await startReferenceServer({ port: 0 });
    onTestFinished(() => server.close());
    const cwd = emptyDirectory();
    cpSync("examples/quickstart", join(cwd, "roster"), { recursive: true });
    const state = `file:${join(cwd, "log.jsonl")}`;
    const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: state };
    const args = "--detailed-exitcode\n  roster";
    const { code, outputs, said } = await step("Run", { command: "plan", args, accept: "0 2" }, { cwd, env });
    expect([code, said.includes("ada@acme.example")]).toEqual([0, true]);
    expect(outputs).toMatch(/^changes<<(\S+)\n7\n\1$/mu);
    expect(outputs).toMatch(/^exit_code=2$/mu);
  });

  test("hand words to roster as they are, and none to a shell", async () => {
    const cwd = emptyDirectory();
    const { code, said } = await step(
      "Run",
      { command: "validate", args: "$(touch made) `touch made` ;touch made" },
      { cwd },
    );
    expect(code).toBe(3);
    expect(said).toContain("$(touch");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("run commands without formats too", async () => {
    const cwd = emptyDirectory();
    expect(await step("Run", { command: "init", format: "", args: "roster" }, { cwd })).toMatchObject({
      code: 0,
      outputs: "exit_code=0\n",
    });
  });

  test.runIf(isDeep)(
    "build from the source of the action where no package is named, with the same bytes wherever, in whatever time zone and modes",
    {
      timeout: 600_000,
    },
    async () => {
      const source = join(emptyDirectory(), "a longer", "place");
      copyCheckout(source, { umask: "077" });
      const modules = 'cp -al node_modules "$1" 2>/dev/null || cp -a node_modules "$1"';
      execFileSync("bash", ["--norc", "-c", modules, "copy", source]);
      const { code, said } = await step("Install", { source }, { env: { TZ: "Asia/Tokyo" }, umask: "077" });
      expect(code, said).toBe(0);
      const [tarball = ""] = readdirSync(source).filter((name) => name.endsWith(".tgz"));
      const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
      expect(tarball).toBe(`rosterctl-${version}.tgz`);
      expect(sha256(join(source, tarball))).toBe(sha256(machine.tarball));
      expect(await step("Run", { command: "--version", format: "", args: "" })).toMatchObject({ code: 0 });
    },
  );
});

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

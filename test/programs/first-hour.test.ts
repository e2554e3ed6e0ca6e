import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { scriptsIn } from "../support/integrations.ts";
import { outsideProgram } from "../support/outside-program.ts";

const [, section = ""] = readFileSync("README.md", "utf8").split("\n## The first hour\n");
const [, script = ""] = /^```sh\n([\s\S]*?)^```$/mu.exec(section) ?? [];

/** The environment of a machine on which npm has installed the package for everybody. */
function installed(at: string): Record<string, string> {
  const modules = join(at, "npm/lib/node_modules");
  mkdirSync(modules, { recursive: true });
  mkdirSync(join(at, "npm/bin"));
  symlinkSync(resolve("."), join(modules, "rosterctl"));
  symlinkSync(resolve("dist/main.js"), join(at, "npm/bin/roster"));
  return { HOME: at, NPM_CONFIG_PREFIX: join(at, "npm"), PATH: `${join(at, "npm/bin")}:${process.env["PATH"]}` };
}

test.skipIf(outsideProgram("bash") === undefined)(
  "the first hour of README runs word for word in an empty directory, and its pipeline has nothing left to plan",
  () => {
    const at = emptyDirectory();
    const cwd = join(at, "empty");
    mkdirSync(cwd);
    // What the copied pipeline runs for a pull request runs before the script stops its service.
    const [job = "", ...others] = scriptsIn("github/roster-plan.yml").filter((text) => /^ *roster plan /mu.test(text));
    expect(others).toEqual([]);
    writeFileSync(join(at, "job.sh"), job);
    const setup = `trap 'builtin kill $! || true' EXIT # also where a line fails
kill() {
  cp .roster/log.jsonl '${at}'
  CI=true RUNNER_TEMP='${at}' ROSTER_STATE='file:${at}/log.jsonl' bash -e '${at}/job.sh' && builtin kill "$@"
}`;
    writeFileSync(join(at, "setup.sh"), setup);
    const env = { ...installed(at), BASH_ENV: join(at, "setup.sh") };
    const { status, stdout, stderr } = spawnSync("bash", ["-e"], { cwd, env, input: script, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.stringContaining("created cy@acme.example and team Data")]);
    const promised = [...script.matchAll(/# (.*\.)$/gmu)].map(([, text = ""]) => text);
    expect(promised).toEqual(["No drift. The service matches the roster."]);
    expect(stdout).toContain(promised[0]);
    const workflows = join(cwd, ".github/workflows");
    const copied = readdirSync(workflows).map((name) => readFileSync(join(workflows, name), "utf8"));
    const named = copied.flatMap((text) => text.match(/\.github\/[\w-]+\.mjs/gu) ?? []);
    expect(new Set(named)).toEqual(new Set([".github/approved-plan.mjs"]));
    expect(named.filter((path) => !existsSync(join(cwd, path)))).toEqual([]);
    expect(readFileSync(join(at, "plan.md"), "utf8")).toMatch(/^## Plan for .*: no changes$/mu);
  },
);

import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { publint } from "publint";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { outsideProgram, runOutside } from "../support/outside-program.ts";
import { readExposition } from "../support/read-exposition.ts";
import { inTerminal, noTerminal } from "../support/terminal.ts";

const npm = outsideProgram("npm");
const ends: (() => void | Promise<void>)[] = [];
const atEnd: AtEnd = (undo) => void ends.push(undo);

describe.skipIf(npm === undefined)("the package, installed elsewhere without a network", () => {
  const at = { directory: "", program: "", packed: "" };

  beforeAll(() => {
    at.directory = emptyDirectory(atEnd);
    const run = (args: readonly string[], cwd: string) => execFileSync(npm ?? "", args, { cwd, encoding: "utf8" });
    const [packed = ""] = run(["pack", "--silent", "--ignore-scripts", "--pack-destination", at.directory], ".")
      .trim()
      .split("\n");
    const flags = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    at.packed = join(at.directory, packed);
    run(["install", ...flags, "--prefix", at.directory, at.packed], at.directory);
    at.program = join(at.directory, "node_modules/.bin/roster");
    return async () => {
      for (const end of ends) await end();
    };
  }, 120_000);

  const roster = (args: readonly string[], cwd = at.directory, env: Readonly<Record<string, string>> = {}) => {
    try {
      const all = { PATH: process.env["PATH"], HOME: cwd, ...env };
      return { code: 0, stdout: execFileSync(at.program, args, { cwd, env: all, encoding: "utf8", stdio: "pipe" }) };
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
      return { code: status, stdout, stderr };
    }
  };

  test("brings nothing with it, and knows its version", () => {
    expect(readdirSync(join(at.directory, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "rosterctl",
    ]);
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(roster(["--version"])).toEqual({ code: 0, stdout: `${version}\n` });
  });

  test("installed globally, it starts a roster in an empty directory, and finds it valid", () => {
    const prefix = emptyDirectory();
    const flags = ["--global", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    execFileSync(npm ?? "", ["install", ...flags, "--prefix", prefix, at.packed], { cwd: prefix });
    const cwd = emptyDirectory();
    const env = { PATH: `${join(prefix, "bin")}${delimiter}${process.env["PATH"]}`, HOME: cwd };
    const told = execFileSync("roster", ["init"], { cwd, env, encoding: "utf8" });
    expect(told).toContain("roster.config.yaml");
    expect(execFileSync("roster", ["validate"], { cwd, env, encoding: "utf8" })).toMatch(/^1 file, .*: valid\.\n$/u);
  });

  test("publint has no objection to it", async () => {
    const { messages } = await publint({
      pkgDir: join(at.directory, "node_modules/rosterctl"),
      pack: false,
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  const attw = outsideProgram("attw");

  test.skipIf(attw === undefined)("its types are those of its code, as @arethetypeswrong/cli sees them", () => {
    expect(runOutside(attw ?? "", [at.packed, "--profile", "esm-only"])).toMatchObject({ code: 0 });
  });

  test("is a library for a program beside it", () => {
    const program = `import * as rosterctl from "rosterctl";
      const files = [{ file: "roster.yaml", text: "version: 1\\naccount: acc-1\\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\\n" }];
      const read = await rosterctl.loadRoster({ files });
      console.log(JSON.stringify({ names: Object.keys(rosterctl).sort(), users: read.counts.users }));`;
    const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: at.directory });
    expect(JSON.parse(told.toString())).toEqual({
      names: ["RosterError", "apply", "connect", "drift", "loadRoster", "openLog", "plan", "readPolicy"],
      users: 1,
    });
  });

  test("starts a roster with a schema that is there, and completes its people", () => {
    expect(roster(["init", "my-roster"]).code).toBe(0);
    const directory = join(at.directory, "my-roster");
    const file = readdirSync(directory).find((name) => /\.yaml$/u.test(name) && name !== "roster.config.yaml") ?? "";
    const [, schema = ""] = /\$schema=(\S+)/u.exec(readFileSync(join(directory, file), "utf8")) ?? [];
    expect({
      schema,
      isThere: existsSync(join(directory, schema.replace("file://", ""))) || existsSync(schema.replace("file://", "")),
    }).toMatchObject({ isThere: true });
    expect(roster(["validate"], directory).code).toBe(0);
    expect(roster(["completion", "bash"]).stdout).toContain("roster");
  });

  test("plans, shows its screens and applies, against a service of its own", async () => {
    const cwd = join(at.directory, "node_modules/rosterctl/examples/quickstart");
    const server = spawn(at.program, ["serve", "--port", "0"], {
      cwd: at.directory,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void server.kill());
    let told = "";
    const env = await new Promise<Record<string, string>>((ready) => {
      server.stdout.on("data", (bytes: Buffer) => {
        told += bytes.toString();
        const set = [...told.matchAll(/export (ROSTER_\w+)=(\S+)/gu)].map(([, name = "", value = ""]) => [name, value]);
        if (set.length >= 2) ready(Object.fromEntries(set) as Record<string, string>);
      });
    });
    const all = { ...env, ROSTER_STATE: `file:${join(at.directory, "log.jsonl")}` };
    expect(roster(["plan", "--detailed-exitcode"], cwd, all).code).toBe(2);
    if (noTerminal === undefined) {
      const options = { cwd, env: all, columns: 80, rows: 24 };
      const screen = inTerminal([at.program, "apply"], options, onTestFinished);
      await screen.until("approve");
      screen.type("q");
      expect(await screen.ended).toBe(5);
    }
    expect(roster(["apply", "--auto-approve"], cwd, all).code).toBe(0);
    expect(roster(["drift", "--report", `prometheus=${join(at.directory, "roster.prom")}`], cwd, all).code).toBe(0);
    expect(roster(["explain", "cannot-create-team"]).code).toBe(0);
  });
});

const promtool = outsideProgram("promtool");

test.skipIf(promtool === undefined)("promtool has no objection to the metrics of a drift", async () => {
  const told = runOutside(promtool ?? "", ["check", "metrics"], await metricsOfDrift());
  expect(told).toEqual({ code: 0, told: "" });
});

const python = pythonWithClient();

const readByClient = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families as families
samples = [s for family in families(sys.stdin.read()) for s in family.samples]
print(json.dumps([{"name": s.name, "labels": s.labels, "value": s.value} for s in samples]))
`;

test.skipIf(python === undefined)("the client of Prometheus' makers reads in the metrics what we do", async () => {
  const metrics = await metricsOfDrift();
  const { told } = runOutside(python ?? "", ["-c", readByClient], metrics);
  expect(JSON.parse(told)).toEqual(readExposition(metrics));
});

function pythonWithClient(): string | undefined {
  const program = outsideProgram("python3");
  if (program === undefined || runOutside(program, ["-c", "import prometheus_client"]).code === 0) return program;
  console.warn("Its Python has no `prometheus_client`: what it makes of our metrics is not tested.");
  return undefined;
}

async function metricsOfDrift(): Promise<string> {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const report = ["--title", 'EU "one" \\ two', "--report", "prometheus=roster.prom"];
  const { code } = await inside(["drift", ...report, resolve("examples/quickstart")], { cwd, env });
  expect(code).toBe(2);
  return readFileSync(join(cwd, "roster.prom"), "utf8");
}

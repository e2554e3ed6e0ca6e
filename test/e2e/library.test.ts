import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";

const run = promisify(execFile);

/** The example beside an installed package, which is the one that was built. */
function installedExample(): string {
  const directory = emptyDirectory();
  cpSync("examples/library", directory, { recursive: true });
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(resolve("."), join(directory, "node_modules/rosterctl"));
  symlinkSync(resolve("node_modules/@types"), join(directory, "node_modules/@types"));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  return directory;
}

async function server() {
  const started = await startReferenceServer({ port: 0, seed: { accounts: [{ identifier: "acc-1" }] } });
  onTestFinished(() => started.close());
  return started;
}

describe("the example program", () => {
  test.each([
    ["node16", "node16"],
    ["bundler", "esnext"],
  ])("is well typed with moduleResolution %s, and so are all declarations", async (moduleResolution, module) => {
    const directory = installedExample();
    const usual = { strict: true, noEmit: true, target: "es2023", lib: ["es2023"], types: ["node"] };
    const compilerOptions = { ...usual, module, moduleResolution, skipLibCheck: false };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ files: ["sync.ts"], compilerOptions }));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    expect(await run(process.execPath, [tsc, "-p", directory])).toMatchObject({ stdout: "" });
  });

  test("plans and applies a roster, and finds nothing to do after it", async () => {
    const { endpoint, key, outbox } = await server();
    const directory = installedExample();
    const tsx = pathToFileURL(resolve("node_modules/tsx/dist/loader.mjs")).href;
    const env = { PATH: process.env["PATH"], ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: key };
    const sync = () => run(process.execPath, ["--import", tsx, "sync.ts"], { cwd: directory, env });
    const first = await sync();
    expect(first.stderr).toBe("");
    expect(first.stdout).toMatch(/^Plan [0-9a-f]{16}: \d+ actions, \d+ findings\n/u);
    expect(first.stdout).toContain("run-finished");
    expect(first.stdout).not.toMatch(/failed|unknown|skipped|stale/u);
    expect(outbox.length).toBeGreaterThan(0);
    expect((await sync()).stdout).toMatch(/^Plan [0-9a-f]{16}: 0 actions, /u);
    expect(readFileSync(join(directory, ".roster/state.json"), "utf8")).not.toContain(key.slice(key.indexOf(".") + 1));
  });
});

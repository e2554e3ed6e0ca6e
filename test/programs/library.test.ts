import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { isDeep } from "../support/property-runs.ts";

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

/** Names every type that the declarations have, and leaves the types of what the library returns to be inferred. */
function userModule(): string {
  const types = resolve("dist/library/types");
  const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  const texts = files.map((name) => readFileSync(join(types, name), "utf8"));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^export (?:declare )?(?:interface|type|class) (\w+)/gmu)].map(([, name = ""]) => name),
  );
  expect(names.length).toBeGreaterThan(100);
  return `import type { ${names.join(", ")} } from "rosterctl";
import * as roster from "rosterctl";
export const connected = async (options: roster.ConnectOptions) => roster.connect(options);
export const planned = (options: roster.PlanOptions) => roster.plan(options);
export const applied = (options: roster.ApplyOptions) => roster.apply(options).result;
export const saved = (options: roster.SavePlanOptions) => roster.savePlan(options);
export const readBack = (options: roster.SavedText) => roster.readSavedPlan(options);
export const savedApplied = (options: roster.ApplySavedOptions) => roster.applySaved(options).result;
export const drifted = (options: roster.DriftOptions) => roster.drift(options);
export const examined = (options: roster.ExamineOptions) => roster.examine(options);
export const mapped = (options: roster.AccessOptions) => roster.access(options);
export const recorded = (options: roster.RecordedAccessOptions) => roster.recordedAccess(options);
export const audited = (options: roster.AuditOptions) => roster.audit(options);
export const parts = (plan: roster.PlanResult, drift: roster.DriftResult, run: roster.RunSummary, state: roster.State) => ({
  because: plan.plan.actions.map(({ because }) => because),
  reading: plan.reading,
  recorded: drift.record,
  outcomes: run.outcomes,
  keys: [...state.keys.values()],
});
export const place = (error: roster.RosterError) => [error.reason, error.place] as const;
export const progress = (options: roster.PlanOptions) => options.progress;
`;
}

describe("the example program", () => {
  test.runIf(isDeep)("is well typed with moduleResolution bundler, and so are all declarations", async () => {
    const directory = installedExample();
    const usual = { strict: true, noEmit: true, target: "es2023", lib: ["es2023"], types: ["node"] };
    const compilerOptions = { ...usual, module: "esnext", moduleResolution: "bundler", skipLibCheck: false };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ files: ["sync.ts"], compilerOptions }));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    expect(await run(process.execPath, [tsc, "-p", directory])).toMatchObject({ stdout: "" });
  });

  test("is well typed with moduleResolution node16, and passes its types on to declarations of a user's own", async () => {
    const directory = installedExample();
    writeFileSync(join(directory, "user.ts"), userModule());
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const out = { declaration: true, emitDeclarationOnly: true, outDir: "out", skipLibCheck: false };
    const place = { target: "es2023", lib: ["es2023"], types: ["node"], module: "node16", moduleResolution: "node16" };
    const compilerOptions = { ...strict, ...out, ...place };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ files: ["sync.ts", "user.ts"], compilerOptions }));
    const tsc = resolve("node_modules/typescript/bin/tsc");
    const told = await run(process.execPath, [tsc, "-p", directory]).catch(({ stdout }) => ({ stdout }));
    expect(told).toMatchObject({ stdout: "" });
    expect(readFileSync(join(directory, "out/user.d.ts"), "utf8")).toContain('from "rosterctl"');
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
    expect(readFileSync(join(directory, ".roster/log.jsonl"), "utf8")).not.toContain(key.slice(key.indexOf(".") + 1));
  });
});

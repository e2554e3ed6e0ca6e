import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { mutants, mutated } from "./mutant-list.ts";

/**
 * Breaks the program on purpose, one mutant at a time in a copy of the tree, and requires that the fault harness as
 * `npm test` runs it fails for each, or the random services where the mutant says so. With `--simulate SECONDS` the simulation alone has so
 * long for each.
 */
const harness = [
  "e2e/kill",
  "property/apply-faults",
  "property/clock-steps",
  "property/random-services",
  "simulate/simulate",
  "unit/log/file/contract",
].map((name) => `test/${name}.test.ts`);
/** What some rules are for comes about only in services drawn at random, and seldom. */
const randomServices = "test/chaos/random-services.test.ts";
const draws = { CHAOS_SEED: "9000", CHAOS_SERVICES: "800" };
const companies = { SIMULATE_COMPANIES: "60" };
const parts = [
  ".build",
  "src",
  "test",
  "examples",
  "schemas",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "vitest.config.ts",
];
const missing = [...harness, randomServices].filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`There is no ${missing.join(", no ")}.`);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { simulate: { type: "string" } } });
const wanted = positionals.join(" ");

function copyOfTree() {
  const directory = mkdtempSync(join(tmpdir(), "roster-mutant-"));
  for (const part of parts) cpSync(part, join(directory, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  return directory;
}

function run(directory, command, args, variables = {}) {
  const env = { ...process.env, NO_COLOR: "1", ...variables };
  const child = spawn(process.execPath, [command, ...args], { cwd: directory, env });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, said })));
}

/** After how many seconds the simulation alone meets a breach. */
async function simulated(directory) {
  const { said } = await run(
    directory,
    "--import",
    ["tsx", "test/simulate/run.ts", values.simulate, "--seed", "1", "--first"],
    {
      TSX_TSCONFIG_PATH: "test/tsconfig.json",
    },
  );
  const found = /breach after (\d+) s .*?: (.*)/u.exec(said);
  if (found !== null) return { survives: false, why: `after ${found[1]} s: ${found[2]}` };
  return { survives: true, why: said.includes("no breach") ? `not within ${values.simulate} s` : said };
}

/** The tests that fail for a mutant, or why none could. */
async function verdictOn(mutant) {
  const directory = copyOfTree();
  try {
    const { file, text } = mutated(join(directory, "src"), mutant);
    writeFileSync(file, text);
    const built = await run(directory, ".build/build.mjs", []);
    if (built.code !== 0) return { survives: true, why: `it does not build:\n${built.said}` };
    if (values.simulate !== undefined) return await simulated(directory);
    const isDrawn = mutant.seenBy === "random services";
    const files = isDrawn ? [randomServices] : harness;
    const args = isDrawn
      ? ["run", "--config", "test/chaos/vitest.config.ts", "--bail", "1", ...files]
      : ["run", ...files];
    const tested = await run(directory, "node_modules/vitest/vitest.mjs", args, isDrawn ? draws : companies);
    const failed = files.filter((file) => new RegExp(`FAIL +${file}`, "u").test(tested.said));
    return { survives: failed.length === 0, why: failed.join(", ") };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

let survivors = 0;
for (const mutant of mutants.filter(({ name }) => name.includes(wanted))) {
  const { survives, why } = await verdictOn(mutant);
  if (survives) survivors += 1;
  process.stdout.write(`${survives ? "SURVIVES" : "caught  "} ${mutant.name}: ${why || "no test fails"}\n`);
}
process.exitCode = survivors === 0 ? 0 : 1;

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Breaks the program on purpose, one mutant at a time in a copy of the tree, and requires that the fault harness as
 * `npm test` runs it fails for each. A mutant is one text in one file, replaced by another.
 */
const mutants = [
  {
    name: "the intent is announced after the call",
    file: "src/apply/send.ts",
    find: "  for (let tries = 1; await announce(context, { action, intent }); tries += 1) {\n    last = await sending.call();",
    replace:
      "  for (let tries = 1; context.stopped === undefined; tries += 1) {\n    last = await sending.call();\n    await announce(context, { action, intent });",
  },
  {
    name: "whatever is open counts as not done, at once",
    file: "src/journal/settle.ts",
    find: "const verdict = judgeOpen(open, evidence, ageOf(open, state, snapshot));",
    replace: "const verdict: Verdict | undefined = judgeOpen === undefined ? undefined : { as: { done: false } };",
  },
  {
    name: "a creation that does not show counts as done",
    file: "src/journal/settle.ts",
    find: 'return age === "settled" ? { as: { done: false } } : undefined;',
    replace:
      'return age === "settled" ? done({ kind: "create-user", address: judging ?? ("" as never), answered: {} }) : undefined;',
    also: [
      {
        find: "function notDone(age: Age)",
        replace: 'let judging: CreationIntent["address"] | undefined;\n\nfunction notDone(age: Age)',
      },
      {
        find: "export function judgeCreation(intent: CreationIntent, evidence: Evidence, age: Age): Verdict | undefined {",
        replace:
          "export function judgeCreation(intent: CreationIntent, evidence: Evidence, age: Age): Verdict | undefined {\n  judging = intent.address;",
      },
    ],
  },
  {
    name: "an addition that does not show counts as done",
    file: "src/journal/settle.ts",
    find: 'return shown.is === "absent" && teamsAreShown ? notAdded(address, name) : undefined;',
    replace: 'return shown.is === "absent" && teamsAreShown ? { address, outcome: { added: true } } : undefined;',
  },
  {
    name: "creations and additions are sent again after an answer was lost",
    file: "src/service/retry.ts",
    find: ': "never";',
    replace: ': "whenever-it-may-pass";',
  },
  {
    name: "a call of unknown outcome is sent again by the run",
    file: "src/apply/send.ts",
    find: '    if (last.outcome !== "failed") return last;',
    replace:
      '    if (last.outcome === "unknown" && tries < 3) continue;\n    if (last.outcome !== "failed") return last;',
  },
  {
    name: "an append resolves before it is durable",
    file: "src/state/group-commit.ts",
    find: "    return next;",
    replace: "    void next.catch(() => undefined);\n    return Promise.resolve();",
  },
  {
    name: "nothing is waited for before what does not show counts as not done",
    file: "src/model/consistency.ts",
    find: "export const promptReadTime = 5000;",
    replace: "export const promptReadTime = 0;",
  },
];

const harness = [
  "e2e/kill",
  "property/apply-faults",
  "property/apply-chaos",
  "property/apply-crashes",
  "unit/state/file-store-contract",
].map((name) => `test/${name}.test.ts`);
const parts = [".build", "src", "test", "examples", "schemas", "package.json", "tsconfig.json", "vitest.config.ts"];
const wanted = process.argv.slice(2).join(" ");

function copyOfTree() {
  const directory = mkdtempSync(join(tmpdir(), "roster-mutant-"));
  for (const part of parts) cpSync(part, join(directory, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  return directory;
}

function mutate(directory, { file, find, replace, also = [] }) {
  const path = join(directory, file);
  let text = readFileSync(path, "utf8");
  for (const change of [{ find, replace }, ...also]) {
    if (text.split(change.find).length !== 2) return `its text is not once in ${file}: mend the mutant`;
    text = text.replace(change.find, () => change.replace);
  }
  writeFileSync(path, text);
  return undefined;
}

function run(directory, command, args) {
  const child = spawn(process.execPath, [command, ...args], { cwd: directory, env: { ...process.env, NO_COLOR: "1" } });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, said })));
}

/** The tests that fail for a mutant, or why none could. */
async function verdictOn(mutant) {
  const directory = copyOfTree();
  try {
    const wrong = mutate(directory, mutant);
    if (wrong !== undefined) return { survives: true, why: wrong };
    const built = await run(directory, ".build/build.mjs", []);
    if (built.code !== 0) return { survives: true, why: `it does not build:\n${built.said}` };
    const tested = await run(directory, "node_modules/vitest/vitest.mjs", ["run", ...harness]);
    const failed = harness.filter((file) => new RegExp(`FAIL +${file}`, "u").test(tested.said));
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

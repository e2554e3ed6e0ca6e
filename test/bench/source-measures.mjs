// How large `src` is, and how long its paths are: `node test/bench/source-measures.mjs`; with `--list`, the files of the path as well.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { withService } from "../../.build/everyday.mjs";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((name) => posix.join("src", name.replaceAll("\\", "/")))
  .filter((path) => /\.tsx?$/.test(path) && !path.includes("/generated/"));
const texts = new Map(sources.map((path) => [path, readFileSync(path, "utf8")]));

/** Entries of registries are imported by their registry alone. */
const registries = /^src\/(?:cli\/commands|plan\/guards|reference-server\/knobs)\//;

function importedByOne() {
  const importers = new Map(sources.map((path) => [path, new Set()]));
  for (const [path, text] of texts)
    for (const [, from] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g))
      importers.get(posix.join(posix.dirname(path), from))?.add(path);
  return [...importers].filter(([path, by]) => by.size === 1 && !registries.test(path)).length;
}

/** How often each function of `src` runs in one process that applies so many new users: by file, then by function. */
async function applyUsers(count) {
  const directory = mkdtempSync(join(tmpdir(), "roster-measures-"));
  const main = ["--import", pathToFileURL(resolve("node_modules/tsx/dist/loader.mjs")).href, resolve("src/main.ts")];
  try {
    const users = Array.from({ length: count }, (_, index) => {
      return `  - { email: u${index}@acme.example, firstName: U, lastName: L, ownKeyRoles: [DEVELOPER] }\n`;
    });
    writeFileSync(join(directory, "roster.yaml"), `version: 1\naccount: acc-1\nusers:\n${users.join("")}`);
    const coverage = join(directory, "coverage");
    await withService(async (service) => {
      const { PATH } = process.env;
      const env = { PATH, HOME: directory, ...service, NODE_V8_COVERAGE: coverage };
      const apply = spawn(process.execPath, [...main, "apply", "--auto-approve"], {
        cwd: directory,
        env,
        stdio: "ignore",
      });
      const code = await new Promise((done) => apply.on("close", done));
      if (code !== 0) throw new Error(`roster apply ended with ${code}.`);
    }, main);
    return callsIn(coverage);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function callsIn(directory) {
  const root = pathToFileURL(`${resolve(".")}/`).href;
  const files = new Map();
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), "utf8"));
    for (const { url, functions } of result) {
      const path = url.startsWith(`${root}src/`) ? url.slice(root.length).replace(/\?.*/, "") : undefined;
      if (path === undefined) continue;
      // The first of them is the module itself.
      const calls = functions.slice(1).map(({ functionName, ranges: [{ startOffset, count }] }) => {
        return [`${functionName} ${startOffset}`, count];
      });
      files.set(path, new Map(calls));
    }
  }
  return files;
}

const one = await applyUsers(1);
const four = await applyUsers(4);
/** What runs more often for more new users is on the path of each: from the YAML over the body of a POST into the state. */
const path = [...four].filter(([file, calls]) =>
  [...calls].some(([name, count]) => count > (one.get(file)?.get(name) ?? 0)),
);

console.log({
  files: sources.length,
  lines: [...texts.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0),
  importedByOne: importedByOne(),
  loadedByApply: one.size,
  pathOfOneUser: path.length,
});
if (process.argv.includes("--list")) for (const [file] of path.sort()) console.log(file);

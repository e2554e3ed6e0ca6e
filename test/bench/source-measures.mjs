// How many files one new user passes: `node test/bench/source-measures.mjs`; with `--list`, which.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

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
    const server = spawn(process.execPath, [...main, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] });
    const said = await text(server.stdout, /ROSTER_API_KEY/);
    const service = Object.fromEntries(
      [...said.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const env = { PATH: process.env.PATH, HOME: directory, ...service, NODE_V8_COVERAGE: coverage };
    const apply = spawn(process.execPath, [...main, "apply", "--auto-approve"], {
      cwd: directory,
      env,
      stdio: "ignore",
    });
    const [code] = await once(apply, "close");
    server.kill();
    if (code !== 0) throw new Error(`roster apply ended with ${code}.`);
    return callsIn(coverage);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What a stream has said when it has said this. */
async function text(stream, until) {
  let said = "";
  for await (const part of stream) {
    said += part;
    if (until.test(said)) return said;
  }
  throw new Error(said);
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

console.log({ loadedByApply: one.size, pathOfOneUser: path.length });
if (process.argv.includes("--list")) for (const [file] of path.sort()) console.log(file);

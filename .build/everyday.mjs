// Runs commands of what was built: to see which parts of the program they need, and to keep what V8 compiles of these. That is for one release of
// Node on one kind of machine: a build makes it, and an installer of the package can (`node precompile.mjs`). roster itself never writes it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const thisFile = fileURLToPath(import.meta.url);
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** The everyday commands, and what to run of each. What one needs is made ready by those before it. */
const everyday = {
  validate: [["validate"]],
  plan: [["plan"]],
  apply: [["apply", "--auto-approve"], ["plan"]],
  drift: [["drift"]],
};

const others = [
  ["fmt"],
  ["plan", "--out", "plan.json"],
  ["show", "plan.json"],
  ["explain", "no-endpoint"],
  ["explain", "user:ada@acme.example"],
  ["config"],
  ["doctor"],
  ["todo"],
  ["access"],
  ["state", "show"],
  ["snapshot", "--out", "snapshot.json"],
  ["plan", "--from", "snapshot.json", "--format", "json"],
  ["init", "new"],
];

/** What `roster --help` prints. */
export async function readHelp() {
  return (await run([main, "--help"])).out;
}

/** Which chunks of the only script each of the everyday commands needs, by their numbers. */
export async function traceCommands() {
  return JSON.parse((await withService((env) => run([thisFile, "trace"], env))).found);
}

/** Writes a code cache beside each script of the program, for this release of Node on this kind of machine. */
export async function writeCodeCaches() {
  await withService((env) => run([thisFile, "everyday"], env));
  await withService((env) => run([thisFile, "others"], env));
}

/** Runs work against `serve` of a program, by its arguments of Node: the work gets the two variables that `serve` prints to paste. */
export async function withService(work, program = [main]) {
  const server = spawn(process.execPath, [...program, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    return await work(await exportsOf(server));
  } finally {
    server.kill();
  }
}

async function run(args, env = {}) {
  const stdio = ["ignore", "pipe", "pipe", "pipe"];
  const child = spawn(process.execPath, args, { stdio, env: { ...cleanEnvironment(), ...env } });
  const ended = once(child, "close");
  const [out, said, found] = await Promise.all(child.stdio.slice(1).map(text));
  const [code] = await ended;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}.\n${said}`);
  return { out, found };
}

function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([variable]) => !/^(?:ROSTER_|CI$|NODE_OPTIONS$)/.test(variable)),
  );
}

async function exportsOf(server) {
  const variables = {};
  for await (const line of createInterface(server.stdout)) {
    const [, variable, value] = /^export (ROSTER_\w+)=(.+)$/.exec(line) ?? [];
    if (variable !== undefined) variables[variable] = value;
    if (Object.keys(variables).length === 2) return variables;
  }
  throw new Error("The reference server ended before it said where it listens.");
}

/** The scripts that were read, by their files: each is compiled once, whatever command reads it. */
const scripts = new Map();
let used = new Set();

/** Takes the place of `vm.Script`, with which the launcher compiles what it reads. */
function KeptScript(source, { filename }) {
  const kept = scripts.get(filename) ?? new Script(source, { filename });
  scripts.set(filename, kept);
  return {
    runInThisContext() {
      const whole = kept.runInThisContext();
      return (...given) =>
        whole(...given).map((chunk, index) => () => {
          used.add(index);
          return chunk();
        });
    },
  };
}

/** Runs these commands one after another in this process, each in a program of its own. */
async function runHere(lines) {
  const require = createRequire(import.meta.url);
  require("node:vm").Script = KeptScript;
  // V8 takes compiled code only where its flags are those of the process that compiled it; the program sets one while it runs.
  require("node:v8").setFlagsFromString = () => {};
  for (const line of lines) {
    process.argv = [process.execPath, main, ...line];
    delete require.cache[main];
    await require(main).program.ended;
    if (process.exitCode !== 0) throw new Error(`roster ${line.join(" ")} ended with ${process.exitCode}.`);
  }
}

async function runInDirectory(work) {
  const directory = mkdtempSync(join(tmpdir(), "roster-build-"));
  process.chdir(directory);
  try {
    writeFileSync("roster.yaml", readFileSync(new URL("../examples/quickstart/roster.yaml", import.meta.url)));
    await work();
  } finally {
    process.chdir("/");
    rmSync(directory, { recursive: true });
  }
}

async function trace() {
  const needed = {};
  for (const [name, lines] of Object.entries(everyday)) {
    used = new Set();
    await runHere(lines);
    needed[name] = [...used];
  }
  writeFileSync(3, JSON.stringify(needed));
}

function keepCompiled(isWanted) {
  const { version, platform, arch } = process;
  for (const [filename, script] of scripts) {
    const name = filename.slice(0, -".cjs".length);
    if (isWanted(name)) writeFileSync(`${name}-${version}-${platform}-${arch}.cache`, script.createCachedData());
  }
}

const isOther = (name) => /\bother-\w+$/.test(name);

/** In a child, which then has only what these commands compile. */
async function compileFor(wish) {
  const lines = Object.values(everyday).flat();
  await runInDirectory(() =>
    wish === "trace" ? trace() : runHere(wish === "everyday" ? lines : [...lines, ...others]),
  );
  if (wish !== "trace") keepCompiled((name) => isOther(name) === (wish === "others"));
}

if (process.argv[1] === thisFile) {
  const wish = process.argv[2];
  if (wish === undefined) await writeCodeCaches();
  else await compileFor(wish);
}

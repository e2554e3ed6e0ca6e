// Keeps what V8 compiles while the everyday commands run, so that their next start need not compile it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const thisFile = fileURLToPath(import.meta.url);

/** Writes the code cache beside the program `NAME.cjs`, for this release of Node on this kind of machine. */
export async function writeCodeCache(name) {
  const server = spawn(process.execPath, ["dist/main.js", "serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const env = await exportsOf(server);
    const child = spawn(process.execPath, [thisFile, resolve(name)], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...cleanEnvironment(), ...env },
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    if (code !== 0) throw new Error(`The code cache could not be made (exit code ${code}).\n${said}`);
  } finally {
    server.kill();
  }
}

function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([variable]) => !/^(?:ROSTER_|CI$|NODE_OPTIONS$)/.test(variable)),
  );
}

/** The two variables that `serve` prints to paste. */
async function exportsOf(server) {
  const variables = {};
  for await (const line of createInterface(server.stdout)) {
    const [, variable, value] = /^export (ROSTER_\w+)=(.+)$/.exec(line) ?? [];
    if (variable !== undefined) variables[variable] = value;
    if (Object.keys(variables).length === 2) return variables;
  }
  throw new Error("The reference server ended before it said where it listens.");
}

async function compile(name) {
  const filename = `${name}.cjs`;
  const script = new Script(readFileSync(filename, "latin1"), { filename });
  const directory = mkdtempSync(join(tmpdir(), "roster-build-"));
  process.chdir(directory);
  try {
    writeFileSync("roster.yaml", readFileSync(new URL("../examples/quickstart/roster.yaml", import.meta.url)));
    for (const command of [["validate"], ["plan"], ["apply", "--auto-approve"], ["plan"], ["drift"]]) {
      process.argv = [process.execPath, filename, ...command];
      await script.runInThisContext()(withoutFlags(createRequire(filename)), filename).ended;
      if (process.exitCode !== 0) throw new Error(`roster ${command.join(" ")} ended with ${process.exitCode}.`);
    }
  } finally {
    process.chdir("/");
    rmSync(directory, { recursive: true });
  }
  const { version, platform, arch } = process;
  writeFileSync(`${name}-${version}-${platform}-${arch}.cache`, script.createCachedData());
}

/** V8 takes compiled code only where its flags are those of the process that compiled it; the program sets one while it runs. */
function withoutFlags(require) {
  return (id) => (id === "node:v8" ? { ...require(id), setFlagsFromString() {} } : require(id));
}

if (process.argv[1] === thisFile) await compile(process.argv[2]);

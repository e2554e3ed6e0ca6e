import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { jsonRosterOf, rosterFilesOf, rosterOf } from "./company.ts";
import { type Command, compare, run } from "./measure.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

/**
 * Prints the table of docs/compared.md. Each command runs in turn with its floor. `--full` adds what takes minutes: 100,000 users.
 * Words on the command line choose the rows whose names have them.
 */
async function main(): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "roster-bench-"));
  try {
    print("| what | compared with | CPU | wall |\n|---|---|---|---|\n");
    await startUp(cwd);
    await plans(cwd);
    await applies(cwd, 1000, 7);
    await scripts(cwd);
    if (full) {
      await withService(100_000, {}, (server) => plan(cwd, 100_000, server, 3));
      await applies(cwd, 10_000, 3);
    }
    await syncs(cwd);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const program = resolve("dist/main.js");
const full = process.argv.includes("--full");
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));

async function startUp(cwd: string): Promise<void> {
  const nothing: Command = { args: ["-e", "0"], cwd };
  await write(cwd, "ten.yaml", rosterOf(10));
  await show("`roster --version`", "`node -e 0`", { args: [program, "--version"], cwd }, nothing, 15);
  await show("`roster --help`", "`node -e 0`", { args: [program, "--help"], cwd }, nothing, 15);
  await show("validate, 10 users", "`node -e 0`", { args: [program, "validate", "ten.yaml"], cwd }, nothing, 15);
  await withService(10, {}, (server) =>
    show("plan, 10 users", "`node -e 0`", planOf("ten.yaml", cwd, server), nothing, 15),
  );
}

async function plans(cwd: string): Promise<void> {
  await withService(10_000, {}, (server) => plan(cwd, 10_000, server, 7));
  await withService(1000, {}, (server) => plan(cwd, 1000, server, 7));
  await withService(1000, { latencyMs: 80 }, (server) => plan(cwd, 1000, server, 3, ", 80 ms a call"));
}

/** Nothing to do: everybody is as the roster says. */
async function plan(cwd: string, users: number, server: ServiceProcess, rounds: number, note = ""): Promise<void> {
  const files = rosterFilesOf(users, 50_000);
  for (const [index, text] of files.entries()) await write(cwd, `all-${users}-${index}.yaml`, text);
  const names = files.map((_, index) => `all-${users}-${index}.yaml`);
  const bare: Command = { args: [resolve("test/bench/bare-read.mjs")], cwd, env: { ...server.env, USERS: `${users}` } };
  const what = `plan, ${users.toLocaleString("en")} users${note}`;
  await show(
    what,
    "bare read",
    { ...planOf("", cwd, server), args: [program, "plan", "--detailed-exitcode", ...names] },
    bare,
    rounds,
  );
}

async function applies(cwd: string, users: number, rounds: number): Promise<void> {
  const what = `apply, ${users.toLocaleString("en")} new users`;
  if (!chosen(what)) return;
  await write(cwd, "new.yaml", rosterOf(users));
  await withNewServices(cwd, async (before) => {
    const env = { TEAMS: `${users / 10}` };
    const bare: Command = { args: [resolve("test/bench/bare-apply.mjs")], cwd, env, before };
    await show(what, "bare loop", { args: apply, cwd, before }, bare, rounds);
  });
}

const apply = [program, "apply", "--auto-approve", "--state", "file:new-state/log.jsonl", "new.yaml"];

/** Each command works on a service of its own, in which nobody is yet. */
async function withNewServices(cwd: string, work: (before: NonNullable<Command["before"]>) => Promise<void>) {
  await write(cwd, "roster.config.yaml", "guards: { max-new-users: off, max-invitations: off }\n");
  let server = await startService(0);
  await work(async () => {
    await server.close();
    server = await startService(0);
    await rm(join(cwd, "new-state"), { recursive: true, force: true });
    return server.env;
  });
  await server.close();
}

/** The same jobs by a script that an expert would write with curl and jq. It has a roster in JSON. */
async function scripts(cwd: string): Promise<void> {
  if (!chosen("a script")) return;
  if (["curl", "jq"].some((tool) => spawnSync(tool, ["--version"]).status !== 0))
    return print("\nNot compared with a script: curl and jq are not installed.\n");
  const script = { program: "bash", args: [resolve("test/bench/script/sync.sh"), "all.json"], cwd };
  for (const users of [1000, 10_000]) {
    await write(cwd, "all.json", jsonRosterOf(users));
    await write(cwd, "all.yaml", rosterOf(users));
    await withService(users, {}, ({ env }) =>
      show(
        `plan, ${users.toLocaleString("en")} users, nothing to do`,
        "a script with curl and jq",
        { args: [program, "plan", "--detailed-exitcode", "all.yaml"], cwd, env },
        { ...script, env },
        5,
      ),
    );
    if (users > 1000 && !full) continue;
    await write(cwd, "new.yaml", rosterOf(users));
    await withNewServices(cwd, (before) =>
      show(
        `apply, ${users.toLocaleString("en")} new users`,
        "a script with curl and jq",
        { args: apply, cwd, before },
        { ...script, before },
        users > 1000 ? 3 : 5,
      ),
    );
  }
}

async function syncs(cwd: string): Promise<void> {
  if (!chosen("syncs")) return;
  if (spawnSync("strace", ["-V"]).status !== 0) return print("\nSyncs are not counted: strace is not installed.\n");
  const trace = join(cwd, "strace.log");
  const args = ["-f", "-o", trace, "-e", "trace=fsync,fdatasync", process.execPath, ...apply];
  await write(cwd, "new.yaml", rosterOf(1000));
  await withNewServices(cwd, async (before) => {
    await run({ program: "strace", args, cwd, before });
    const made = (await readFile(trace, "utf8")).split("\n").filter((line) => line.includes("sync("));
    print(`\nAn apply of 2,000 calls at parallelism 10 makes ${made.length} syncs.\n`);
  });
}

async function withService(
  users: number,
  knobs: Parameters<typeof startService>[1],
  work: (server: ServiceProcess) => Promise<void>,
): Promise<void> {
  const server = await startService(users, knobs);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

function planOf(file: string, cwd: string, server: ServiceProcess): Command {
  return { args: [program, "plan", "--detailed-exitcode", file], cwd, env: server.env };
}

function write(cwd: string, name: string, text: string): Promise<void> {
  return writeFile(join(cwd, name), text);
}

function chosen(what: string): boolean {
  return words.length === 0 || words.some((word) => what.includes(word));
}

async function show(what: string, against: string, command: Command, floor: Command, rounds: number): Promise<void> {
  if (!chosen(what) && !chosen(against)) return;
  const { cpu, wall } = await compare(command, floor, rounds);
  print(`| ${what} | ${against} | ${cpu.toFixed(2)} | ${wall.toFixed(2)} |\n`);
}

function print(line: string): void {
  process.stdout.write(line);
}

await main();

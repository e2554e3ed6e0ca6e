import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import pLimit from "p-limit";
import { runCommandLine } from "../../src/cli/command-line/program.ts";
import type { ProcessHost } from "../../src/cli/host.ts";
import { newSecrets } from "../../src/library/redaction.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { administratorKey, loadSeed } from "../../src/reference-server/load-seed.ts";
import { TestControls } from "../../src/reference-server/test-controls.ts";
import type { World } from "../../src/reference-server/world.ts";
import { type OpenTransport, openTransport } from "../../src/service/client.ts";
import { countingRandomness } from "../support/fixed-ports.ts";
import { memoryTransport, openInProcess } from "../support/in-process-server.ts";
import { type MemoryDisk, memoryDisk } from "../support/memory-disk.ts";
import { memoryPlace } from "../support/memory-place.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { type ScriptedServer, scriptedServer } from "../support/scripted-server.ts";
import { simulatedMachine } from "../support/simulated-machine.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";
import type { CommandStep, Environment, Scene, Setting } from "./scene.ts";

/** A service in memory, a directory, and a time of their own, which begins at the same moment in every scene. */
export interface Stage {
  readonly directory: string;
  readonly time: VirtualTime;
  readonly world: TestControls;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Files of states, which are kept in memory: how long a disk takes must not decide the order of what is told. */
  writeStates(files: Readonly<Record<string, string>>): Promise<void>;
  run(step: CommandStep): Promise<RanCommand>;
  files(): ReadonlyMap<string, string>;
  close(): void;
}

type Place = Omit<Setting, "happens"> & Pick<Scene, "knobs">;

const endpoint = "https://accounts.example";
const begin = Date.parse("2026-11-20T09:00:00Z");
const latency = 20;
const connections = 10;
/** The service is a function, and nothing waits for a socket. */
const calmTurns = 3;

export async function setStage({ seed = {}, knobs = {}, files = {}, states = {}, env = {} }: Place): Promise<Stage> {
  const directory = realpathSync(mkdtempSync(join(memoryPlace, "roster-baseline-")));
  const wire = { underWay: 0 };
  const time = virtualTime(
    () => begin,
    () => wire.underWay > 0,
    calmTurns,
  );
  const { server, world } = openWorld({ seed, knobs }, time);
  const given = { ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: server.key, EMAIL: "ops@acme.example", ...env };
  const disk = memoryDisk();
  const machine = simulatedMachine(disk);
  const randomness = countingRandomness();
  const write = (more: Readonly<Record<string, string>>) => writeRoster(directory, more);
  const writeStates = (more: Readonly<Record<string, string>>) => writeOn(disk, directory, more);
  await write(files);
  await writeStates(states);
  return {
    directory,
    time,
    world,
    write,
    writeStates,
    async run(step) {
      const { clock: plainClock, end } = time.clock();
      const clock = step.words.includes("--deadline") ? deadlineClock(plainClock) : plainClock;
      const localSystem = machine.start();
      const transport =
        step.isOverHttp === true ? oneAtATime(wire) : () => memoryTransport(server, { clock, latency, connections });
      const env = placed({ ...given, ...step.env }, directory);
      const around = { cwd: directory, env, clock, randomness, localSystem };
      const ran = await runCommand(step, { ...around, openTransport: transport });
      end();
      machine.bury(localSystem);
      return ran;
    },
    files: () => new Map([...filesIn(directory), ...statesIn(disk, directory)]),
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function placed(env: Environment, directory: string): Environment {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace("{directory}", directory)]),
  );
}

async function writeOn(disk: MemoryDisk, directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    await disk.remove(file);
    await disk.makeDirectory(dirname(file));
    const opened = await disk.open(file, "create");
    await opened.write(text);
    await opened.close();
  }
}

function statesIn(disk: MemoryDisk, directory: string): readonly (readonly [string, string])[] {
  const files = Object.entries(disk.content()).filter(([path]) => !path.endsWith("/"));
  return files.map(([path, text]) => [path.slice(directory.length + 1), text]);
}

function openWorld({ seed = {}, knobs = {} }: Pick<Place, "seed" | "knobs">, { now }: VirtualTime) {
  const holder: { world?: World } = {};
  const server = openInProcess({
    fill(world) {
      const [fault] = loadSeed(seed, world);
      if (fault !== undefined) throw new Error(`seed, ${fault.path.join(".")}: ${fault.message}`);
      holder.world = world;
      return administratorKey(seed, world);
    },
    origin: endpoint,
    knobs,
    now,
  });
  if (holder.world === undefined) throw new Error("a service without a world");
  return { server, world: new TestControls(holder.world) };
}

/** Over HTTP, so that requests come in the order in which they were sent. */
function oneAtATime(wire: { underWay: number }): OpenTransport {
  return (options) => {
    const { send, close } = openTransport(options);
    const queue = pLimit(1);
    return {
      close,
      async send(call, key, signal) {
        wire.underWay += 1;
        return queue(() => send(call, key, signal)).finally(() => {
          wire.underWay -= 1;
        });
      },
    };
  };
}

function filesIn(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(directory, path), "utf8")]));
}

export interface RanCommand {
  readonly words: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly letters: string;
}

type Around = Pick<ProcessHost, "cwd" | "env" | "clock" | "randomness" | "openTransport" | "localSystem">;

/** Stands in a variable for the address of a webhook, which takes everything. */
const webhook = "{webhook}";

async function runCommand(step: CommandStep, around: Around): Promise<RanCommand> {
  const { words } = step;
  const isNotified = around.env["ROSTER_WEBHOOK"] === webhook;
  const hook = isNotified ? await scriptedServer([{ status: 204, text: "" }]) : undefined;
  const env = hook === undefined ? around.env : { ...around.env, ROSTER_WEBHOOK: hook.endpoint.href };
  const { host, told } = hostFor(step, { ...around, env });
  const code = await runCommandLine(words, host);
  await hook?.close();
  return { words, code, ...told, letters: lettersTo(hook) };
}

function hostFor({ terminal, stdin = "", hasColours = false, isInterrupted = false }: CommandStep, around: Around) {
  const told = { stdout: "", stderr: "" };
  const typed = new PassThrough();
  const standardInput = terminal === undefined ? Readable.from([stdin]) : Object.assign(typed, { isTTY: true });
  const output = (stream: keyof typeof told) => ({
    isTerminal: terminal !== undefined,
    hasColours,
    columns: terminal?.columns,
    write(text: string) {
      told[stream] += text;
      // Whatever is typed before the question counts for nothing.
      if (terminal === undefined || !text.endsWith("approves: ")) return;
      typed.write(terminal.types);
      told.stderr += terminal.types; // the terminal shows what is typed on it
    },
  });
  const host: ProcessHost = {
    ...around,
    user: "olga",
    stdin: () => standardInput,
    stdout: output("stdout"),
    stderr: output("stderr"),
    interruption: {
      signal: isInterrupted ? AbortSignal.abort("SIGINT") : new AbortController().signal,
      by: () => (isInterrupted ? "SIGINT" : undefined),
    },
    secrets: newSecrets(),
  };
  return { host, told };
}

function lettersTo(hook: ScriptedServer | undefined): string {
  const letters = (hook?.seen ?? []).map(({ method, url, headers, body }) => {
    const own = Object.entries(headers).filter(([name]) => name.startsWith("roster-"));
    const lines = [`${method} ${url}`, ...own.map(([name, value]) => `${name}: ${value}`)];
    return `${lines.join("\n")}\n${JSON.stringify(body, null, 2)}\n`;
  });
  return letters.join("\n");
}

/**
 * A clock for a command that has a deadline, for which it waits before anything else: the deadline comes when other waits have
 * passed it, and never by itself while nothing but a module is waited for.
 */
function deadlineClock({ now, monotonic, wait }: Clock): Clock {
  const looks = new Set<() => void>();
  let ofDeadline: AbortSignal | undefined;

  function waitBeside(milliseconds: number, signal: AbortSignal): Promise<void> {
    const due = now() + milliseconds;
    return new Promise((resolve) => {
      const look = () => {
        if (!signal.aborted && now() < due) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      signal.addEventListener("abort", look, { once: true });
      look();
    });
  }

  return {
    now,
    monotonic,
    async wait(milliseconds, signal) {
      ofDeadline ??= signal;
      if (signal !== undefined && signal === ofDeadline) return waitBeside(milliseconds, signal);
      await wait(milliseconds, signal);
      for (const look of looks) look();
    },
  };
}

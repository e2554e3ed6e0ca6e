import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import type { Clock } from "../../src/ports/clock.ts";
import { administratorKey, loadSeed } from "../../src/reference-server/load-seed.ts";
import { TestControls } from "../../src/reference-server/test-controls.ts";
import type { World } from "../../src/reference-server/world.ts";
import { type OpenTransport, openTransport } from "../../src/service/client.ts";
import { countingRandomness } from "../support/fixed-ports.ts";
import { type InProcessServer, memoryTransport, openInProcess } from "../support/in-process-server.ts";
import { type MemoryDisk, memoryDisk } from "../support/memory-disk.ts";
import { memoryPlace } from "../support/memory-place.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { simulatedMachine } from "../support/simulated-machine.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";
import { deadlineClock } from "./deadline-clock.ts";
import { type RanCommand, runCommand, wordsOf } from "./run-command.ts";
import type { CommandStep, Environment, Scene } from "./scene.ts";

/** A service in memory, a directory, and a time of their own, which begins at the same moment in every scene. */
export interface Stage {
  /** Without links. */
  readonly directory: string;
  readonly time: VirtualTime;
  /** The service's back door. */
  readonly world: TestControls;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Files of states, which are kept in memory: how long a disk takes must not decide the order of what is told. */
  writeStates(files: Readonly<Record<string, string>>): Promise<void>;
  run(step: CommandStep, before: readonly RanCommand[]): Promise<RanCommand>;
  /** Every file by its path. */
  files(): ReadonlyMap<string, string>;
  close(): void;
}

const endpoint = "https://accounts.example";
const begin = Date.parse("2026-11-20T09:00:00Z");
/** Milliseconds that each call takes. */
const latency = 20;
const connections = 10;
/** The service is a function, and nothing waits for a socket. */
const calmTurns = 3;

export async function setStage({ seed = {}, knobs = {}, files = {}, states = {}, env = {} }: Scene): Promise<Stage> {
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
    async run(step, before) {
      const words = wordsOf(step, before);
      const { clock: plainClock, end } = time.clock();
      const clock = words.includes("--deadline") ? deadlineClock(plainClock) : plainClock;
      const localSystem = machine.start();
      const transport = step.isOverHttp === true ? oneAtATime(wire) : transportTo(server, clock);
      const env = placed({ ...given, ...step.env }, directory);
      const around = { cwd: directory, env, clock, randomness, localSystem };
      const ran = await runCommand(words, step, { ...around, openTransport: transport });
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

function openWorld({ seed = {}, knobs = {} }: Pick<Scene, "seed" | "knobs">, { now }: VirtualTime) {
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

/** The service is asked with the key that the command was given. */
function transportTo(server: InProcessServer, clock: Clock): OpenTransport {
  return () => memoryTransport(server, { clock, latency, connections });
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

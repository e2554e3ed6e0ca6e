import { spawn } from "node:child_process";

/** A command as a whole process: its arguments to node, or to another program, its environment, where it runs. */
export interface Command {
  readonly args: readonly string[];
  readonly program?: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: () => Promise<Readonly<Record<string, string>>>;
}

/** In milliseconds: processor time of the whole process, and time by the clock. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Runs two commands in turn, so that a drifting machine counts for both alike. The first round is not counted. */
export async function compare(command: Command, floor: Command, rounds: number) {
  await run(command);
  await run(floor);
  const pairs: (readonly [Cost, Cost])[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await run(command), await run(floor)]);
  const least = (side: 0 | 1) => Math.min(...pairs.map((pair) => pair[side].cpu));
  return {
    /** The least processor time of one over the least of the other: what other programs on the machine change least. */
    cpu: least(0) / least(1),
    wall: median(pairs.map(([one, other]) => one.wall / other.wall)),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.round((values.length - 1) / 2)] ?? Number.NaN;
}

// The shell's own timing counts a process from its start to its end. What the command itself prints as errors goes to another pipe.
const timed = 'TIMEFORMAT="%R %U %S"; time "$@" 2>&3';

export async function run(command: Command): Promise<Cost> {
  const prepared = command.before === undefined ? {} : await command.before();
  const env = { PATH: process.env["PATH"], HOME: command.cwd, ...command.env, ...prepared };
  const child = spawn("bash", ["-c", timed, "bash", command.program ?? process.execPath, ...command.args], {
    cwd: command.cwd,
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [times, said] = [2, 3].map((pipe) => {
    const chunks: string[] = [];
    child.stdio[pipe]?.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
    return chunks;
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  if (code !== 0) throw new Error(`${command.args.join(" ")} ended with ${code}: ${said?.join("").slice(0, 2000)}`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (times?.join("") ?? "").split(" ").map(Number);
  return { cpu: (user + system) * 1000, wall: wall * 1000 };
}

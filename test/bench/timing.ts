import { spawn } from "node:child_process";

/** A command as a whole process: its arguments to node, its environment, where it runs. */
export interface Timed {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Made ready before each run, not counted. */
  readonly before?: () => Promise<Readonly<Record<string, string>>>;
  readonly expects?: number;
}

/** Median of the ratios A/B of commands run in turn, so that a drifting machine counts for both alike. */
export async function ratio(
  a: Timed,
  b: Timed,
  rounds: number,
): Promise<{ median: number; low: number; high: number }> {
  await once(a);
  await once(b);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) ratios.push((await once(a)) / (await once(b)));
  ratios.sort((x, y) => x - y);
  return { median: at(ratios, 0.5), low: at(ratios, 0), high: at(ratios, 1) };
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}

async function once(command: Timed): Promise<number> {
  const prepared = command.before === undefined ? {} : await command.before();
  const env = { PATH: process.env["PATH"], HOME: command.cwd, ...command.env, ...prepared };
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, command.args, { cwd: command.cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
  if (code !== (command.expects ?? 0))
    throw new Error(`${command.args.join(" ")} ended with ${code}: ${said.slice(0, 2000)}`);
  return milliseconds;
}

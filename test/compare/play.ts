import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DrawnService, WireRequest } from "../support/drawn/drawn-service.ts";
import { drawnTransport } from "../support/drawn/drawn-transport.ts";
import { countingRandomness } from "../support/fixed-ports.ts";
import { inside, insideHost } from "../support/inside.ts";
import { memoryDisk } from "../support/memory-disk.ts";
import { memoryPlace } from "../support/memory-place.ts";
import { simulatedMachine } from "../support/simulated-machine.ts";
import { virtualTime } from "../support/virtual-time.ts";
import type { DrawnWorld, OpenedWorld, Round } from "./worlds.ts";

/** What a command said and asked. */
export interface Step {
  readonly command: string;
  readonly code: number | null;
  readonly document: unknown;
  /** `METHOD PATH BODY`, in the order in which they reached the service. */
  readonly calls: readonly string[];
  /** Whether one was sent after the other. */
  readonly isInOrder: boolean;
}

/** A world as one build met it. */
export interface Played {
  readonly steps: readonly Step[];
  /** What the service called people, teams and keys, also such as are gone, and what they are. */
  readonly names: ReadonlyMap<string, string>;
}

/** How a world is met a little otherwise from a command on, in what no client can know: when calls reach the service, and which fault they meet there. */
export interface Shift {
  /** The number of that command. */
  readonly from: number;
  /** Milliseconds that each call takes longer on its way, and each answer. */
  readonly delay?: number;
  /** Which draw of the times that calls and answers take. */
  readonly times?: number;
  /** How many times more each request counts as asked before: chance tells them apart by that. */
  readonly asked?: number;
  /** Another client reads the same as was read last before a call of that command: faults and chance that count requests count it too. */
  readonly reads?: { readonly before: number; readonly count: number };
}

const noon = Date.parse("2026-11-20T12:00:00Z");

/** Words that allow something, as the outputs of either build offer them. */
const offered = /--allow[ =]([^\s`"]+(?:@[0-9a-f]{16}|#[0-9a-f]{12}))(?![\w@])/gu;

/** Reasons were asked for later than allowances were given. */
let reason: readonly string[] | undefined;

export async function play(world: DrawnWorld, shift: Shift = { from: 0 }): Promise<Played> {
  const directory = mkdtempSync(join(memoryPlace, "roster-compare-"));
  try {
    reason ??= (await takesReasons(directory)) ? ["--reason", "compared"] : [];
    return await playIn(directory, world, reason, shift);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function takesReasons(cwd: string): Promise<boolean> {
  const { clock } = virtualTime(Date.now, () => false).clock();
  const { stdout } = await inside(["help", "apply", "--all"], { cwd, clock });
  return stdout.includes("--reason");
}

async function playIn(
  directory: string,
  world: DrawnWorld,
  reasonFlags: readonly string[],
  { from, delay = 0, times = 0, asked = 0, reads }: Shift,
): Promise<Played> {
  const time = virtualTime(
    () => noon,
    () => false,
    2,
  );
  const steps: Step[] = [];
  const names = new Map<string, string>();
  const shifted = (by: number) => (steps.length < from ? 0 : by);
  const opened = world.open(time.now, () => shifted(asked));
  const machine = simulatedMachine(memoryDisk());
  let calls: string[] = [];
  let lastRead: WireRequest | undefined;
  const service: DrawnService = {
    ...opened.service,
    answer(request) {
      if (steps.length === from && calls.length === reads?.before)
        for (let read = 0; read < reads.count; read += 1) opened.service.answer(lastRead ?? request);
      const call = `${request.method} ${request.path} ${request.body ?? ""}`;
      if (isRead(call)) lastRead = request;
      calls.push(call);
      return opened.service.answer(request);
    },
  };
  const perform = async (command: string, flags: readonly string[], { parallelism }: Round) => {
    calls = [];
    const { clock } = time.clock();
    const wire: typeof clock = { ...clock, wait: (way, signal) => clock.wait(way + shifted(delay), signal) };
    const env = {
      ROSTER_ENDPOINT: opened.endpoint,
      ROSTER_API_KEY: opened.service.key,
      ROSTER_STATE: "file:state/log.jsonl",
      ROSTER_TRUST_SETTINGS: "1",
      ROSTER_PARALLELISM: String(parallelism),
    };
    const options = { cwd: directory, env, clock };
    const { code, stdout } = await inside([command, ...flags, "--format", "json", "roster"], options, {
      // Of another tree this is that tree's own, which knows fewer options.
      ...insideHost(options),
      randomness: countingRandomness(`run${steps.length}`),
      localSystem: machine.start(),
      openTransport: drawnTransport(service, { clock: wire, seed: steps.length + 1000 * shifted(times) }),
    });
    steps.push({ command, code, document: documentIn(stdout), calls, isInOrder: parallelism === 1 });
    for (const [name, what] of namesIn(opened.service)) if (!names.has(name)) names.set(name, what);
    return wordsIn(stdout);
  };
  if (opened.settings !== undefined) writeFileSync(join(directory, "roster.config.yaml"), opened.settings);
  mkdirSync(join(directory, "roster"));
  for (const round of opened.rounds) {
    await time.pass(round.pause);
    round.tamper();
    for (const [path, text] of Object.entries(round.files)) writeFileSync(join(directory, "roster", path), text);
    const words = await perform("plan", [], round);
    const allowing = round.isAllowing && words.length > 0 ? [...words, ...reasonFlags] : [];
    if (allowing.length > 0) await perform("plan", allowing, round);
    await perform("apply", ["--auto-approve", ...allowing], round);
    await perform("plan", [], round);
    await perform("drift", [], round);
  }
  return { steps, names };
}

/** A call as a step has it. */
export function isRead(call: string): boolean {
  return call.startsWith("GET ") || call.includes("/users/search");
}

/** Whatever an output offers to allow, as flags. */
function wordsIn(output: string): readonly string[] {
  const words = [...output.matchAll(offered)].map(([, word = ""]) => word);
  return [...new Set(words)].flatMap((word) => ["--allow", word]);
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

function namesIn({ people, teams }: OpenedWorld["service"]): ReadonlyMap<string, string> {
  const teamNames = new Map(teams.map(({ identifier, name }) => [identifier, `team(${name})`] as const));
  const named = people.flatMap(({ identifier, email, keys }) => [
    // A service may take the address itself for an identifier.
    ...(identifier.includes("@") ? [] : [[identifier, `user(${email})`] as const]),
    ...keys.map(({ prefix, kind, team = "" }, index) => {
      return [prefix, `key(${email}, ${teamNames.get(team) ?? `${kind} ${index}`})`] as const;
    }),
  ]);
  return new Map([...teamNames, ...named]);
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DrawnService } from "../support/drawn/drawn-service.ts";
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
  /** What the service calls people, teams and keys, and what they are. */
  readonly names: ReadonlyMap<string, string>;
}

const noon = Date.parse("2026-11-20T12:00:00Z");

/** Words that allow something, as the outputs of either build offer them. */
const offered = /--allow[ =]([^\s`"]+(?:@[0-9a-f]{16}|#[0-9a-f]{12}))(?![\w@])/gu;

/** Reasons were asked for later than allowances were given. */
let reason: readonly string[] | undefined;

export async function play(world: DrawnWorld): Promise<Played> {
  const directory = mkdtempSync(join(memoryPlace, "roster-compare-"));
  try {
    reason ??= (await takesReasons(directory)) ? ["--reason", "compared"] : [];
    return await playIn(directory, world, reason);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function takesReasons(cwd: string): Promise<boolean> {
  const { clock } = virtualTime(Date.now, () => false).clock();
  const { stdout } = await inside(["help", "apply", "--all"], { cwd, clock });
  return stdout.includes("--reason");
}

async function playIn(directory: string, world: DrawnWorld, reasonFlags: readonly string[]): Promise<Played> {
  const time = virtualTime(
    () => noon,
    () => false,
    2,
  );
  const opened = world.open(time.now);
  const machine = simulatedMachine(memoryDisk());
  const steps: Step[] = [];
  let calls: string[] = [];
  const service: DrawnService = {
    ...opened.service,
    answer(request) {
      calls.push(`${request.method} ${request.path} ${request.body ?? ""}`);
      return opened.service.answer(request);
    },
  };
  const perform = async (command: string, flags: readonly string[], { parallelism }: Round) => {
    calls = [];
    const { clock } = time.clock();
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
      openTransport: drawnTransport(service, { clock, seed: steps.length }),
    });
    steps.push({ command, code, document: documentIn(stdout), calls, isInOrder: parallelism === 1 });
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
  return { steps, names: namesIn(opened.service) };
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

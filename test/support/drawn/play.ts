import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../src/reference-server/identifiers.ts";
import { audit } from "../auditor/audit.ts";
import { notingEvents } from "../auditor/durable-events.ts";
import type { LogRecord } from "../auditor/records.ts";
import { countingRandomness } from "../fixed-ports.ts";
import { inside } from "../inside.ts";
import { memoryDisk } from "../memory-disk.ts";
import { memoryPlace } from "../memory-place.ts";
import { simulatedMachine } from "../simulated-machine.ts";
import { virtualTime } from "../virtual-time.ts";
import { type Company, companyOf } from "./company.ts";
import { basePathOf, type Draw, isInTime, lagOf, openService } from "./draw.ts";
import { answering, type DrawnService } from "./drawn-service.ts";
import { drawnTransport } from "./drawn-transport.ts";
import { judgeDeeds } from "./judge.ts";
import { judgeEnd, judgeRun, type Ran } from "./judge-run.ts";
import { wordsToSay } from "./person.ts";
import { namedMoment, printedWords } from "./printed-words.ts";
import { unmet } from "./reached.ts";
import { noting } from "./service-records.ts";

/** How a draw went. */
export interface Played {
  /** What should not have been, in one sentence each. */
  readonly troubles: readonly string[];
  /** Each run's exit code, in order. */
  readonly codes: readonly number[];
  /** Whether the roster was reached in the end. */
  readonly isReached: boolean;
  /** How many teams were created. */
  readonly teamCreations: number;
}

const origin = "https://service.example";
const noon = Date.parse("2026-11-20T12:00:00Z");
const minute = 60_000;

/** Until then every clock that was ahead has come past the consistency window. */
const wrongClockPause = 120 * minute;

/** What counts as settled by time alone, unless a service is later than that. */
const usualWindow = 15 * minute;

/** Plays a draw to its end; `tell` hears everything that is printed, asked and answered. */
export async function play(draw: Draw, tell: (line: string) => void = () => undefined): Promise<Played> {
  const directory = mkdtempSync(join(memoryPlace, "roster-drawn-"));
  try {
    return await playIn(directory, draw, tell);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function playIn(directory: string, draw: Draw, tell: (line: string) => void): Promise<Played> {
  const company = companyOf(draw.company);
  const time = virtualTime(
    () => noon,
    () => false,
    2,
  );
  const random = seededRandom(draw.seed);
  const opening = { seed: company.seed, origin, start: draw.seed, now: time.now, random };
  const records: LogRecord[] = [];
  const note = (record: LogRecord) => void records.push(record);
  const opened = telling(openService(draw.service, opening), time.now, tell);
  const service = noting(opened, { now: time.now, lag: lagOf(draw.service), note });
  mkdirSync(join(directory, "roster"));
  const text = company.text(service);
  tell(text);
  writeFileSync(join(directory, "roster", "roster.yaml"), text);
  const settings = company.settings(service);
  if (settings !== undefined) writeFileSync(join(directory, "roster.config.yaml"), settings);
  const judged = { wanted: company.wanted, seed: company.seed, service };
  const machine = simulatedMachine(notingEvents(memoryDisk(), (event) => note({ is: "event", event })));
  const codes: number[] = [];
  const troubles: string[] = [];
  let last: Ran | undefined;
  for (const [index, { format, parallelism, pause, wall, deadline }] of draw.runs.entries()) {
    await time.pass(pauseBefore({ index, pause, draw, last, now: time.now() }));
    const words = last === undefined ? [] : wordsToSay(printedWords(outputOf(last)), judged);
    const limit = deadline === undefined ? [] : ["--deadline", deadline];
    const args = ["apply", "--auto-approve", "--format", format, ...limit, ...words, "roster"];
    tell(`== ${new Date(time.now()).toISOString()} ${args.join(" ")}`);
    note({ is: "command", at: time.now(), log: "log.jsonl", allowed: words.map(decodeURIComponent) });
    const { clock } = time.clock(wall);
    const ran = await inside(args, {
      cwd: directory,
      env: environment(draw, service, parallelism),
      clock,
      randomness: countingRandomness(`run${index + 1}`),
      localSystem: machine.start(),
      openTransport: drawnTransport(service, { clock, seed: draw.seed + index }),
    });
    tell(`${ran.stdout}${ran.stderr}== exit code ${ran.code}`);
    const where = `run ${index + 1}`;
    troubles.push(...judgeRun({ judged, draw, ran, index, key: service.key }).map((trouble) => `${where}: ${trouble}`));
    codes.push(ran.code ?? -1);
    // A run after the one that reached the roster must have nothing to do.
    if (last !== undefined && isDone(last) && isDone(ran) && unmet(judged).length === 0) break;
    last = ran;
  }
  const missing = unmet(judged);
  troubles.push(...judgeDeeds(judged), ...judgeEnd(draw, { missing, codes }));
  troubles.push(...audit(records).map(({ position, rule, says }) => `${rule} (${position}) ${says}`));
  return { troubles, codes, isReached: missing.length === 0, teamCreations: teamCreationsOf(company, service) };
}

/** The last two runs come when everything has shown, and none before the moment that the last output named. */
function pauseBefore(at: {
  readonly index: number;
  readonly pause: number;
  readonly draw: Draw;
  readonly last: Ran | undefined;
  readonly now: number;
}): number {
  const { index, pause, draw, last, now } = at;
  if (last === undefined) return 0;
  if (index < draw.runs.length - 2) return pause;
  const named = namedMoment(outputOf(last), now) ?? now;
  const wrong = isInTime(draw) ? 0 : wrongClockPause;
  return Math.max(pause, 3 * windowOf(draw) + wrong, named - now + 1000);
}

/** A person who knows that a service is later than usual says so. */
function windowOf({ service }: Draw): number {
  return Math.max(usualWindow, lagOf(service) * 1.5);
}

function environment(draw: Draw, service: DrawnService, parallelism: number): Readonly<Record<string, string>> {
  const window = windowOf(draw);
  return {
    ROSTER_ENDPOINT: `${origin}${basePathOf(draw.service)}`,
    ROSTER_API_KEY: service.key,
    ROSTER_STATE: "file:state/log.jsonl",
    ROSTER_TRUST_SETTINGS: "1",
    ROSTER_PARALLELISM: String(parallelism),
    ...(window > usualWindow ? { ROSTER_CONSISTENCY: `${Math.ceil(window / minute)}m` } : {}),
  };
}

function isDone({ code }: Ran): boolean {
  return code === 0 || code === 9;
}

function outputOf({ stdout, stderr }: Ran): string {
  return stdout === "" ? stderr : stdout;
}

function teamCreationsOf({ seed, wanted }: Company, { teams }: DrawnService): number {
  const fresh = wanted.teams.filter(({ name }) => seed.teams.every((team) => team.name !== name));
  return teams.filter(({ name }) => fresh.some((team) => team.name === name)).length;
}

function telling(service: DrawnService, now: () => number, tell: (line: string) => void): DrawnService {
  return answering(service, (request) => {
    const outcome = service.answer(request);
    const answered = outcome.is === "lost" ? "lost" : `${outcome.status} ${outcome.body}`;
    tell(`${new Date(now()).toISOString()} ${request.method} ${request.path} ${request.body ?? ""} -> ${answered}`);
    return outcome;
  });
}

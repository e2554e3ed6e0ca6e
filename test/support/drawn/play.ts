import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSystem, OpenFile } from "../../../src/files/file-system.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { seededRandom } from "../../../src/reference-server/identifiers.ts";
import { audit } from "../auditor/audit.ts";
import { callOf } from "../auditor/calls.ts";
import type { LogRecord, ThingThere } from "../auditor/service-log.ts";
import { countingRandomness } from "../fixed-ports.ts";
import { inside } from "../inside.ts";
import { memoryDisk } from "../memory-disk.ts";
import { memoryPlace } from "../memory-place.ts";
import { simulatedMachine } from "../simulated-machine.ts";
import { virtualTime } from "../virtual-time.ts";
import { type Company, type CompanyDraw, companyOf } from "./company.ts";
import { basePathOf, calmer, type Draw, isInTime, lagOf, openService } from "./draw.ts";
import { answering, type DrawnService } from "./drawn-service.ts";
import { drawnTransport } from "./drawn-transport.ts";
import { fold, type Judged, judgeDeeds, judgeEnd, judgeRun, type Ran, unmet } from "./judge.ts";
import { namedMoment, type PrintedWord, printedWords } from "./printed-words.ts";

interface Played {
  readonly troubles: readonly string[];
  readonly codes: readonly number[];
  readonly isReached: boolean;
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

/** Plays draws one after another, until one fails: that one is made as small as it can be, and told, with how to replay it. */
export async function tallyOf(draws: readonly Draw[]) {
  const tally = { draws: 0, reached: 0, teamCreations: 0 };
  for (const draw of draws) {
    const { troubles, isReached, teamCreations } = await play(draw);
    tally.draws += 1;
    tally.reached += isReached ? 1 : 0;
    tally.teamCreations += teamCreations;
    if (troubles.length > 0) return { ...tally, failure: await failureOf(draw, troubles) };
  }
  return { ...tally, failure: undefined };
}

async function failureOf(draw: Draw, troubles: readonly string[]): Promise<string> {
  const kind = kindOf(troubles[0] ?? "");
  const small = await smallest(draw, async (one) => (await play(one)).troubles.some((told) => kindOf(told) === kind));
  const { troubles: left }: Played = await play(small);
  return [
    "Replay it with its requests and outputs:",
    `  DRAW='${JSON.stringify(small)}' npx vitest run --config test/chaos/vitest.config.ts random-services`,
    `It was drawn as '${JSON.stringify(draw)}.`,
    ...left.map((trouble) => `  ${trouble}`),
  ].join("\n");
}

/** The same trouble with other people, teams and keys is the same. */
function kindOf(trouble: string): string {
  return trouble
    .replace(/^run \d+: /u, "")
    .replace(/\S+@\S+/gu, "")
    .split(" ")
    .slice(0, 4)
    .join(" ");
}

/** How often a failing draw is played again to make it smaller. */
const mostTries = 150;

/** A draw that fails as the given one does, and of which nothing can be left out without its passing. */
async function smallest(draw: Draw, fails: (draw: Draw) => Promise<boolean>): Promise<Draw> {
  let best = draw;
  let tries = 0;
  for (let next = simpler(best); next.length > 0 && tries < mostTries; ) {
    const [candidate, ...others] = next;
    if (candidate === undefined) break;
    tries += 1;
    const isSimplest = await fails(candidate);
    if (isSimplest) best = candidate;
    next = isSimplest ? simpler(best) : others;
  }
  return best;
}

/** Draws that differ from one by one thing that is left out, the greatest first. */
function simpler(draw: Draw): readonly Draw[] {
  const { service, company, runs } = draw;
  return [
    ...calmer(service).map((smaller) => ({ ...draw, service: smaller })),
    ...companiesBelow(company).map((smaller) => ({ ...draw, company: smaller })),
    ...runs.flatMap((run, index) => {
      const calm = { ...run, parallelism: 1, pause: 0, wall: undefined, deadline: undefined };
      const isCalm = run.parallelism === 1 && run.pause === 0 && run.wall === undefined && run.deadline === undefined;
      return isCalm ? [] : [{ ...draw, runs: runs.with(index, calm) }];
    }),
  ];
}

function companiesBelow(company: CompanyDraw): readonly CompanyDraw[] {
  const { newPeople, therePeople, newTeams, oldTeam } = company;
  const without: readonly Partial<CompanyDraw>[] = [
    ...(oldTeam === undefined ? [] : [{ oldTeam: undefined }]),
    ...(company.ownKeyRoles === undefined ? [] : [{ ownKeyRoles: undefined }]),
    ...(company.hasLeaver ? [{ hasLeaver: false }] : []),
    ...(company.hasFormerAddress ? [{ hasFormerAddress: false }] : []),
    ...(company.hasCaller ? [{ hasCaller: false }] : []),
    ...(company.nearDuplicates === "off" ? [{ nearDuplicates: "on" as const }] : []),
    ...(company.hasProtected ? [{ hasProtected: false }] : []),
    ...(company.writesCapitals ? [{ writesCapitals: false }] : []),
    ...(newTeams.length > 0 ? newTeams.map((_, index) => ({ newTeams: newTeams.toSpliced(index, 1) })) : []),
    ...newTeams.flatMap((team, index) =>
      team.members.length === 0 ? [] : [{ newTeams: newTeams.with(index, { ...team, members: [] }) }],
    ),
    ...(newPeople > 4 ? [{ newPeople: newPeople - 1 }] : []),
    ...(therePeople > 1 ? [{ therePeople: therePeople - 1 }] : []),
  ];
  return without.map((part) => ({ ...company, ...part }));
}

/**
 * The words of the last output that a person says in the next run. They know what was there before the first run, and not what
 * became of a call; where a word asks for that, they look.
 */
function wordsToSay(offered: readonly PrintedWord[], judged: Judged): readonly string[] {
  return offered.flatMap(({ what, word }) => (isTrue(what, judged) ? ["--allow", word] : []));
}

/** Guards are not allowed to pass, and what was refused is not sent again: nothing of the service is put in order. */
function isTrue(what: string, judged: Judged): boolean {
  const { seed, wanted, service } = judged;
  const [, kind, rest = ""] = /^(user-missing|unproven-absence|unknown-outcome):(.*)$/su.exec(what) ?? [];
  if (kind === undefined) return false;
  const told = decodeURIComponent(rest);
  // Nobody was deleted: whoever is there is not created again.
  if (kind === "user-missing") return service.people.every(({ email }) => fold(email) !== fold(told));
  if (told.includes("/") && told.includes("@")) return wanted.teams.some((team) => isNoMember(told, team.name, judged));
  const name = wanted.teams.find((team) => fold(told) === fold(team.name))?.name;
  if (name === undefined || seed.teams.some((team) => fold(team.name) === fold(name))) return false;
  // A code about a call says what became of it.
  return (
    kind === "unproven-absence" || service.writes.every((write) => !write.tookEffect || !createsTeam(write.body, name))
  );
}

function isNoMember(rest: string, team: string, { service }: Judged): boolean {
  if (!fold(rest).startsWith(`${fold(team)}/`)) return false;
  const email = rest.slice(team.length + 1);
  const identifiers = service.teams.filter(({ name }) => name === team).map(({ identifier }) => identifier);
  return service.people.some(
    (person) => fold(person.email) === fold(email) && person.keys.every((key) => !identifiers.includes(key.team ?? "")),
  );
}

function createsTeam(body: unknown, team: string): boolean {
  return (body as { readonly team?: { readonly name?: string } }).team?.name === team;
}

/** The same service; what it is and what comes to it is noted for the auditor. `lag`: milliseconds by which reads may show what was before. */
function noting(
  service: DrawnService,
  { now, lag, note }: { readonly now: () => number; readonly lag: number; note(record: LogRecord): void },
): DrawnService {
  let there = contentsOf(service);
  let requests = 0;
  for (const thing of there.values()) note({ is: "changed", at: now(), now: thing });

  function noteChanges(request: number, replaced: string | undefined): void {
    const contents = contentsOf(service);
    for (const [name, thing] of contents) {
      const isTouched = name === replaced || JSON.stringify(there.get(name)) !== JSON.stringify(thing);
      if (isTouched) note({ is: "changed", request, at: now(), now: thing });
    }
    there = contents;
  }

  return answering(service, (asked) => {
    requests += 1;
    const { method, path, body } = asked;
    const request = requests;
    note({
      is: "arrived",
      request,
      at: now(),
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.parse(body) }),
    });
    const writes = service.writes.length;
    const outcome = service.answer(asked);
    const write = service.writes[writes];
    // A key that gets the roles that it has is replaced as well.
    const call = write?.tookEffect ? callOf(write) : undefined;
    if (write !== undefined) noteChanges(request, call?.is === "replace-roles" ? `key ${call.prefix}` : undefined);
    const answer = outcome.is === "lost" ? "lost" : outcome.status;
    note({ is: "answered", request, at: now(), answer, asOf: now() - lag });
    return outcome;
  });
}

/** Everything that a service has, by a name that nothing else has. A mail is what it is: one more is another thing. */
function contentsOf({ people, teams, mails }: DrawnService): ReadonlyMap<string, ThingThere> {
  const things = new Map<string, ThingThere>();
  for (const { identifier, email, account, keys } of people) {
    things.set(`user ${identifier}`, { is: "user", identifier, email, account });
    for (const { prefix, team, roles } of keys) {
      const of = team === undefined ? {} : { team };
      things.set(`key ${prefix}`, { is: "key", prefix, user: identifier, ...of, roles: [...roles] });
    }
  }
  for (const { identifier, name, account } of teams) {
    things.set(`team ${identifier}`, { is: "team", identifier, name, account });
  }
  for (const [number, { email, team }] of mails.entries()) {
    const user = people.find((one) => one.email === email)?.identifier ?? email;
    things.set(`mail ${number}`, { is: "mail", user, team });
  }
  return things;
}

/** The same files; each event is noted when the line that holds it has become durable, and once where a line is copied. */
function notingEvents(disk: FileSystem, note: (event: LogEvent) => void): FileSystem {
  let last = 0;
  return {
    ...disk,
    async open(path, how, like) {
      return notingLines(await disk.open(path, how, like), (line) => {
        const [, position] = /^\{"position":(\d+),"previous":/u.exec(line) ?? [];
        if (position === undefined || Number(position) <= last) return;
        last = Number(position);
        note(JSON.parse(line) as LogEvent);
      });
    },
  };
}

function notingLines(file: OpenFile, note: (line: string) => void): OpenFile {
  let written = "";

  async function durable(sync: () => Promise<void>): Promise<void> {
    const lines = written.split("\n");
    written = "";
    await sync();
    for (const line of lines) note(line);
  }

  return {
    ...file,
    write(content, place) {
      written += typeof content === "string" ? content : new TextDecoder().decode(content);
      return file.write(content, place);
    },
    sync: () => durable(() => file.sync()),
    datasync: () => durable(() => file.datasync()),
  };
}

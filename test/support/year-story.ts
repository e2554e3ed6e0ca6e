import { type Dice, diceOf } from "./dice.ts";
import { printedWords } from "./drawn/printed-words.ts";
import { faultNames, killPoints } from "./fault.ts";
import { type FaultDraw, faultsOf, type Place } from "./request-faults.ts";
import { judgeOutput } from "./run-document.ts";
import { type Hazard, type Ran, setStage } from "./stage.ts";
import { type OpenMatter, Registry, type Truth, Year } from "./year.ts";
import {
  companyOf,
  dialectOf,
  type Edition,
  editionOf,
  filesOf,
  type Person,
  seedOf,
  settings,
} from "./year-company.ts";
import { type Card, type Deck, deckOf, greet } from "./year-events.ts";
import { auditTroubles, type Judgement, judgeCalm, judgeSuccess, type Watch, watchOf } from "./year-judge.ts";

interface YearWish {
  readonly seed: number;
  readonly people: number;
  readonly teams: number;
  readonly merges: number;
  /** Hears what happens, for whoever looks into a seed. */
  readonly tell?: (line: string) => void;
}

/** The commands of a year, and what is left over from one merge to the next. */
interface Story {
  readonly year: Year;
  readonly runs: Runs;
  readonly deck: Deck;
  readonly happened: Set<string>;
  /** A plan was saved, and nobody has approved it yet. */
  saved: Edition | undefined;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** Lives through a year, in a few seconds or minutes. */
export async function yearOf({ seed, merges, tell = () => undefined, ...size }: YearWish) {
  const dice = diceOf(seed);
  const company = companyOf(dice, size);
  const stage = await setStage({ seed: seedOf(company), settings, knobs: dialectOf(seed), state: "file" });
  try {
    const registry = new Registry(company, stage.server);
    const watch = watchOf(company, registry);
    stage.onPass = watch.see;
    const year = new Year({ dice, company, stage, registry, tell });
    const runs = new Runs(year, watch);
    const story: Story = { year, runs, deck: deckOf(dice), happened: new Set(), saved: undefined };
    await live(story, merges);
    return { troubles: runs.troubles, happened: story.happened };
  } finally {
    await stage.close();
  }
}

async function live(story: Story, merges: number): Promise<void> {
  const { year, deck } = story;
  const losing = Math.floor(merges * 0.55);
  await merge(story, []);
  while (year.merge < merges) {
    const cards = Array.from({ length: year.dice.between(1, 4) }, deck.deal).filter((card) => card !== undefined);
    await merge(story, cards);
    if (year.merge === losing) await loseState(story);
  }
  await calmDown(story);
  await judgeTheEnd(story);
}

/** Time passes, people do what they do, and what they merged is applied. */
async function merge(story: Story, cards: readonly Card[]): Promise<void> {
  const { year, runs } = story;
  year.merge += 1;
  await year.stage.time.pass(day * year.dice.between(1, 4) * 0.6);
  year.tell(`merge ${year.merge}, ${year.today}`);
  putRight(story, () => false);
  await applySaved(story);
  const half = Math.floor(cards.length / 2);
  play(story, cards.slice(0, half));
  if (half > 0 && year.dice.chance(0.08)) await applyTwo(story, cards.slice(half));
  else {
    play(story, cards.slice(half));
    await applyOne(story);
  }
  greet(year);
  if (year.merge % 9 === 0) await runs.peaceful(["audit", "verify", "--format", "json"], write(year), [0]);
}

function play({ year, deck, happened }: Story, cards: readonly Card[]): void {
  for (const card of cards) {
    year.tell(` ${card.name}`);
    const before = year.happenings;
    card.event(year);
    if (year.happenings > before) happened.add(card.name);
    else deck.putBack(card);
  }
}

/** Whatever is due is done about. `isDue`: what else is. */
function putRight({ year }: Story, isDue: () => boolean): void {
  for (const matter of [...year.matters]) {
    if (matter.words !== undefined || (matter.due > year.merge && !isDue())) continue;
    year.tell(` puts right: ${matter.what}`);
    matter.remedy?.();
    matter.words = matter.allows ?? [];
  }
  year.registry.adopt();
}

/** Writes what is merged: what the company means, and the slips of the day. */
function write(year: Year, name = "roster"): Edition {
  const open = year.matters.filter(({ words }) => words === undefined);
  const edition = open.reduce((before, { alter }) => alter?.(before) ?? before, editionOf(year.company));
  year.stage.putRoster(name, filesOf(edition));
  return edition;
}

/** A pipeline applies what is merged, or only saves the plan for somebody to approve; now and then a drift job comes before it. */
async function applyOne(story: Story): Promise<void> {
  const { year, runs } = story;
  const edition = write(year);
  if (year.dice.chance(0.08)) await runs.peaceful(await driftOf(runs, edition), edition, [0, 2, 5, 9]);
  if (year.dice.chance(0.08)) return savePlan(story, edition);
  const weather = weatherOn(year.dice);
  const ended = await runs.apply(edition, weather === "calm" ? undefined : weather);
  if (ended === "disturbed" && year.dice.chance(0.7)) {
    await year.stage.time.pass(30 * minute);
    await runs.apply(edition);
  } else if (ended === "complete" && year.dice.chance(0.15)) {
    await runs.peaceful(await driftOf(runs, edition), edition, [0, 9]);
  }
  return undefined;
}

async function driftOf(runs: Runs, edition: Edition): Promise<readonly string[]> {
  return ["drift", "--format", "json", ...(await runs.allowances(edition)), "roster"];
}

/** Two merges, and so two pipelines at once. */
async function applyTwo(story: Story, cards: readonly Card[]): Promise<void> {
  const { year, runs } = story;
  const earlier = write(year, "earlier");
  play(story, cards);
  const edition = write(year);
  const common = ["--auto-approve", "--format", "json", "--lock-timeout", "1h", ...(await runs.allowances(edition))];
  const commands = [
    ["apply", ...runs.inOrder("earlier"), ...common, "earlier"],
    ["apply", ...runs.inOrder(), ...common, "roster"],
  ];
  for (const { code } of await runs.run(commands, { editions: [earlier, edition] })) {
    if (![0, 5, 6, 9].includes(code ?? -1)) runs.trouble(`exit code ${code}, of two applies at once`);
  }
  await year.stage.time.pass(minute);
  await runs.apply(edition);
}

async function savePlan(story: Story, edition: Edition): Promise<void> {
  const { runs } = story;
  const words = ["--out", "plan.json", ...(await runs.allowances(edition))];
  const ran = await runs.peaceful(["plan", "--format", "json", ...words, "roster"], edition, [0, 5]);
  if (ran?.code === 0) story.saved = edition;
}

/** Somebody approves a plan later, whatever has happened meanwhile; after a day it has expired. */
async function applySaved(story: Story): Promise<void> {
  const { runs, saved } = story;
  story.saved = undefined;
  if (saved === undefined) return;
  await runs.peaceful(["apply", "--format", "json", ...runs.inOrder("earlier"), "plan.json"], saved, [0, 6, 7, 9]);
  await runs.peaceful(["apply", "--format", "json", ...runs.inOrder("earlier"), "plan.json"], saved, [0, 6, 9]);
}

/** Everything that waits for somebody is done, until nothing waits. */
async function calmDown(story: Story): Promise<void> {
  const { year, runs } = story;
  for (let round = 0; round < 8; round += 1) {
    year.merge += 1;
    await year.stage.time.pass(day);
    year.tell(`merge ${year.merge}, ${year.today}: calm`);
    putRight(story, () => true);
    await applySaved(story);
    await runs.apply(write(year));
    year.registry.created.splice(0);
    if (year.matters.length === 0) return;
  }
  runs.trouble(`no end of ${year.matters.map(({ what }) => what).join("; ")}`);
}

/** The machine with the state burns down, once nothing is under way. */
async function loseState(story: Story): Promise<void> {
  const { year, runs } = story;
  await calmDown(story);
  await year.stage.keeping.lose();
  await runs.peaceful(["state", "rebuild", "--format", "json", "roster"], write(year), [0]);
  year.registry.forgetWhoIsGone();
  year.applied.clear();
}

async function judgeTheEnd({ year, runs }: Story): Promise<void> {
  const edition = write(year);
  await year.stage.time.pass(day);
  await runs.apply(edition);
  for (const args of [
    ["apply", "--auto-approve", "--format", "json", ...runs.inOrder(), "roster"],
    ["plan", "--detailed-exitcode", "--format", "json", "roster"],
    await driftOf(runs, edition),
    ["audit", "verify", "--format", "json"],
  ]) {
    await runs.peaceful(args, edition, [0]);
  }
  for (const trouble of await auditTroubles(year, edition)) runs.trouble(trouble);
}

const reason: readonly string[] = ["--reason", "read, and meant"];

/** Exit codes of runs that must not have changed anything. */
const refusals: readonly (number | null)[] = [3, 4, 5, 6, 8];

const writing: readonly string[] = ["apply"];

/** What commands are run with. */
interface Running {
  /** From which the run may work. */
  readonly editions: readonly Edition[];
  readonly hazard?: Hazard;
}

/** The code of each objection. */
type Words = ReadonlyMap<string, string>;

function allowing(words: Words): readonly string[] {
  return words.size === 0 ? [] : [...[...words.values()].flatMap((word) => ["--allow", word]), ...reason];
}

/** Runs the commands of a year, and judges what they come to. */
class Runs {
  readonly troubles: string[] = [];
  readonly #year: Year;
  readonly #watch: Watch;

  constructor(year: Year, watch: Watch) {
    this.#year = year;
    this.#watch = watch;
  }

  trouble(what: string): void {
    this.#year.tell(`  TROUBLE: ${what}`);
    this.troubles.push(`merge ${this.#year.merge}: ${what}`);
  }

  /**
   * Applies what is merged, as a pipeline does; returns whether that came to its end in peace. What is known may have changed since the
   * plan was read: then a person passes the codes that the refusal prints.
   */
  async apply(edition: Edition, hazard?: Hazard): Promise<"complete" | "disturbed"> {
    const running = { editions: [edition], ...(hazard === undefined ? {} : { hazard }) };
    const how = ["--auto-approve", "--format", "json", ...this.inOrder()];
    let words = await this.#offers(edition);
    for (let tries = 1; ; tries += 1) {
      const [ran] = await this.run([["apply", ...how, ...allowing(words), "roster"]], running);
      if (ran === undefined) return "disturbed";
      if (ran.code !== 5 || tries === 3) return this.#judge(ran, edition, hazard);
      words = new Map([...words, ...this.#offeredBy(ran)]);
    }
  }

  /** Runs one command in peace, from what is merged; nothing comes of it but one of these exit codes. */
  async peaceful(args: readonly string[], edition: Edition, codes: readonly number[]): Promise<Ran | undefined> {
    const [ran] = await this.run([args], { editions: [edition] });
    if (ran !== undefined && !codes.includes(ran.code ?? -1)) this.trouble(`${args[0]} ends with ${ran.code}`);
    return ran;
  }

  /** Runs commands side by side; nothing comes back where they were killed. */
  async run(commands: readonly (readonly string[])[], { editions, hazard = {} }: Running): Promise<readonly Ran[]> {
    const year = this.#year;
    const { today } = year;
    this.#watch.begin({ editions, today });
    const ran = await year.stage.run(commands, hazard);
    const at = new Date(year.stage.time.now()).toISOString();
    year.registry.look({ editions, mayReturn: this.#mayReturn(), at });
    for (const breach of [...this.#watch.breaches.splice(0), ...year.registry.breaches.splice(0)]) this.trouble(breach);
    if (ran === "killed") {
      year.tell(`  killed: ${commands.map((args) => args.join(" ")).join("; ")}`);
      return [];
    }
    for (const [index, one] of ran.entries()) this.#judgeEnd(commands[index] ?? [], one);
    const { writes } = this.#watch;
    const isReading = commands.every(([name = ""]) => !writing.includes(name));
    if ((isReading || ran.every(({ code }) => refusals.includes(code))) && writes.length > 0) {
      this.trouble(`exit code ${ran.map(({ code }) => code).join()}, after ${writes.join("; ")}`);
    }
    return ran;
  }

  /** The place of this merge among all; `earlier`: of one that came right before it. */
  inOrder(place: "earlier" | "own" = "own"): readonly string[] {
    return ["--sequence", String(2 * this.#year.merge + (place === "own" ? 1 : 0))];
  }

  /** What people allow of the next plan, in the words that the plan itself prints. */
  async allowances(edition: Edition): Promise<readonly string[]> {
    return allowing(await this.#offers(edition));
  }

  async #offers(edition: Edition): Promise<Words> {
    if (this.#year.matters.every(({ words = [] }) => words.length === 0)) return new Map();
    const ran = await this.peaceful(["plan", "--format", "json", "roster"], edition, [0, 5]);
    return ran === undefined ? new Map() : this.#offeredBy(ran);
  }

  #offeredBy({ stdout }: Ran): Words {
    const allowed = new Set(this.#year.matters.flatMap(({ words = [] }) => words));
    return new Map(
      printedWords(stdout).flatMap(({ what, word }) => (allowed.has(what) ? [[what, word] as const] : [])),
    );
  }

  #mayReturn(): ReadonlySet<Person> {
    const { matters } = this.#year;
    return new Set(
      matters.flatMap(({ words, people }) =>
        words?.some((word) => word.startsWith("user-missing:")) === true ? people : [],
      ),
    );
  }

  #judgeEnd(args: readonly string[], ran: Ran): void {
    const { code, stdout, stderr } = ran;
    this.#year.tell(`  ${args.join(" ")}: exit code ${code}\n${stdout}${stderr}`);
    for (const one of judgeOutput(ran, this.#year.stage)) this.trouble(one);
  }

  #judge(ran: Ran, edition: Edition, hazard: Hazard | undefined): "complete" | "disturbed" {
    const year = this.#year;
    const { code } = ran;
    const judgement = this.judgement(edition, year.registry.truth());
    if (code === 0) for (const one of judgeSuccess(judgement)) this.trouble(one);
    const isStopped = year.matters.some(({ stops, words }) => stops === true && words === undefined);
    if (hazard !== undefined || isStopped) {
      const expected = isStopped ? [5, ...(hazard === undefined ? [] : [1])] : [0, 1, 7, 9];
      if (!expected.includes(code ?? -1)) this.trouble(`exit code ${code}, and not ${expected.join(" or ")}`);
      return "disturbed";
    }
    if (code !== 0 && code !== 9) {
      this.trouble(
        `exit code ${code}, and nothing disturbed the run: ${ran.stdout.slice(-600)}${ran.stderr.slice(-300)}`,
      );
      return "disturbed";
    }
    for (const one of judgeCalm(ran, judgement, year)) this.trouble(one);
    this.#conclude(judgement);
    return "complete";
  }

  judgement(edition: Edition, truth: Truth): Judgement {
    const { today, registry, applied } = this.#year;
    return { edition, today, registry, truth, applied };
  }

  /** An apply has come to its end: what was done about something before it is known now. */
  #conclude({ edition }: Judgement): void {
    const year = this.#year;
    year.registry.settleInvitations(new Date(year.stage.time.now()).toISOString());
    // Somebody who is to be created again may be kept for a team that waits for something else.
    const isDone = ({ words, people }: OpenMatter) =>
      words !== undefined &&
      (words.length === 0 || people.every((person) => year.registry.accountOf(person) !== undefined));
    year.matters = year.matters.filter((matter) => !isDone(matter));
    for (const { email } of edition.users) {
      const person = year.company.personOf(email);
      if (person !== undefined) year.applied.add(person);
    }
    for (const { email } of edition.leavers) {
      const person = year.company.personOf(email);
      if (person !== undefined) year.applied.delete(person);
    }
  }
}

/** How the service and the machine are on one day: three times of ten something befalls the calls of a run. */
function weatherOn(dice: Dice): Hazard | "calm" {
  if (!dice.chance(0.3)) return "calm";
  const faults = Array.from({ length: dice.between(1, 3) }, () => faultFrom(dice));
  const when = dice.one(killPoints) ?? "after-commit";
  const kill = dice.chance(0.4) ? { place: placeFrom(dice), when, turns: dice.below(7) } : undefined;
  const lag = dice.one([0, 0, 2000, 4000]) ?? 0;
  return { fault: faultsOf({ faults, ...(kill === undefined ? {} : { kill }) }), lag };
}

function faultFrom(dice: Dice): FaultDraw {
  return { place: placeFrom(dice), fault: dice.one(faultNames) ?? "429", lasts: dice.one([1, 1, 1, 2, 5]) ?? 1 };
}

/** Mostly among the calls that must never be sent twice. */
function placeFrom(dice: Dice): Place {
  const among = dice.one(["all", "writes", "creations", "creations", "additions", "additions"] as const) ?? "writes";
  const most = { all: 20, writes: 6, creations: 3, additions: 2 }[among];
  return { among, number: dice.between(1, most) };
}

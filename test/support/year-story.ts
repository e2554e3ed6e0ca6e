import { diceOf } from "./dice.ts";
import { setStage } from "./stage.ts";
import { Year } from "./year.ts";
import { auditTroubles } from "./year-audit.ts";
import { companyOf } from "./year-company.ts";
import { type Card, type Deck, deckOf } from "./year-deck.ts";
import { dialectOf } from "./year-dialect.ts";
import { type Edition, editionOf, filesOf } from "./year-edition.ts";
import { greet } from "./year-invitations.ts";
import { Registry } from "./year-registry.ts";
import { Runs } from "./year-runs.ts";
import { seedOf, settings } from "./year-seed.ts";
import { watchOf } from "./year-watch.ts";
import { weatherOn } from "./year-weather.ts";

/** What a year comes to. */
export interface YearTold {
  /** What should not have been, in one sentence each. */
  readonly troubles: readonly string[];
  /** The events that happened to somebody, by name. */
  readonly happened: ReadonlySet<string>;
}

export interface YearWish {
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
export async function yearOf({ seed, merges, tell = () => undefined, ...size }: YearWish): Promise<YearTold> {
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

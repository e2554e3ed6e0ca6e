import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { playerOf } from "./bundle.ts";
import { type Difference, differencesAt } from "./differences.ts";
import type { Played, Shift, Step } from "./play.ts";
import { reasonAfterShift, reasonFor, reasonOfShift } from "./reasons.ts";
import { inWordsOfReference, worldOfSeed } from "./worlds.ts";

/**
 * `npm run test:compare -- REFERENCE COUNT [--seed N]` plays drawn worlds with the build of another tree and with this one, and lists
 * each kind of difference, how often it is, and why it is. `--only N` plays the world of that seed alone and shows its differences in full.
 * A world is compared command by command, until something differs after which the two must differ. Where a difference has no reason, the
 * reference meets that world again, a little otherwise: what it then does just as this tree did is timing.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, only: { type: "string" } },
});
const [reference, count = "100"] = positionals;
if (reference === undefined) throw new Error("name the directory of the reference");
const [playOld, playNow] = await Promise.all([playerOf(resolve(reference)), playerOf(process.cwd())]);

/** A difference, and why it is where that is known. */
type Explained = Difference & { readonly reason: string | undefined };

/** In how many worlds something was, the first of them, and what it was there. */
interface Tally {
  worlds: number;
  readonly seed: number;
  readonly example: Explained;
  readonly kinds: Set<string>;
}

let commands = 0;

/** What was found in the commands before which nothing made the two differ for good, how many those are, and whether all has a reason. */
interface Comparison {
  readonly found: readonly Explained[];
  readonly compared: number;
  readonly isExplained: boolean;
}

/** What is compared is explained where each difference has a reason, or else where the reference, met a little otherwise, does the same. */
async function compare(seed: number): Promise<readonly Explained[]> {
  const world = worldOfSeed(seed);
  const playThere = (shift?: Shift) => playOld(inWordsOfReference(world), shift);
  const playHere = (shift?: Shift) => playNow(world, shift);
  const [old, now] = [await playThere(), await playHere()];
  commands += now.steps.length;
  const { found, compared, isExplained } = compareSteps(old, now);
  if (isExplained) return found;
  const calls = old.steps.map((step, index) => [callsOf(step), callsOf(now.steps[index])]);
  const reordered = calls.findIndex(([there, here]) => there !== here);
  const from = new Set([compared, ...(reordered < 0 || reordered > compared ? [] : [reordered])]);
  const shifts = [...from].flatMap((command) => shiftsOf(command, old.steps[command]?.calls.length ?? 0));
  for (const shift of shifts) {
    const reason = reasonOfShift(shift);
    const [otherOld, otherNow] = [compareSteps(await playThere(shift), now), compareSteps(old, await playHere(shift))];
    // What a meant difference hides behind it is not the same.
    const same = [otherOld, otherNow].find((other) => other.isExplained && other.compared > compared);
    if (same === undefined) continue;
    say(
      `seed ${seed}: ${same === otherOld ? "the reference" : "this tree"} does the same with ${JSON.stringify(shift)}`,
    );
    return [...same.found, ...found.filter((one) => one.reason === undefined).map((one) => ({ ...one, reason }))];
  }
  return found;
}

/** A little otherwise from a command on, in which the reference made so many calls. */
function shiftsOf(from: number, calls: number): readonly Shift[] {
  const counts = [1, 2, 3, 4];
  return [
    ...[0, ...counts].flatMap((asked) => [
      ...[0, 10, 100, 500, 1000, 2500, 5000].map((delay) => ({ from, asked, delay })),
      ...Array.from({ length: asked === 0 ? 40 : 6 }, (_, index) => ({ from, asked, times: index + 1 })),
    ]),
    ...counts.flatMap((count) => Array.from({ length: calls }, (_, before) => ({ from, reads: { before, count } }))),
  ];
}

function compareSteps(old: Played, now: Played): Comparison {
  const found: Explained[] = [];
  let isShifted = false;
  for (let index = 0; index < Math.max(old.steps.length, now.steps.length); index += 1) {
    const differences = differencesAt(index, old, now);
    const said = JSON.stringify([old.steps[index]?.document, now.steps[index]?.document]);
    const kinds = differences.map(({ kind }) => kind);
    const reasons = kinds.map(
      (kind) => reasonFor(kind, said, kinds) ?? (isShifted ? reasonAfterShift(kind) : undefined),
    );
    isShifted ||= reasons.some((one) => one?.shifts) || callsOf(old.steps[index]) !== callsOf(now.steps[index]);
    found.push(...differences.map((difference, at) => ({ ...difference, reason: reasons[at]?.reason })));
    const isExplained = !reasons.includes(undefined);
    if (!isExplained || reasons.some((one) => one?.diverges)) return { found, compared: index, isExplained };
  }
  return { found, compared: now.steps.length, isExplained: true };
}

/** In the order in which they reached the service: it numbers, lists and cuts by it. */
function callsOf(step: Step | undefined): string | undefined {
  return step?.calls.join();
}

async function compareMany(first: number, worlds: number): Promise<boolean> {
  const began = performance.now();
  const tallies = new Map<string, Tally>();
  let alike = 0;
  let unexplained = 0;
  for (let seed = first; seed < first + worlds; seed += 1) {
    const differences = await compare(seed);
    if (differences.length === 0) alike += 1;
    if (differences.some(({ reason }) => reason === undefined)) unexplained += 1;
    for (const [matter, example] of new Map(differences.map((one) => [one.reason ?? one.kind, one]))) {
      const tally = tallies.get(matter) ?? { worlds: 0, seed, example, kinds: new Set() };
      tally.worlds += 1;
      for (const { reason, kind } of differences)
        if (reason === matter)
          tally.kinds.add(kind.replace(/^\w+: /u, "").replace(/(?<=finding|items|findings) [\w-]+(?=\.)/u, ""));
      tallies.set(matter, tally);
    }
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  say(`${worlds} worlds from seed ${first}, ${commands} commands of each build, ${seconds} s`);
  say(`${alike} worlds are alike, ${unexplained} have a difference without a reason`);
  for (const [matter, tally] of [...tallies].sort(([, one], [, other]) => other.worlds - one.worlds)) {
    const { example, kinds } = tally;
    say(`\n${tally.worlds} worlds, such as ${tally.seed}: ${matter}`);
    if (example.reason !== undefined) say([...kinds].map((kind) => `    ${kind}`).join("\n"));
    else say(`    reference: ${example.old.slice(0, 300)}\n    now:       ${example.now.slice(0, 300)}`);
  }
  return unexplained === 0;
}

async function compareOne(seed: number): Promise<boolean> {
  const differences = await compare(seed);
  for (const { kind, old, now, reason = "no reason is known" } of differences) {
    say(`== ${kind}: ${reason}\n-- reference\n${old}\n-- now\n${now}\n`);
  }
  return differences.every(({ reason }) => reason !== undefined);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { seed, only } = values;
process.exitCode = (await (only === undefined ? compareMany(Number(seed), Number(count)) : compareOne(Number(only))))
  ? 0
  : 1;

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { bundledSimulation } from "./bundle.ts";

/**
 * `npm run test:simulate -- SECONDS [--seed N] [--at K]` plays companies, one after the other, for so long. With `--at` it plays that one
 * alone, and tells everything that happens in it; with `--first` it ends at the first breach.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, at: { type: "string" }, first: { type: "boolean" } },
});
const seconds = Number(positionals[0] ?? 10);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);

/** One company in so many is played twice. */
const playedTwice = 50;

/** After so many companies with a breach there is enough to look at. */
const enough = values.first === true ? 1 : 5;

const { play } = await bundledSimulation();
process.exitCode = (await (values.at === undefined ? playMany() : playOne(Number(values.at)))) ? 0 : 1;

async function playOne(at: number): Promise<boolean> {
  const { breaches } = await play(seed + at, say);
  for (const breach of breaches) say(`breach: ${breach}`);
  return breaches.length === 0;
}

async function playMany(): Promise<boolean> {
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  const sum = { companies: 0, applies: 0, crashes: 0, overtaken: 0, faults: 0, twice: 0, broken: 0 };
  const sizes: number[] = [];
  let reported = 0;
  for (let at = 0; passed() < seconds && sum.broken < enough; at += 1) {
    const played = await play(seed + at);
    const breaches = [...played.breaches];
    if (at % playedTwice === 0) {
      sum.twice += 1;
      if ((await play(seed + at)).digest !== played.digest) breaches.push("the same seed gives other bytes");
    }
    sum.companies += 1;
    for (const name of ["applies", "crashes", "overtaken", "faults"] as const) sum[name] += played[name];
    sizes.push(played.people);
    if (breaches.length > 0) {
      sum.broken += 1;
      say(
        `breach after ${Math.ceil(passed())} s in apply ${sum.applies}, seed ${seed} at ${at}: ${breaches.slice(0, 3).join("; ")}`,
      );
      say(`  replay it alone: npm run test:simulate -- --seed ${seed} --at ${at}`);
    }
    if (passed() - reported > 60) {
      reported = passed();
      say(`${Math.round(reported)} s: ${sum.applies} applies`);
    }
  }
  const median = sizes.sort((one, other) => one - other)[Math.floor(sizes.length / 2)];
  say(
    `${sum.applies} applies of ${sum.companies} companies (${median} people in the median) in ${passed().toFixed(1)} s, seed ${seed}:`,
  );
  say(
    `  ${sum.crashes} crashed, ${sum.overtaken} of them slept while another took the lock over; ${sum.faults} faults`,
  );
  say(
    `  ${sum.twice} companies were played twice, to the same bytes; ${sum.broken === 0 ? "no breach" : `${sum.broken} with a breach`}`,
  );
  return sum.broken === 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

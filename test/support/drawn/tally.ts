import type { Draw } from "./draw.ts";
import { type Played, play } from "./play.ts";
import { smallest } from "./shrink.ts";

/** What many draws came to. */
export interface Tally {
  readonly draws: number;
  readonly reached: number;
  readonly teamCreations: number;
  /** Of the first draw in which something was that should not have been: how to replay it, and what it was. */
  readonly failure?: string;
}

/** Plays draws one after another, until one fails: that one is made as small as it can be, and told. */
export async function tallyOf(draws: readonly Draw[]): Promise<Tally> {
  const tally = { draws: 0, reached: 0, teamCreations: 0 };
  for (const draw of draws) {
    const { troubles, isReached, teamCreations } = await play(draw);
    tally.draws += 1;
    tally.reached += isReached ? 1 : 0;
    tally.teamCreations += teamCreations;
    if (troubles.length > 0) return { ...tally, failure: await failureOf(draw, troubles) };
  }
  return tally;
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

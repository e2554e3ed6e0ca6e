/** Chance that a seed decides: the same seed throws the same. */
export interface Dice {
  /** A whole number from 0, below the one given. */
  below(most: number): number;
  between(least: number, most: number): number;
  chance(share: number): boolean;
  one<T>(items: readonly T[]): T | undefined;
  /** As many as are asked for, or all of them, each once. */
  some<T>(items: readonly T[], count: number): readonly T[];
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number) => Math.floor(fraction() * most);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (share) => fraction() < share,
    one: (items) => items[below(items.length)],
    some(items, count) {
      const left = [...items];
      const taken: (typeof items)[number][] = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(below(left.length), 1));
      return taken;
    },
  };
}

/** Draws numbers from 0 up to but not including 1; the same start gives the same ones. */
export type RandomSource = () => number;

export function seededRandom(start: number): RandomSource {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The same items in an order that was drawn. */
export function shuffled<T>(items: readonly T[], draw: RandomSource): readonly T[] {
  const keyed = items.map((item) => ({ item, key: draw() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

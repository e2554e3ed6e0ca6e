/** Lets those who wait go on one at a time, in an order that depends on the seed alone. */
export function randomTurns(seed: number) {
  const waiting: (() => void)[] = [];
  let value = seed >>> 0;

  function pick(count: number): number {
    // Numerical Recipes' linear congruential generator: its upper bits are even enough for a choice.
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((value / 2 ** 32) * count);
  }

  return {
    /** Uniform among so many. */
    pick,
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Hands out turns until the work is done. */
    async until(work: Promise<unknown>) {
      let done = false;
      const ended = work.finally(() => {
        done = true;
      });
      while (!done) {
        waiting.splice(pick(waiting.length), 1)[0]?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await ended;
    },
  };
}

/** How many writes may be under way at once: few at first, more while the service keeps up. */
export interface Pace {
  readonly limit: number;
  succeeded(): void;
  throttled(): void;
}

const firstWrites = 2;

export function paceUpTo(parallelism: number): Pace {
  let limit = Math.min(firstWrites, parallelism);
  return {
    get limit() {
      return limit;
    },
    succeeded() {
      limit = Math.min(limit + 1, parallelism);
    },
    throttled() {
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}

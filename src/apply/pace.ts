/** How many writes may be under way at once: few at first, more while the service keeps up. */
export interface ConcurrencyLimit {
  readonly limit: number;
  succeeded(): void;
  throttled(): void;
}

const initialConcurrency = 2;

export function concurrencyUpTo(parallelism: number): ConcurrencyLimit {
  let limit = Math.min(initialConcurrency, parallelism);
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

/** A process that is killed at its n-th step: from then on nothing that it waits for ever comes. */
export interface Crash {
  /** To be awaited before and after everything that outlives the process. */
  step(): Promise<void>;
  readonly happened: Promise<"crashed">;
}

export function crashAtStep(fatal: number): Crash {
  let steps = 0;
  let kill: (how: "crashed") => void = () => undefined;
  const happened = new Promise<"crashed">((resolve) => {
    kill = resolve;
  });
  return {
    happened,
    step() {
      steps += 1;
      if (steps < fatal) return Promise.resolve();
      kill("crashed");
      return new Promise(() => undefined);
    },
  };
}

import type { Clock } from "../../ports/clock.ts";

export interface Signs {
  readonly clock: Clock;
  /** Milliseconds from one sign to the next. */
  readonly every: number;
  /** Gives one sign; false where that is of no use any more. */
  readonly give: () => Promise<boolean>;
}

/** Gives signs of life until the answer is called, or they are of no use. */
export function signsOfLife({ clock, every, give }: Signs): () => void {
  const stop = new AbortController();
  async function goOn(): Promise<void> {
    do await clock.wait(every, stop.signal);
    while (!stop.signal.aborted && (await give()));
  }
  void goOn();
  return () => stop.abort();
}

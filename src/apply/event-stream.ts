import type { RunEvent } from "../model/event.ts";

/** Events on their way from the actions under way to whoever reads the run. */
export interface EventStream {
  push(events: readonly RunEvent[]): void;
  /** Nothing comes any more; with a defect, reading ends by throwing it. */
  end(defect?: { readonly thrown: unknown }): void;
  /** To be read once. */
  read(): AsyncGenerator<RunEvent, void>;
}

export function eventStream(): EventStream {
  let waiting: RunEvent[] = [];
  let over: { readonly defect?: { readonly thrown: unknown } | undefined } | undefined;
  let wake: () => void = () => undefined;

  return {
    push(events) {
      for (const event of events) waiting.push(event);
      wake();
    },
    end(defect) {
      over ??= { defect };
      wake();
    },
    async *read() {
      while (true) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (over !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (over.defect !== undefined) throw over.defect.thrown;
    },
  };
}

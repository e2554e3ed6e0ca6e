import type { BreakGlassBegun, BreakGlassClosed, GivenAccess, RunFinished } from "../model/event.ts";
import type { RecordedBreakGlass } from "../model/state.ts";
import type { StateDraft } from "./state-draft.ts";

/** Remembers what an emergency gives until it is known to be taken back. Only one run works at a time: its end ends those before. */
export function recordBreakGlass(draft: StateDraft, event: BreakGlassBegun | BreakGlassClosed | RunFinished): void {
  switch (event.type) {
    case "break-glass-begun": {
      const { type: _, ...begun } = event;
      if (begun.gives.length > 0) rewriteBreakGlass(draft, (known) => [...known, begun]);
      break;
    }
    case "break-glass-closed": {
      const gone = new Set(event.gone.map((given) => JSON.stringify(given)));
      const isLeft = (given: GivenAccess) => !gone.has(JSON.stringify(given));
      rewriteBreakGlass(draft, (known) =>
        known.map((one) => (one.run === event.run ? { ...one, gives: one.gives.filter(isLeft) } : one)),
      );
      break;
    }
    case "run-finished":
      rewriteBreakGlass(draft, (known) => known.map((one) => ({ endedAt: event.at, ...one })));
  }
}

/** What gives nothing any more is forgotten. */
export function rewriteBreakGlass(
  draft: StateDraft,
  rewrite: (known: readonly RecordedBreakGlass[]) => readonly RecordedBreakGlass[],
): void {
  const left = rewrite([...(draft.breakGlass?.values() ?? [])]).filter(({ gives }) => gives.length > 0);
  if (left.length > 0) draft.breakGlass = new Map(left.map((one) => [one.run, one]));
  else delete draft.breakGlass;
}

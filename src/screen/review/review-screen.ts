import type { Paint } from "../../report/outcome.ts";
import { openStage } from "../stage.tsx";
import { discardTypedAhead, interruptAsTerminal, type Terminal } from "../terminal.ts";
import type { ReviewInput } from "./branches.ts";
import { handleKey, resize } from "./handle-key.ts";
import { beginReview, type Review } from "./review.ts";
import { viewReview } from "./view.ts";

/** What a review came to; `ended`: it was broken off from without, as by an interrupt. */
export type ReviewResult = "approved" | "declined" | "ended";

export interface ReviewOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  /** Ends the review when it is aborted. */
  readonly signal: AbortSignal;
}

/** Shows a plan on the whole terminal until a person has decided, and gives the terminal back. */
export async function reviewOnScreen(about: ReviewInput, options: ReviewOptions): Promise<ReviewResult> {
  await discardTypedAhead(options.terminal.input);
  return runReview(about, options);
}

function runReview(about: ReviewInput, { terminal, paint, signal }: ReviewOptions): Promise<ReviewResult> {
  return new Promise((resolve) => {
    let shown: Review;
    let drawing: NodeJS.Immediate | undefined;
    const stage = openStage(terminal, {
      paint,
      onKey(key) {
        if (key.key === "interrupt") interruptAsTerminal();
        else become(handleKey(shown, key));
      },
      onResize: () => become(resize(shown, stage.size())),
    });
    function become(next: Review): void {
      shown = next;
      if (shown.answer !== undefined) leave(shown.answer);
      else drawing ??= setImmediate(draw);
    }
    // Keys that have come together make one picture: a key that is held down is never ahead of what is shown.
    function draw(): void {
      drawing = undefined;
      stage.show(viewReview(shown));
    }
    function end(): void {
      leave("ended");
    }
    function leave(as: ReviewResult): void {
      signal.removeEventListener("abort", end);
      clearImmediate(drawing);
      stage.leave();
      resolve(as);
    }
    signal.addEventListener("abort", end);
    become(beginReview(about, stage.size()));
    if (signal.aborted) end();
  });
}

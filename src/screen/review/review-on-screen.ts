import type { Paint } from "../../report/outcome.ts";
import { interruptAsTerminal, type Terminal } from "../canvas.ts";
import { openStage } from "../stage.tsx";
import { press, resize } from "./press.ts";
import { beginReview, type Review, type Reviewed } from "./review.ts";
import { viewReview } from "./view.ts";

/** What a review came to; `ended`: it was broken off from without, as by an interrupt. */
export type Reviewing = "approved" | "declined" | "ended";

export interface ReviewOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  /** Ends the review when it is aborted. */
  readonly signal: AbortSignal;
}

/** Shows a plan on the whole terminal until a person has decided, and gives the terminal back. */
export function reviewOnScreen(about: Reviewed, { terminal, paint, signal }: ReviewOptions): Promise<Reviewing> {
  return new Promise((resolve) => {
    let review: Review;
    const stage = openStage(terminal, {
      paint,
      onKey(key) {
        if (key.key === "interrupt") interruptAsTerminal();
        else become(press(review, key));
      },
      onResize: () => become(resize(review, stage.size())),
    });
    function become(next: Review): void {
      review = next;
      if (review.answer !== undefined) leave(review.answer);
      else stage.show(viewReview(review));
    }
    function end(): void {
      leave("ended");
    }
    function leave(as: Reviewing): void {
      signal.removeEventListener("abort", end);
      stage.leave();
      resolve(as);
    }
    signal.addEventListener("abort", end);
    become(beginReview(about, stage.size()));
    if (signal.aborted) end();
  });
}

import type { Paint } from "../../report/outcome.ts";
import { interruptAsTerminal, type Terminal } from "../canvas.ts";
import { openStage } from "../stage.tsx";
import { forgetTypedAhead } from "../typed-ahead.ts";
import type { Reviewed } from "./branches.ts";
import { press, resize } from "./press.ts";
import { beginReview, type Review } from "./review.ts";
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
export async function reviewOnScreen(about: Reviewed, options: ReviewOptions): Promise<Reviewing> {
  await forgetTypedAhead(options.terminal.input);
  return review(about, options);
}

function review(about: Reviewed, { terminal, paint, signal }: ReviewOptions): Promise<Reviewing> {
  return new Promise((resolve) => {
    let shown: Review;
    let drawing: NodeJS.Immediate | undefined;
    const stage = openStage(terminal, {
      paint,
      onKey(key) {
        if (key.key === "interrupt") interruptAsTerminal();
        else become(press(shown, key));
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
    function leave(as: Reviewing): void {
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

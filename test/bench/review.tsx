import { performance } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { Review } from "../../src/screen/review.tsx";
import { companyPlan } from "../support/company-plan.ts";
import { large, onScreen } from "../support/screens.tsx";

const typed = [
  "\u{1B}[B",
  "\u{1B}[6~",
  "f",
  "f",
  "\u{1B}[F",
  "n",
  "/",
  "p",
  "4",
  "9",
  "9",
  "\r",
  "\r",
  "\u{1B}",
  "\u{1B}",
];

/** The longest that a key takes to become a frame of 200 by 60, in the review of a plan of 10,000 calls. */
export async function reviewKeys(): Promise<void> {
  const input = { plan: companyPlan(500), privileged: ["ACCOUNT_ADMIN"] };
  const { frames, send, unmount } = onScreen(<Review input={input} onAnswer={() => undefined} />, large);
  const times = new Map<string, number>();
  for (const text of [...typed, ...typed]) {
    const before = frames.length;
    const began = performance.now();
    send(text);
    for (let turns = 0; frames.length === before && turns < 20; turns += 1) await turn();
    times.set(JSON.stringify(text), performance.now() - began);
  }
  unmount();
  const [[key, time] = ["", 0]] = [...times].sort((a, b) => b[1] - a[1]);
  process.stdout.write(`\nReview of 10,000 calls: a key takes ${time.toFixed(1)} ms at most (${key}).\n`);
}

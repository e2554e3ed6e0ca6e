import { performance } from "node:perf_hooks";
import { plain } from "../../src/report/outcome.ts";
import { handleKey } from "../../src/screen/review/handle-key.ts";
import { beginReview } from "../../src/screen/review/review.ts";
import { viewReview } from "../../src/screen/review/view.ts";
import { paintRow } from "../../src/screen/rows.ts";
import { companyPlan } from "../support/company-plan.ts";
import { keysOf, large } from "../support/screens.ts";

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

/** The longest that a key takes to become a screen of 200 by 60, in the review of a plan of 10,000 calls. */
export function reviewKeys(): void {
  let review = beginReview({ plan: companyPlan(500), privileged: ["ACCOUNT_ADMIN"] }, large);
  const times = new Map<string, number>();
  for (const text of [...typed, ...typed]) {
    const began = performance.now();
    review = keysOf(text).reduce(handleKey, review);
    for (const row of viewReview(review)) paintRow(row, large.columns, plain);
    times.set(JSON.stringify(text), performance.now() - began);
  }
  const [[key, time] = ["", 0]] = [...times].sort((a, b) => b[1] - a[1]);
  process.stdout.write(`${time.toFixed(1)} ms at the most (${key})  a key in the review of 10,000 calls\n`);
}

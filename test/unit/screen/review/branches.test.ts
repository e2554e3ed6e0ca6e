import { expect, test } from "vitest";
import type { Rehearsal } from "../../../../src/model/plan.ts";
import type { ReviewInput } from "../../../../src/screen/review/branches.ts";
import { handleKey } from "../../../../src/screen/review/handle-key.ts";
import { beginReview, selectedNode } from "../../../../src/screen/review/review.ts";
import { viewReview } from "../../../../src/screen/review/view.ts";
import { aPlan } from "../../../support/action-builders.ts";
import { companyPlan } from "../../../support/company-plan.ts";
import { samplePlan } from "../../../support/report-samples.ts";
import { everything } from "../../../support/science-plan.ts";
import { keysOf, large, linesOf, small } from "../../../support/screens.ts";

const rehearsal: Rehearsal = {
  converges: false,
  troubles: [{ is: "stopped", why: "the service in memory refused it" }],
  notices: [],
  unshown: [],
  calls: { createUser: 2, addMembers: 1, replaceRoles: 3, reads: 4 },
  mails: 1,
  criticalPath: [],
  time: { latency: 80, planning: 0, applying: 0, throttled: { oneIn: 10, pause: 1000, applying: 0 } },
};

function screen(about: ReviewInput, size: typeof small, ...texts: readonly string[]): readonly string[] {
  const review = texts.flatMap(keysOf).reduce(
    (before, key) => {
      viewReview(before);
      return handleKey(before, key);
    },
    beginReview(about, size),
  );
  return linesOf(viewReview(review), size);
}

test("a rehearsal that ran into something is among what has to be looked at", () => {
  const about = { plan: aPlan(everything), rehearsal, privileged: [] };
  const shown = screen(about, small, "n", "\r");
  expect(shown.slice(2, -1)).toContainEqual(expect.stringContaining("Rehearsed in memory"));
  const calm = [..."n"]
    .flatMap(keysOf)
    .reduce(handleKey, beginReview({ ...about, rehearsal: { ...rehearsal, converges: true } }, small));
  expect(calm.notice).toBe("nothing here is privileged or blocking");
});

test("what is told of a team goes on to its last call, however little of it was seen before", () => {
  const about = { plan: companyPlan(1), privileged: [] };
  const shown = screen(about, large, "\r", "\u{1B}[F").map((line) => line.slice(100));
  expect(shown.some((line) => line.includes("roles of p0n9@acme.example's key in Team 0"))).toBe(true);
});

test("privileged roles are those of this run", () => {
  const matters = (privileged: readonly string[]) => {
    const review = keysOf("nn").reduce(handleKey, beginReview({ plan: samplePlan, privileged }, small));
    return selectedNode(review)?.branch.words;
  };
  expect(matters(["TEAM_ROLE"])).toContain("TEAM_ROLE");
});

import { peopleSeen } from "../journal/people-seen.ts";
import { refusalsReviewed } from "../journal/refusals-reviewed.ts";
import { serviceLearned } from "../journal/service-learned.ts";
import type { Lesson } from "../model/plan-file.ts";
import type { Policy } from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { Planned } from "./pipeline.ts";
import { sha256 } from "./system.ts";

/** What planning has taught beyond the plan, as events that an apply records before anything is sent. `at` is ISO 8601. */
export function lessonsOf(
  { snapshot, state }: Planned,
  { roster, policy, at }: { readonly roster: Roster; readonly policy: Policy; readonly at: string },
): readonly Lesson[] {
  const seen = peopleSeen(roster, snapshot, state, { at, recreate: policy.recreate });
  const learned = serviceLearned(snapshot, state, at);
  const reviewed = refusalsReviewed(roster, snapshot, state, { at, digest: sha256 });
  return [seen, learned, reviewed].filter((event) => event !== undefined);
}

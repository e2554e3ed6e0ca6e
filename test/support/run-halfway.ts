import { trackProgress } from "../../src/log/summary.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { companyPlan } from "./company-plan.ts";

export const plan = companyPlan(5);

/** When the run of it began, in milliseconds since the epoch. */
export const noon = Date.parse("2026-11-20T12:00:00.000Z");

const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();
const kinds = ["create-user", "add-members"] as const;
const [creations = [], additions = []] = kinds.map((kind) => plan.actions.filter((action) => action.kind === kind));
const begun = (index: number): RunEvent[] =>
  creations.slice(index, index + 1).map(({ id }) => ({
    type: "intended",
    at: at(index / 3),
    run: "run-1",
    action: id,
    intent: { kind: "replace-roles", prefix: "unread here", roles: [] },
  }));
const why = "the service asks to come back later";

/** What a run of it has told after some seconds: throttled now and then, with a creation that failed and a team left out for it. */
export const halfway: readonly RunEvent[] = [
  { type: "run-started", at: at(0), run: "run-1", plan: plan.id, service: plan.service, actions: plan.actions.length },
  ...Array.from({ length: 27 }, (_, index) => begun(index)).flat(),
  ...creations
    .slice(0, 23)
    .map(({ id }, index): RunEvent => ({ type: "unneeded", at: at(index / 3), action: id, why: "" })),
  { type: "waiting", at: at(4), milliseconds: 1000, why },
  { type: "waiting", at: at(9), milliseconds: 2000, why },
  { type: "waiting", at: at(1), milliseconds: 500, why: "the service does not show all of it yet" },
  ...creations.slice(23, 24).map(
    ({ id }): RunEvent => ({
      type: "failed",
      at: at(9),
      action: id,
      failure: { code: "refused", message: "the service refuses this address", status: 422 },
    }),
  ),
  ...additions
    .slice(2, 3)
    .map(({ id }): RunEvent => ({ type: "skipped", at: at(9), action: id, why: "the creation did not succeed" })),
];

export const now = noon + 9500;
const fold = trackProgress(plan, noon);
for (const event of halfway) fold.take(event);
export const progress = fold.at(now);

import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Reviewer } from "../../ports/reviewer.ts";
import { joinSections, type Line, renderLines, row } from "../../report/text/lines.ts";
import { type PlanTextOptions, planSummaryLines, renderPlan } from "../../report/text/plan.ts";
import { rehearsalLines } from "../../report/text/rehearsal.ts";
import type { ReviewResult } from "../../screen/review/review-screen.ts";
import type { Terminal } from "../../screen/terminal.ts";
import type { Host } from "../host.ts";
import { painter } from "../output/paint.ts";
import { declined } from "./terminal-reviewer.ts";

/**
 * Shows the plan on the whole terminal until whoever sits there has decided, and leaves in its place what was decided about
 * what. Where results go elsewhere than to the terminal, the whole plan is among them.
 */
export function screenReviewer(
  host: Host,
  context: {
    readonly shown: PlanTextOptions;
    readonly privileged: RoleSet;
    readonly terminal: Terminal;
    readonly signal: AbortSignal;
  },
): Reviewer {
  const { shown, privileged, terminal, signal } = context;
  return {
    async approve(plan) {
      const { reviewOnScreen } = await import("../../screen/review/review-screen.ts");
      const { secrets, stdout, stderr } = host;
      const { reading, rehearsal } = shown;
      const ground = {
        ...(reading === undefined ? {} : { reading }),
        ...(rehearsal === undefined ? {} : { rehearsal }),
      };
      const about = secrets.redactAll({ plan, privileged, ...ground });
      const answer = await reviewOnScreen(about, { terminal, paint: painter(stderr), signal });
      if (!stdout.isTerminal) stdout.write(`${renderPlan(plan, { paint: painter(stdout), ...shown })}\n`);
      stderr.write(renderLines(exitSummary(plan, shown, answer), painter(stderr), stderr.columns));
      return answer === "approved" ? { approved: true } : declined;
    },
  };
}

/** What was decided about what; that it was declined is told by the result. */
function exitSummary(plan: Plan, { selected, rehearsal }: PlanTextOptions, answer: ReviewResult): readonly Line[] {
  return joinSections([
    [
      row(0, [`Plan for ${plan.service}`]),
      ...planSummaryLines(plan, selected === true ? "a-part" : "all"),
      ...(answer === "approved" ? [row(0, ["Approved."])] : []),
    ],
    rehearsal === undefined ? [] : rehearsalLines(rehearsal, plan),
  ]);
}

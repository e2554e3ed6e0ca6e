import type { Plan } from "../model/plan.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { Reviewer } from "../ports/reviewer.ts";
import { renderLines, row } from "../report/lines.ts";
import { renderPlan } from "../report/render-plan.ts";
import { type PlanContext, summaryLines } from "../report/text-plan.ts";
import type { Terminal } from "../screen/canvas.ts";
import type { Host } from "./host.ts";
import { painter } from "./paint.ts";
import { declined } from "./terminal-reviewer.ts";

/**
 * Shows the plan on the whole terminal until whoever sits there has decided, and leaves in its place what was decided about
 * what. Where results go elsewhere than to the terminal, the whole plan is among them.
 */
export function screenReviewer(
  host: Host,
  context: {
    readonly shown: PlanContext;
    readonly privileged: RoleSet;
    readonly terminal: Terminal;
    readonly signal: AbortSignal;
  },
): Reviewer {
  const { shown, privileged, terminal, signal } = context;
  return {
    async approve(plan) {
      const { reviewOnScreen } = await import("../screen/review/review-on-screen.ts");
      const { secrets, stdout, stderr } = host;
      const about = secrets.redactAll({
        plan,
        privileged,
        ...(shown.reading === undefined ? {} : { reading: shown.reading }),
      });
      const answer = await reviewOnScreen(about, { terminal, paint: painter(stderr), signal });
      if (!stdout.isTerminal) stdout.write(`${renderPlan(plan, { paint: painter(stdout), ...shown })}\n`);
      stderr.write(leftBehind(plan, shown, host));
      return answer === "approved" ? { approved: true } : declined;
    },
  };
}

function leftBehind(plan: Plan, { selected }: PlanContext, { stderr }: Host): string {
  const head = row(0, [`Plan for ${plan.service}`]);
  return renderLines([head, ...summaryLines(plan, selected === true ? "a-part" : "all")], painter(stderr));
}

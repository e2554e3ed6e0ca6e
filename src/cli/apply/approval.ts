import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type RosterError, stopError } from "../../library/error.ts";
import type { Plan } from "../../model/plan.ts";
import { definedFields, type RoleSet } from "../../model/role-set.ts";
import type { Reviewer } from "../../ports/operator.ts";
import { joinSections, type Line, row } from "../../report/document/blocks.ts";
import { type PlanTextOptions, planSummaryLines } from "../../report/document/plan.ts";
import type { FormatName } from "../../report/formats.ts";
import { renderLines, wrap } from "../../report/text/lines.ts";
import { renderPlan } from "../../report/text/text.ts";
import type { ReviewResult } from "../../screen/review.tsx";
import { discardTypedAhead, type Terminal } from "../../screen/terminal.ts";
import { type Host, painter, textStyleOf } from "../host.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { screenTerminal } from "../output/progress-observer.ts";
import type { Output } from "../standard-streams.ts";

interface ApprovalContext {
  readonly flags: OutputFlags;
  readonly shown: PlanTextOptions;
  readonly privileged: RoleSet;
  readonly signal: AbortSignal;
}

/** Asks for approval of a plan: on a screen if one can be shown, else in lines. A named view is always text. */
export async function askForApproval(
  plan: Plan,
  host: Host,
  context: ApprovalContext,
): Promise<RosterError | undefined> {
  const answer = await reviewerFor(host, context).approve(plan);
  if (answer.approved) return undefined;
  const { code, why: message, hint } = answer;
  return stopError("refused", code, message, hint);
}

function reviewerFor(host: Host, { flags, shown, privileged, signal }: ApprovalContext): Reviewer {
  const terminal = flags.view === undefined ? screenTerminal(host, flags) : undefined;
  if (terminal === undefined) return terminalReviewer(host, { shown, results: flags.format, signal });
  return screenReviewer(host, { shown, privileged, terminal, signal });
}

/** Shows the plan and asks the person at the terminal. Without a terminal it never asks: it says which flag to pass. */
function terminalReviewer(
  host: Host,
  context: { readonly shown: PlanTextOptions; readonly results: FormatName; readonly signal: AbortSignal },
): Reviewer {
  return {
    approve: async (plan) => {
      if (host.stdin().isTTY !== true || !host.stderr.isTerminal) return noTerminal;
      const output = context.results === "text" ? host.stdout : host.stderr;
      output.write(renderPlan(plan, { ...textStyleOf(output), ...context.shown }));
      return (await ask(host, context.signal)) === "yes" ? { approved: true } : declined;
    },
  };
}

const question = "Apply this plan? Invitations cannot be unsent. Only `yes` approves: ";

/** What is answered; nothing where the input ends or the command is stopped first. */
async function ask(host: Host, signal: AbortSignal): Promise<string> {
  const stdin = host.stdin();
  await discardTypedAhead(stdin);
  // Of an input that has ended already, nothing tells so once more.
  if (stdin.readableEnded || stdin.destroyed) return "";
  // The terminal itself edits the line, and sends Ctrl-C to the process as it does at any other time.
  const prompt = createInterface({ input: stdin, output: writingTo(host.stderr), terminal: false });
  const closed = new Promise<string>((end) => prompt.once("close", () => end("")));
  const lost = () => prompt.close();
  // Not every version of Node passes on what goes wrong with the input.
  stdin.on("error", lost);
  prompt.on("error", lost);
  const wrapped = `\n${wrap(question, host.stderr.columns ?? question.length).join("\n")}`;
  try {
    const answer = await Promise.race([prompt.question(wrapped, { signal }).catch(() => ""), closed]);
    if (answer === "") host.stderr.write("\n");
    return answer.trim();
  } finally {
    prompt.close();
    stdin.off("error", lost);
  }
}

function writingTo(output: Output): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.write(String(chunk));
      done();
    },
  });
}

const noTerminal = {
  approved: false,
  code: "not-approved",
  why: "Cannot ask for approval: no terminal",
  hint: "Read the plan, then run it again with --auto-approve.",
} as const;

/** What a person answers who does not want the plan. */
const declined = {
  approved: false,
  code: "declined",
  why: "Cancelled. Nothing was changed",
} as const;

/**
 * Shows the plan on the whole terminal until the person there has decided, and leaves in its place what was decided about
 * what. Where results go elsewhere than to the terminal, the whole plan is among them.
 */
function screenReviewer(
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
      const { reviewOnScreen } = await import("../../screen/review.tsx");
      const { secrets, stdout, stderr } = host;
      const about = secrets.redactAll({ plan, privileged, ...definedFields({ reading: shown.reading }) });
      const answer = await reviewOnScreen(about, { terminal, paint: painter(stderr), signal });
      if (!stdout.isTerminal) stdout.write(`${renderPlan(plan, { paint: painter(stdout), ...shown })}\n`);
      stderr.write(renderLines(exitSummary(plan, shown, answer), painter(stderr), stderr.columns));
      return answer === "approved" ? { approved: true } : declined;
    },
  };
}

/** What was decided about what. The result says that it was declined. */
function exitSummary(plan: Plan, { selected }: PlanTextOptions, answer: ReviewResult): readonly Line[] {
  return joinSections([
    [
      row(0, [`Plan for ${plan.service}`]),
      ...planSummaryLines(plan, selected === true ? "a-part" : "all"),
      ...(answer === "approved" ? [row(0, ["Approved."])] : []),
    ],
  ]);
}

import { createInterface } from "node:readline";
import { stopError } from "../library/error.ts";
import { definedFields } from "../model/collections.ts";
import type { Plan } from "../model/plan.ts";
import type { RoleSet } from "../model/values.ts";
import { documentOf } from "../report/document/document.ts";
import { sentence } from "../report/document/tree.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { wrap } from "../report/text/lines.ts";
import { renderDocument, renderPlan } from "../report/text/text.ts";
import { discardTypedAhead } from "../screen/terminal.ts";
import type { OutputFlags } from "./flags.ts";
import { type Host, painter, textStyleOf } from "./host.ts";
import { screenTerminal } from "./progress-observer.ts";
import type { Command } from "./run-command.ts";

/**
 * Asks for approval of a plan: on a screen if one can be shown, else in lines. A named view is always text. A screen leaves in its
 * place what was decided about what. Where results go elsewhere than to the terminal, the whole plan is among them.
 */
export async function askForApproval(
  plan: Plan,
  { host, cancellation }: Command,
  flags: OutputFlags,
  shown: Partial<CommandOutcome>,
  privileged: RoleSet,
): Promise<boolean> {
  const { signal } = cancellation;
  const { secrets, stdout, stderr } = host;
  const terminal = flags.view === undefined ? screenTerminal(host, flags) : undefined;
  if (terminal === undefined) {
    if (host.stdin().isTTY !== true || !stderr.isTerminal) {
      const hint = "If the plan is right, run the same command again with --auto-approve.";
      throw stopError("refused", "not-approved", "Cannot ask for approval: no terminal", hint);
    }
    const output = flags.format === "text" ? stdout : stderr;
    output.write(renderPlan(plan, { ...textStyleOf(output), ...shown }));
    return (await ask(host, signal)) === "yes";
  }
  const { reviewOnScreen } = await import("../screen/review.tsx");
  const about = secrets.redactAll({ plan, privileged, ...definedFields({ reading: shown.reading }) });
  const answer = await reviewOnScreen(about, { terminal, paint: painter(stderr), signal });
  if (!stdout.isTerminal) stdout.write(`${renderPlan(plan, { paint: painter(stdout), ...shown })}\n`);
  // The result says that it was declined.
  const outcome = { command: "plan", exitCode: 0, diagnostics: [], plan, selected: shown.selected } as const;
  const next = answer === "approved" ? [sentence("Approved.")] : [];
  stderr.write(renderDocument({ ...documentOf(outcome, "terminal"), sections: [], next }, textStyleOf(stderr)));
  return answer === "approved";
}

const question = "Apply this plan? You cannot take back a sent invitation. Only `yes` approves: ";

async function ask({ stdin: open, stderr }: Host, signal: AbortSignal): Promise<string> {
  const stdin = open();
  await discardTypedAhead(stdin);
  // Of an input that has ended already, nothing tells so once more.
  if (stdin.readableEnded || stdin.destroyed) return "";
  stderr.write(`\n${wrap(question, stderr.columns ?? question.length).join("\n")}`);
  // The terminal itself edits the line, and sends Ctrl-C to the process as it does at any other time.
  const prompt = createInterface({ input: stdin, terminal: false, signal });
  const lost = () => prompt.close();
  // Not every version of Node passes on what goes wrong with the input.
  stdin.on("error", lost);
  prompt.on("error", lost);
  const answer = await new Promise<string>((end) => {
    prompt.once("line", end);
    prompt.once("close", () => end(""));
  });
  prompt.close();
  stdin.off("error", lost);
  if (answer === "") stderr.write("\n");
  return answer.trim();
}

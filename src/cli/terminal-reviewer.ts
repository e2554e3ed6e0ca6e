import { createInterface } from "node:readline/promises";
import type { Reviewer } from "../ports/reviewer.ts";
import type { Reading } from "../report/outcome.ts";
import { renderPlan } from "../report/render-plan.ts";
import type { Host } from "./host.ts";
import { painter } from "./paint.ts";

/** Shows the plan and asks whoever sits at the terminal. Without one it never asks: it says which flag to pass. */
export function terminalReviewer(
  host: Host,
  context: { readonly reading: Reading; readonly results: "text" | "json"; readonly signal: AbortSignal },
): Reviewer {
  return {
    approve: async (plan) => {
      if (host.stdin.isTTY !== true || !host.stderr.isTerminal) return noTerminal;
      const output = context.results === "text" ? host.stdout : host.stderr;
      output.write(renderPlan(plan, { paint: painter(output), reading: context.reading }));
      return (await ask(host, context.signal)) === "yes" ? { approved: true } : declined;
    },
  };
}

async function ask(host: Host, signal: AbortSignal): Promise<string> {
  const prompt = createInterface({ input: host.stdin, output: process.stderr });
  // At a prompt the terminal hands Ctrl-C to us instead of to the process.
  prompt.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const question = "\nApply this plan? Invitations cannot be unsent. Only `yes` is taken as approval: ";
    return (await prompt.question(question, { signal })).trim();
  } catch {
    host.stderr.write("\n");
    return "";
  } finally {
    prompt.close();
  }
}

const noTerminal = {
  approved: false,
  code: "not-approved",
  why: "Nobody can be asked: this is not a terminal",
  hint: "Read the plan above, then pass --auto-approve to apply it.",
} as const;

const declined = { approved: false, code: "declined", why: "The plan was not approved, and nothing was done" } as const;

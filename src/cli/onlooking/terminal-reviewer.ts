import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Reviewer } from "../../ports/reviewer.ts";
import type { FormatName } from "../../report/formats.ts";
import { type PlanTextOptions, renderPlan } from "../../report/text/plan.ts";
import { discardTypedAhead } from "../../screen/terminal.ts";
import type { Host, Output } from "../host.ts";
import { textStyleOf } from "../output/paint.ts";

/** Shows the plan and asks whoever sits at the terminal. Without one it never asks: it says which flag to pass. */
export function terminalReviewer(
  host: Host,
  context: { readonly shown: PlanTextOptions; readonly results: FormatName; readonly signal: AbortSignal },
): Reviewer {
  return {
    approve: async (plan) => {
      if (host.stdin.isTTY !== true || !host.stderr.isTerminal) return noTerminal;
      const output = context.results === "text" ? host.stdout : host.stderr;
      output.write(renderPlan(plan, { ...textStyleOf(output), ...context.shown }));
      return (await ask(host, context.signal)) === "yes" ? { approved: true } : declined;
    },
  };
}

/** What is answered; nothing where the input ends or the command is stopped first. */
async function ask(host: Host, signal: AbortSignal): Promise<string> {
  const { stdin } = host;
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
  const question = "\nApply this plan? Invitations cannot be unsent. Only `yes` is taken as approval: ";
  try {
    const answer = await Promise.race([prompt.question(question, { signal }).catch(() => ""), closed]);
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
  why: "Nobody can be asked: this is not a terminal",
  hint: "Read the plan above, then pass --auto-approve to apply it.",
} as const;

/** The answer of whoever read a plan and did not want it. */
export const declined = {
  approved: false,
  code: "declined",
  why: "The plan was not approved, and nothing was done",
} as const;

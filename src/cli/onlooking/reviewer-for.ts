import type { RoleSet } from "../../model/role-set.ts";
import type { Reviewer } from "../../ports/reviewer.ts";
import type { PlanTextOptions } from "../../report/text/plan.ts";
import type { Host } from "../host.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { screenReviewer } from "./screen-reviewer.ts";
import { screenTerminal } from "./screen-terminal.ts";
import { terminalReviewer } from "./terminal-reviewer.ts";

/** Whoever is to approve a plan: on a screen where one can be shown, else asked in lines; a view that is named is text. */
export function reviewerFor(
  host: Host,
  context: {
    readonly flags: OutputFlags;
    readonly shown: PlanTextOptions;
    readonly privileged: RoleSet;
    readonly signal: AbortSignal;
  },
): Reviewer {
  const { flags, shown, privileged, signal } = context;
  const terminal = flags.view === undefined ? screenTerminal(host, flags) : undefined;
  if (terminal === undefined) return terminalReviewer(host, { shown, results: flags.format, signal });
  return screenReviewer(host, { shown, privileged, terminal, signal });
}

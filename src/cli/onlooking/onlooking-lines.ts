import type { Plan } from "../../model/plan.ts";
import type { ProgressObserver } from "../../ports/progress.ts";
import { safe } from "../../report/safe.ts";
import { progressLine } from "../../report/text/progress.ts";
import type { Host } from "../host.ts";

/** Tells on standard error, in lines: how far long reads are, on a terminal and now and then; and what happens in the run. */
export function lineObserver({ stderr, clock }: Host, wanted: { readonly events: boolean }): ProgressObserver {
  let last = clock.now();
  let plan: Plan | undefined;
  return {
    read({ what, done, of }) {
      if (!stderr.isTerminal || clock.now() - last < 1000) return;
      last = clock.now();
      stderr.write(`${safe(what)}: ${done}${of === undefined ? "" : ` of ${of}`}\n`);
    },
    planned(made) {
      plan = made;
    },
    event(event) {
      const line = wanted.events && plan !== undefined ? progressLine(event, plan) : undefined;
      if (line !== undefined) stderr.write(`${line}\n`);
    },
    asking: () => undefined,
    end: async () => undefined,
  };
}

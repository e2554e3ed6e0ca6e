import type { Plan } from "../model/plan.ts";
import type { Onlooker } from "../ports/onlooker.ts";
import type { Progress } from "../ports/progress.ts";
import { progressLine } from "../report/progress-line.ts";
import { safe } from "../report/safe.ts";
import type { Host } from "./host.ts";
import type { OutputFlags } from "./output-flags.ts";

/** Whoever looks on while this command works, as its output and its format want it. */
export async function onlookerFor(host: Host, { format }: OutputFlags): Promise<Onlooker> {
  return lines(host, { events: format === "text" || host.stderr.isTerminal });
}

/** The part of an onlooker that reads report to. */
export function readProgress(onlooker: Onlooker): Progress {
  return { report: (step) => onlooker.read(step) };
}

/** Tells on standard error, in lines: how far long reads are, on a terminal and now and then; and what happens in the run. */
function lines(host: Host, wanted: { readonly events: boolean }): Onlooker {
  const { stderr, clock } = host;
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
    end: async () => undefined,
  };
}

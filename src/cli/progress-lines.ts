import type { Progress } from "../ports/progress.ts";
import { safe } from "../report/safe.ts";
import type { Host } from "./host.ts";

/** Long reads say now and then how far they are, on a terminal only. */
export function readProgress(host: Host): Progress {
  let last = Date.now();
  return {
    report: ({ what, done, of }) => {
      if (!host.stderr.isTerminal || Date.now() - last < 1000) return;
      last = Date.now();
      host.stderr.write(`${safe(what)}: ${done}${of === undefined ? "" : ` of ${of}`}\n`);
    },
  };
}

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

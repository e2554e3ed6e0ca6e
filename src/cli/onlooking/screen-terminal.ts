import type { Terminal } from "../../screen/terminal.ts";
import { type Host, isPipeline } from "../host.ts";
import type { OutputFlags } from "../output/output-flags.ts";

/** The terminal, where screens are wanted on it: for people, not in a pipeline, and not among the lines of a trace. */
export function screenTerminal(
  host: Host,
  { format, plain, debug }: OutputFlags & { readonly debug?: boolean },
): Terminal | undefined {
  const isWanted = format === "text" && plain !== true && debug !== true;
  return isWanted && !isPipeline(host) ? host.terminal : undefined;
}

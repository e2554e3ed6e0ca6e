import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

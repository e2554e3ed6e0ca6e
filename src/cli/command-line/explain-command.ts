import type { Command } from "commander";
import type { Host } from "../host.ts";
import { withRunOptions, withService, withSnapshot } from "./shared-options.ts";

/** Adds `explain`, which tells why and changes nothing. */
export function addExplain(program: Command, host: Host, end: (code: number) => void): void {
  const command = program
    .command("explain")
    .description("tell the whole story of one thing, or what a code means and what to do")
    .argument(
      "[what]",
      "user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint, or a code such as unproven-team or 7",
    );
  withRunOptions(withSnapshot(withService(command, "explain")))
    .option("--unmanaged", "read everyone, and know of people, keys and privileges beyond the roster")
    .option("--codes", "list every code; needs no service")
    .action(async (what, paths, flags) =>
      end(await (await import("../commands/explain.ts")).explain(what, paths, flags, host)),
    );
}

import { formatCount } from "../../codes/message.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { safe } from "../safe.ts";

/** What was read for a snapshot. `open`: calls that reading has not resolved. `out`: the file that was written, or `-`. */
export function renderSnapshotSummary(
  { snapshot, open }: { readonly snapshot: Snapshot; readonly open: number },
  out: string,
): string {
  const { users, accounts, roles, service, readAt, reads } = snapshot;
  const parts = [
    formatCount(users.length, "user"),
    formatCount(accounts.size, "account"),
    formatCount(roles.known === "observed" ? roles.value.length : 0, "role"),
  ];
  // What reading has not resolved is held back in every plan of it.
  const calls = open === 1 ? "1 call of an earlier run has" : `${open} calls of earlier runs have`;
  const them = open === 1 ? "this call" : "these calls";
  const held = `${calls} an unknown outcome, also after this reading. Plans leave out actions that depend on ${them}.`;
  const lines = [
    `Snapshot of ${service}, read at ${readAt} with ${formatCount(reads, "request")}: ${parts.join(", ")}.`,
    ...(open === 0 ? [] : [held]),
    "It has addresses and names: share it only with people who may read the users of the service.",
    ...(out === "-" ? [] : [`Written to ${out}. \`roster plan --from ${out}\` plans with it, without a key.`]),
  ];
  return lines.map((line) => `${safe(line)}\n`).join("");
}

import { addressPattern, pseudonymPattern } from "../../codec/pseudonymize.ts";
import { settleOpen } from "../../journal/settle.ts";
import type { SnapshotFile } from "../../model/saved-files.ts";
import { formatCount } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";

/** What a snapshot holds, in a few lines for whoever has made it. */
export function formatSnapshotSummary(file: SnapshotFile, out: string): string {
  const { snapshot, addresses } = file;
  const { users, accounts, roles } = snapshot;
  const parts = [
    formatCount(users.length, "user"),
    formatCount(accounts.size, "account"),
    formatCount(roles.known === "observed" ? roles.value.length : 0, "role"),
  ];
  const lines = [
    `Snapshot of ${snapshot.service}, read at ${snapshot.readAt} with ${formatCount(snapshot.reads, "request")}: ${parts.join(", ")}.`,
    ...formatOpenCalls(file),
    addresses.are === "hashed"
      ? "Addresses are hashed, and names and titles left out; identifiers, prefixes and names of teams are as they are."
      : "Addresses and names are as they are: show it to nobody who may not read the users of the service.",
    ...formatAddresses(file),
    ...(out === "-" ? [] : [`Written to ${out}. \`roster plan --from ${out}\` plans with it, without a key.`]),
  ];
  return lines.map((line) => `${safe(line)}\n`).join("");
}

/** What reading has not settled is held back in every plan of it. */
function formatOpenCalls({ state, snapshot }: SnapshotFile): readonly string[] {
  const { unsettled } = settleOpen(state, snapshot, { at: snapshot.readAt, consistency: undefined });
  if (unsettled.length === 0) return [];
  const calls =
    unsettled.length === 1 ? "1 call of an earlier run is" : `${unsettled.length} calls of earlier runs are`;
  return [`${calls} of unknown outcome, and these reads have not settled it: plans hold back what depends on it.`];
}

/** What the service itself has named after an address, or calls by one, stays as it is: plans need it. */
function formatAddresses({ addresses, snapshot, state }: SnapshotFile): readonly string[] {
  if (addresses.are !== "hashed" || !someTextOf([snapshot, state], holdsAddress)) return [];
  return ["Some of these hold an address, which is not hashed there: keep the file from whoever may not read it."];
}

function someTextOf(value: unknown, isSuch: (text: string) => boolean): boolean {
  if (typeof value === "string") return isSuch(value);
  if (typeof value !== "object" || value === null) return false;
  const parts = value instanceof Map ? [...value] : Object.values(value);
  return parts.some((part) => someTextOf(part, isSuch));
}

function holdsAddress(text: string): boolean {
  return text.replaceAll(pseudonymPattern, "").match(addressPattern) !== null;
}

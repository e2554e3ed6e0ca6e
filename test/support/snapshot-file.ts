import { createHmac } from "node:crypto";
import type { KeyedHash } from "../../src/codec/pseudonymize.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { SnapshotFile } from "../../src/model/plan.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { noon } from "./event-builders.ts";

export const testSeal: KeyedHash = (of, text) =>
  createHmac("sha256", "a key of sixteen bytes").update(`${of}: ${text}`).digest("hex");

/** As it is kept with plain addresses. */
export function aSnapshotFile(
  snapshot: Snapshot,
  state: State = emptyState(""),
  parts: Partial<SnapshotFile> = {},
): SnapshotFile {
  const about = { madeAt: noon, madeBy: "1.2.3", addresses: { are: "plain" }, accounts: "all" } as const;
  return { ...about, snapshot, state, ...parts };
}

/** Everything that names somebody: addresses, folded and as written. */
export function addressesOf({ users }: Snapshot): readonly string[] {
  return users.flatMap(({ email, address }) => [email, address, foldAddress(email)]);
}

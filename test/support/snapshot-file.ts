import type { Snapshot, SnapshotFile } from "../../src/model/snapshot.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { noon } from "./event-builders.ts";

export function aSnapshotFile(
  snapshot: Snapshot,
  state: State = emptyState(""),
  parts: Partial<SnapshotFile> = {},
): SnapshotFile {
  return { madeAt: noon, madeBy: "1.2.3", accounts: "all", snapshot, state, ...parts };
}

import { expect, test } from "vitest";
import { formatSnapshotSummary } from "../../../../src/cli/commands/snapshot.ts";
import { pseudonymize } from "../../../../src/codec/pseudonymize.ts";
import { rewriteSnapshot, rewriteState } from "../../../../src/codec/rewrite-addresses.ts";
import type { SnapshotFile } from "../../../../src/model/plan.ts";
import type { ObservedTeam } from "../../../../src/model/snapshot.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { additionIntent, openIntent } from "../../../support/event-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";
import { aSnapshotFile, testSeal } from "../../../support/snapshot-file.ts";

function wordsOf(
  team: ObservedTeam,
  are: Partial<SnapshotFile> = { addresses: { are: "hashed", check: "c" } },
): string {
  const read = aSnapshot({ users: [aShownUser("ada", { keys: [aShownKey("k1", team)] })] });
  const state = {
    ...emptyState("l"),
    open: [openIntent("r", "add-members:acc-1/science ada@acme.example", additionIntent("ada"))],
  };
  const anew = pseudonymize(testSeal);
  const file = aSnapshotFile(rewriteSnapshot(read, anew), rewriteState(state, anew), are);
  return formatSnapshotSummary(file, "-");
}

const said = "Some of them contain an address that is not hashed: protect the file.\n";

test.each<[string, ObservedTeam]>([
  ["a team is named after one", { identifier: "t-1", name: "All of ADA@acme.example" }],
  ["a team's identifier holds one", { identifier: "t-ada@acme.example", name: "Science" }],
])("whoever hides addresses learns that %s", (_, team) => {
  expect(wordsOf(team)).toContain(said);
});

test("nothing is said where every address is hidden, or none is to be", () => {
  const harmless = { identifier: "t-1", name: "Science @ home" };
  expect(wordsOf(harmless)).not.toContain(said);
  expect(wordsOf({ identifier: "t-1", name: "ada@acme.example" }, { addresses: { are: "plain" } })).not.toContain(said);
});

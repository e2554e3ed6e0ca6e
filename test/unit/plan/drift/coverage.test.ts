import { expect, test } from "vitest";
import { computeCoverage } from "../../../../src/plan/drift/coverage.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";

const red = { identifier: "t-1", name: "Red" };
const blue = { identifier: "t-2", name: "Blue" };
const roster = aRoster({
  users: [aUser("ada", { previously: ["ada.old"] }), aUser("bo")],
  leavers: [aLeaver("cy")],
  teams: [aTeam("Red", { members: ["ada"] })],
  keys: [aKey("listed", { roles: [] })],
});

test("the roster covers people by any of their addresses, leavers, their teams, and the keys that it leads to", () => {
  const users = [
    aShownUser("ada.old", {
      account: "acc-1",
      keys: [aShownKey("k1", red), aShownKey("k2", "none", { kind: "project" })],
    }),
    aShownUser("bo", { account: "acc-1", keys: [aShownKey("k3", "none", { kind: "user" }), aShownKey("k4", blue)] }),
    aShownUser("cy", { keys: [aShownKey("k5", "none")] }),
    aShownUser("mal", { keys: [aShownKey("listed", "none"), aShownKey("k6", red), aShownKey("k7", blue)] }),
    aShownUser("gone", { status: "deleted", keys: [aShownKey("k8", blue, { status: "deleted" })] }),
  ];
  expect(computeCoverage(aSnapshot({ users }), roster, aState())).toEqual({
    users: { shown: 4, named: 3 },
    teams: { shown: 2, named: 1 },
    keys: { shown: 8, named: 4 },
  });
});

test("what the service does not show is not covered in part, but not told", () => {
  const users = [aShownUser("ada"), aShownUser("mal")];
  expect(computeCoverage(aSnapshot({ users }), roster, aState())).toEqual({ users: { shown: 2, named: 1 } });
  const teamless = [aShownUser("bo", { keys: [{ prefix: "k" }] })];
  expect(computeCoverage(aSnapshot({ users: teamless }), roster, aState())).toEqual({
    users: { shown: 1, named: 1 },
    keys: { shown: 1, named: 0 },
  });
});

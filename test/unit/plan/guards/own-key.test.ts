import { expect, test } from "vitest";
import { makePlan } from "../../../../src/plan/make-plan.ts";
import { aContext } from "../../../support/plan-inputs.ts";
import { aKey, aRoster } from "../../../support/roster-builders.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../../support/simulated-world.ts";
import type { Hidden } from "../../../support/visibility.ts";

/** How a plan ends that replaces the roles of a key with which it would be applied. */
function planned(has: readonly string[], wants: readonly string[], keyInUse: string, hides: readonly Hidden[] = []) {
  const world = aWorld();
  const [key] = putUser(world, { email: "root@acme.example" }).keys;
  if (key !== undefined) key.roles = has;
  const roster = aRoster({ keys: [aKey(key?.prefix ?? "", { roles: wants })] });
  const made = makePlan(aContext({ roster, snapshot: snapshotOf(world, { roster, hides }), keyInUse }));
  if (!made.ok) throw new Error(made.error.message);
  return made.value.actions.length > 0 ? "replaced" : made.value.findings.map(({ code, kind }) => [code, kind])[0];
}

const withheld = ["own-key", "task"];

test.each([
  ["loses what lets it administer", ["ACCOUNT_ADMIN", "TEAM_ROLE"], ["TEAM_ROLE"], "k2", [], withheld],
  ["loses a harmless role", ["ACCOUNT_ADMIN", "TEAM_ROLE"], ["ACCOUNT_ADMIN"], "k2", [], "replaced"],
  ["is not the one in use", ["ACCOUNT_ADMIN"], ["TEAM_ROLE"], "k9", [], "replaced"],
  ["may lose it, as its roles are hidden", ["ACCOUNT_ADMIN"], ["TEAM_ROLE"], "k2", ["roles"], withheld],
  ["keeps a privileged role, as far as can be told", ["ACCOUNT_ADMIN"], ["ACCOUNT_ADMIN"], "k2", ["roles"], "replaced"],
] as const)("a key that %s", (_, has, wants, keyInUse, hides, comesTo) => {
  expect(planned(has, wants, keyInUse, hides)).toEqual(comesTo);
});

import { describe, expect, test } from "vitest";
import type { Allowance } from "../../../src/model/policy.ts";
import { allowancePlanOf, makePlan } from "../../../src/plan/make-plan.ts";
import { anAllowance, aPlanInput, aPolicy, aState } from "../../support/plan-inputs.ts";
import { addressOf, aRoster, aUser } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

const at = "2026-11-01T00:00:00.000Z";

function dropped(...names: readonly string[]): string | undefined {
  const world = aWorld();
  const people = new Map(names.map((name) => [addressOf(name), { address: addressOf(name), email: addressOf(name) }]));
  for (const name of names) putUser(world, { email: addressOf(name) });
  const roster = aRoster({});
  const snapshot = snapshotOf(world, { roster, alsoAsked: people.keys() });
  const state = aState({ applied: { at, digest: "d", people } });
  return allowancePlanOf(aPlanInput({ roster, snapshot, state }));
}

describe("the plan that an allowance names", () => {
  test("is another one where something else is offered, also if neither changes a call", () => {
    const ids = [dropped(), dropped("ada"), dropped("bo"), dropped("ada", "bo")];
    expect(new Set(ids).size).toBe(4);
    expect(dropped("ada")).toBe(ids[1]);
  });

  test("is another one where another user has the address", () => {
    const address = addressOf("ada");
    const account = "acc-1";
    const record = { address, email: "ada@acme.example", account, identifier: "u-gone", seenAt: at };
    const roster = aRoster({ users: [aUser("ada", { firstName: "Ada", lastName: "Test" })] });
    const planWith = (identifier: string) => {
      const world = aWorld();
      putUser(world, { email: "ada@acme.example", identifier, firstName: "Ada", lastName: "Test" });
      return aPlanInput({
        roster,
        snapshot: snapshotOf(world, { roster }),
        state: aState({ users: new Map([[address, record]]) }),
      });
    };
    const [one, other] = ["u-7", "u-8"].map((identifier) => {
      const made = makePlan(planWith(identifier));
      return made.ok ? made.value.findings.flatMap(({ allow = [] }) => allow) : [];
    });
    expect(one).toEqual([expect.stringMatching(/^recreate:ada@acme\.example@[0-9a-f]{16}$/u)]);
    expect(other).toHaveLength(1);
    expect(other).not.toEqual(one);
  });

  const address = addressOf("ada");
  const record = { address, email: "ada@acme.example", account: "acc-1", createdAt: at };
  const gone = (firstName: string, words: readonly Allowance[] = []) => {
    const roster = aRoster({ users: [aUser("ada", { firstName, lastName: "Test" })] });
    const state = aState({ users: new Map([[address, record]]) });
    return aPlanInput({
      roster,
      snapshot: snapshotOf(aWorld(), { roster }),
      state,
      policy: aPolicy({ allowed: words }),
    });
  };

  test("is another one where an exception would bring about another call", () => {
    expect(allowancePlanOf(gone("Ada"))).not.toBe(allowancePlanOf(gone("Eve")));
  });

  test("is the only one for which an exception is granted", () => {
    const other = makePlan(gone("Ada", [anAllowance("recreate:ada@acme.example", "0123456789abcdef")]));
    expect(!other.ok && other.error.code === "guard" && other.error.stops.map(({ code }) => code)).toEqual([
      "user-missing",
    ]);
    const right = makePlan(gone("Ada", [anAllowance("recreate:ada@acme.example", allowancePlanOf(gone("Ada")) ?? "")]));
    expect(right.ok && right.value.actions.map(({ id }) => id)).toEqual(["create-user:ada@acme.example"]);
  });
});

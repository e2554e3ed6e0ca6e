import { describe, expect, test } from "vitest";
import type { PlanRefusal } from "../../../src/model/plan.ts";
import type { Allowance } from "../../../src/model/policy.ts";
import { allowancePlanOf, makePlan } from "../../../src/plan/make-plan.ts";
import { anAllowance, aPlanInput, aPolicy, aState, planned, refused } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { allRefused, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

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

describe("the allowance that a run prints after a refusal", () => {
  const first = "1111111111111111";
  const second = "2222222222222222";
  const word = (plan: string) => anAllowance("retry:user:bo@acme.example", plan);

  /** Bo is to join Data and Lab. Each addition was refused, in the runs of two plans. */
  function allowing(...allowed: readonly Allowance[]) {
    const made = aWorld();
    putUser(made, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const root = putUser(made, { email: "root@acme.example" });
    const names = ["Data", "Lab"];
    for (const name of names) putTeam(made, { name, identifier: `t-${name}`, members: [root] });
    const wanted = aRoster({
      users: [aUser("bo")],
      teams: names.map((name) => aTeam(name, { open: true, members: ["bo"] })),
    });
    const [data, lab] = allRefused(planFor(made, wanted));
    if (data === undefined || lab === undefined) throw new Error("two additions are asked for");
    const refusals = refusalMap({ ...data, plan: first }, { ...lab, plan: second });
    return {
      roster: wanted,
      snapshot: snapshotOf(made, { roster: wanted }),
      state: aState({ refusals }),
      policy: aPolicy({ allowed }),
    };
  }

  test.each([
    [first, "add bo to Data", "! refused: member bo@acme.example of team acc-1/lab"],
    [second, "add bo to Lab", "! refused: member bo@acme.example of team acc-1/data"],
  ])("sends again what was refused in the run of its plan (%s), and nothing else", (plan, deed, remains) => {
    const made = planned(allowing(word(plan)));
    expect({ deeds: deeds(made), told: troubles(made) }).toEqual({ deeds: [deed], told: [remains] });
  });

  test("sends nothing again for the plan of any other run, and names the plan that it has to name", () => {
    const { stops } = guardStops(refused(allowing(word("3333333333333333"))));
    expect(stops.map(({ code, message }) => ({ code, message }))).toEqual([
      {
        code: "refused",
        message: expect.stringMatching(
          /^The allowance retry:user:bo@acme\.example@3{16} is for plan 3{16}\. This is plan [0-9a-f]{16}, so it does not apply\.$/u,
        ),
      },
    ]);
  });
});

function guardStops(refusal: PlanRefusal) {
  if (refusal.code !== "guard") throw new Error(refusal.message);
  return refusal;
}

import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { Plan } from "../../../src/model/plan.ts";
import type { State } from "../../../src/model/state.ts";
import type { PlanFacts } from "../../../src/plan/comparison.ts";
import { buildPlanContext } from "../../../src/plan/context.ts";
import { makePlan } from "../../../src/plan/make-plan.ts";
import { intended, noon, rolesIntent } from "../../support/event-builders.ts";
import { judged, withGuards } from "../../support/guards.ts";
import { aCode, aPlanInput, aPolicy, aState, codesOf } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { allRefused, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, aWorldOf, putTeam, putUser } from "../../support/simulated-world.ts";

const at = "2026-11-01T00:00:00.000Z";
const later = "2026-11-02T00:00:00.000Z";

function withCodes(input: PlanFacts, codes: readonly string[]): PlanFacts {
  return { ...input, policy: { ...input.policy, allowed: codes.map(aCode) } };
}

/** What is done, what is told, and why it is refused. */
function outcome(input: PlanFacts) {
  const { plan, refusal } = judged(input);
  return { deeds: deeds(plan), troubles: troubles(plan), stops: refusal?.stops.map(({ message }) => message) };
}

function codes(input: PlanFacts): readonly string[] {
  return codesOf(makePlan(buildPlanContext(input)));
}

/** As an apply records it before its first call. */
function recorded(state: State, plan: Plan): State {
  const event = { type: "allowances-used", at: noon, allowances: plan.allowed ?? [] } as const;
  return { ...applyEvents(state, [event]), serial: 7 };
}

describe("a code about one user", () => {
  const address = addressOf("ada");
  const record = { address, email: "ada@acme.example", account: "acc-1", createdAt: at };

  function gone(parts: { readonly createdAt?: string; readonly firstName?: string; readonly line?: number } = {}) {
    const { createdAt = at, firstName = "Ada" } = parts;
    const roster = aRoster({ users: [aUser("ada", { firstName, lastName: "Test" })] });
    const state = aState({ serial: 7, users: new Map([[address, { ...record, createdAt }]]) });
    return aPlanInput({ roster, snapshot: snapshotOf(aWorld(), { roster }), state });
  }

  const [code = ""] = codes(gone());

  test("names the finding, the user and 12 digits", () => {
    expect(codes(gone())).toEqual([expect.stringMatching(/^user-missing:ada@acme\.example#[0-9a-f]{12}$/u)]);
  });

  test("lets just that pass, and the plan says what it covers", () => {
    const { plan, refusal } = judged(withCodes(gone(), [code]));
    expect([deeds(plan), troubles(plan), refusal, plan.allowed]).toEqual([
      ["create ada"],
      [],
      undefined,
      [{ code, covers: ["user ada@acme.example", `created at ${at}, now absent`] }],
    ]);
  });

  test("is recorded as it is printed, however a person writes the address", () => {
    const written = code.replace("ada@acme", "Ada@ACME");
    expect(judged(withCodes(gone(), [written])).plan.allowed?.map((one) => one.code)).toEqual([code]);
  });

  test("stays the same whatever else is planned, and however the user is written", () => {
    expect(codes(gone({ firstName: "Augusta" }))).toEqual([code]);
    const roster = aRoster({ users: [aUser("ada"), aUser("bo")] });
    expect(codes({ ...gone(), roster, snapshot: snapshotOf(aWorld(), { roster }) })).toEqual([code]);
  });

  test.each([
    ["the last recorded call about the user is another", () => gone({ createdAt: later })],
    [
      "the service is another",
      () => ({ ...gone(), snapshot: { ...gone().snapshot, service: "https://other.example" } }),
    ],
    ["the log is another", () => ({ ...gone(), state: { ...gone().state, lineage: "other" } })],
  ])("does not fit where %s: the run is refused, and the right code is told", (_, other) => {
    const [right = ""] = codes(other());
    expect(right).not.toBe(code);
    expect(outcome(withCodes(other(), [code]))).toEqual({
      deeds: [],
      troubles: ["! user-missing: user ada@acme.example"],
      stops: [
        expect.stringMatching(
          new RegExp(
            `^\`--allow ${code}\` does not fit this plan: it is for other facts, another service or another log\\. Now it is about .* \`--allow ${right}\`\\.$`,
            "u",
          ),
        ),
      ],
    });
  });

  test("is told with then and now where an apply has used it and its call was sent", () => {
    const input = gone();
    const used = recorded(input.state, judged(withCodes(input, [code])).plan);
    const again = { ...input, state: { ...used, users: new Map([[address, { ...record, createdAt: later }]]) } };
    const [right] = codes(again);
    expect(outcome(withCodes(again, [code])).stops).toEqual([
      `\`--allow ${code}\` does not fit this plan: it is spent, or its facts have changed. It was used at ${noon} and covered ` +
        `user ada@acme.example (created at ${at}, now absent). Now it is about user ada@acme.example ` +
        `(created at ${later}, now absent): \`--allow ${right}\`.`,
    ]);
  });

  test("still holds where an apply has used it and its call was not sent", () => {
    const input = gone();
    const state = recorded(input.state, judged(withCodes(input, [code])).plan);
    expect(outcome(withCodes({ ...input, state }, [code]))).toEqual({
      deeds: ["create ada"],
      troubles: [],
      stops: undefined,
    });
  });

  test("that a plan without a log printed holds in the log that begins with its apply", () => {
    const input = gone();
    const [early = ""] = codes({ ...input, state: { ...input.state, serial: 0 } });
    expect(early).not.toBe(code);
    expect(outcome(withCodes(input, [early])).deeds).toEqual(["create ada"]);
  });

  test.each([
    ["without digits", "user-missing:ada@acme.example", "it has no digits"],
    ["with nothing after #", "user-missing:ada@acme.example#", "it has no digits"],
    ["with the digits of something else", "near-duplicate:ada@acme.example#", "its digits are those of another code"],
  ])("%s is refused with the right one", (_, said, why) => {
    const digits = said.startsWith("near") ? code.slice(-12) : "";
    const { stops } = outcome(withCodes(gone(), [`${said}${digits}`]));
    expect(stops).toEqual([expect.stringContaining(`does not fit this plan: ${why}. Now it is about`)]);
    expect(stops?.[0]).toContain(`\`--allow ${code}\`.`);
  });

  test("that nothing needs is a notice; without digits it is refused", () => {
    const roster = aRoster({});
    const input = aPlanInput({ roster, snapshot: snapshotOf(aWorld(), { roster }) });
    expect(outcome(withCodes(input, [code]))).toEqual({
      deeds: [],
      troubles: [`idle-allowance: allowance ${code}`],
      stops: undefined,
    });
    expect(outcome(withCodes(input, ["max-new-users"])).stops).toEqual([
      "`--allow max-new-users` has no digits. Pass the code as a plan prints it. This plan does not need it.",
    ]);
  });
});

describe("a code of a guard that counts", () => {
  const all = ["abe", "bo", "cy", "di"];
  const policy = withGuards({ maxNewUsers: 1 });

  function creating(names: readonly string[], parts: Partial<State> = {}) {
    const roster = aRoster({ users: names.map((name) => aUser(name)) });
    return aPlanInput({
      roster,
      snapshot: snapshotOf(aWorld(), { roster }),
      state: aState({ serial: 7, ...parts }),
      policy,
    });
  }

  const [code = ""] = codes(creating(all));
  const used = recorded(creating(all).state, judged(withCodes(creating(all), [code])).plan);

  test("has no subject, and is asked for by a list whatever its order", () => {
    expect(code).toMatch(/^max-new-users#[0-9a-f]{12}$/u);
    expect(codes(creating(all.toReversed()))).toEqual([code]);
  });

  test.each([
    ["every subset of the list that an apply has recorded", all.slice(1), used, undefined],
    ["no more than was on the list", [...all.slice(1), "eve"], used, ["max-new-users", "max-new-users"]],
    [
      "no list that no apply has recorded, also where it is shorter",
      all.slice(1),
      creating(all).state,
      ["max-new-users", "max-new-users"],
    ],
    [
      "nobody whose creation was sent since",
      all,
      {
        ...used,
        users: new Map([
          [addressOf("di"), { address: addressOf("di"), email: "di@acme.example", account: "acc-1", createdAt: later }],
        ]),
      },
      undefined,
    ],
  ])("covers %s", (_, names, state, stops) => {
    const { refusal } = judged(withCodes({ ...creating(names), state }, [code]));
    expect(refusal?.stops.map((stop) => stop.code)).toEqual(stops);
  });

  test("stands in the command that a finding gives for its own code", () => {
    const eve = { address: addressOf("eve"), email: "eve@acme.example", account: "acc-1", createdAt: at };
    const input = creating([...all, "eve"], { users: new Map([[eve.address, eve]]) });
    const [again, stop = ""] = codes(input);
    const [finding] = judged(withCodes(input, [stop])).plan.findings;
    expect(finding?.message).toContain(`\`--allow ${stop} --allow ${again} --reason TEXT\``);
  });

  test("is kept with its whole list where a part of it is applied", () => {
    const part = judged(withCodes({ ...creating(all.slice(2)), state: used }, [code])).plan;
    const state = recorded(used, part);
    expect(judged(withCodes({ ...creating(all), state }, [code])).refusal).toBe(undefined);
  });
});

describe("what an apply of a part of the plan leaves", () => {
  const policy = withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [] } });
  const roles = ["DEVELOPER", "ACCOUNT_ADMIN"];

  test("a privileged role keeps its code when the user and the team have been created", () => {
    const roster = aRoster({
      users: [aUser("bo"), aUser("ada")],
      teams: [aTeam("Data", { members: [{ user: "bo", roles }, "ada"], firstMember: "bo" })],
    });
    const world = aWorldOf({ users: { root: {} } });
    const before = codes(aPlanInput({ roster, snapshot: snapshotOf(world, { roster }), policy }));
    const bo = putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-data", members: [bo] });
    const address = addressOf("bo");
    const state = aState({
      users: new Map([[address, { address, email: "bo@acme.example", account: "acc-1", createdAt: at }]]),
    });
    const after = codes(aPlanInput({ roster, snapshot: snapshotOf(world, { roster }), policy, state }));
    expect(before).toEqual([expect.stringMatching(/^privileged-roles:bo@acme\.example#/u)]);
    expect(after).toEqual(before);
  });

  test("a privileged role that was given, revoked and is to be given again has another code", () => {
    const world = aWorld();
    const bo = putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-data", members: [bo] });
    const roster = aRoster({ users: [aUser("bo")], teams: [aTeam("Data", { members: [{ user: "bo", roles }] })] });
    const input = aPlanInput({ roster, snapshot: snapshotOf(world, { roster }), policy });
    const [first = ""] = codes(input);
    const prefix = bo.keys.find((key) => key.team !== undefined)?.prefix ?? "";
    const state = aState({ keys: new Map([[prefix, { prefix, setRoles: ["DEVELOPER"], at: later }]]) });
    const reverted = { ...input, state };
    expect(codes(reverted)).not.toContain(first);
    const { plan, refusal } = judged(withCodes(reverted, [first]));
    expect([deeds(plan), refusal?.stops.map(({ code }) => code)]).toEqual([[], ["privileged-roles"]]);
    // A replacement that got lost makes no older code fit.
    const address = addressOf("bo");
    const users = new Map([[address, { address, email: "bo@acme.example", account: "acc-1", seenAt: at }]]);
    const intent = { ...rolesIntent(prefix, "USER"), owner: address } as const;
    const lost = applyEvents({ ...state, users }, [
      intended("r2", "p", intent),
      { type: "resolved", at: later, run: "r2", action: "p", as: { done: false } },
    ]);
    expect(codes({ ...input, state: lost })).toEqual(codes(reverted));
  });
});

describe("the code that a run prints after a refusal", () => {
  /** Bo is to join Data and Lab. Each addition was refused. */
  function refusedAdditions() {
    const made = aWorld();
    putUser(made, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const root = putUser(made, { email: "root@acme.example" });
    const names = ["Data", "Lab"];
    for (const name of names) putTeam(made, { name, identifier: `t-${name}`, members: [root] });
    const roster = aRoster({
      users: [aUser("bo")],
      teams: names.map((name) => aTeam(name, { open: true, members: ["bo"] })),
    });
    const refusals = refusalMap(...allRefused(planFor(made, roster)));
    return aPlanInput({
      roster,
      snapshot: snapshotOf(made, { roster }),
      state: aState({ refusals }),
      policy: aPolicy(),
    });
  }

  const [data = "", lab = ""] = codes(refusedAdditions());

  test.each([
    [data, "refused:data/bo@acme.example", "add bo to Data", "! refused: member bo@acme.example of team acc-1/lab"],
    [lab, "refused:lab/bo@acme.example", "add bo to Lab", "! refused: member bo@acme.example of team acc-1/data"],
  ])("sends this again, and nothing else: %s", (code, what, deed, remains) => {
    expect(code.slice(0, -13)).toBe(what);
    expect(outcome(withCodes(refusedAdditions(), [code]))).toEqual({
      deeds: [deed],
      troubles: [remains],
      stops: undefined,
    });
  });
});

describe("a hostile name", () => {
  test("of a team cannot be read as the code of another thing", () => {
    const roster = aRoster({
      users: [aUser("bo"), aUser("cy")],
      teams: [aTeam("Data#7f3a90c1d4e5", { members: ["bo"] }), aTeam("Data, privileged-roles:bo", { members: ["cy"] })],
    });
    const printed = codes(aPlanInput({ roster, snapshot: snapshotOf(aWorld(), { roster, hides: ["teams"] }) }));
    expect(printed).toEqual([
      expect.stringMatching(/^unproven-absence:data%237f3a90c1d4e5#[0-9a-f]{12}$/u),
      expect.stringMatching(/^unproven-absence:data%2C%20privileged-roles%3Abo#[0-9a-f]{12}$/u),
    ]);
  });
});

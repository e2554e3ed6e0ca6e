import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { Plan } from "../../../src/model/plan.ts";
import type { State } from "../../../src/model/state.ts";
import { makePlan } from "../../../src/plan/make-plan.ts";
import { intended, noon, rolesIntent } from "../../support/event-builders.ts";
import { judged } from "../../support/guards.ts";
import { aCode, aContext, aState, codesOf, planned } from "../../support/plan-inputs.ts";
import { deeds, troubles } from "../../support/plan-words.ts";
import { allRefused, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { type Parts, partsOf } from "../../support/scenes.ts";
import { remembering } from "../../support/state-builders.ts";

const at = "2026-11-01T00:00:00.000Z";
const later = "2026-11-02T00:00:00.000Z";

function withCodes(parts: Parts, codes: readonly string[]): Parts {
  return { ...parts, ...(parts.policy && { policy: { ...parts.policy, allowed: codes.map(aCode) } }) };
}

/** What is done, what is told, and why it is refused. */
function outcome(parts: Parts) {
  const { plan, refusal } = judged(parts);
  return { deeds: deeds(plan), troubles: troubles(plan), stops: refusal?.stops.map(({ message }) => message) };
}

const codes = (parts: Parts): readonly string[] => codesOf(makePlan(aContext(parts)));

/** As an apply records it before its first call. */
function recorded(state: State | undefined, plan: Plan): State {
  const event = { type: "allowances-used", at: noon, allowances: plan.allowed ?? [] } as const;
  return { ...applyEvents(state ?? aState(), [event]), serial: 7 };
}

describe("a code about one user", () => {
  /** Ada was created and is gone. */
  const gone = (state: Partial<State> = {}, text = "users: {ada}", createdAt = at): Parts => ({
    ...partsOf(text),
    state: { ...remembering({ serial: 7, users: { ada: { createdAt } } }), ...state },
  });
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

  test.each(["users: {ada: {firstName: Augusta}}", "users: {ada, bo}"])(
    "stays the same whatever else is planned, and however the user is written: %s",
    (text) => {
      expect(codes(gone({}, text))).toEqual([code]);
    },
  );

  test.each([
    ["the last recorded call about the user is another", gone({}, "users: {ada}", later)],
    ["the service is another", { ...gone(), snapshot: { ...gone().snapshot, service: "https://other.example" } }],
    ["the log is another", gone({ lineage: "other" })],
  ])("does not fit where %s: the run is refused, and the right code is told", (_, other) => {
    const [right = ""] = codes(other);
    expect(right).not.toBe(code);
    expect(outcome(withCodes(other, [code]))).toEqual({
      deeds: [],
      troubles: ["! user-missing: user ada@acme.example"],
      stops: [
        expect.stringMatching(
          new RegExp(
            `^The code ${code} does not fit this plan: it was printed for another plan, service or log\\. The code for this plan is ${right}\\. It would allow: .*\\.$`,
            "u",
          ),
        ),
      ],
    });
  });

  test("is told with then and now where an apply has used it and its call was sent", () => {
    const { users } = gone({}, "", later).state ?? aState();
    const again = gone({ ...recorded(gone().state, judged(withCodes(gone(), [code])).plan), users });
    const [right] = codes(again);
    expect(outcome(withCodes(again, [code])).stops).toEqual([
      `The code ${code} does not fit this plan: it is spent, or its facts have changed. It was used at ${noon}, for ` +
        `user ada@acme.example (created at ${at}, now absent). The code for this plan is ${right}. ` +
        `It would allow: created at ${later}, now absent.`,
    ]);
  });

  const allowed = { deeds: ["create ada"], troubles: [], stops: undefined };

  test("still holds where an apply has used it and its call was not sent", () => {
    const used = gone(recorded(gone().state, judged(withCodes(gone(), [code])).plan));
    expect(outcome(withCodes(used, [code]))).toEqual(allowed);
  });

  test("that a plan without a log printed holds in the log that begins with its apply", () => {
    const [early = ""] = codes(gone({ serial: 0 }));
    expect(early).not.toBe(code);
    expect(outcome(withCodes(gone(), [early]))).toEqual(allowed);
  });

  test.each([
    ["without digits", "user-missing:ada@acme.example", "the part after # is missing"],
    ["with nothing after #", "user-missing:ada@acme.example#", "the part after # is missing"],
    [
      "with the digits of something else",
      `near-duplicate:ada@acme.example#${code.slice(-12)}`,
      "its digits are those of another code",
    ],
  ])("%s is refused with the right one", (_, said, why) => {
    const { stops } = outcome(withCodes(gone(), [said]));
    expect(stops).toEqual([
      expect.stringContaining(`does not fit this plan: ${why}. The code for this plan is ${code}. It would allow: `),
    ]);
  });

  test("that nothing needs is a notice; without digits it is refused", () => {
    const idle = { deeds: [], troubles: [`idle-allowance: allowance ${code}`], stops: undefined };
    expect(outcome(withCodes(partsOf(""), [code]))).toEqual(idle);
    expect(outcome(withCodes(partsOf(""), ["max-new-users"])).stops).toEqual([
      "Nothing in this plan needs `--allow max-new-users`, and the part after # is missing. Remove it from the command.",
    ]);
  });
});

describe("a code of a guard that counts", () => {
  const creating = (names: string, state: State = aState({ serial: 7 })): Parts => ({
    ...partsOf(`{guards: {maxNewUsers: 1}, users: {${names}}}`),
    state,
  });
  const all = creating("abe, bo, cy, di");
  const [code = ""] = codes(all);
  const used = recorded(all.state, judged(withCodes(all, [code])).plan);
  const { users } = remembering({ users: { di: { createdAt: later } } });

  test("has no subject, and is asked for by a list whatever its order", () => {
    expect(code).toMatch(/^max-new-users#[0-9a-f]{12}$/u);
    expect(codes(creating("di, cy, bo, abe"))).toEqual([code]);
  });

  test.each<[string, Parts, readonly string[] | undefined]>([
    ["every subset of the list that an apply has recorded", creating("bo, cy, di", used), undefined],
    ["no more than was on the list", creating("bo, cy, di, eve", used), ["max-new-users", "max-new-users"]],
    [
      "no list that no apply has recorded, also where it is shorter",
      creating("bo, cy, di"),
      ["max-new-users", "max-new-users"],
    ],
    ["nobody whose creation was sent since", creating("abe, bo, cy, di", { ...used, users }), undefined],
  ])("covers %s", (_, parts, stops) => {
    expect(judged(withCodes(parts, [code])).refusal?.stops.map((stop) => stop.code)).toEqual(stops);
  });

  test("stands in the command that a finding gives for its own code", () => {
    const state = remembering({ users: { eve: { createdAt: at } } });
    const input = creating("abe, bo, cy, di, eve", state);
    const [again, stop = ""] = codes(input);
    const [finding] = judged(withCodes(input, [stop])).plan.findings;
    expect(finding?.message).toContain(`\`--allow ${stop} --allow ${again} --reason TEXT\``);
  });

  test("is kept with its whole list where a part of it is applied", () => {
    const part = judged(withCodes(creating("cy, di", used), [code])).plan;
    const rest = creating("abe, bo, cy, di", recorded(used, part));
    expect(judged(withCodes(rest, [code])).refusal).toBe(undefined);
  });
});

describe("what an apply of a part of the plan leaves", () => {
  const wanted = `
guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
users: {bo, ada}
teams: {Data: {members: [{user: bo, roles: [DEVELOPER, ACCOUNT_ADMIN]}, ada], firstMember: bo}}
`;

  test("a privileged role keeps its code when the user and the team have been created", () => {
    const before = codes(partsOf(wanted, "there: {root}"));
    const after = "{there: {root, bo: {in: {Data}}}, state: {users: {bo: {createdAt: RECORDED}}}}";
    expect(before).toEqual([expect.stringMatching(/^privileged-roles:bo@acme\.example#/u)]);
    expect(codes(partsOf(wanted, after))).toEqual(before);
  });

  test("a privileged role that was given, revoked and is to be given again has another code", () => {
    const there = partsOf(wanted, "{there: {bo: {in: {Data}}, ada: {in: {Data}}}}");
    const [first = ""] = codes(there);
    const prefix = "k-bo-data";
    const state = remembering({ keys: { [prefix]: { setRoles: ["DEVELOPER"], at: later } } });
    const reverted = { ...there, state };
    expect(codes(reverted)).not.toContain(first);
    const { plan, refusal } = judged(withCodes(reverted, [first]));
    expect([deeds(plan), refusal?.stops.map(({ code }) => code)]).toEqual([[], ["privileged-roles"]]);
    const { users } = remembering({ users: { bo: { seenAt: at } } });
    const intent = { ...rolesIntent(prefix, "USER"), owner: addressOf("bo") } as const;
    const lost = applyEvents({ ...state, users }, [
      intended("r2", "p", intent),
      { type: "resolved", at: later, run: "r2", action: "p", as: { done: false } },
    ]);
    expect(codes({ ...there, state: lost })).toEqual(codes(reverted));
  });
});

describe("the code that a run prints after a refusal", () => {
  /** Bo is to join Data and Lab. Each addition was refused. */
  const parts = partsOf(`
there: {bo, root: {in: {Data, Lab}}}
users: {bo}
teams: {Data: {open: true, members: [bo]}, Lab: {open: true, members: [bo]}}
`);
  const refused = { ...parts, state: aState({ refusals: refusalMap(...allRefused(planned(parts))) }) };
  const [data = "", lab = ""] = codes(refused);

  test.each([
    [data, "refused:data/bo@acme.example", "add bo to Data", "! refused: member bo@acme.example of team acc-1/lab"],
    [lab, "refused:lab/bo@acme.example", "add bo to Lab", "! refused: member bo@acme.example of team acc-1/data"],
  ])("sends this again, and nothing else: %s", (code, what, deed, remains) => {
    expect(code.slice(0, -13)).toBe(what);
    expect(outcome(withCodes(refused, [code]))).toEqual({ deeds: [deed], troubles: [remains], stops: undefined });
  });
});

test("a hostile name of a team cannot be read as the code of another thing", () => {
  const names = 'teams: {"Data#7f3a90c1d4e5": {members: [bo]}, "Data, privileged-roles:bo": {members: [cy]}}';
  expect(codes(partsOf("{users: {bo, cy}, hides: [teams]}", names))).toEqual([
    expect.stringMatching(/^unproven-absence:data%237f3a90c1d4e5#[0-9a-f]{12}$/u),
    expect.stringMatching(/^unproven-absence:data%2C%20privileged-roles%3Abo#[0-9a-f]{12}$/u),
  ]);
});

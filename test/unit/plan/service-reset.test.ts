import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { findServiceReset } from "../../../src/model/service-reset.ts";
import type { State } from "../../../src/model/state.ts";
import { makePlan } from "../../../src/plan/make-plan.ts";
import { creationIntent, openIntent } from "../../support/event-builders.ts";
import { judged, withGuards } from "../../support/guards.ts";
import { aCode, aContext, aPolicy, aState, codesOf } from "../../support/plan-inputs.ts";
import { deeds, outcome, troubles } from "../../support/plan-words.ts";
import { aRoster, emailOf } from "../../support/roster-builders.ts";
import { brief, partsOf, play, wholeFindings } from "../../support/scenes.ts";
import { recordedAt as at, remembering } from "../../support/state-builders.ts";

const recently = "2026-11-20T09:59:00.000Z";
const three = ["ada", "bo", "cy"];

play("a service that has lost all that was recorded", (parts) => {
  const { plan, refusal } = judged(parts);
  const stops = refusal?.stops.map(({ code }) => code) ?? [];
  return [...deeds(plan), ...wholeFindings(parts), `refused: ${refusal?.message}, by ${stops.join()}`];
})`
  there: {root: {in: {Ops}}}
  users: {ada, bo, cy}
  teams: {Red: {members: [ada, bo, cy], roles: [DEVELOPER]}}
is one finding, which stops the plan and prints what allows it
  state: {users: {ada: {seenAt: RECORDED}, bo: {seenAt: RECORDED}, cy: {seenAt: RECORDED}}, teams: {Red: {identifier: t-1}}}
  > task service-reset: service https://simulated.example
  > The service does not have 3 of 3 users that earlier runs recorded: ada, bo and cy. The service may have lost its data,
    or this is another service. roster plans nothing. Check the endpoint, and restore the data of the service. If the
    service starts anew, allow it: run \`--allow service-reset\`. roster then creates its users and
    teams again, and the users get new mails.
  > rests on user ada: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user ada: observed, absent, list
  > rests on user bo: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user bo: observed, absent, list
  > rests on user cy: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user cy: observed, absent, list
  > allow ["service-reset"]
  > refused: The service may have lost its data, so the plan cannot be applied, by service-reset
`;

/** All of it is recorded, the team as well. Root alone is there. */
const input = partsOf(`
there: {root: {in: {Ops}}}
users: {ada, bo, cy}
teams: {Red: {members: [ada, bo, cy], roles: [DEVELOPER]}}
state: {users: {ada: {seenAt: RECORDED}, bo: {seenAt: RECORDED}, cy: {seenAt: RECORDED}}, teams: {Red: {identifier: t-1}}}
`);
const { state: lost = aState() } = input;

describe("a service that has lost all that was recorded", () => {
  test("is planned as if nothing had ever been recorded, where a person allows it", () => {
    const { plan, refusal } = judged({ ...input, allows: ["service-reset"] });
    expect(refusal).toBeUndefined();
    expect(plan.allowed).toEqual([{ code: expect.stringMatching(/^service-reset#/u), covers: expect.any(Array) }]);
    expect(outcome(plan)).toEqual([...deeds(judged({ ...input, state: aState() }).plan)]);
    expect(deeds(plan)[0]).toMatch(/^create \w+ creating Red with /u);
  });

  test("leaves a call open whose outcome is not known", () => {
    const open = [openIntent("r", "a", creationIntent("ada"), recently)];
    const { plan } = judged({ ...input, state: { ...lost, open }, allows: ["service-reset"] });
    expect(deeds(plan).join()).not.toContain("create ada");
    expect(troubles(plan)).toContain("! unknown-outcome: user ada@acme.example");
  });

  test("gives other codes: those that its plan prints hold in the next one, and those of before do not", () => {
    const policy = withGuards({ allowedEmailDomains: ["other.example"] });
    const state = { ...lost, serial: 7 };
    const reset = codesOf(makePlan(aContext({ ...input, state }))).map(aCode);
    const allowing = { ...policy, allowed: reset };
    const first = makePlan(aContext({ ...input, state, policy: allowing }));
    const begun: readonly LogEvent[] = [
      { type: "epoch-started", at, service: input.snapshot.service },
      { type: "allowances-used", at, allowances: (first.ok && first.value.allowed) || [] },
    ];
    const next = codesOf(makePlan(aContext({ ...input, state: applyEvents(state, begun), policy })));
    expect(next).toEqual(three.map((name) => expect.stringContaining(`allowed-email-domains:${emailOf(name)}#`)));
    expect(codesOf(first)).toEqual(next);
    const before = codesOf(makePlan(aContext({ ...input, state: { ...aState(), serial: 7 }, policy })));
    expect(next.filter((code) => before.includes(code))).toEqual([]);
  });

  test("is not allowed by a word for what was lost before", () => {
    const word = (state: State) =>
      judged({ ...input, state }).plan.findings.flatMap(({ allow = [] }) => allow)[0] ?? "";
    const again = remembering({ users: Object.fromEntries(three.map((name) => [name, { seenAt: recently }])) });
    const given = aCode(word(again));
    const { plan, refusal } = judged({ ...input, policy: aPolicy({ allowed: [given] }) });
    expect(plan.actions).toEqual([]);
    expect(refusal?.stops.map(({ code }) => code)).toEqual(["service-reset", "service-reset"]);
    expect(refusal?.stops[1]?.message).toContain(`\`--allow ${word(again)}\` does not fit this plan`);
  });
});

play("whose absence counts:", (parts) => {
  const { roster = aRoster({}), snapshot, state = aState() } = parts;
  const found = findServiceReset(roster, snapshot, state, undefined);
  return found === undefined
    ? []
    : [`missing ${found.missing.map(({ email }) => brief(email))}, present ${found.present}`];
})`
  there: {root: {in: {Ops}}}
  users: {ada, bo, cy}
  state: {users: {ada: {seenAt: RECORDED}, bo: {seenAt: RECORDED}, cy: {seenAt: RECORDED}}}
of the users whom reads have shown, however recent that is
  state: {users: {ada: {createdAt: 2026-11-20T09:59:00.000Z, seenAt: 2026-11-20T09:59:00.000Z}}}
  > missing ada,bo,cy, present 0
of those created so long ago that reads must show them
  state: {users: {ada: {seenAt: gone, createdAt: RECORDED}}}
  > missing ada,bo,cy, present 0
not of those who are not shown yet
  state: {users: {ada: {seenAt: gone, createdAt: 2026-11-20T09:59:00.000Z}}}
not of leavers
  users: {cy: gone}
  leavers: {cy}
not of people whom the roster does not name
  users: {cy: gone}
not of people whom the roster does not want yet
  users: {cy: {from: 2027-01-01}}
not of people who are shown with another address
  there: {countess: {identifier: u-ada}}
  state: {users: {ada: {identifier: u-ada}}}
not of people whose address another user has
  there: {ada: {identifier: u-other}}
  state: {users: {ada: {identifier: u-ada}}}
of people whose identifier another recorded user has now: the service gives them anew
  there: {di: {identifier: u-ada}}
  users: {di}
  state: {users: {ada: {identifier: u-ada}, di: {identifier: u-di, seenAt: RECORDED}}}
  > missing ada,bo,cy, present 0
and against it whoever is shown, leavers among them
  there: {di, ed}
  leavers: {di, ed, fi}
  state: {users: {di: {seenAt: RECORDED}, ed: {seenAt: RECORDED}, fi: {seenAt: RECORDED}}}
  > missing ada,bo,cy, present 2
not where as many are shown
  there: {di, ed, fi}
  leavers: {di, ed, fi}
  state: {users: {di: {seenAt: RECORDED}, ed: {seenAt: RECORDED}, fi: {seenAt: RECORDED}}}
`;

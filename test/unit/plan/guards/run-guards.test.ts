import { describe, expect, test } from "vitest";
import { defaultGuards, type GuardSettings, type Policy } from "../../../../src/model/policy.ts";
import { judged, withGuards } from "../../../support/guards.ts";
import { aCode, aPolicy } from "../../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { messageLines, planLines, play } from "../../../support/scenes.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../../support/state-builders.ts";

const guards = { allowedEmailDomains: ["acme.example"] };
const stray = "abe@other.example";

function world() {
  const made = aWorld();
  putUser(made, { email: "root@acme.example" });
  return made;
}

/** Abe is of a strange domain, and would found Red, were it not for that. */
const roster = aRoster({
  users: [aUser(stray), aUser("bo"), aUser("ada")],
  teams: [aTeam("Red", { members: [stray, "bo", "ada"] })],
});

play("a hold", (parts) => [...planLines(parts), ...messageLines(parts).slice(1)])`
  there: {root}
  users: {abe@other.example, bo, ada}
  guards: {allowedEmailDomains: [acme.example]}
lets another found the team that a held person would have created
  teams: {Red: {members: [abe@other.example, bo, ada]}}
  > create ada creating Red with TEAM_ROLE
  > create bo after create-user:ada
  > add bo to Red after create-user:ada, create-user:bo
  > set key of ada in Red to TEAM_ROLE after create-user:ada
  > ! allowed-email-domains: user abe@other.example
leaves a team to a held first member whom nobody else can stand in for, and tells it
  teams: {Red: {members: [abe@other.example, bo]}, Blue: {members: [bo]}, Green: {members: [ada]}}
  > create ada creating Green with TEAM_ROLE
  > create bo creating Blue with TEAM_ROLE
  > set key of bo in Blue to TEAM_ROLE after create-user:bo
  > set key of ada in Green to TEAM_ROLE after create-user:ada
  > ! allowed-email-domains: user abe@other.example
  > ! cannot-create-team: team acc-1/red
  > ! cannot-create-team: This plan does not create Red. It needs abe@other.example as its first member, and a guard holds
    that user. Resolve the finding about the user, or name another first member.
of a new team's administrator keeps one first member for the team and creates everybody else
  teams: {Red: {admin: abe@other.example, firstMember: bo, members: [abe@other.example, bo, ada]}}
  > create ada
  > ! allowed-email-domains: user abe@other.example
  > ! cannot-create-team: team acc-1/red
  > ! cannot-create-team: This plan does not create Red. It needs abe@other.example as its administrator, and a guard holds
    that user. Resolve the finding about the user, or name another administrator. Until then, roster does not create bo. The
    team needs a new user.
`;

play("a hold is told", messageLines)`
  there: {root}
  users: {root}
  guards: {allowedEmailDomains: [other.example]}
with what depends on it
  teams: {Red: {identifier: t-red, members: [{user: root, roles: [AUDITOR]}]}}
  > ! allowed-email-domains: root is not added to teams: the settings do not allow the domain acme.example. They allow
    other.example. Correct the address, or add its domain to \`guards.allowed-email-domains\` in the settings (in CI:
    outside the checkout). Actions that depend on it wait too: add-members:acc-1/red and replace-roles:acc-1/red:root. To
    allow it: \`--allow allowed-email-domains:root\`.
`;

describe("an allowance", () => {
  const asked = planFor(world(), roster, { policy: withGuards({}) });
  const held = planFor(world(), roster, { policy: withGuards(guards) });
  const judge = (policy: Policy) => judged({ roster, snapshot: snapshotOf(world(), { roster }), policy });
  const [code = ""] = held.findings.flatMap(({ allow = [] }) => allow);

  test("names what is held, and not the plan: another user who is held changes nothing", () => {
    expect(code).toMatch(/^allowed-email-domains:abe@other\.example#[0-9a-f]{12}$/u);
    const more = aRoster({ users: [...roster.users.values(), aUser("eve@other.example")], teams: roster.teams });
    const plan = planFor(world(), more, { policy: withGuards(guards) });
    expect(plan.findings.flatMap(({ allow = [] }) => allow)).toEqual([
      code,
      expect.stringMatching(/^allowed-email-domains:eve@/u),
    ]);
  });

  test("lets just that pass", () => {
    const { plan, refusal } = judge(withGuards(guards, { allowed: [aCode(code)] }));
    expect([plan, refusal]).toEqual([{ ...asked, allowed: [{ code, covers: expect.any(Array) }] }, undefined]);
    expect(plan.allowed?.[0]?.covers).toEqual([`user ${stray}`, `create ${stray}`]);
  });

  test("of other facts does not fit, and refuses the plan with what would", () => {
    const other = `allowed-email-domains:${stray}#0123456789ab`;
    const { plan, refusal } = judge(withGuards(guards, { allowed: [aCode(other)] }));
    expect(plan).toEqual(held);
    expect(refusal).toEqual({
      code: "guard",
      message: "The guard allowed-email-domains refuses the plan, so it cannot be applied",
      hint:
        `Correct the roster. If you have read the plan and want it, pass \`--allow ${code}\`, ` +
        "or set ROSTER_ALLOW.",
      plan: held,
      stops: [
        {
          code: "allowed-email-domains",
          message: expect.stringContaining(
            `\`--allow ${other}\` does not fit this plan: it is for other facts, another service or another log. Now it is about`,
          ),
          allow: code,
        },
      ],
    });
  });

  test("for another guard with the digits of this one is refused", () => {
    const other = code.replace("allowed-email-domains", "near-duplicate");
    const { refusal } = judge(withGuards(guards, { allowed: [aCode(other)] }));
    expect(refusal?.stops).toEqual([
      {
        code: "near-duplicate",
        message: expect.stringContaining("its digits are those of another code"),
        allow: code,
      },
    ]);
  });
});

describe("an allowance of a guard beside another", () => {
  const gone = "gus@other.example";
  const state = remembering({ users: { [gone]: { createdAt: recordedAt } } });
  const both = aRoster({ users: [aUser(stray), aUser(gone), aUser("bo")] });
  const snapshot = snapshotOf(world(), { roster: both });
  const judge = (words: readonly string[], settings: Partial<GuardSettings> = guards) =>
    judged({ roster: both, snapshot, state, policy: withGuards(settings, { allowed: words.map(aCode) }) });
  const first = judge([]).plan;
  const words = first.findings.flatMap(({ allow = [] }) => allow);

  test("covers nothing that only the other brings about, and what is printed then does", () => {
    expect(words.map((word) => word.slice(0, -13))).toEqual([`allowed-email-domains:${stray}`, `user-missing:${gone}`]);
    const { plan, refusal } = judge(words);
    expect([deeds(plan), refusal, troubles(plan)]).toEqual([
      ["create abe@other.example", "create bo"],
      undefined,
      [`! allowed-email-domains: user ${gone}`],
    ]);
    const asked = plan.findings.flatMap(({ allow = [] }) => allow);
    expect(asked).toHaveLength(1);
    expect(words).not.toContain(asked[0]);
    const last = judge([...words, ...asked]).plan;
    expect([deeds(last), troubles(last)]).toEqual([
      ["create abe@other.example", "create bo", "create gus@other.example"],
      [],
    ]);
  });

  test("does not lift a stop that only the other brings about", () => {
    const tight = { maxNewUsers: 2 };
    const offered = judge([], tight).plan.findings.flatMap(({ allow = [] }) => allow);
    const early = `max-new-users#${(offered[0] ?? "").slice(-12)}`;
    const { refusal } = judge([...offered, early], tight);
    expect(refusal?.stops.map(({ code }) => code)).toEqual(["max-new-users", "max-new-users"]);
    const [asked = ""] = (refusal?.stops ?? []).flatMap(({ allow }) => allow ?? []);
    expect(judge([...offered, asked], tight).refusal).toBe(undefined);
  });
});

describe("a stop", () => {
  const judge = (policy: Policy) => judged({ roster, snapshot: snapshotOf(world(), { roster }), policy });
  const tight = { maxNewUsers: 2, maxInvitations: 1 };
  const { plan, refusal } = judge(withGuards(tight));
  const codes = (refusal?.stops ?? []).map(({ allow = "" }) => allow);

  test("shows the plan, and every guard that refuses it is told at once", () => {
    expect(deeds(plan)).toEqual(deeds(planFor(world(), roster)));
    expect(refusal?.stops.map(({ code, allow }) => [code, allow?.slice(0, -12)])).toEqual([
      ["max-new-users", "max-new-users#"],
      ["max-invitations", "max-invitations#"],
    ]);
    expect(refusal?.message).toBe(
      "The guards max-new-users and max-invitations refuse the plan, so it cannot be applied",
    );
    expect(refusal?.hint).toContain(
      `Correct the roster. If you have read the plan and want it, pass \`--allow ${codes[0]} ` +
        `--allow ${codes[1]} --reason TEXT\`, or set ROSTER_ALLOW.`,
    );
  });

  test("stands as long as one guard is not allowed", () => {
    const allowed = codes.slice(0, 1).map(aCode);
    expect(judge(withGuards(tight, { allowed })).refusal?.stops.map(({ code }) => code)).toEqual(["max-invitations"]);
  });

  test("is lifted where each guard is allowed", () => {
    const { plan: lifted, refusal: stopped } = judge(withGuards(tight, { allowed: codes.map(aCode) }));
    expect([lifted.id, lifted.allowed?.map(({ code }) => code), stopped]).toEqual([plan.id, codes, undefined]);
  });

  test("tells a code that does not fit beside what it has against the plan", () => {
    const allowed = [aCode("max-new-users#0123456789ab")];
    const stops = judge(withGuards({ maxNewUsers: 2 }, { allowed })).refusal?.stops ?? [];
    expect(stops.map(({ message }) => message)).toEqual([
      "The plan would create 3 users. At most 2 are allowed: abe@other.example, ada@acme.example and bo@acme.example.",
      expect.stringContaining("`--allow max-new-users#0123456789ab` does not fit this plan"),
    ]);
  });
});

test("a small plan passes the guards as they are by default", () => {
  const plan = planFor(world(), roster, { policy: aPolicy({ guards: defaultGuards }) });
  expect([troubles(plan), plan.actions.length, plan.id]).toEqual([[], asked().actions.length, asked().id]);

  function asked() {
    return planFor(world(), roster, { policy: withGuards({}) });
  }
});

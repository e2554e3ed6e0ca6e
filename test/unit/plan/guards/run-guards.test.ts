import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { holdNames, stopNames } from "../../../../src/codes/guards.ts";
import { defaultGuards } from "../../../../src/library/policy.ts";
import { allowableCodes } from "../../../../src/model/policy.ts";
import { judged } from "../../../support/guards.ts";
import { aCode, planned } from "../../../support/plan-inputs.ts";
import { deeds, troubles } from "../../../support/plan-words.ts";
import { messageLines, type Parts, partsOf, planLines, play } from "../../../support/scenes.ts";

const stray = "abe@other.example";

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
  > ! cannot-create-team: This plan does not create Red. It needs abe@other.example as its first member, and a guard blocks
    that user. First do the task of that user, or name another first member.
of a new team's administrator keeps one first member for the team and creates everybody else
  teams: {Red: {admin: abe@other.example, firstMember: bo, members: [abe@other.example, bo, ada]}}
  > create ada
  > ! allowed-email-domains: user abe@other.example
  > ! cannot-create-team: team acc-1/red
  > ! cannot-create-team: This plan does not create Red. It needs abe@other.example as its administrator, and a guard blocks that user. First do the task of that user, or name another administrator. Until this task is done, roster does not create bo. The API creates a team only together with a new user.
`;

play("a hold is told", messageLines)`
  there: {root}
  users: {root}
  guards: {allowedEmailDomains: [other.example]}
with what depends on it
  teams: {Red: {identifier: t-red, members: [{user: root, roles: [AUDITOR]}]}}
  > ! allowed-email-domains: root is not added to teams: the settings do not allow the domain acme.example. The settings allow other.example. Correct the address, or add its domain to \`guards.allowed-email-domains\` in the settings file (roster.config.yaml). To allow root, but not the whole domain, run \`--allow allowed-email-domains:root\`. These actions wait too: add-members:acc-1/red and replace-roles:acc-1/red:root.
`;

/** Abe is of a strange domain, and would found Red, were it not for that. `guards`: as YAML. */
function red(guards: string, allowed: readonly string[] = [], users = "abe@other.example, bo, ada"): Parts {
  const { policy, ...parts } = partsOf(`
there: {root}
users: {${users}}
teams: {Red: {members: [abe@other.example, bo, ada]}}
guards: {${guards}}
`);
  return { ...parts, ...(policy && { policy: { ...policy, allowed: allowed.map(aCode) } }) };
}

const domains = "allowedEmailDomains: [acme.example]";

describe("an allowance", () => {
  const held = planned(red(domains));
  const [code = ""] = held.findings.flatMap(({ allow = [] }) => allow);

  test("names what is held, and not the plan: another user who is held changes nothing", () => {
    expect(code).toMatch(/^allowed-email-domains:abe@other\.example#[0-9a-f]{12}$/u);
    const more = planned(red(domains, [], "abe@other.example, bo, ada, eve@other.example"));
    expect(more.findings.flatMap(({ allow = [] }) => allow)).toEqual([
      code,
      expect.stringMatching(/^allowed-email-domains:eve@/u),
    ]);
  });

  test("lets just that pass", () => {
    const { plan, refusal } = judged(red(domains, [code]));
    expect(plan).toEqual({ ...planned(red("")), allowed: [{ code, covers: [`user ${stray}`, `create ${stray}`] }] });
    expect(refusal).toBeUndefined();
  });

  test("of other facts does not fit, and refuses the plan with what would", () => {
    const other = `allowed-email-domains:${stray}#0123456789ab`;
    expect(judged(red(domains, [other])).refusal).toEqual({
      code: "guard",
      message: "The guard allowed-email-domains refuses the plan, unless you allow it",
      hint: `If the plan is wrong, correct the roster. If you have read the plan and want it as it is, pass \`--allow ${code}\`.`,
      plan: held,
      stops: [
        {
          code: "allowed-email-domains",
          message: expect.stringContaining(
            `The code ${other} does not fit this plan: it was printed for another plan, service or log. The code for this plan is ${code}. It would allow: create abe@other.example.`,
          ),
          allow: code,
        },
      ],
    });
  });

  test("for another guard with the digits of this one is refused", () => {
    const { refusal } = judged(red(domains, [code.replace("allowed-email-domains", "near-duplicate")]));
    const message = expect.stringContaining("its digits are those of another code");
    expect(refusal?.stops).toEqual([{ code: "near-duplicate", message, allow: code }]);
  });
});

describe("an allowance of a guard beside another", () => {
  const both = partsOf(`
there: {root}
users: {abe@other.example, gus@other.example, bo}
state: {users: {gus@other.example: {createdAt: RECORDED}}}
`);
  const judge = (words: readonly string[], guards = domains) => {
    const { policy } = red(guards, words);
    return judged({ ...both, policy });
  };
  const words = judge([]).plan.findings.flatMap(({ allow = [] }) => allow);

  test("covers nothing that only the other brings about, and what is printed then does", () => {
    expect(words.map((word) => word.slice(0, -13))).toEqual([
      `allowed-email-domains:${stray}`,
      "user-missing:gus@other.example",
    ]);
    const { plan, refusal } = judge(words);
    expect([deeds(plan), refusal, troubles(plan)]).toEqual([
      ["create abe@other.example", "create bo"],
      undefined,
      ["! allowed-email-domains: user gus@other.example"],
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
    const tight = "maxNewUsers: 2";
    const offered = judge([], tight).plan.findings.flatMap(({ allow = [] }) => allow);
    const { refusal } = judge([...offered, `max-new-users#${(offered[0] ?? "").slice(-12)}`], tight);
    expect(refusal?.stops.map(({ code }) => code)).toEqual(["max-new-users", "max-new-users"]);
    const [asked = ""] = (refusal?.stops ?? []).flatMap(({ allow }) => allow ?? []);
    expect(judge([...offered, asked], tight).refusal).toBe(undefined);
  });
});

describe("a stop", () => {
  const tight = "maxNewUsers: 2, maxInvitations: 1";
  const { plan, refusal } = judged(red(tight));
  const codes = (refusal?.stops ?? []).map(({ allow = "" }) => allow);

  test("shows the plan, and every guard that refuses it is told at once", () => {
    expect(deeds(plan)).toEqual(deeds(planned(red(""))));
    expect(refusal?.stops.map(({ code, allow }) => [code, allow?.slice(0, -12)])).toEqual([
      ["max-new-users", "max-new-users#"],
      ["max-invitations", "max-invitations#"],
    ]);
    expect(refusal?.message).toBe("The guards max-new-users and max-invitations refuse the plan, unless you allow it");
    expect(refusal?.hint).toContain(
      `If the plan is wrong, correct the roster. If you have read the plan and want it as it is, pass \`--allow ${codes[0]} ` +
        `--allow ${codes[1]} --reason TEXT\`. TEXT is your reason.`,
    );
  });

  test("stands as long as one guard is not allowed, and is lifted where each is", () => {
    expect(judged(red(tight, codes.slice(0, 1))).refusal?.stops.map(({ code }) => code)).toEqual(["max-invitations"]);
    const { plan: lifted, refusal: stopped } = judged(red(tight, codes));
    expect([lifted.id, lifted.allowed?.map(({ code }) => code), stopped]).toEqual([plan.id, codes, undefined]);
  });

  test("tells a code that does not fit beside what it has against the plan", () => {
    const stops = judged(red("maxNewUsers: 2", ["max-new-users#0123456789ab"])).refusal?.stops ?? [];
    expect(stops.map(({ message }) => message)).toEqual([
      "The plan would create 3 users: abe@other.example, ada@acme.example and bo@acme.example. The limit is 2 users.",
      expect.stringContaining("The code max-new-users#0123456789ab does not fit this plan"),
    ]);
  });
});

test("a small plan passes the guards as they are by default", () => {
  const { policy, ...parts } = red("");
  const made = judged({ ...parts, ...(policy && { policy: { ...policy, guards: defaultGuards } }) });
  expect([troubles(made.plan), made.plan.id, made.refusal]).toEqual([[], planned(red("")).id, undefined]);
});

test("every guard can be allowed, but for those that protect keys and people whatever is said", () => {
  const always = [...holdNames, ...stopNames].filter((name) => !allowableCodes.some((code) => code === name));
  expect(always).toEqual(["own-key", "protected"]);
});

test("the page about guards has an entry for every guard, and for no other", async () => {
  const text = await readFile("docs/guards.md", "utf8");
  const rows = [...text.matchAll(/^- `([a-z-]+)` \((hold|stop),/gmu)].map(([, name, kind]) => [name, kind]);
  const guards = [...holdNames.map((name) => [name, "hold"]), ...stopNames.map((name) => [name, "stop"])];
  expect(rows.sort()).toEqual(guards.sort());
});

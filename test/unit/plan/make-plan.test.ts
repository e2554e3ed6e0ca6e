import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { findServiceReset } from "../../../src/model/service-reset.ts";
import type { State } from "../../../src/model/state.ts";
import { makePlan } from "../../../src/plan/make-plan.ts";
import { creationIntent, openIntent } from "../../support/event-builders.ts";
import { judged, withGuards } from "../../support/guards.ts";
import { aCode, aContext, aPolicy, aState, codesOf, planned } from "../../support/plan-inputs.ts";
import { deeds, outcome, troubles } from "../../support/plan-words.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { aRoster, emailOf } from "../../support/roster-builders.ts";
import {
  actionLines,
  brief,
  messageLines,
  type Parts,
  partsOf,
  planLines,
  play,
  wholeFindings,
} from "../../support/scenes.ts";
import { recordedAt as at, remembering } from "../../support/state-builders.ts";

test("a plan says everything about what it would do", () => {
  const parts = partsOf(`
there: {root}
users: {root: {line: 1}, ada: {title: Principal, source: gitops, line: 2}}
teams: {Data Science: {admin: root, members: [root, ada], roles: [DEVELOPER], line: 5}}
`);
  const [team, ada, root] = ["acc-1/data science", "ada@acme.example", "root@acme.example"];
  const given = { before: { known: "unknown", why: "this plan makes the key" }, roles: ["DEVELOPER"], ifInexact: true };
  const grounds = { because: expect.any(Array), restsOn: expect.any(Array) };
  expect(planned(parts)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/u),
    service: "https://simulated.example",
    actions: [
      {
        kind: "create-user",
        id: `create-user:${ada}`,
        address: ada,
        account: "acc-1",
        user: { email: ada, firstName: "Ada", lastName: "Test", title: "Principal", source: "gitops" },
        createsTeam: { team, name: "Data Science", admin: root, accessKeyRoles: ["DEVELOPER"], temporaryRoles: [] },
        request: anyDigest,
        rule: "creates-team",
        dependsOn: [],
        ...grounds,
      },
      {
        kind: "add-members",
        id: `add-members:${team}`,
        team,
        firstMember: ada,
        members: [{ address: root }],
        rule: "joins-new-team",
        dependsOn: [`create-user:${ada}`],
        ...grounds,
      },
      {
        kind: "replace-roles",
        id: `replace-roles:${team}:${ada}`,
        key: { of: "team-key", address: ada, team },
        ...given,
        rule: "roles-of-first-member",
        dependsOn: [`create-user:${ada}`],
        ...grounds,
      },
      {
        kind: "replace-roles",
        id: `replace-roles:${team}:${root}`,
        key: { of: "team-key", address: root, team },
        ...given,
        rule: "roles-of-new-key",
        dependsOn: [`add-members:${team}`],
        ...grounds,
      },
    ],
    users: new Map([
      [ada, { email: ada, identifier: { known: "unknown", why: "this plan creates the user" } }],
      [root, { email: root, identifier: { known: "observed", value: "u-root", by: "list" } }],
    ]),
    teams: new Map([
      [
        team,
        { name: "Data Science", account: "acc-1", identifier: { known: "unknown", why: "this plan creates the team" } },
      ],
    ]),
    findings: [],
    calls: { reads: 3, writes: 3, atMost: 4 },
  });
});

play("in an account", (parts) => [...planLines(parts), ...wholeFindings(parts)])`
  users: {ada: {account: acc-2, line: 3}, bo}
  teams: {Data: {account: acc-2, members: [ada], line: 8}}
that the service does not know nothing is planned, which is one finding with every place
  > create bo
  > ! account-unavailable: account acc-2
  > task account-unavailable: account acc-2
  > The service does not show the account acc-2. roster plans nothing in it. Correct the account in the roster, or its alias
    in the settings. Or use a key that can see the account.
  > because user at 3
  > because team Data at 8
  > accept {"code":"account-unavailable:account%20acc-2","until":"2026-12-20"}
that is not active nothing is planned
  accounts: {acc-2: Inactive}
  > create bo
  > ! account-unavailable: account acc-2
  > task account-unavailable: account acc-2
  > The service shows the account acc-2 as Inactive. roster plans nothing in it. Activate the account in the service, or
    remove it from the roster.
  > because user at 3
  > because team Data at 8
  > rests on account acc-2: observed, Inactive, account acc-2
  > accept {"code":"account-unavailable:account%20acc-2","until":"2026-12-20"}
`;

play("a profile", messageLines)`
  there: {ada}
  users: {ada: {title: Boss}}
that the roster leaves out is not compared
  users: {ada: {title: gone}}
  there: {ada: {title: Boss, source: web}}
that differs is one finding with every field
  there: {ada: {title: Countess}}
  users: {ada: {lastName: King}}
  > ! profile-differs: The service shows ada with lastName "Test" instead of "King" and title "Countess" instead of "Boss".
    The API cannot change users. If the roster is right, correct the user in the web interface of the service. If not, write the value of the service into the roster.
that differs in white space or composition alone is a notice
  there: {ada: {title: "Cafe\u0301 chief"}}
  users: {ada: {title: "Café  chief "}}
  > profile-differs: The service shows ada with title "Café chief" instead of "Café  chief ". The service stores the value in this form. To hide this notice, write the value of the service into the roster.
that the service answered our creation with is a notice
  there: {ada: {title: BOSS}}
  users: {ada: {title: boss}}
  state: {users: {ada: {profile: {sent: {title: boss}, answered: {title: BOSS}}}}}
  > profile-differs: The service shows ada with title "BOSS" instead of "boss". The service stores the value in this form. To hide this notice, write the value of the service into the roster.
that has changed since our creation differs
  there: {ada: {title: BOSS}}
  users: {ada: {title: chief}}
  state: {users: {ada: {profile: {sent: {title: boss}, answered: {title: BOSS}}}}}
  > ! profile-differs: The service shows ada with title "BOSS" instead of "chief". The API cannot change users. If the roster is right, correct the user in the web interface of the service. If not, write the value of the service into the roster.
whose external identifier the service set to the address is no matter
  there: {ada: {externalIdentifier: ADA@acme.example}}
  users: {ada: {title: gone, externalIdentifier: E-1}}
whose source differs is a notice
  there: {ada: {source: web}}
  users: {ada: {title: gone, source: gitops}}
  > profile-differs: The service shows ada with source "web" instead of "gitops". The service stores the value in this form. To hide this notice, write the value of the service into the roster.
that is hidden is not compared
  there: {ada: {lastName: Else}}
  hides: [user-profiles]
`;

play("people whom the roster does not name", planLines)`
  there: {zoe, ada, old, gone: {status: deleted}}
  users: {ada, new: {previously: [old]}}
are told where the run asks for it, but for those whom it knows by a former address
  reportUnmanaged: true
  > ! former-address: user new
  > unmanaged: user zoe
`;

/** The plan, or why it is refused. */
function selectedLines(parts: Parts): readonly string[] {
  const made = makePlan(aContext(parts));
  if (made.ok) return planLines(parts);
  return [made.error.code, made.error.message, ...("hint" in made.error ? [String(made.error.hint)] : [])];
}

/** In every world there is root, with a different last name, and a team Old of root with other roles. */
play("a selection", selectedLines)`
  there: {root: {lastName: Other, in: {Old: [AUDITOR]}}}
  users: {root, ada}
of a user keeps what is about them
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [user:ada]
  > create ada
  > add ada to Old after create-user:ada
  > set key of ada in Old to DEVELOPER after add-members:acc-1/old
of a team keeps the creation of its members
  users: {bo}
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [team:OLD]
  > create ada
  > add ada to Old after create-user:ada
  > set key of ada in Old to DEVELOPER after add-members:acc-1/old
  > set k-root-old (observed) to DEVELOPER
excludes before it includes
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [team:Old]
  exclude: [user:ada]
  > set k-root-old (observed) to DEVELOPER
of a first member creates the team
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  include: [user:ada]
  > create ada creating New with TEAM_ROLE
  > set key of ada in New to TEAM_ROLE after create-user:ada
of another new member creates them alone, where the first member is left for the team
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  include: [user:bo]
  > create bo
  > not-selected: additions to team acc-1/new
without a first member leaves the team unfounded, and the first member for it
  users: {bo}
  teams: {New: {members: [ada, bo, root]}}
  exclude: [user:ada]
  > create bo
  > ! profile-differs: user root
  > not-selected: additions to team acc-1/new
of a first member without their administrator waits
  users: {bo: {ownKeyRoles: []}}
  teams: {New: {admin: bo, members: [ada, bo]}}
  include: [user:ada]
  > not-selected: team acc-1/new
  > not-selected: additions to team acc-1/new
of a team does not found another one with a member of it
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}, New: {members: [ada]}}
  include: [team:Old]
  > set k-root-old (observed) to DEVELOPER
  > not-selected: additions to team acc-1/old
without a new team and enough of its people is no harm
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  exclude: [team:New, user:ada]
  > create bo
  > ! profile-differs: user root
keeps findings about accounts, and drops keys of nobody selected
  users: {bo: {account: acc-9}}
  keys: {k-1: {roles: []}, k-2: {owner: ada, roles: []}}
  there: {ada}
  include: [user:ada]
  > ! account-unavailable: account acc-9
  > ! unknown-key: key k-2
that excludes a new team and would create all of its new people is refused
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  exclude: [team:New]
  > not-selected
  > this selection creates all new users of New, but not the team. A new team needs a new user, so roster could not create it later
  > Do not exclude the team. Or leave a new user for later too, who then creates the team: pass \`--exclude user:ada@acme.example\`.
that excludes one of two new teams that need each of their people is refused
  users: {bo, cy}
  teams: {New: {members: [ada, bo]}, Next: {members: [ada, bo]}}
  exclude: [team:New]
  > not-selected
  > this selection creates all new users of New, but not the team. A new team needs a new user, so roster could not create it later
  > Do not exclude the team. Or leave a new user for later too, who then creates the team: pass \`--exclude user:ada@acme.example\`.
that includes a first member and excludes the team, which has nobody else, is refused
  teams: {New: {members: [ada]}}
  include: [user:ada]
  exclude: [team:New]
  > not-selected
  > this selection creates all new users of New, but not the team. A new team needs a new user, so roster could not create it later
  > Do not exclude the team. Or leave a new user for later too, who then creates the team: pass \`--exclude user:ada@acme.example\`.
of a user whom the roster does not know is refused
  exclude: [user:nobody]
  > unknown-selector
  > The selector user:nobody matches no user in the roster, so roster planned nothing
  > Correct the address, or add this user to the roster.
of a team that the roster does not know is refused
  exclude: [team:Nothing]
  > unknown-selector
  > The selector team:Nothing matches no team in the roster, so roster planned nothing
  > Correct the name, or add this team to the roster.
`;

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
    or this is another service. roster plans nothing. Check the endpoint, and restore the data of the service. To start anew with what the service has, run \`--allow service-reset --reason TEXT\`. roster then creates the missing users and teams again, and the users get new mails.
  > rests on user ada: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user ada: observed, absent, list
  > rests on user bo: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user bo: observed, absent, list
  > rests on user cy: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user cy: observed, absent, list
  > allow ["service-reset"]
  > refused: The service may have lost its data, so roster does not apply the plan, by service-reset
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
    expect(refusal?.stops[1]?.message).toContain(`The code ${word(again)} does not fit this plan`);
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

/** ada, bo and cy are members of Data: ada by record, with roles that we put; bo by record alone; cy by the roster. */
play("what is taken as recorded", (parts) => [...actionLines(parts), ...wholeFindings(parts)])`
  there: {ada: {in: {Data: [DEVELOPER]}}, bo: {in: {Data: [DEVELOPER]}}, cy: {in: {Data: [DEVELOPER]}}}
  users: {ada, bo, cy}
  teams:
    Data:
      identifier: t-data
      members: [{user: ada, roles: [DEVELOPER]}, bo, {user: cy, roles: [AUDITOR], key: k-cy-data}]
      line: 4
  state: {members: {Data/ada: {prefix: k-ada-data}, Data/bo: {}}, keys: {k-ada-data: [DEVELOPER]}}
is told once, with every fact, and an action tells the record or the roster that it rests on
  hides: [keys]
  > replace-roles:k-cy-data (roles-unknown)
  > because member cy at 4
  > rests on roles of key k-cy-data: unknown, the service does not show this key, only the roster does
  > rests on prefix of a key of cy: declared, k-cy-data, roster.yaml:4
  > notice not-observed: service https://simulated.example
  > The service does not show everything: 3 memberships and the roles of 2 keys are taken from the state (the oldest at
    2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift in these facts.
  > because team Data at 4
  > because member ada at 4
  > because member cy at 4
  > rests on member ada of team acc-1/data: recorded, by key k-ada-data, 2026-11-01T00:00:00.000Z
  > rests on member bo of team acc-1/data: recorded, added, 2026-11-01T00:00:00.000Z
  > rests on member cy of team acc-1/data: declared, by key k-cy-data, roster.yaml:4
  > rests on roles of key k-ada-data: recorded, DEVELOPER, 2026-11-01T00:00:00.000Z
  > rests on roles of key k-cy-data: unknown, the service does not show this key, only the roster does
is only what is not shown
  hides: [roles]
  > replace-roles:k-cy-data (roles-unknown)
  > because member cy at 4
  > rests on roles of key k-cy-data: unknown, the service does not show the roles of this key
  > notice not-observed: service https://simulated.example
  > The service does not show everything: the roles of 2 keys are taken from the state (the oldest at
    2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift in these facts.
  > because member ada at 4
  > because member cy at 4
  > rests on roles of key k-ada-data: recorded, DEVELOPER, 2026-11-01T00:00:00.000Z
  > rests on roles of key k-cy-data: unknown, the service does not show the roles of this key
is nothing where all is read
  > replace-roles:k-cy-data (roles-differ)
  > because member cy at 4
  > rests on roles of key k-cy-data: observed, DEVELOPER, list
`;

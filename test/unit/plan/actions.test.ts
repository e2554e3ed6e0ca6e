import { expect, test } from "vitest";
import { memberSubject, observed, reasonAt } from "../../../src/model/fact.ts";
import type { RecordedRefusal } from "../../../src/model/failure.ts";
import type { Action } from "../../../src/model/plan.ts";
import type { Roster } from "../../../src/model/roster.ts";
import { type PruneTarget, prune } from "../../../src/plan/actions.ts";
import {
  aCreation,
  addId,
  anAddition,
  aReplacement,
  createId,
  newPerson,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { aState, type InputParts, planned } from "../../support/plan-inputs.ts";
import { allRefused, aRefusal, asks, refusalMap, taken } from "../../support/refusal-builders.ts";
import { addressOf, aRoster, aTeam, at, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { type Parts, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

function roster({ ada = {}, bo = {}, data = {}, old = {} }: Record<string, UserWish & TeamWish>): Roster {
  return aRoster({
    users: [aUser("root"), aUser("ada", ada), aUser("bo", bo)],
    teams: [
      aTeam("Data", { admin: "ada", members: ["ada", "bo"], roles: ["DEVELOPER"], ...data }),
      aTeam("Old", { members: ["root"], roles: ["DEVELOPER"], ...old }),
    ],
  });
}

function idOf(wanted: Roster): string {
  const { snapshot } = partsOf("{there: {root: {in: {Old}}}, users: {ada, bo}}");
  return planned({ snapshot, roster: wanted }).id;
}

const changes: Readonly<Record<string, Parameters<typeof roster>[0]>> = {
  "a role of a key that is there": { old: { roles: ["AUDITOR"] } },
  "a role of a key that the plan gives": { data: { roles: ["AUDITOR", "DEVELOPER"] } },
  "a first member": { data: { firstMember: "bo" } },
  "an administrator": { data: { admin: "bo", firstMember: "ada" } },
  "the name of a team as it is sent": { data: {} },
  "a title": { ada: { title: "Boss" } },
  "an optional field for another": { ada: { externalIdentifier: "Boss" } },
  "one member less": { data: { members: ["ada"] } },
  "one member more": { old: { members: ["root", "bo"] } },
  "the letters of an address as it is sent": {},
};

test("the identifier of a plan changes with whatever is done", () => {
  const ids = Object.entries(changes).map(([what, change]) => {
    const wanted = roster(change);
    if (what.startsWith("the name"))
      return idOf({ ...wanted, teams: wanted.teams.map((team) => ({ ...team, name: team.name.toUpperCase() })) });
    if (!what.startsWith("the letters")) return idOf(wanted);
    return idOf({
      ...wanted,
      users: new Map([...wanted.users].map(([key, user]) => [key, { ...user, email: user.email.toUpperCase() }])),
    });
  });
  expect(new Set([...ids, idOf(roster({}))]).size).toBe(ids.length + 1);
});

test("the identifier of a plan stays where only places and lines move", () => {
  expect(idOf(roster({ ada: { line: 40 }, data: { line: 99 } }))).toBe(idOf(roster({})));
});

const red = newTeam("Red", "ada");
const blue = teamRef("Blue", "t-1");

/** Ada creates Red; Bo is new and joins both teams; Cy was there and joins both; everybody's keys get roles. */
const plan: readonly Action[] = [
  aCreation("ada", { createsTeam: "Red" }),
  aCreation("bo", { after: [createId("ada")] }),
  aCreation("dee"),
  anAddition(red, [newPerson("bo"), person("cy", "u-cy")]),
  anAddition(blue, [newPerson("bo"), person("cy", "u-cy"), newPerson("dee")]),
  rolesOfFirstMember("ada", red, ["DEVELOPER"]),
  rolesOfAdded("bo", red, ["DEVELOPER"]),
  rolesOfAdded("cy", blue, ["DEVELOPER"]),
  rolesOfOwnKey("dee", ["DEVELOPER"]),
  aReplacement("replace-roles:k1", { of: "prefix", prefix: observed("k1", "search 1") }, ["DEVELOPER"]),
];

function left(targets: readonly Omit<PruneTarget<string>, "cause">[]) {
  const { actions, pruned } = prune(
    plan,
    targets.map((target, index) => ({ ...target, cause: `cause ${index + 1}` })),
  );
  const kept = actions.map((action) =>
    action.kind === "add-members"
      ? `${action.id}: ${action.members.map(({ address }) => address).join(", ")} after ${action.dependsOn.join(", ")}`
      : action.id,
  );
  return { kept, blocked: pruned.map(({ action, address, cause }) => [action, address ?? "", cause].join(" ")) };
}

test("a first member takes along the team, and whoever waits to found it in their place", () => {
  expect(left([{ action: createId("ada") }])).toEqual({
    kept: [
      createId("dee"),
      `${addId("Blue")}: cy@acme.example, dee@acme.example after ${createId("dee")}`,
      rolesId("cy", "Blue"),
      rolesId("dee"),
      "replace-roles:k1",
    ],
    blocked: [
      `${createId("ada")}  cause 1`,
      `${createId("bo")}  cause 1`,
      `${addId("Red")}  cause 1`,
      `${addId("Blue")} bo@acme.example cause 1`,
      `${rolesId("ada", "Red")}  cause 1`,
      `${rolesId("bo", "Red")}  cause 1`,
    ],
  });
});

test("one person is taken out of an addition, with the roles of the key that it would have given", () => {
  expect(left([{ action: addId("Red"), address: addressOf("bo") }]).blocked).toEqual([
    `${addId("Red")} bo@acme.example cause 1`,
    `${rolesId("bo", "Red")}  cause 1`,
  ]);
});

test("an addition rests on nothing about those who are taken out of it", () => {
  const about = (name: string) => ({
    about: memberSubject(addressOf(name), blue.team),
    ...observed("no member", "list"),
  });
  const addition = {
    ...anAddition(blue, [person("bo", "u-bo"), person("cy", "u-cy")]),
    restsOn: [about("bo"), about("cy")],
  };
  const { actions } = prune([addition], [{ action: addition.id, address: addressOf("bo"), cause: "a guard" }]);
  expect(actions).toEqual([{ ...addition, members: [{ address: addressOf("cy") }], restsOn: [about("cy")] }]);
});

test("the reasons of whoever is left out of an addition go with them", () => {
  const team = reasonAt(at(1), "team", { name: "Blue" });
  const links = ["bo", "cy"].map((name) => reasonAt(at(2), "group-member", { name: "all", person: addressOf(name) }));
  const whole = { ...anAddition(blue, [person("bo", "u-bo"), person("cy", "u-cy")]), because: [team, ...links] };
  const { actions } = prune([whole], [{ action: whole.id, address: addressOf("bo"), cause: "" }]);
  expect(actions.map(({ because }) => because)).toEqual([[team, links[1]]]);
});

const remembering = (parts: Parts, refusals: readonly RecordedRefusal[]): Parts => ({
  ...parts,
  state: aState({ refusals: refusalMap(...refusals) }),
});

/** Ada is new, bo is to join Data, and cy's key of Data is to change. */
const common = `
there: {bo, cy: {in: {Data: [TEAM_ROLE]}}}
users: {ada: {line: 3}, bo, cy}
teams: {Data: {members: [bo, {user: cy, roles: [DEVELOPER]}], line: 7}}
`;
const everything = allRefused(planned(partsOf(common)));

play("what the service refused", (parts) => planLines(remembering(parts, everything)))`
  there: {bo, cy: {in: {Data: [TEAM_ROLE]}}}
  users: {ada: {line: 3}, bo, cy}
  teams: {Data: {members: [bo, {user: cy, roles: [DEVELOPER]}], line: 7}}
in the very same world: nothing is sent, and each is told
  > ! refused: user ada
  > ! refused: member bo of team acc-1/data
  > ! refused: key k-cy-data
with another name: this creation is sent
  users: {ada: {firstName: Augusta}}
  > create ada
  > ! refused: member bo of team acc-1/data
  > ! refused: key k-cy-data
in an account with another status: its creations are sent
  accounts: {acc-1: trial}
  > create ada
  > ! refused: member bo of team acc-1/data
  > ! refused: key k-cy-data
of a person with another status: they are added
  there: {bo: {status: invited}}
  > add bo to Data
  > ! refused: user ada
  > invitation-pending: user bo
  > ! refused: key k-cy-data
to a team that is another one by its identifier: they are added
  shown: {Other: {name: Data, identifier: t-2}}
  there: {cy: {in: {Other: [DEVELOPER]}}}
  teams: {Data: {identifier: t-2}}
  > add bo to Data
  > ! refused: user ada
with other roles: they are asked for
  teams: {Data: {members: [bo, {user: cy, roles: [AUDITOR]}]}}
  > set k-cy-data (observed) to AUDITOR
  > ! refused: user ada
  > ! refused: member bo of team acc-1/data
of a key that carries others by now: they are asked for
  there: {cy: {in: {Data: [ACCOUNT_ADMIN]}}}
  > set k-cy-data (observed) to DEVELOPER
  > ! refused: user ada
  > ! refused: member bo of team acc-1/data
of a key whose status has changed: they are asked for
  there: {cy: {keyStatus: suspended}}
  > set k-cy-data (observed) to DEVELOPER
  > ! refused: user ada
  > ! refused: member bo of team acc-1/data
where a person says so for one run: everything is sent
  allows: [refused:*]
  > create ada
  > add bo to Data
  > set k-cy-data (observed) to DEVELOPER
where a person says so of one person: this creation is sent
  allows: [refused:ada@acme.example]
  > create ada
  > ! refused: member bo of team acc-1/data
  > ! refused: key k-cy-data
where only a part is selected: only its refusals are told
  include: [user:bo]
  > ! refused: member bo of team acc-1/data
of a member who is barred by now: that is told, and nothing else
  there: {bo: {status: inactive}}
  > ! refused: user ada
  > ! inactive-user: user bo
  > ! refused: key k-cy-data
of what has come about otherwise: nothing is told
  there: {ada, bo: {in: {Data: []}}, cy: {in: {Data: [DEVELOPER]}}}
`;

const asked: Partial<typeof taken> = { request: "POST /api/accounting/accounts/acc-1/users", hint: "look behind it" };

play("what the service refused is told", (parts) => {
  const refusals = allRefused(planned(parts)).map((refusal) => ({ ...refusal, failure: { ...taken, ...asked } }));
  return wholeFindings(remembering(parts, refusals));
})`
  users: {ada: {line: 3}}
with the service's words, the time, the place and both ways out
  > task refused: user ada
  > At 2026-11-20T12:00:00.000Z, the service refused to create ada. It answered: "taken". roster does not send the same request again on its own.
    Correct the user in the roster. To create ada after a correction in the service, run \`--allow refused:ada\`.
  > because user at 3
  > rests on creation of user ada: recorded, refused, 2026-11-20T12:00:00.000Z
  > allow ["refused:ada"]
  > accept {"code":"refused:ada","until":"2026-12-20"}
of a listed key at each place that asks for its roles
  there: {ada: {keys: {k-1: {}}}}
  keys: {k-1: {owner: ada, roles: [DEVELOPER], line: 9}}
  > task refused: key k-1
  > At 2026-11-20T12:00:00.000Z, the service refused to give the key k-1 DEVELOPER. It answered: "taken". roster does not
    send the same request again on its own. Correct the roles or the key in the roster. To give the key k-1 DEVELOPER after a correction in the service, run \`--allow refused:k-1\`.
  > because key at 9
  > rests on roles of key k-1: recorded, refused, 2026-11-20T12:00:00.000Z
  > allow ["refused:k-1"]
  > roles ["DEVELOPER"]
  > accept {"code":"refused:k-1","until":"2026-12-20"}
of a team with which first members were refused in which words, and who is kept for the team
  there: {root}
  teams: {Lab: {members: [ada], line: 5}}
  > task refused: team acc-1/lab
  > At 2026-11-20T12:00:00.000Z, the service refused to create Lab with ada. It answered: "taken". One request creates both, so the team or the user can be the cause. The team has no other new member to try. roster does not send the same request again on its own. Correct the team or its first member in the roster, or add another new member to the team. To create Lab with ada after a correction in the service, run \`--allow refused:lab\`. Until this task is done, roster does not create ada. The API creates a team only together with a new user.
  > because team Lab at 5
  > because user at 3
  > rests on team acc-1/lab: observed, absent, list
  > rests on creation of team acc-1/lab: recorded, refused, 2026-11-20T12:00:00.000Z
  > allow ["refused:lab"]
  > accept {"code":"refused:lab","until":"2026-12-20"}
`;

/** Who of ada, bo and cy was refused as first member of Lab, and in which words. */
function refusedLab(words: Readonly<Record<string, string>>): readonly RecordedRefusal[] {
  const { roster, ...parts } = partsOf("{there: {root}, users: {ada, bo, cy}, teams: {Lab: {members: [ada, bo, cy]}}}");
  return Object.entries(words).flatMap(([name, serviceSays]) => {
    const firstMember = { value: addressOf(name), place: at(1) };
    const teams = roster?.teams.map((team) => ({ ...team, firstMember })) ?? [];
    const input: InputParts = roster === undefined ? parts : { ...parts, roster: { ...roster, teams } };
    const refusals = allRefused(planned(input), { ...taken, serviceSays });
    return refusals.filter(({ subject }) => subject === "team acc-1/lab");
  });
}

const playLab = (what: string, words: Readonly<Record<string, string>>) =>
  play(`a creation of a team that the service refused ${what}`, (parts) =>
    planLines(remembering(parts, refusedLab(words))),
  );

playLab("with one first member", { ada: "bad title" })`
  there: {root}
  users: {ada, bo, cy}
  teams: {Lab: {members: [ada, bo, cy]}}
is tried with another new member, and the refused one is not spent without the team meanwhile
  > create bo creating Lab with TEAM_ROLE
  > create ada after create-user:bo
  > create cy after create-user:bo
  > add ada, cy to Lab after create-user:bo, create-user:ada, create-user:cy
  > set key of bo in Lab to TEAM_ROLE after create-user:bo
  > refused: team acc-1/lab
is tried again with whoever is written otherwise by now
  users: {ada: {title: Dr}}
  teams: {Lab: {firstMember: ada, members: [ada]}}
  > create ada creating Lab with TEAM_ROLE
  > create bo
  > create cy
  > set key of ada in Lab to TEAM_ROLE after create-user:ada
leaves alone a first member whom the roster names
  teams: {Lab: {firstMember: ada, members: [ada, bo]}}
  > create cy
  > ! refused: team acc-1/lab
says nothing against the same person for another team
  teams: {Lab: {members: [ada]}, Den: {members: [ada]}}
  > create ada creating Den with TEAM_ROLE
  > create bo
  > create cy
  > set key of ada in Den to TEAM_ROLE after create-user:ada
  > ! refused: team acc-1/lab
`;

playLab("with two first members in different words", { ada: "bad title", bo: "bad name" })`
  there: {root}
  users: {ada, bo, cy}
  teams: {Lab: {members: [ada, bo, cy]}}
is tried once more with others
  > create cy creating Lab with TEAM_ROLE
  > create ada after create-user:cy
  > create bo after create-user:cy
  > add ada, bo to Lab after create-user:cy, create-user:ada, create-user:bo
  > set key of cy in Lab to TEAM_ROLE after create-user:cy
  > refused: team acc-1/lab
`;

for (const words of [
  { ada: "bad team", bo: "bad team" },
  { ada: "bad title", bo: "bad name", cy: "bad address" },
])
  playLab(`with ${Object.entries(words).join(" and ")}`, words)`
  there: {root}
  users: {ada, bo, cy}
is not tried any more
  teams: {Lab: {members: [ada, bo, cy]}}
  > ! refused: team acc-1/lab
`;

test("a plan that creates a refused team with another new member says so", () => {
  const parts = partsOf("{there: {root}, users: {ada, bo}, teams: {Lab: {members: [ada, bo]}}}");
  const [notice, ...others] = planned(remembering(parts, refusedLab({ ada: "bad title" }))).findings;
  expect([notice?.kind, notice?.message, others]).toEqual([
    "notice",
    'At 2026-11-20T12:00:00.000Z, the service refused to create Lab with ada@acme.example. It answered: "bad title". The API creates a team together with one new user, so the next apply tries it with bo@acme.example instead.',
    [],
  ]);
});

test("a first member who has been refused alone as well is blocked whole", () => {
  const alone = allRefused(planned(partsOf("{there: {root}, users: {ada}}")));
  const parts = partsOf("{there: {root}, users: {ada}, teams: {Lab: {members: [ada]}}}");
  expect(planLines(remembering(parts, [...alone, aRefusal(asks.roles("k", []))]))).toEqual([
    "! refused: user ada",
    "! cannot-create-team: team acc-1/lab",
  ]);
});

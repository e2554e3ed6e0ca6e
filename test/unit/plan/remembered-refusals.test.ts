import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Plan } from "../../../src/model/plan.ts";
import type { RecordedRefusal } from "../../../src/model/recorded.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Roster } from "../../../src/model/roster.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { aPolicy, aState, selector } from "../../support/plan-inputs.ts";
import { type Circumstances, deeds, outcome, planFor } from "../../support/plan-words.ts";
import { allRefused, aRefusal, asks, refusalMap, taken } from "../../support/refusal-builders.ts";
import {
  addressOf,
  aKey,
  aRoster,
  aTeam,
  at,
  aUser,
  type TeamWish,
  type UserWish,
} from "../../support/roster-builders.ts";
import { aWorld, giveTeamKey, putTeam, putUser, userByAddress, type World } from "../../support/simulated-world.ts";

interface Scene extends Omit<Circumstances, "state"> {
  readonly ada?: UserWish;
  readonly team?: TeamWish;
  readonly roles?: readonly string[];
  readonly world?: (world: World) => void;
}

/** Ada is new, bo is to join Data, and cy's key of Data is to change. */
function roster({ ada = {}, team = {}, roles = ["DEVELOPER"] }: Scene): Roster {
  return aRoster({
    users: [aUser("ada", { line: 3, ...ada }), aUser("bo"), aUser("cy")],
    teams: [aTeam("Data", { members: ["bo", { user: "cy", roles }], line: 7, ...team })],
  });
}

function world(change: (world: World) => void = () => undefined): World {
  const made = aWorld();
  const [, cy] = ["bo", "cy"].map((name) =>
    putUser(made, { email: `${name}@acme.example`, firstName: capital(name), lastName: "Test" }),
  );
  if (cy !== undefined) putTeam(made, { name: "Data", identifier: "t-1", members: [cy], roles: ["TEAM_ROLE"] });
  change(made);
  return made;
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function plan(scene: Scene, refusals: readonly RecordedRefusal[]): Plan {
  const { ada, team, roles, world: change, ...circumstances } = scene;
  const state = aState({ refusals: refusalMap(...refusals) });
  return planFor(world(change), roster(scene), { ...circumstances, state });
}

const everything = ["create ada", "add bo to Data", "set k5 (observed) to DEVELOPER"];
const [createAda, addBo, setCy] = everything;
const refused = allRefused(plan({}, []));
const told = [
  "! refused: user ada@acme.example",
  "! refused: member bo@acme.example of team acc-1/data",
  "! refused: key k5",
];
const [adaTold, boTold, cyTold] = told;

const user = (name: string, change: (user: NonNullable<ReturnType<typeof userByAddress>>) => void) => (made: World) => {
  const found = userByAddress(made, addressOf(name));
  if (found !== undefined) change(found);
};

const cases: Readonly<Record<string, Scene & { readonly plans: readonly unknown[] }>> = {
  "in the very same world: nothing is sent, and each is told": { plans: told },
  "with another name: this creation is sent": { ada: { firstName: "Augusta" }, plans: [createAda, boTold, cyTold] },
  "with a title that was not there: this creation is sent": {
    ada: { title: "Countess" },
    plans: [createAda, boTold, cyTold],
  },
  "in an account with another status: its creations are sent": {
    world: ({ accounts }) => accounts.set("acc-1", { identifier: "acc-1", status: "trial" }),
    plans: [createAda, boTold, cyTold],
  },
  "of a person with another status: they are added": {
    world: user("bo", (bo) => {
      bo.status = "invited";
    }),
    plans: [addBo, "! refused: user ada@acme.example", "invitation-pending: user bo@acme.example", "! refused: key k5"],
  },
  "to a team that is another one by its identifier: they are added": {
    world: (made) => {
      const t2 = putTeam(made, { name: "Data", identifier: "t-2" });
      giveTeamKey(made, userByAddress(made, addressOf("cy")) ?? putUser(made, { email: "nobody" }), t2.identifier, [
        "DEVELOPER",
      ]);
    },
    team: { identifier: "t-2" },
    plans: [addBo, adaTold],
  },
  "with other roles: they are asked for": {
    roles: ["AUDITOR"],
    plans: ["set k5 (observed) to AUDITOR", adaTold, boTold],
  },
  "of a key that carries others by now: they are asked for": {
    world: user("cy", (cy) => {
      for (const key of cy.keys) key.roles = roleSet(["ACCOUNT_ADMIN"]);
    }),
    plans: [setCy, adaTold, boTold],
  },
  "of a key whose status has changed: they are asked for": {
    world: user("cy", (cy) => {
      for (const key of cy.keys) key.status = "suspended";
    }),
    plans: [setCy, adaTold, boTold],
  },
  "where a person says so for one run: everything is sent": { allows: ["refused:*"], plans: everything },
  "where a person says so of one person: this creation is sent": {
    allows: ["refused:ada@acme.example"],
    plans: [createAda, boTold, cyTold],
  },
  "where only a part is selected: only its refusals are told": {
    policy: aPolicy({ include: [selector("user:bo")] }),
    plans: [boTold],
  },
  "of a member who is barred by now: that is told, and nothing else": {
    world: user("bo", (bo) => {
      bo.status = "inactive";
    }),
    plans: [adaTold, "! inactive-user: user bo@acme.example", cyTold],
  },
  "of what has come about otherwise: nothing is told": {
    world: (made) => {
      putUser(made, { email: "ada@acme.example", lastName: "Test" });
      const [bo, cy] = ["bo", "cy"].map((name) => userByAddress(made, addressOf(name)));
      if (bo !== undefined) giveTeamKey(made, bo, "t-1", []);
      for (const key of cy?.keys ?? []) key.roles = roleSet(["DEVELOPER"]);
    },
    plans: [],
  },
};

describe("what the service refused", () => {
  test("is everything of this plan", () => {
    expect({ deeds: deeds(plan({}, [])), subjects: refused.map(({ subject }) => subject) }).toEqual({
      deeds: everything,
      subjects: ["user ada@acme.example", "member bo@acme.example of team acc-1/data", "key k5"],
    });
  });

  test.each(Object.entries(cases))("%s", (_, { plans, ...scene }) => {
    const made = plan(scene, refused);
    expect(outcome(made)).toEqual(plans);
  });

  test("is told with the request, the service's words, the time, the place and both ways out", () => {
    const failure = { ...taken, request: "POST /api/accounting/accounts/acc-1/users", hint: "look behind it" };
    const [finding] = plan(
      {},
      refused.map((refusal) => ({ ...refusal, failure })),
    ).findings;
    expect(finding).toEqual({
      accept: { code: "refused:ada@acme.example#22d7198772e4", until: "2026-12-20" },
      kind: "task",
      code: "refused",
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/u),
      subject: decodeSubject("user ada@acme.example"),
      message:
        "The service refused to create ada@acme.example at 2026-11-20T12:00:00.000Z (request POST " +
        "/api/accounting/accounts/acc-1/users): The service refuses the request (400): taken. Look behind " +
        "it. roster does not send the same request again on its own. Correct the user in the roster. If you " +
        `corrected the service instead, allow a retry. To allow it: \`--allow ${finding?.allow?.[0]}\`.`,
      allow: [expect.stringMatching(/^refused:ada@acme\.example#[0-9a-f]{12}$/u)],
      because: [reasonAt(at(3), "user")],
      restsOn: [
        {
          about: decodeSubject("creation of user ada@acme.example"),
          fact: { known: "recorded", value: "refused", at: "2026-11-20T12:00:00.000Z" },
        },
      ],
    });
  });

  test("of a listed key: is told at each place that asks for its roles", () => {
    const listed = aRoster({
      users: [aUser("cy")],
      keys: [aKey("k5", { owner: "cy", roles: ["DEVELOPER"], line: 9 })],
    });
    const first = planFor(world(), listed);
    const again = planFor(world(), listed, { state: aState({ refusals: refusalMap(...allRefused(first)) }) });
    expect(again.findings.map(({ code, subject, because }) => ({ code, subject, because }))).toEqual([
      { code: "refused", subject: decodeSubject("key k5"), because: [reasonAt(at(9), "key")] },
    ]);
  });
});

interface TeamCreationCase extends Circumstances {
  readonly users?: Readonly<Record<string, UserWish>>;
  readonly teams?: Readonly<Record<string, TeamWish>>;
  /** Who was refused as first member of Lab, and in which words. */
  readonly refused: Readonly<Record<string, string>>;
  readonly plans: readonly string[];
}

/** A world that shows its teams, and none of these people. */
function nobodyNew(): World {
  const made = aWorld();
  putUser(made, { email: "root@acme.example" });
  return made;
}

const lab: TeamWish = { members: ["ada", "bo", "cy"] };
const labRefused = "! refused: team acc-1/lab";

const teamCreations: Readonly<Record<string, TeamCreationCase>> = {
  "is tried with another new member, and the refused one is not spent without the team meanwhile": {
    refused: { ada: "bad title" },
    plans: [
      "create bo creating Lab with TEAM_ROLE",
      "create ada after create-user:bo@acme.example",
      "create cy after create-user:bo@acme.example",
      "add ada, cy to Lab after create-user:bo@acme.example, create-user:ada@acme.example, create-user:cy@acme.example",
      "set key of bo in Lab to TEAM_ROLE after create-user:bo@acme.example",
    ],
  },
  "is tried once more with others while the words differ": {
    refused: { ada: "bad title", bo: "bad name" },
    plans: [
      "create cy creating Lab with TEAM_ROLE",
      "create ada after create-user:cy@acme.example",
      "create bo after create-user:cy@acme.example",
      "add ada, bo to Lab after create-user:cy@acme.example, create-user:ada@acme.example, create-user:bo@acme.example",
      "set key of cy in Lab to TEAM_ROLE after create-user:cy@acme.example",
    ],
  },
  "is not tried any more once two first members were refused in the same words": {
    refused: { ada: "bad team", bo: "bad team" },
    plans: [labRefused],
  },
  "is not tried any more once everybody was refused": {
    refused: { ada: "bad title", bo: "bad name", cy: "bad address" },
    plans: [labRefused],
  },
  "is tried again with whoever is written otherwise by now": {
    users: { ada: { title: "Dr" }, bo: {}, cy: {} },
    teams: { Lab: { firstMember: "ada", members: ["ada"] } },
    refused: { ada: "bad title" },
    plans: [
      "create ada creating Lab with TEAM_ROLE",
      "create bo",
      "create cy",
      "set key of ada in Lab to TEAM_ROLE after create-user:ada@acme.example",
    ],
  },
  "leaves alone a first member whom the roster names": {
    teams: { Lab: { firstMember: "ada", members: ["ada", "bo"] } },
    refused: { ada: "bad title" },
    plans: ["create cy", labRefused],
  },
  "says nothing against the same person for another team": {
    teams: { Lab: { members: ["ada"] }, Den: { members: ["ada"] } },
    refused: { ada: "bad team" },
    plans: [
      "create ada creating Den with TEAM_ROLE",
      "create bo",
      "create cy",
      "set key of ada in Den to TEAM_ROLE after create-user:ada@acme.example",
      labRefused,
    ],
  },
  "is tried again where a person says so": {
    teams: { Lab: { members: ["ada"] } },
    refused: { ada: "bad team" },
    allows: ["refused:lab"],
    plans: [
      "create ada creating Lab with TEAM_ROLE",
      "create bo",
      "create cy",
      "set key of ada in Lab to TEAM_ROLE after create-user:ada@acme.example",
    ],
  },
};

describe("a creation of a team that the service refused", () => {
  const people = { ada: {}, bo: {}, cy: {} };

  test.each(Object.entries(teamCreations))(
    "%s",
    (_, { users = people, teams = { Lab: lab }, refused: words, ...rest }) => {
      const { plans, ...circumstances } = rest;
      const wanted = (who: Readonly<Record<string, UserWish>>) =>
        aRoster({
          users: Object.entries(who).map(([name, wish]) => aUser(name, wish)),
          teams: Object.entries(teams).map(([name, wish]) => aTeam(name, wish)),
        });
      const refusals = Object.entries(words).flatMap(([firstMember, serviceSays]) => {
        const named = wanted(people);
        const labs = named.teams.filter(({ name }) => name === "Lab");
        const only = { ...named, teams: labs.map((team) => ({ ...team, ...aFirstMember(firstMember) })) };
        const all = allRefused(planFor(nobodyNew(), only), { ...taken, serviceSays });
        return all.filter(({ subject }) => subject === "team acc-1/lab");
      });
      const state = aState({ refusals: refusalMap(...refusals) });
      const made = planFor(nobodyNew(), wanted(users), { ...circumstances, state });
      expect(outcome(made)).toEqual(plans);
    },
  );

  test("says which first members were refused in which words, and that they are kept for the team", () => {
    const wanted = aRoster({
      users: [aUser("ada", { line: 2 })],
      teams: [aTeam("Lab", { members: ["ada"], line: 5 })],
    });
    const state = aState({ refusals: refusalMap(...allRefused(planFor(nobodyNew(), wanted))) });
    const [finding] = planFor(nobodyNew(), wanted, { state }).findings;
    expect(finding).toMatchObject({
      code: "refused",
      subject: decodeSubject("team acc-1/lab"),
      because: [reasonAt(at(5), "team", { name: "Lab" }), reasonAt(at(2), "user")],
      message:
        "The service refused to create Lab with ada@acme.example at 2026-11-20T12:00:00.000Z: The service " +
        "refuses the request (400): taken. One request creates both, so the team or the user can be the " +
        "cause. No other new member is free to try. roster does not send the same request again on its own. " +
        "Correct the team or its first member in the roster, or add another new member to the team. If you " +
        "corrected the service instead, allow a retry. Until then, roster does not create ada@acme.example. " +
        `The team needs a new user. To allow it: \`--allow ${finding?.allow?.[0]}\`.`,
      allow: [expect.stringMatching(/^refused:lab#[0-9a-f]{12}$/u)],
    });
  });
});

/** Adds what makes somebody the first member, so that the same request comes about without a matching. */
function aFirstMember(name: string) {
  return { firstMember: { value: addressOf(name), place: at(1) } };
}

test("a first member who has been refused alone as well is withheld whole", () => {
  const wanted = aRoster({ users: [aUser("ada")], teams: [aTeam("Lab", { members: ["ada"] })] });
  const alone = allRefused(planFor(nobodyNew(), aRoster({ users: [aUser("ada")] })));
  const made = planFor(nobodyNew(), wanted, {
    state: aState({ refusals: refusalMap(...alone, aRefusal(asks.roles("k", []))) }),
  });
  expect(outcome(made)).toEqual(["! refused: user ada@acme.example", "! cannot-create-team: team acc-1/lab"]);
});

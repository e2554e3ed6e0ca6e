import { describe, expect, test } from "vitest";
import { factValue } from "../../../src/model/fact.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { type DesiredTeam, disambiguatedTeamKey } from "../../../src/model/team.ts";
import { judged } from "../../support/guards.ts";
import { aCode, aPolicy, type InputParts, planned } from "../../support/plan-inputs.ts";
import { deeds, troubles } from "../../support/plan-words.ts";
import { aRoster, aTeam, aUser, type TeamWish } from "../../support/roster-builders.ts";
import { brief, messageLines, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

/** The same, and how the identifier of each team to which people are added is known. */
function identifiedLines(parts: InputParts): readonly string[] {
  const plan = planned(parts);
  const additions = plan.actions.flatMap((action) =>
    action.kind === "add-members" ? [plan.teams.get(action.team)] : [],
  );
  const known = additions.map(
    (team) => team && `${team.name} is ${factValue(team.identifier)} (${team.identifier.known})`,
  );
  return [...planLines(parts), ...known.filter((line) => line !== undefined)];
}

play("a team of the roster", identifiedLines)`
  accounts: {acc-2}
  there: {root}
  users: {ada}
  teams: {Data: {members: [ada]}}
is created where a complete list shows teams and none is this one's
  > create ada creating Data with TEAM_ROLE
  > set key of ada in Data to TEAM_ROLE after create-user:ada
is known by the identifier that the roster gives
  there: {root: {in: {Data}}}
  teams: {Data: {identifier: t-declared, open: true}}
  state: {teams: {Data: {identifier: t-recorded}}}
  > create ada
  > add ada to Data after create-user:ada
  > Data is t-declared (declared)
is known by record before it is known by name
  there: {root: {in: {Data}}}
  teams: {Data: {open: true}}
  state: {teams: {Data: {identifier: t-recorded}}}
  > create ada
  > add ada to Data after create-user:ada
  > Data is t-recorded (recorded)
is known by the folded name that keys show
  shown: {Data: {name: "  DATA"}}
  there: {root: {in: {Data}}}
  teams: {Data: {open: true}}
  > create ada
  > add ada to Data after create-user:ada
  > Data is t-data (observed)
is used as it is under a former name that keys show
  there: {root: {in: {Numbers}}}
  teams: {Data: {open: true, previously: [Numbers]}}
  > create ada
  > add ada to Data after create-user:ada
  > team-name-differs: team acc-1/data
  > Data is t-numbers (observed)
is used as it is under a former name that the state knows
  teams: {Data: {previously: [Numbers]}}
  state: {teams: {Numbers: {identifier: t-1}}}
  > create ada
  > add ada to Data after create-user:ada
  > team-name-differs: team acc-1/data
  > Data is t-1 (recorded)
in doubt between two of the same name, waits for its identifier
  shown: {Other: {name: data}}
  there: {root: {in: {Data, Other}}}
  > create ada
  > ! team-identifier-unknown: team acc-1/data
is not the team of that name whose holders are all in other accounts
  shown: {Data: {account: acc-2}}
  there: {stranger: {account: acc-2, in: {Data}}}
  > create ada creating Data with TEAM_ROLE
  > set key of ada in Data to TEAM_ROLE after create-user:ada
is perhaps the team of that name whose holders' accounts are hidden
  shown: {Data: {account: acc-2}}
  there: {stranger: {account: acc-2, in: {Data}}}
  teams: {Data: {open: true}}
  hides: [user-accounts, account-members]
  > create ada
  > add ada to Data after create-user:ada
  > Data is t-data (observed)
shown without its identifier, is neither created nor added to
  there: {root: {in: {Data}}}
  teams: {Data: {open: true}}
  hides: [team-identifiers]
  > create ada
  > ! team-identifier-unknown: team acc-1/data
recorded as created without its identifier, is never created again
  state: {teams: {Data: {firstMember: cy@acme.example}}}
  > create ada
  > ! team-identifier-unknown: team acc-1/data
perhaps created by a run that never learned it, is not created again
  open: {create cy creating Data}
  > ! unknown-outcome: team acc-1/data
is not created where the users were not read completely
  everyone: {read: not-read}
  > ! unproven-absence: team acc-1/data
is not created on an incomplete list
  everyone: {read: incomplete, why: page 7 failed}
  > ! incomplete-read: user ada
  > ! incomplete-read: team acc-1/data
is not created where the service does not show teams
  hides: [teams]
  > ! unproven-absence: team acc-1/data
is not created where a person says that another team is absent
  hides: [teams]
  allows: [unproven-absence:dat]
  > ! unproven-absence: team acc-1/data
  > idle-allowance: allowance unproven-absence:dat
is not the one that its record names where the roster gives that identifier to another of its teams
  there: {root: {in: {Data}}}
  users: {root}
  teams: {Science: {members: [root], previously: [Data], identifier: t-data}, Data: {members: [ada]}}
  state: {teams: {Data: {identifier: t-data}}}
  > create ada creating Data with TEAM_ROLE
  > set key of ada in Data to TEAM_ROLE after create-user:ada
  > team-name-differs: team acc-1/science
`;

describe("two teams of one name", () => {
  const twins = (two: Partial<TeamWish>, other: TeamWish): readonly DesiredTeam[] => [
    aTeam("Data", { open: true, ...two }),
    aTeam("Data", { account: "acc-2", open: true, ...other }),
  ];

  test("in two accounts never share one team of the service", () => {
    const { snapshot } = partsOf(
      "{accounts: {acc-2}, there: {root: {in: {Data}}}, users: {ada, bo}, hides: [user-accounts, account-members]}",
    );
    const users = [aUser("ada"), aUser("bo", { account: "acc-2" })];
    const doubtful = aRoster({ users, teams: twins({ members: ["ada"] }, { members: ["bo"] }) });
    expect(planLines({ snapshot, roster: doubtful })).toEqual([
      "create ada",
      "create bo",
      "! team-identifier-unknown: team acc-1/data",
      "! team-identifier-unknown: team acc-2/data",
    ]);
    const told = aRoster({ teams: twins({ identifier: "t-data" }, {}) });
    expect(planLines({ snapshot, roster: told })).toEqual(["! cannot-create-team: team acc-2/data"]);
  });

  /** In one account, told apart by their identifiers; both are there, and ada is in t-data alone. */
  const [one, other] = ["t-data", "t-other"].map((identifier) => disambiguatedTeamKey("acc-1", "Data", identifier));
  const inOne = (text: string, ...members: readonly (readonly string[])[]) => {
    const parts = partsOf("{shown: {Other: {name: data}}, there: {ada: {in: {Data}}}, users: {ada}}", text);
    const teams = [
      { ...aTeam("Data", { identifier: "t-data", members: members[0] }), key: one },
      { ...aTeam("data", { identifier: "t-other", members: members[1] }), key: other },
    ];
    return { ...parts, roster: aRoster({ users: [aUser("ada")], teams: teams as DesiredTeam[] }) };
  };
  const removed = `! member-removed: member ada of team ${other}`;

  test.each([
    ["are compared each with the keys of its own identifier", "", [["ada"], ["ada"]], "add ada to data"],
    [
      "are not told apart by a key that shows the name alone: nobody is invited on it",
      "hides: [team-identifiers]",
      [[], ["ada"]],
      `! unproven-absence: member ada of team ${other}`,
    ],
    [
      "keep what was recorded while the roster had but one: the one that the record names",
      "state: {teams: {Data: {identifier: t-other}}, members: {Data/ada: {}}}",
      [["ada"], ["ada"]],
      removed,
    ],
    [
      "keep what was recorded while the roster had but one: not the other",
      "state: {teams: {Data: {identifier: t-data}}, members: {Data/ada: {}}}",
      [["ada"], ["ada"]],
      "add ada to data",
    ],
    [
      "keep what was recorded while the roster had but one: either, where the record names none",
      "state: {teams: {Data: {}}, members: {Data/ada: {}}}",
      [["ada"], ["ada"]],
      removed,
    ],
  ])("in one account %s", (_, text, members, expected) => {
    const plan = planned(inOne(text, ...members));
    expect(planLines(inOne(text, ...members))).toEqual([expected]);
    expect(plan.actions.map(({ id }) => id)).toEqual(plan.actions.map(() => `add-members:${other}`));
  });
});

play("a creation of a team whose outcome nobody knows,", (parts) => {
  const { findings } = planned(parts);
  return [...planLines(parts), ...findings.flatMap(({ allow = [] }) => allow).map(brief)];
})`
  hides: [teams]
  open: {create cy creating Data}
  users: {ada}
  teams: {Data: {open: true, members: [ada]}}
is named as it was sent, where the team has another name by now
  teams: {Data: gone, Numbers: {previously: [Data], open: true, members: [ada]}}
  > ! unknown-outcome: team acc-1/numbers
  > unknown-outcome:data
is done again under the new name, where a person says that it was not done
  teams: {Data: gone, Numbers: {previously: [Data], open: true, members: [ada]}}
  allows: [unknown-outcome:data]
  > create ada creating Numbers with TEAM_ROLE
  > set key of ada in Numbers to TEAM_ROLE after create-user:ada
says nothing of a team of the same name in another account
  accounts: {acc-2}
  users: {bo: {account: acc-2}}
  teams: {data: {account: acc-2, members: [bo]}}
  allows: [unknown-outcome:data]
  > create ada creating Data with TEAM_ROLE
  > set key of ada in Data to TEAM_ROLE after create-user:ada
  > ! unproven-absence: team acc-2/data
  > unproven-absence:data
`;

test("creations of a team whose outcome nobody knows are allowed call by call", () => {
  const calls = "open: {create cy creating Data, create ed creating Data}";
  const parts = partsOf("{hides: [teams], users: {ada}, teams: {Data: {members: [ada]}}}", calls);
  const judge = (codes: readonly string[]) => judged({ ...parts, policy: aPolicy({ allowed: codes.map(aCode) }) });
  const offered = (plan: Plan) => plan.findings.flatMap(({ allow = [] }) => allow);
  const [one = ""] = offered(judge([]).plan);
  const [other = ""] = offered(judge([one]).plan);
  expect([one, other].map(brief)).toEqual(["unknown-outcome:data", "unknown-outcome:data"]);
  expect(other).not.toBe(one);
  const both = judge([one, other]);
  expect([deeds(both.plan)[0], troubles(both.plan), both.refusal]).toEqual([
    "create ada creating Data with TEAM_ROLE",
    [],
    undefined,
  ]);
  const stops = judge(["unknown-outcome:data#0badca110bad"]).refusal?.stops.map(({ code }) => code);
  expect(stops).toEqual(["unknown-outcome", "unknown-outcome"]);
});

test("a team without an identifier is told with the line to fill in", () => {
  const text =
    '{there: {root: {in: {"R & D: core"}}}, teams: {"R & D: core": {open: true}}, hides: [team-identifiers]}';
  const [finding] = planned(partsOf(text)).findings;
  expect(finding?.suggestedYaml).toBe('teams:\n  - name: "R & D: core"\n    identifier: IDENTIFIER\n');
});

play("where another team has the former name of a team now,", planLines)`
  there: {ada: {in: {Data}}, bo: {in: {Data}}}
  users: {ada, bo, cy, di}
  teams: {Science: {previously: [Data], members: [ada, bo, cy]}, Data: {members: [di]}}
both wait for an identifier where the state knows a team by that name, and nobody is spent
  state: {teams: {Data: {identifier: t-data}}}
  > ! team-identifier-unknown: team acc-1/science
  > ! team-identifier-unknown: team acc-1/data
both wait where the service does not show the identifier
  hides: [team-identifiers]
  > ! team-identifier-unknown: team acc-1/science
  > ! team-identifier-unknown: team acc-1/data
the renamed one waits where nobody knows if the other was created, who waits for that
  there: {ada: gone, bo: gone, root}
  open: {create di creating Data}
  teams: {Science: {open: true}}
  > ! unknown-outcome: user di
  > ! team-identifier-unknown: team acc-1/science
  > ! unknown-outcome: team acc-1/data
the other one is created where the renamed one has an identifier
  teams: {Science: {identifier: t-data}}
  state: {teams: {Data: {identifier: t-data}}}
  > create cy
  > create di creating Data with TEAM_ROLE
  > add cy to Science after create-user:cy
  > set key of di in Data to TEAM_ROLE after create-user:di
  > team-name-differs: team acc-1/science
the other one is created where the renamed one is recorded by its name of today
  state: {teams: {Science: {identifier: t-data}}}
  > create cy
  > create di creating Data with TEAM_ROLE
  > add cy to Science after create-user:cy
  > set key of di in Data to TEAM_ROLE after create-user:di
  > team-name-differs: team acc-1/science
the renamed one is created where the roster says that the team is the other one
  teams: {Data: {identifier: t-data, open: true}}
  state: {teams: {Data: {identifier: t-data}}}
  > create cy creating Science with TEAM_ROLE
  > create di
  > add ada, bo to Science after create-user:cy
  > add di to Data after create-user:di
  > set key of cy in Science to TEAM_ROLE after create-user:cy
both are created where nothing leads to either
  there: {ada: {in: {Data: gone, Operations}}, bo: {in: gone}}
  > create cy creating Science with TEAM_ROLE
  > create di creating Data with TEAM_ROLE
  > add ada, bo to Science after create-user:cy
  > set key of cy in Science to TEAM_ROLE after create-user:cy
  > set key of di in Data to TEAM_ROLE after create-user:di
`;

play("where another team has the former name of a team now,", messageLines)`
  there: {ada: {in: {Data}}}
  users: {ada, cy, di}
  teams: {Science: {previously: [Data], members: [ada, cy]}, Data: {members: [di]}}
both are told who waits
  > ! team-identifier-unknown: roster cannot know which team Science is: its former name Data is now the name of another team of the roster, so the team t-data may be either team. roster changes neither team. Write the \`identifier\` of one of them into the roster. Until this task is done, roster does not create cy. The API creates a team only together with a new user.
  > ! team-identifier-unknown: roster cannot know which team Data is: its former name Data is now the name of another team of the roster, so the team t-data may be either team. roster changes neither team. Write the \`identifier\` of one of them into the roster. Until this task is done, roster does not create di. The API creates a team only together with a new user.
`;

play("the name under which the service shows a team", planLines)`
  there: {ada: {in: {Data}}}
  users: {ada}
  teams: {Data: {members: [{user: ada, key: k-ada-data}]}}
is the roster's
  shown: {Data: {name: "DATA "}}
  state: {teams: {Data: {identifier: t-data}}}
is a new one, of a team with an identifier
  shown: {Data: {name: Data Science}}
  teams: {Data: {identifier: t-data}}
  > team-name-differs: team acc-1/data
is the new one by now, and a former one only in our record
  teams: {Data: {previously: [Old]}}
  state: {teams: {Old: {identifier: t-data}}}
`;

play("a team name that differs is told", wholeFindings)`
  shown: {Data: {name: Old}}
  there: {ada: {in: {Data}}}
  users: {ada}
  teams: {Data: {members: [{user: ada, key: k-ada-data}]}}
with the YAML that says so too
  shown: {Data: {name: "Data: Science"}}
  state: {teams: {Data: {identifier: t-data}}}
  > notice team-name-differs: team acc-1/data
  > The team t-data is Data in the roster and Data: Science in the service. It was renamed there. roster uses this team as it is.
    To hide this notice, write Data: Science as its name, and Data under \`previously\`.
  > because team Data at 1
  > rests on team acc-1/data: observed, present as Data: Science, list
  > suggestedYaml teams:
  > suggestedYaml   - name: "Data: Science"
  > suggestedYaml     previously: [Data]
as a former one with the read that shows it
  teams: {Data: {previously: [Old]}}
  state: {teams: {Old: {identifier: t-data}}}
  > notice team-name-differs: team acc-1/data
  > The service has Data under its former name Old. The API cannot rename teams. roster uses this team as it is. To hide this
    notice, rename the team in the service.
  > because team Data at 1
  > rests on team acc-1/data: observed, present as Old, list
as a former one with our record of it, where it is not shown
  teams: {Data: {previously: [Old]}}
  state: {teams: {Old: {identifier: t-data}}}
  hides: [teams]
  > notice team-name-differs: team acc-1/data
  > The service has Data under its former name Old. The API cannot rename teams. roster uses this team as it is. To hide this
    notice, rename the team in the service.
  > because team Data at 1
  > rests on team acc-1/data: recorded, present as Old, 2026-11-01T00:00:00.000Z
`;

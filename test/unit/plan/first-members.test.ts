import { expect, test } from "vitest";
import { always } from "../../support/always.ts";
import { type InputParts, planned } from "../../support/plan-inputs.ts";
import { runs } from "../../support/property-runs.ts";
import { aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { messageLines, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

/** Who is created, and what is found. */
function creationLines(parts: InputParts): readonly string[] {
  const lines = planLines(parts).map((line) => line.replaceAll("create-user:", ""));
  return lines.filter((line) => !/^(?:add|set) /u.test(line));
}

play("of new teams", creationLines)`
  accounts: {acc-2}
  there: {root}
  users: {ada, bo}
the administrator creates the team, and others wait for that
  teams: {T: {admin: bo, members: [ada, bo]}}
  > create bo creating T with TEAM_ROLE
  > create ada after bo
the first new member by address creates a team without administrator
  users: {ada: gone, bo: {}, abe}
  teams: {T: {members: [bo, abe]}}
  > create abe creating T with TEAM_ROLE
  > create bo after abe
whoever has ownKeyRoles creates nothing
  users: {ada: {ownKeyRoles: [DEVELOPER]}}
  teams: {T: {admin: ada, members: [ada, bo]}}
  > create ada
  > create bo creating T for ada with TEAM_ROLE after ada
somebody of another account creates nothing
  users: {ada: {account: acc-2}}
  teams: {T: {members: [ada, bo]}}
  > create bo creating T with TEAM_ROLE
  > create ada after bo
first members are moved so that every team has one
  users: {cy}
  teams: {A: {members: [ada, bo]}, B: {members: [bo, cy]}, C: {members: [ada]}}
  > create ada creating C with TEAM_ROLE
  > create bo creating A with TEAM_ROLE
  > create cy creating B with TEAM_ROLE
one administrator of two new teams creates one of them
  teams: {A: {admin: ada, members: [ada, bo]}, B: {admin: ada, members: [ada, bo]}}
  > create ada creating A with TEAM_ROLE
  > create bo creating B for ada with TEAM_ROLE after ada
a cycle of administrators is rotated: each team to its own
  users: {cy}
  teams: {A: {admin: bo, members: [ada, bo]}, B: {admin: cy, members: [bo, cy]}, C: {admin: ada, members: [cy, ada]}}
  > create ada creating C with TEAM_ROLE
  > create bo creating A with TEAM_ROLE
  > create cy creating B with TEAM_ROLE
a cycle that named first members hold leaves out the last of their teams
  teams: {A: {admin: bo, firstMember: ada, members: [ada, bo]}, B: {admin: ada, firstMember: bo, members: [ada, bo]}}
  > create bo
  > create ada creating A for bo with TEAM_ROLE after bo
  > ! cannot-create-team: team acc-1/b
a cycle through a named first member is broken by another first member where there is one
  users: {cy}
  teams: {A: {admin: bo, members: [ada, bo, cy]}, B: {admin: ada, firstMember: bo, members: [ada, bo]}}
  > create ada
  > create bo creating B for ada with TEAM_ROLE after ada
  > create cy creating A for bo with TEAM_ROLE after bo
too few new users: the first team is created, the other is told
  users: {bo: gone, root}
  teams: {A: {members: [ada, root]}, B: {members: [ada]}}
  > create ada creating A with TEAM_ROLE
  > ! cannot-create-team: team acc-1/b
a team without any new member is told
  users: {ada: gone, bo: gone, root}
  teams: {A: {members: [root]}}
  > ! cannot-create-team: team acc-1/a
a named first member who is there already leaves the team unfounded and its new members uncreated
  users: {bo: gone, root}
  teams: {A: {firstMember: root, members: [ada, root]}}
  > ! cannot-create-team: team acc-1/a
a named first member is nobody else's
  users: {bo: gone, root}
  teams: {A: {members: [ada, root]}, B: {firstMember: ada, members: [ada]}}
  > create ada creating B with TEAM_ROLE
  > ! cannot-create-team: team acc-1/a
a team whose administrator cannot be had is left out first, and its new people wait
  there: {dead: {status: Deleted}}
  users: {dead}
  teams: {A: {admin: dead, members: [dead, ada, bo]}, B: {members: [ada]}}
  > create ada creating B with TEAM_ROLE
  > ! inactive-user: user dead
  > ! cannot-create-team: team acc-1/a
an unproven team keeps its first member and its other new members
  users: {cy}
  teams: {A: {members: [ada, bo]}, B: {members: [cy]}}
  hides: [teams]
  allows: ["unproven-absence:B"]
  > create cy creating B with TEAM_ROLE
  > ! unproven-absence: team acc-1/a
an unproven team lets go of a member whom another team is created with or administered by
  users: {cy}
  teams: {A: {members: [ada, bo, cy]}, B: {admin: cy, firstMember: bo, members: [bo, cy]}}
  hides: [teams]
  allows: ["unproven-absence:B"]
  > create cy
  > create bo creating B for cy with TEAM_ROLE after cy
  > ! unproven-absence: team acc-1/a
a team whose administrator is kept for an unproven team waits, and its first member with it
  teams: {A: {members: [ada]}, B: {admin: ada, members: [ada, bo]}}
  hides: [teams]
  allows: ["unproven-absence:B"]
  > ! unproven-absence: team acc-1/a
  > ! cannot-create-team: team acc-1/b
a team whose creation has an unknown outcome keeps one member who could create it, also where its administrator is not known to be there
  users: {cy}
  open: {create ada creating A}
  teams: {A: {admin: ada, members: [ada, bo, cy]}}
  > create cy
  > ! unknown-outcome: user ada
  > ! unknown-outcome: team acc-1/a
a team whose creation has an unknown outcome is not kept for its administrator, who may create another one
  users: {cy, dan}
  open: {create ada creating A}
  teams: {A: {admin: bo, members: [bo, dan]}, B: {members: [bo, cy]}}
  > create bo creating B with TEAM_ROLE
  > create cy after bo
  > ! unknown-outcome: user ada
  > ! unknown-outcome: team acc-1/a
a team whose creation has an unknown outcome takes no first member and no administrator from another team
  users: {cy, dan}
  open: {create ada creating A}
  teams: {A: {members: [ada, bo, cy]}, B: {admin: cy, firstMember: dan, members: [cy, dan]}, C: {members: [bo]}}
  > create bo creating C with TEAM_ROLE
  > create cy
  > create dan creating B for cy with TEAM_ROLE after cy
  > ! unknown-outcome: user ada
  > ! unknown-outcome: team acc-1/a
`;

play("is told whole:", wholeFindings)`
  there: {root}
  users: {ada: {line: 1}, bo: {line: 2}, cy: {line: 3}, root: {line: 4}}
teams that compete for too few new users, with all of them, the places and what to add
  teams:
    A: {members: [ada, bo], line: 10}
    B: {members: [ada, bo, root], line: 20}
    C: {members: [bo], line: 30}
    D: {members: [cy], line: 40}
  > task cannot-create-team: team acc-1/c
  > roster cannot create C: the API creates a team only together with a new user. C, B and A each need one new user, but together have only 2: bo and ada. Create C in the web interface of the service, and write its \`identifier\` into the roster. Or add one more new user, and make this user the \`firstMember\` of C.
  > because team C at 30
  > because team B at 20
  > because team A at 10
  > because user at 2
  > because user at 1
  > rests on team acc-1/c: observed, absent, list
  > suggestedYaml # For a new first member, merge these lines into your file:
  > suggestedYaml account: acc-1
  > suggestedYaml users:
  > suggestedYaml   - { email: NEW@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }
  > suggestedYaml teams:
  > suggestedYaml   - name: C
  > suggestedYaml     firstMember: NEW@EXAMPLE.ORG
  > suggestedYaml     members:
  > suggestedYaml       - { user: NEW@EXAMPLE.ORG }
  > accept {"code":"cannot-create-team:c","until":"2026-12-20"}
`;

play("is told:", messageLines)`
  there: {root}
  users: {ada, bo}
the people who wait with a team that is not proven absent
  teams: {A b: {members: [ada, bo]}}
  hides: [teams]
  > ! unproven-absence: roster cannot know if the team A b exists: the API lists no teams, and keys do not show their team. Look for the team in the web interface of the service. If the team exists, write its \`identifier\` into the roster. To create A b, if you know that it does not exist, run \`--allow unproven-absence:a%20b\`. Until this task is done, roster does not create ada and bo. The API creates a team only together with a new user.
the one who waits with a team whose creation has an unknown outcome
  open: {create cy creating Data}
  teams: {Data: {members: [ada, root]}}
  > ! unknown-outcome: At 2026-11-01T00:00:00.000Z, roster sent a call to create cy and the team Data. The outcome is unknown. The team may exist already. From 2026-11-01T00:15:00.000Z on, \`roster apply\` sends the call again if the service does not show the change by then. To decide now, look for Data in the web interface of the service. If the team exists, write its \`identifier\` into the roster. To create Data, if you know that it does not exist, run \`--allow unknown-outcome:data\`. Until this task is done, roster does not create ada. The API creates a team only together with a new user.
`;

import fc from "fast-check";

/** What the key of a first member is asked to carry, what of it for a moment, and with what it ends. */
function keyLines(parts: InputParts): readonly string[] {
  return planned(parts).actions.flatMap((action) => {
    if (action.kind === "replace-roles") return [`then ${action.roles.join(" ") || "nothing"}`];
    if (action.kind !== "create-user" || action.createsTeam === undefined) return [];
    const { accessKeyRoles, temporaryRoles } = action.createsTeam;
    return [
      `${accessKeyRoles.join(" ")}${temporaryRoles.length === 0 ? "" : `, of it ${temporaryRoles.join(" ")} for a moment`}`,
    ];
  });
}

play("a first member's key is asked to carry", keyLines)`
  there: {root}
  users: {ada}
  teams: {T: {members: [ada]}}
  privileged: [ACCOUNT_ADMIN, OWNER]
the usual role, where none is wanted
  teams: {T: {roles: []}}
  offers: [A, TEAM_ROLE]
  > TEAM_ROLE
  > then nothing
the usual role, where none is managed
  offers: [A, TEAM_ROLE]
  > TEAM_ROLE
  > then TEAM_ROLE
the usual role besides, where only privileged ones are wanted
  teams: {T: {roles: [ACCOUNT_ADMIN]}}
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  > ACCOUNT_ADMIN TEAM_ROLE
  > then ACCOUNT_ADMIN
the usual role beside privileged ones, though the list of roles does not name it
  teams: {T: {roles: [OWNER]}}
  offers: [ACCOUNT_ADMIN, OWNER]
  > OWNER TEAM_ROLE
  > then OWNER
the usual role though it is called privileged, shown as given for a moment
  teams: {T: {roles: []}}
  offers: [TEAM_ROLE]
  privileged: [TEAM_ROLE]
  > TEAM_ROLE, of it TEAM_ROLE for a moment
  > then nothing
only roles that the service knows for a team key
  teams: {T: {roles: [DEVELOPER, PROJECT]}}
  offers: [DEVELOPER, PROJECT, TEAM_ROLE]
  > DEVELOPER
  > then DEVELOPER
the usual role, where the service says that it knows none
  teams: {T: {roles: []}}
  offers: none
  > TEAM_ROLE
  > then nothing
as wanted, where the service does not say what it knows
  teams: {T: {roles: [NOPE]}}
  offers: []
  > NOPE
  > then NOPE
`;

play("of a team with odd roles", (parts) => [...planLines(parts), ...messageLines(parts)])`
  there: {root}
  users: {ada, bo}
  offers: [ACCOUNT_ADMIN, AUDITOR, DEVELOPER, TEAM_ROLE]
a privilege for a moment is told
  users: {bo: gone}
  teams: {T: {members: [ada], roles: []}}
  privileged: [TEAM_ROLE]
  > create ada creating T with TEAM_ROLE
  > set key of ada in T to nothing after create-user:ada
  > temporary-privilege: team acc-1/t
  > temporary-privilege: When roster creates T, the key of ada gets TEAM_ROLE for a short time. A new key needs at least one
    role. The next action sets the exact roles. Check who the first member is before you approve.
one that the service does not know lets nobody create it, whoever else may be named like it
  teams: {T: {admin: ada, members: [ada, bo], roles: [DEVLOPER], line: 5}}
  > create bo
  > ! cannot-create-team: team acc-1/t
  > ! unknown-role: role DEVLOPER
  > ! cannot-create-team: roster cannot create T: the service does not know DEVLOPER, which the roster gives to its first member ada. Correct the roles. Until this task is done, roster does not create ada. The API creates a team only together with a new user.
  > ! unknown-role: The service does not know the role DEVLOPER of roster.yaml:5:3. roster does not change keys that need this role, and creates no team with it. Correct the role. Upper and lower case matter. Did you mean DEVELOPER? The service offers ACCOUNT_ADMIN, AUDITOR, DEVELOPER and
    TEAM_ROLE.
one that the service does not know lets another one, whose roles are known, be the first
  teams: {T: {members: [{user: ada, roles: [DEVLOPER]}, bo], roles: [DEVELOPER]}}
  > create bo creating T with DEVELOPER
  > create ada after create-user:bo
  > add ada to T after create-user:bo, create-user:ada
  > set key of bo in T to DEVELOPER after create-user:bo
  > ! unknown-role: role DEVLOPER
  > ! unknown-role: The service does not know the role DEVLOPER of roster.yaml:1:3. roster does not change keys that need this role, and creates no team with it. Correct the role. Upper and lower case matter. Did you mean DEVELOPER? The service offers ACCOUNT_ADMIN, AUDITOR, DEVELOPER and
    TEAM_ROLE.
`;

test("nobody is ever planned a role that the roster does not give to that key, but for TEAM_ROLE", () => {
  const names = ["ada", "bo", "cy", "di"];
  const written = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "DEVLOPER", "auditor", "PROJECT"]);
  const teams = fc.array(
    fc.record({ members: fc.subarray(names, { minLength: 1 }), roles: fc.option(written, { nil: undefined }) }),
    { minLength: 1, maxLength: 3 },
  );
  const offered = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "PROJECT"]);
  const own = fc.option(written, { nil: undefined });
  always({ numRuns: runs(1200) }, teams, offered, own, (wanted, roles, ownKeyRoles) => {
    const { snapshot } = partsOf("{there: {root}, users: {ada, bo, cy, di}}", `offers: [${roles.join()}]`);
    const rosterTeams = wanted.map(({ members, roles: given }, index) => aTeam(`T${index}`, { members, roles: given }));
    const users = names.map((name) => aUser(name, name === "di" && ownKeyRoles !== undefined ? { ownKeyRoles } : {}));
    const plan = planned({ snapshot, roster: aRoster({ users, teams: rosterTeams }) });
    for (const action of plan.actions) {
      if (action.kind === "create-user" && action.createsTeam !== undefined) {
        const given = wanted[Number(action.createsTeam.name.slice(1))]?.roles ?? [];
        const { accessKeyRoles } = action.createsTeam;
        expect(accessKeyRoles).not.toEqual([]);
        expect(accessKeyRoles.filter((role) => ![...given, "TEAM_ROLE"].includes(role))).toEqual([]);
        expect(given.filter((role) => roles.length > 0 && ![...roles, "TEAM_ROLE"].includes(role))).toEqual([]);
      }
      if (action.kind === "replace-roles" && action.key.of === "team-key") {
        const given = wanted[Number(plan.teams.get(action.key.team)?.name.slice(1))]?.roles ?? ["TEAM_ROLE"];
        expect(action.roles.filter((role) => !given.includes(role) && role !== "TEAM_ROLE")).toEqual([]);
      }
    }
  });
});

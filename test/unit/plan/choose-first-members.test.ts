import type { InputParts } from "../../support/plan-inputs.ts";
import { messageLines, planLines, play, wholeFindings } from "../../support/scenes.ts";

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
  > roster cannot create C: a new team needs one newly created user of its account as its first member. That user must have
    no \`ownKeyRoles\`. 3 teams (C, B and A) have only 2 such users: bo and ada. Either create the team in the service and
    write its \`identifier\`, or add a new user as its first member.
  > because team C at 30
  > because team B at 20
  > because team A at 10
  > because user at 2
  > because user at 1
  > rests on team acc-1/c: observed, absent, list
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
  > ! unproven-absence: roster cannot prove that the team A b is absent: the service does not show which team a key belongs to. If the
    team exists, write its \`identifier\` into the roster. If you know that it does not, allow roster to create it: run \`--allow unproven-absence:a%20b\`. Until
    then, roster does not create ada and bo: the team needs a new user.
`;

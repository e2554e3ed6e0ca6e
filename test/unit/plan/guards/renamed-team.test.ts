import { planLines, play, wholeFindings } from "../../../support/scenes.ts";

/** In the team Data as far as the state remembers are ada, bo and cy; the roster has Data Science instead. */
play("renamed-team holds a team", planLines)`
  there: {ada, bo, cy}
  users: {ada, bo, cy, new}
  teams: {Data Science: {members: [ada, bo, new]}}
whose members are mostly those of a recorded team that is in the roster no more
  users: {other}
  teams: {Data Science: {members: [ada, bo, new, other]}}
  state: {teams: {Data: {identifier: t-42}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
  > create other
  > ! renamed-team: team acc-1/data science
whose members are mostly those of a team that the service shows, and the other way round
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  > ! renamed-team: team acc-1/data science
that was met by its identifier under whatever name, and never had a member added by us
  shown: {Data: {name: Data of old}}
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}, d: {in: {Data}}, e: {in: {Data}}, f: {in: {Data}}, g: {in: {Data}}}
  state: {teams: {Data: {identifier: t-data}}}
  > ! renamed-team: team acc-1/data science
that was met by its name, and never had a member added by us
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}, d: {in: {Data}}, e: {in: {Data}}, f: {in: {Data}}, g: {in: {Data}}}
  state: {teams: {Data: {}}}
  > ! renamed-team: team acc-1/data science
although the service does not show to which account its members belong
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  hides: [account-members, user-accounts]
  > ! renamed-team: team acc-1/data science
whose members are known by the former addresses that the service shows
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  users: {ada: gone, bo: gone, cy: gone, ada.n: {previously: [ada]}, bo.n: {previously: [bo]}, cy.n: {previously: [cy]}}
  teams: {Data Science: {members: [ada.n, bo.n, cy.n, new]}}
  state: {teams: {Data: {}}}
  > ! renamed-team: team acc-1/data science
  > ! former-address: user ada.n
  > ! former-address: user bo.n
  > ! former-address: user cy.n
whose members are known by the former addresses that the service has, and that the state remembers
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  users: {ada: gone, bo: gone, cy: gone, ada.n: {previously: [ada]}, bo.n: {previously: [bo]}, cy.n: {previously: [cy]}}
  teams: {Data Science: {members: [ada.n, bo.n, cy.n, new]}}
  state: {teams: {Data: {identifier: t-data}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
  > ! renamed-team: team acc-1/data science
  > ! former-address: user ada.n
  > ! former-address: user bo.n
  > ! former-address: user cy.n
`;

play("renamed-team holds no team", planLines)`
  there: {ada, bo, cy}
  users: {ada, bo, cy, new}
  teams: {Data Science: {members: [ada, bo, new]}}
  state: {teams: {Data: {}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
of whose members only one was in the other team
  teams: {Data Science: {members: [ada, new]}}
  > create new creating Data Science with TEAM_ROLE
  > add ada to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
of whose members less than half were in the other team
  users: {newer, newest}
  teams: {Data Science: {members: [ada, bo, new, newer, newest]}}
  > create new creating Data Science with TEAM_ROLE
  > create newer after create-user:new
  > create newest after create-user:new
  > add ada, bo, newer, newest to Data Science after create-user:new, create-user:newer, create-user:newest
  > set key of new in Data Science to TEAM_ROLE after create-user:new
whose members are few of those of a team that only the service shows
  there: {ada: {in: {Every}}, bo: {in: {Every}}, cy: {in: {Every}}, d: {in: {Every}}, e: {in: {Every}}}
  state: gone
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
beside a team that is still in the roster
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  teams: {Data: {members: [ada, bo, cy]}}
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
where the members were in a team of another account
  accounts: {acc-2}
  state: {teams: {Data: {team: acc-2/data, account: acc-2}}}
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
that is known by its former name
  there: {new}
  teams: {Data Science: {members: [ada, bo], previously: [Data]}}
  state: {teams: {Data: {identifier: t-42}}}
  hides: [keys]
  > team-name-differs: team acc-1/data science
`;

play("renamed-team is told", wholeFindings)`
  there: {ada, bo, cy}
  users: {ada, bo, cy}
  teams: {Data Science: {members: [ada, bo, cy]}}
  state: {teams: {Data: {identifier: t-42}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
with who waits and what to write
  users: {new, other}
  teams: {Data Science: {members: [ada, bo, new, other]}}
  > task renamed-team: team acc-1/data science
  > Data Science is not created: most of its members are in Data (2 of 4), which the roster no longer names. If the team was
    only renamed, write \`previously\` or its \`identifier\`. roster then uses the existing team. Until then, roster does
    not create new: the team needs a new user. To allow it, run \`--allow renamed-team:data%20science\`.
  > because team Data Science at 1
  > rests on team acc-1/data: recorded, present, 2026-11-01T00:00:00.000Z
  > allow ["renamed-team:data%20science"]
  > suggestedYaml teams:
  > suggestedYaml   - name: Data Science
  > suggestedYaml     previously: [Data] # or identifier: t-42
  > accept {"code":"renamed-team:data%20science","until":"2026-12-20"}
  > guarded true
where nobody can found the team, before it is made by hand
  > task cannot-create-team: team acc-1/data science
  > Data Science may exist under another name: most of its members are in Data (3 of 3), which the roster no longer names.
    If the team was only renamed, write \`previously\` or its \`identifier\`. roster then uses the existing team. If it is
    new: roster cannot create Data Science: a new team needs one newly created user of its account as its first member. That
    user must have no \`ownKeyRoles\`. All its members already exist. Either create the team in the service and write its
    \`identifier\`, or add a new user as its first member.
  > because team Data Science at 1
  > rests on team acc-1/data science: observed, absent, list
  > rests on team acc-1/data: recorded, present, 2026-11-01T00:00:00.000Z
  > suggestedYaml teams:
  > suggestedYaml   - name: Data Science
  > suggestedYaml     previously: [Data] # or identifier: t-42
  > accept {"code":"cannot-create-team:data%20science","until":"2026-12-20"}
`;

import { messageLines, planLines, play, wholeFindings } from "../../support/scenes.ts";

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
  > ! team-identifier-unknown: roster cannot know which team Science is: its former name Data is now the name of another
    team of the roster, so the team t-data may be either team. roster changes neither team. Write the \`identifier\` of one
    of them into the roster. Until then, roster does not create cy: the team needs a new user.
  > ! team-identifier-unknown: roster cannot know which team Data is: its former name Data is now the name of another team
    of the roster, so the team t-data may be either team. roster changes neither team. Write the \`identifier\` of one of
    them into the roster. Until then, roster does not create di: the team needs a new user.
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
  > The team t-data is Data in the roster and Data: Science in the service. It was renamed there. roster uses it as it is.
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
  > The service has Data under its former name Old. The API cannot rename teams. roster uses it as it is. To hide this
    notice, rename the team in the service.
  > because team Data at 1
  > rests on team acc-1/data: observed, present as Old, list
as a former one with our record of it, where it is not shown
  teams: {Data: {previously: [Old]}}
  state: {teams: {Old: {identifier: t-data}}}
  hides: [teams]
  > notice team-name-differs: team acc-1/data
  > The service has Data under its former name Old. The API cannot rename teams. roster uses it as it is. To hide this
    notice, rename the team in the service.
  > because team Data at 1
  > rests on team acc-1/data: recorded, present as Old, 2026-11-01T00:00:00.000Z
`;

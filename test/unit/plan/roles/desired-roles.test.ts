import { planLines, play, wholeFindings } from "../../../support/scenes.ts";

/** Ada was a leaver whose keys were emptied, and is a user and a member of Data again. */
play("of a key that an earlier run emptied nothing is told where", planLines)`
  there: {ada: {own: [], in: {Data: []}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada]}}
  state: {keys: {k-ada: [], k-ada-data: []}}
the roster says that they have none
  users: {ada: {ownKeyRoles: []}}
  teams: {Data: {roles: []}}
the roster says which roles they have
  users: {ada: {ownKeyRoles: [TEAM_ROLE]}}
  teams: {Data: {roles: [DEVELOPER]}}
  > set k-ada-data (observed) to DEVELOPER
  > set k-ada (observed) to TEAM_ROLE
the list of keys and the team do
  keys: {k-ada: {roles: []}}
  teams: {Data: {roles: []}}
somebody gave them roles since
  there: {ada: {own: [AUDITOR], in: {Data: [AUDITOR]}}}
they are not there
  there: {ada: gone, root}
  > create ada
  > add ada to Data after create-user:ada
what the last run put on them was not nothing
  state: {keys: {k-ada: [AUDITOR], k-ada-data: [AUDITOR]}}
`;

play("a key that an earlier run emptied,", wholeFindings)`
  there: {ada: {own: [], in: {Data: []}}}
  state: {keys: {k-ada: [], k-ada-data: []}}
and whose roles the roster does not say, is told with what to write
  users: {ada: {line: 4}}
  teams: {Data: {identifier: t-data, members: [ada], line: 9}}
  > notice key-without-roles: key k-ada
  > k-ada (the own key of ada) has no roles. An earlier run removed them all (2026-11-01T00:00:00.000Z), and the roster
    gives none now. Write \`ownKeyRoles\` of the user. Write \`[]\` for no roles.
  > because user at 4
  > rests on roles of key k-ada: recorded, no roles, 2026-11-01T00:00:00.000Z
  > suggestedYaml users:
  > suggestedYaml   - email: ada
  > suggestedYaml     ownKeyRoles: [ROLE]
  > notice key-without-roles: key k-ada-data
  > k-ada-data (the key of ada in team Data) has no roles. An earlier run removed them all (2026-11-01T00:00:00.000Z), and
    the roster gives none now. Write \`roles\` of the member or of the team. Write \`[]\` for no roles.
  > because member ada at 9
  > rests on roles of key k-ada-data: recorded, no roles, 2026-11-01T00:00:00.000Z
  > suggestedYaml teams:
  > suggestedYaml   - name: Data
  > suggestedYaml     members:
  > suggestedYaml       - { user: ada, roles: [ROLE] }
`;

play("of what the service keeps on keys", (parts) => [...planLines(parts), ...wholeFindings(parts)])`
  there: {ada: {in: {Data: [DEVELOPER, TEAM_ROLE]}}, bo: {in: {Data: [DEVELOPER, TEAM_ROLE]}}}
  users: {ada, bo}
  teams: {Data: {members: [ada, bo], roles: [DEVELOPER], line: 7}}
  state:
    keys:
      k-ada-data: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER, TEAM_ROLE]}
      k-bo-data: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER, TEAM_ROLE]}
a harmless role is one notice of the service, with every place
  > roles-kept-by-service: service https://simulated.example
  > notice roles-kept-by-service: service https://simulated.example
  > The service keeps TEAM_ROLE on keys: 2 keys read the same as after the last apply. roster does not send the change
    again. To hide this notice, add these roles to the roster.
  > because member ada at 7
  > because member bo at 7
  > rests on roles of key k-ada-data: observed, DEVELOPER, TEAM_ROLE, list
  > rests on roles of key k-bo-data: observed, DEVELOPER, TEAM_ROLE, list
  > roles ["TEAM_ROLE"]
a privileged role blocks, key by key
  there: {ada: {in: {Data: [ACCOUNT_ADMIN, DEVELOPER]}}, bo: {in: {Data: [ACCOUNT_ADMIN, DEVELOPER]}}}
  state:
    keys:
      k-ada-data: {observedRoles: [ACCOUNT_ADMIN, DEVELOPER]}
      k-bo-data: {observedRoles: [ACCOUNT_ADMIN, DEVELOPER]}
  > ! roles-kept-by-service: key k-ada-data
  > ! roles-kept-by-service: key k-bo-data
  > task roles-kept-by-service: key k-ada-data
  > roster set the key k-ada-data to DEVELOPER, but the service kept ACCOUNT_ADMIN on it. The roster does not give this
    access. Remove it in the service, or add it to the roster.
  > because member ada at 7
  > rests on roles of key k-ada-data: observed, ACCOUNT_ADMIN, DEVELOPER, list
  > roles ["ACCOUNT_ADMIN","DEVELOPER"]
  > accept {"code":"roles-kept-by-service:k-ada-data","until":"2026-12-20"}
  > guarded true
  > task roles-kept-by-service: key k-bo-data
  > roster set the key k-bo-data to DEVELOPER, but the service kept ACCOUNT_ADMIN on it. The roster does not give this
    access. Remove it in the service, or add it to the roster.
  > because member bo at 7
  > rests on roles of key k-bo-data: observed, ACCOUNT_ADMIN, DEVELOPER, list
  > roles ["ACCOUNT_ADMIN","DEVELOPER"]
  > accept {"code":"roles-kept-by-service:k-bo-data","until":"2026-12-20"}
  > guarded true
a reading that lacks what was asked for tells nothing of the service: it is asked again
  there: {ada: {in: {Data: [TEAM_ROLE]}}, bo: {in: {Data: [TEAM_ROLE]}}}
  state: {keys: {k-ada-data: {observedRoles: [TEAM_ROLE]}, k-bo-data: {observedRoles: [TEAM_ROLE]}}}
  > set k-ada-data (observed) to DEVELOPER
  > set k-bo-data (observed) to DEVELOPER
`;

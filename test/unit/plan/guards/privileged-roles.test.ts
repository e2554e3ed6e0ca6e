import { messageLines, planLines, play } from "../../../support/scenes.ts";

/** Root leads Red, and bo is in it. */
play("privileged-roles:", planLines)`
  there: {root: {in: {Red: [ACCOUNT_ADMIN]}}, bo: {in: {Red: [DEVELOPER]}}}
  users: {root, bo}
  teams: {Red: {members: [root, bo], roles: [ACCOUNT_ADMIN]}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: [root@acme.example]}}
nobody is given a privileged role on a key that is there
  > ! privileged-roles: user bo
nothing is gained by whoever has the role on this key
  there: {bo: {in: {Red: [ACCOUNT_ADMIN]}}}
  teams: {Red: {members: [root, {user: bo, roles: [ACCOUNT_ADMIN, AUDITOR]}]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN+AUDITOR
nothing is gained by roles that are not privileged
  teams: {Red: {members: [root, {user: bo, roles: [AUDITOR]}]}}
  > set k-bo-red (observed) to AUDITOR
nothing is gained by losing the role
  there: {bo: {in: {Red: [ACCOUNT_ADMIN]}}}
  teams: {Red: {members: [root, {user: bo, roles: [AUDITOR]}]}}
  > set k-bo-red (observed) to AUDITOR
nothing is gained by whoever has the role on another key
  there: {bo: {own: [ACCOUNT_ADMIN]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
nothing is gained by whoever was given the role by our last replacement, where the service shows no roles
  users: {root: gone}
  teams: {Red: {open: true, members: [{user: bo, roles: [ACCOUNT_ADMIN, AUDITOR]}]}}
  hides: [roles]
  state: {keys: {k-bo-red: [ACCOUNT_ADMIN]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN+AUDITOR
nothing is held where the guard is off
  guards: {privilegedRoles: off}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
nothing is held of people whom the settings list
  guards: {privilegedRoles: {people: [root@acme.example, bo@acme.example]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
a new member is added, and gets no privileged role
  users: {cy}
  teams: {Red: {members: [root, {user: bo, roles: [DEVELOPER]}, cy]}}
  > create cy
  > add cy to Red after create-user:cy
  > ! privileged-roles: user cy
a key of nobody known is told by its prefix
  keys: {p1: {roles: [ACCOUNT_ADMIN]}}
  teams: {Red: gone}
  everyone: {read: not-read}
  > ! privileged-roles: key p1
a first member creates without the role, and the others of the team are as they are to be
  users: {cy, dee}
  teams:
    Red: gone
    Blue: {admin: cy, members: [{user: cy, roles: [ACCOUNT_ADMIN, DEVELOPER]}, {user: dee, roles: [AUDITOR]}]}
  > create cy creating Blue with DEVELOPER
  > create dee after create-user:cy
  > add dee to Blue after create-user:cy, create-user:dee
  > set key of dee in Blue to AUDITOR after add-members:acc-1/blue
  > ! privileged-roles: user cy
a first member who is to have nothing else creates with a harmless role
  users: {cy}
  teams: {Red: gone, Blue: {members: [cy], roles: [ACCOUNT_ADMIN]}}
  > create cy creating Blue with TEAM_ROLE
  > ! privileged-roles: user cy
where the settings call the default role privileged, a first member creates no team and is kept for it
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy, dee, eli}
  teams: {Red: gone, Blue: {members: [cy, dee]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE]}}
  > create dee
  > create eli
  > ! privileged-roles: user cy
where the settings call the default role privileged, a first member whom they list creates the team
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy, dee, eli}
  teams: {Red: gone, Blue: {members: [cy, dee]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE], people: [cy@acme.example]}}
  > create cy creating Blue with TEAM_ROLE
  > create dee after create-user:cy
  > create eli
  > add dee to Blue after create-user:cy, create-user:dee
  > set key of cy in Blue to nothing after create-user:cy
  > temporary-privilege: team acc-1/blue
`;

play("privileged-roles is told", messageLines)`
  there: {bo: {in: {Red: [DEVELOPER]}}}
  users: {bo}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
with the key on which a role would be gained
  teams: {Red: {members: [bo], roles: [ACCOUNT_ADMIN, AUDITOR]}}
  > ! privileged-roles: bo would gain ACCOUNT_ADMIN on the key k-bo-red in Red. The guard holds this change by default.
    Remove the role from the roster, or list the user under \`guards.privileged-roles.people\` in the settings (in CI,
    outside the checkout). To allow it, run \`--allow privileged-roles:bo --reason TEXT\`.
with the team whose creation would give it
  users: {cy}
  teams: {Blue: {admin: cy, members: [{user: cy, roles: [ACCOUNT_ADMIN, DEVELOPER]}]}}
  > ! privileged-roles: cy would gain ACCOUNT_ADMIN when team Blue is created and on the team key in Blue. The guard holds
    this change by default. Remove the role from the roster, or list the user under \`guards.privileged-roles.people\` in
    the settings (in CI, outside the checkout). To allow it, run \`--allow privileged-roles:cy --reason TEXT\`.
with the short time for which it would be given, and who is kept for the team
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy}
  teams: {Blue: {members: [cy]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE]}}
  > ! privileged-roles: cy would gain TEAM_ROLE when team Blue is created, for a short time. The guard holds this change by
    default. Remove the role from the roster, or list the user under \`guards.privileged-roles.people\` in the settings (in
    CI, outside the checkout). Until then, roster does not create cy: the team needs a new user. To allow it, run \`--allow
    privileged-roles:cy --reason TEXT\`.
`;

import { messageLines, planLines, play } from "../../../support/scenes.ts";

play("protected:", planLines)`
  there: {root: {in: {Red: [DEVELOPER]}}, bo: {in: {Red: [DEVELOPER], Blue: [TEAM_ROLE]}}}
  users: {root, bo, cy}
  teams: {Red: {members: [root, bo], roles: [AUDITOR]}, Blue: {members: [root, bo, cy], admin: root}}
no action touches a person who is protected, and everybody else gets what is theirs
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create cy
  > add cy to Blue after create-user:cy
  > set k-bo-red (observed) to AUDITOR
  > ! protected: user root
nobody who is protected is created
  guards: {protect: {users: [cy@acme.example], keys: []}}
  > add root to Blue
  > set k-bo-red (observed) to AUDITOR
  > set k-root-red (observed) to AUDITOR
  > ! protected: user cy
no roles of a protected key are replaced
  guards: {protect: {users: [], keys: [k-bo-red]}}
  > create cy
  > add cy, root to Blue after create-user:cy
  > set k-root-red (observed) to AUDITOR
  > ! protected: key k-bo-red
whoever is protected may be named as a new team's administrator
  users: {bo: gone}
  teams: {Red: gone, Blue: gone, Green: {admin: root, members: [root, cy]}}
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create cy creating Green for root with TEAM_ROLE
  > set key of cy in Green to TEAM_ROLE after create-user:cy
  > ! protected: user root
a key is a person's where only our records say so
  there: {root: gone, bo: gone}
  users: {root: gone, cy: gone}
  teams: {Red: gone, Blue: gone}
  keys: {p1: {roles: [DEVELOPER]}}
  everyone: {read: not-read}
  state: {users: {root: {key: p1}}}
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create bo
  > ! protected: user root
`;

play("protected is told", messageLines)`
  there: {root: {in: {Blue}}}
  users: {root, cy}
  teams: {Blue: {members: [root, cy]}}
  guards: {protect: {users: [cy@acme.example], keys: []}}
with the actions that it holds
  > ! protected: The settings protect cy. The guard holds these actions: create the user and add the user to team Blue. Make
    the roster match the service here. Or remove the entry from \`protect\` in the settings (in CI, outside the checkout).
`;

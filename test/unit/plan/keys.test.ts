import { stopsOf } from "../../support/guards.ts";
import { planLines, play, wholeFindings } from "../../support/scenes.ts";

play("an own key that", planLines)`
  there: {ada: {own: none}, bo: {own: none}}
  users: {ada: {key: p, ownKeyRoles: [DEVELOPER]}}
is shown as somebody else's is left alone
  there: {bo: {keys: {p: {kind: user}}}}
  > ! key-owner-differs: key p
is shown as somebody else's is left alone, and so is the one that is shown
  there: {ada: {own: [TEAM_ROLE]}, bo: {keys: {p: {kind: user}}}}
  > ! key-owner-differs: key p
only records know as somebody else's is left alone
  hides: [keys]
  state: {users: {bo: {key: p, createdAt: RECORDED}}}
  > ! key-owner-differs: key p
is shown as the same person's, as records do not say, is made exact
  there: {ada: {own: [TEAM_ROLE], keys: {p: {kind: user}}}}
  state: {users: {bo: {key: p, createdAt: RECORDED}}}
  > set p (observed) to DEVELOPER
is shown as the same person's key in a team is left alone
  there: {ada: {keys: {p: {kind: team, team: Red}}}}
  > ! key-owner-differs: key p
records know as the same person's key in a team is left alone
  hides: [keys]
  state: {users: {ada: {createdAt: RECORDED}}, members: {Red/ada: {prefix: p}}}
  > ! key-owner-differs: key p
is shown as a project key is left alone
  there: {ada: {keys: {p: {kind: project}}}}
  > ! key-owner-differs: key p
is not among those shown is unknown
  there: {ada: {own: [TEAM_ROLE], keys: {r: {kind: user}}}}
  > ! unknown-key: key p
no read can show beside team keys is as the roster says
  there: {ada: {in: {Red}}, bo: {in: {Red}}}
  > set p (declared) to DEVELOPER
no read shows is as the roster says
  hides: [keys]
  > set p (declared) to DEVELOPER
is shown as deleted is unknown
  there: {ada: {keys: {p: {kind: user, status: deleted}}}}
  > ! unknown-key: key p
is of somebody who is to be created is not there yet
  users: {ada: gone, new: {key: p}}
  hides: [keys]
  > create new
  > ! unknown-key: key p
records know by the person's former address is theirs
  users: {ada: {previously: [old]}}
  hides: [keys]
  state: {users: {old: {key: p, createdAt: RECORDED}}}
  > set p (declared) to DEVELOPER
`;

play("a team key that", planLines)`
  there: {ada: {own: none}}
  users: {ada}
  teams: {Red: {identifier: t-red, open: true, members: [{user: ada, roles: [DEVELOPER], key: p}]}}
is shown as somebody else's is left alone
  there: {ada: {own: hidden}, bo: {own: none, keys: {p: {kind: team, team: Red}}}}
  > ! unproven-absence: member ada of team acc-1/red
  > ! key-owner-differs: key p
is shown in another team is left alone
  there: {ada: {in: {Red}, keys: {p: {kind: team, team: Blue}}}}
  > set k-ada-red (observed) to DEVELOPER
  > ! key-owner-differs: key p
records know in another team is left alone
  hides: [keys]
  state: {users: {ada: {createdAt: RECORDED}}, members: {Blue/ada: {prefix: p}}}
  > add ada to Red
  > set key of ada in Red to DEVELOPER after add-members:acc-1/red
  > ! key-owner-differs: key p
is not among those shown is unknown
  there: {ada: {in: {Red}}}
  > set k-ada-red (observed) to DEVELOPER
  > ! unknown-key: key p
no read can show beside own keys is as the roster says
  there: {ada: {own: [TEAM_ROLE]}, bo}
  > set p (declared) to DEVELOPER
`;

play("a listed key", planLines)`
  there: {ada: {own: none}}
  users: {ada}
  keys: {p: {owner: ada, roles: [DEVELOPER]}}
of the owner may be of every kind
  there: {ada: {keys: {p: {kind: team, team: Red}}}}
  > set p (observed) to DEVELOPER
`;

play("a leaver's key that", planLines)`
  there: {ada: {own: none}}
  leavers: {ada: {key: p}}
is shown as somebody else's is left alone
  there: {bo: {own: none, keys: {p: {kind: user}}}}
  > ! leaver-remains: user ada
  > ! key-owner-differs: key p
only records know as somebody else's is left alone
  hides: [keys]
  state: {users: {bo: {key: p, createdAt: RECORDED}}}
  > ! leaver-remains: user ada
  > ! key-owner-differs: key p
may be gone is no mistake
  there: {ada: {own: []}}
  > ! leaver-remains: user ada
is of two addresses is one person's
  there: {ada: {keys: {p: {kind: user}}}, old: {own: none}}
  leavers: {ada: {by: until}, old: {by: until, key: p}}
  > ! leaver-remains: user ada
  > ! leaver-remains: user old
`;

play("whose key it is, is told", wholeFindings)`
  there: {ada: {own: none}, bo: {own: none, keys: {p: {kind: user}}}}
  users: {ada: {key: p, ownKeyRoles: [DEVELOPER], line: 3}}
once, with all places that name the prefix
  keys: {p: {roles: [DEVELOPER], owner: ada, line: 9}}
  > task key-owner-differs: key p
  > The service shows the key p as a key of no team of bo. The roster names it as the own key of ada. The API cannot move keys. roster does not change the roles of this key. Correct the owner or the prefix in the roster.
  > because known-prefix at 3
  > because user at 3
  > because key at 9
  > because key-owner ada at 9
  > rests on key p: observed, key of bo, list
  > accept {"code":"key-owner-differs:p","until":"2026-12-20"}
by our record, with when that was learned
  hides: [keys]
  state: {users: {bo: {createdAt: RECORDED}}, members: {Red/bo: {prefix: p}}}
  > task key-owner-differs: key p
  > The state has the key p as the key in team acc-1/red of bo (2026-11-01T00:00:00.000Z). The roster names it as the own
    key of ada. The API cannot move keys. roster does not change the roles of this key. Correct the owner or the prefix in the roster.
  > because known-prefix at 3
  > because user at 3
  > rests on key p: recorded, key of bo, 2026-11-01T00:00:00.000Z
  > accept {"code":"key-owner-differs:p","until":"2026-12-20"}
`;

play("a privileged role on a declared key", (parts) => [...planLines(parts), ...stopsOf(parts)])`
  there: {ada: {own: none}}
  users: {ada: {key: p, ownKeyRoles: [ACCOUNT_ADMIN]}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: [ada@acme.example]}}
is given where a record names its holder
  hides: [keys]
  state: {users: {ada: {key: p, createdAt: RECORDED}}}
  > set p (recorded) to ACCOUNT_ADMIN
is given where a read shows its holder
  there: {ada: {keys: {p: {kind: user}}}}
  > set p (observed) to ACCOUNT_ADMIN
makes nobody an administrator who is left
  there: {ada: {own: hidden}, bo: {own: [ACCOUNT_ADMIN]}}
  users: {bo: {key: k-bo, ownKeyRoles: [DEVELOPER]}}
  guards: {privilegedRoles: off, minAdmins: {role: ACCOUNT_ADMIN, count: 1}}
  > set p (declared) to ACCOUNT_ADMIN
  > set k-bo (observed) to DEVELOPER
  > min-admins: The plan removes ACCOUNT_ADMIN from bo@acme.example. Users who keep it: none. At least 1 must have it.
`;

play("a privileged role on a declared key is told as what it is", wholeFindings)`
  users: {ada: {key: p, ownKeyRoles: [ACCOUNT_ADMIN]}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: [ada@acme.example]}}
where only the roster names its holder
  there: {ada: {own: none, in: {Red: [ACCOUNT_ADMIN]}}}
  > task privileged-roles: key p
  > The holder of the key p (only the roster says that this is ada) would gain ACCOUNT_ADMIN on the key p. The guard privileged-roles blocks this change. If the holder of the key p (only the roster says that this is ada) must not have ACCOUNT_ADMIN, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give ACCOUNT_ADMIN to the holder of the key p (only the roster says that this is ada) this time, run \`--allow privileged-roles:p --reason TEXT\`.
  > because own-key-roles at 1
  > rests on roles of key p: unknown, the service does not show this key, only the roster does
  > rests on prefix of a key of ada: declared, p, roster.yaml:1
  > allow ["privileged-roles:p"]
  > roles ["ACCOUNT_ADMIN"]
  > accept {"code":"privileged-roles:p","until":"2026-12-20"}
  > guarded true
  > notice not-observed: service https://simulated.example
  > The service does not show everything: the roles of 1 key are taken from the state or from the roster. roster cannot see drift in these facts.
  > because own-key-roles at 1
  > rests on roles of key p: unknown, the service does not show this key, only the roster does
`;

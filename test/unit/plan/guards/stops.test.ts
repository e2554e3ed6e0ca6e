import { stopsOf } from "../../../support/guards.ts";
import { brief, type Parts, play } from "../../../support/scenes.ts";

const stops = (parts: Parts) => stopsOf(parts).map(brief);

play("max-new-users:", stops)`
  users: {p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12}
one more than may be
  guards: {maxNewUsers: 11}
  > max-new-users: The plan would create 12 users: p10, p11, p12, p1, p2, p3, p4, p5, p6, p7 and 2 more. The limit is 11 users.
as many as may be
  guards: {maxNewUsers: 12}
no bound
  guards: {maxNewUsers: off}
`;

play("max-new-users:", stops)`
  users: {bo}
one person is told as one
  guards: {maxNewUsers: 0}
  > max-new-users: The plan would create 1 user: bo. The limit is 0 users.
whoever is held does not count
  users: {cy@other.example}
  guards: {maxNewUsers: 1, allowedEmailDomains: [acme.example]}
`;

play("max-invitations:", stops)`
  there: {p1: {in: {Red, Blue}}, p2, p3}
  users: {p1, p2, p3}
  teams: {Red: {members: [p1, p2, p3]}, Blue: {members: [p1, p2, p3]}}
one more than may be, a person in two teams counting twice
  guards: {maxInvitations: 3}
  > max-invitations: The plan would send 4 mails. The limit is 3 mails. Mails by team: Red 2 and Blue 2.
as many as may be
  guards: {maxInvitations: 4}
no bound
  guards: {maxInvitations: off}
one mail is told as one
  teams: {Red: {members: [p1, p2]}, Blue: gone}
  guards: {maxInvitations: 0}
  > max-invitations: The plan would send 1 mail. The limit is 0 mails.
`;

play("max-role-removals:", stops)`
  there:
    p1: {in: {Red: [AUDITOR, DEVELOPER]}}
    p2: {in: {Red: [AUDITOR, DEVELOPER]}}
    p3: {in: {Red: [AUDITOR, DEVELOPER]}}
    p4: {in: {Red: [AUDITOR, DEVELOPER]}}
  users: {p1, p2, p3, p4}
  guards: {maxRoleRemovals: {ratio: 0.5, floor: 1}}
more than the share of the keys whose roles are known
  teams: {Red: {roles: [DEVELOPER], members: [{user: p1, roles: [AUDITOR, DEVELOPER]}, p2, p3, p4]}}
  > max-role-removals: The plan would remove roles from 3 of 4 managed keys (75 %): p2 (key k-p2-red), p3 (key k-p3-red) and p4 (key k-p4-red). The limit is 2 keys.
no more than the share
  teams:
    Red:
      roles: [DEVELOPER]
      members: [{user: p1, roles: [AUDITOR, DEVELOPER]}, {user: p2, roles: [AUDITOR, DEVELOPER]}, p3, p4]
no more than the floor
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2, p3, p4]}}
  guards: {maxRoleRemovals: {ratio: 0, floor: 4}}
keys that gain roles
  there: {p1: {in: {Red: []}}, p2: {in: {Red: []}}, p3: {in: {Red: []}}, p4: {in: {Red: []}}}
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2, p3, p4]}}
keys whose roles nobody knows
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2, p3, p4]}}
  hides: [roles]
no bound
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2, p3, p4]}}
  guards: {maxRoleRemovals: off}
`;

play("max-role-removals: keys", (parts) => stops(parts).map((line) => line.split(" (")[0] ?? ""))`
  there: {p1: {in: {Red: [AUDITOR, DEVELOPER]}}, p2: {in: {Red: [AUDITOR, DEVELOPER]}}}
  users: {p1, p2}
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2]}}
  guards: {maxRoleRemovals: {ratio: 0.5, floor: 1}}
that our additions gave do not count before they are made exact
  state: {members: {Red/p1: {prefix: k-p1-red}, Red/p2: {prefix: k-p2-red}}}
that our creations gave do not count before they are made exact
  state:
    users:
      p1: {createdAt: RECORDED, key: k-p1-red, createdTeam: acc-1/red}
      p2: {createdAt: RECORDED, key: k-p2-red, createdTeam: acc-1/red}
that were seen in a team, not given by us, count
  state: {members: {Red/p1: {prefix: k-p1-red, how: seen}, Red/p2: {prefix: k-p2-red, how: seen}}}
  > max-role-removals: The plan would remove roles from 2 of 2 managed keys
that were met as somebody's own, not given by us, count
  state: {users: {p1: {seenAt: RECORDED, key: k-p1-red}, p2: {seenAt: RECORDED, key: k-p2-red}}}
  > max-role-removals: The plan would remove roles from 2 of 2 managed keys
that were made exact once count again
  state:
    members: {Red/p1: {prefix: k-p1-red}, Red/p2: {prefix: k-p2-red}}
    keys: {k-p1-red: [AUDITOR, DEVELOPER], k-p2-red: [AUDITOR, DEVELOPER]}
  > max-role-removals: The plan would remove roles from 2 of 2 managed keys
whose roles are hidden carry what our last replacement gave
  state: {keys: {k-p1-red: [AUDITOR, DEVELOPER], k-p2-red: [AUDITOR, DEVELOPER]}}
  hides: [roles]
  > max-role-removals: The plan would remove roles from 2 of 2 managed keys
`;

play("min-admins:", stops)`
  there: {p1: {in: {Red: [ACCOUNT_ADMIN]}}, p2: {in: {Red: [ACCOUNT_ADMIN]}}, p3: {in: {Red: [ACCOUNT_ADMIN]}}}
  users: {p1, p2, p3}
  guards: {minAdmins: {role: ACCOUNT_ADMIN, count: 2}}
fewer than so many keep the role
  teams: {Red: {roles: [DEVELOPER], members: [{user: p1, roles: [ACCOUNT_ADMIN]}, p2, p3]}}
  > min-admins: The plan removes ACCOUNT_ADMIN from p2 and p3. Users who keep it: p1. At least 2 must have it.
nobody keeps it
  teams: {Red: {roles: [], members: [p1, p2, p3]}}
  > min-admins: The plan removes ACCOUNT_ADMIN from p1, p2 and p3. Users who keep it: none. At least 2 must have it.
others may keep it where not all users were read
  everyone: {read: not-read}
  teams: {Red: {roles: [], members: [p1, p2, p3]}}
  > min-admins: The plan removes ACCOUNT_ADMIN from p1, p2 and p3. Users who keep it: none. At least 2 must have it. roster did not read users outside the roster. To count them too, add \`--unmanaged\`.
or where the list has a gap
  everyone: {read: incomplete, why: page 2 repeats page 1}
  teams: {Red: {roles: [], members: [p1, p2, p3]}}
  > min-admins: The plan removes ACCOUNT_ADMIN from p1, p2 and p3. Users who keep it: none. At least 2 must have it. The list of users is incomplete.
not where so many keep it
  teams: {Red: {roles: [ACCOUNT_ADMIN], members: [p1, p2, {user: p3, roles: [DEVELOPER]}]}}
not where nobody loses it, however few there are
  there: {p1: {in: {Red: [DEVELOPER]}}, p2: {in: {Red: [DEVELOPER]}}, p3: {in: {Red: [DEVELOPER]}}}
  teams: {Red: {roles: [AUDITOR], members: [p1, p2, p3]}}
whoever is barred is no administrator
  there: {p2: {status: inactive}}
  teams: {Red: {roles: [ACCOUNT_ADMIN], members: [p1, p2, {user: p3, roles: [DEVELOPER]}]}}
  > min-admins: The plan removes ACCOUNT_ADMIN from p3. Users who keep it: p1. At least 2 must have it.
a key that the plan gives counts as well
  there: {p3: gone}
  teams: {Red: {roles: [ACCOUNT_ADMIN], members: [p1, {user: p2, roles: [DEVELOPER]}, p3]}}
`;

play("required-admins:", stops)`
  there: {p1: {in: {Red: [ACCOUNT_ADMIN]}}, p2: {in: {Red: [ACCOUNT_ADMIN]}}, p3: {in: {Red: [ACCOUNT_ADMIN]}}}
  users: {p1, p2, p3}
  guards: {requiredAdmins: [p1@acme.example, p2@acme.example]}
one of them loses the last role that administers
  teams: {Red: {roles: [DEVELOPER], members: [{user: p1, roles: [PLATFORM_ADMIN]}, p2, p3]}}
  > required-admins: The plan would remove the last privileged role of p2. \`guards.required-admins\` does not allow this.
one of them may lose it, where the service shows no roles
  there: {p1: {own: none}, p2: {own: none}}
  teams: {Red: {roles: [DEVELOPER], members: [p1, {user: p2, roles: [ACCOUNT_ADMIN]}, p3]}}
  hides: [roles]
  > required-admins: The plan would remove the last privileged role of p1. \`guards.required-admins\` does not allow this.
not where others lose it
  teams: {Red: {roles: [ACCOUNT_ADMIN], members: [p1, p2, {user: p3, roles: [DEVELOPER]}]}}
not where they have none to lose
  there: {p1: {in: {Red: [DEVELOPER]}}, p2: {in: {Red: [DEVELOPER]}}}
  teams: {Red: {roles: [AUDITOR], members: [p1, p2, p3]}}
not where another key of theirs keeps one
  there: {p1: {own: [ACCOUNT_ADMIN]}, p2: {own: [ACCOUNT_ADMIN]}}
  teams: {Red: {roles: [DEVELOPER], members: [p1, p2, p3]}}
`;

play("empty-roster:", stops)`
no users, while the last applied one had people
  applied: [ada]
  > empty-roster: The roster has no users. The last applied roster had 1 user. Is a file missing?
no users, while the state remembers people
  state: {users: {ada: {}}}
  > empty-roster: The roster has no users. The state has 1 user. Is a file missing?
no users, while the service shows people
  there: {p1, p2}
  > empty-roster: The roster has no users. The service shows 2 users. Is a file missing?
a roster of keys alone has lost nobody
  there: {p1, p2}
  keys: {k-p1: {roles: []}}
a roster of keys alone has, where the last applied one had people
  keys: {k-p1: {roles: []}}
  applied: [ada]
  > empty-roster: The roster has no users. The last applied roster had 1 user. Is a file missing?
a roster of leavers alone has lost nobody whom the last applied one had
  leavers: {ada}
  applied: [ada]
a roster of leavers alone has lost nobody whom the state has
  leavers: {ada}
  state: {users: {ada: {}}}
a roster of leavers alone has lost nobody where the service shows others whom no run knows
  there: {p1, p2}
  leavers: {ada}
a roster of leavers alone has lost whomever it does not name
  leavers: {bo}
  applied: [ada]
  > empty-roster: The roster has no users. The last applied roster had 1 user, not counting leavers. Is a file missing?
where nobody is known, an empty roster is one to begin with
`;

play("incomplete-snapshot:", stops)`
  there: {p1: {in: {Red: [DEVELOPER]}}, p2: {in: {Red: [DEVELOPER]}}}
  users: {p1, p2, p3, p4, p5}
  teams: {Red: {roles: [AUDITOR], members: [p1, p2, p3, p4, p5]}}
  everyone: {read: incomplete, why: page 2 repeats page 1}
  unproven: {p3: cut, p4: cut, p5: cut}
of more than the share of people it is not known whether they are there
  > incomplete-snapshot: The service does not show if 3 of 5 users of the roster exist: p3, p4 and p5. The list of users is
    incomplete: page 2 repeats page 1. The plan would still run 2 actions.
also where the list was not read
  everyone: {read: not-read}
  > incomplete-snapshot: The service does not show if 3 of 5 users of the roster exist: p3, p4 and p5. The plan would still
    run 2 actions.
not where it is of no more than the share
  users: {p5: gone}
  teams: {Red: {members: [p1, p2, p3, p4]}}
not where nothing is left to do
  teams: {Red: {roles: [DEVELOPER]}}
`;

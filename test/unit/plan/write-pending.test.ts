import { planLines, play, wholeFindings } from "../../support/scenes.ts";

// The service is read at 10:00:00. What we wrote counts as settling for a quarter of an hour.

play("a user whom we created and whom no read shows", planLines)`
  there: {root: {in: {Data}}}
  users: {ada}
  state: {users: {ada: {createdAt: 2026-11-20T09:59:30.000Z}}}
is settling up to a quarter of an hour
  state: {users: {ada: {createdAt: 2026-11-20T09:45:00.001Z}}}
  > write-pending: user ada
is not from a quarter of an hour on
  state: {users: {ada: {createdAt: 2026-11-20T09:45:00.000Z}}}
  > ! user-missing: user ada
is settling within the time that a person has set
  state: {users: {ada: {createdAt: 2026-11-20T09:00:00.000Z}}}
  consistency: 3600001
  > write-pending: user ada
is not beyond it
  consistency: 30000
  > ! user-missing: user ada
is missing at once where a read has shown them since
  state: {users: {ada: {seenAt: 2026-11-20T09:59:30.000Z}}}
  > ! user-missing: user ada
is not created again on the word of a command that is run once more, before the time is over
  state: {users: {ada: {createdAt: 2026-11-20T09:45:00.001Z}}}
  allows: [user-missing:ada@acme.example]
  > write-pending: user ada
  > idle-allowance: allowance user-missing:ada
is created again on that word when the time is over
  state: {users: {ada: {createdAt: 2026-11-20T09:45:00.000Z}}}
  allows: [user-missing:ada@acme.example]
  > create ada
and whose identifier is shown with another address was moved there, however recent that is
  there: {countess: {identifier: u-ada}}
  state: {users: {ada: {identifier: u-ada}}}
  > ! user-missing: user ada
is settling too where the list of users is incomplete
  everyone: {read: incomplete, why: page 7 failed}
  > write-pending: user ada
keeps nobody else waiting
  there: {bo}
  users: {bo}
  teams: {Data: {open: true, members: [bo]}}
  > add bo to Data
  > write-pending: user ada
`;

play("a user whom we created and whom no read shows blocks exactly where the roster asks for more:", planLines)`
  there: {root: {in: {Data}}}
  users: {ada}
  state: {users: {ada: {createdAt: 2026-11-20T09:59:30.000Z}}}
a team that we did not add them to yet
  teams: {Data: {open: true, members: [ada]}}
  > ! write-pending: user ada
a team that we added them to
  teams: {Data: {open: true, members: [ada]}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z}}}
  > write-pending: user ada
roles on a team key of unknown prefix
  teams: {Data: {open: true, members: [ada], roles: [DEVELOPER]}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z}}}
  > ! write-pending: user ada
other roles on a team key than we have set
  teams: {Data: {open: true, members: [ada], roles: [AUDITOR]}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z, prefix: k-team}}, keys: {k-team: [DEVELOPER]}}
  > ! write-pending: user ada
the roles on a team key that we have set
  teams: {Data: {open: true, members: [ada], roles: [DEVELOPER]}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z, prefix: k-team}}, keys: {k-team: [DEVELOPER]}}
  > write-pending: user ada
roles on an own key of unknown prefix
  users: {ada: {ownKeyRoles: [AUDITOR, DEVELOPER]}}
  > ! write-pending: user ada
the roles on an own key that we have set
  users: {ada: {ownKeyRoles: [AUDITOR, DEVELOPER]}}
  state: {users: {ada: {key: k-own}}, keys: {k-own: [AUDITOR, DEVELOPER]}}
  > write-pending: user ada
`;

play("a membership that we made and that no read shows", planLines)`
  there: {root: {in: {Data}}, ada}
  users: {ada}
  teams: {Data: {identifier: t-data, open: true, members: [ada]}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z}}}
is settling up to a quarter of an hour after an addition, where no roles are asked for
  state: {members: {Data/ada: {at: 2026-11-20T09:45:00.001Z}}}
  > write-pending: member ada of team acc-1/data
is not from a quarter of an hour after an addition on
  state: {members: {Data/ada: {at: 2026-11-20T09:45:00.000Z}}}
  > ! member-removed: member ada of team acc-1/data
is settling up to a quarter of an hour after a creation of a team
  state: {members: {Data/ada: {how: created, at: 2026-11-20T09:45:00.001Z}}}
  > write-pending: member ada of team acc-1/data
is not from a quarter of an hour after a creation of a team on
  state: {members: {Data/ada: {how: created, at: 2026-11-20T09:45:00.000Z}}}
  > ! member-removed: member ada of team acc-1/data
is not where we only saw it
  state: {members: {Data/ada: {how: seen, at: 2026-11-20T09:45:00.001Z}}}
  > ! member-removed: member ada of team acc-1/data
is not where a read has shown it since an addition
  state: {members: {Data/ada: {seenAt: 2026-11-20T09:59:30.000Z}}}
  > ! member-removed: member ada of team acc-1/data
blocks where its key is not known yet, so that its roles wait
  teams: {Data: {roles: [DEVELOPER]}}
  > ! write-pending: member ada of team acc-1/data
blocks nothing where the answer named its key, which gets its roles
  teams: {Data: {roles: [DEVELOPER]}}
  state: {members: {Data/ada: {prefix: k-team}}}
  > set k-team (recorded) to DEVELOPER
  > write-pending: member ada of team acc-1/data
`;

play("a key whose roles we set and that reads as before is settling", planLines)`
  there: {root: {keys: {k-p: {roles: [AUDITOR]}}}}
  users: {root}
  keys: {k-p: {roles: [DEVELOPER], line: 9}}
  state: {keys: {k-p: {setRoles: [DEVELOPER], at: 2026-11-20T09:59:30.000Z}}}
up to a quarter of an hour
  state: {keys: {k-p: {at: 2026-11-20T09:45:00.001Z}}}
  > write-pending: key k-p
not from a quarter of an hour on
  state: {keys: {k-p: {at: 2026-11-20T09:45:00.000Z}}}
  > set k-p (observed) to DEVELOPER
not where the roster asks for other roles than we set
  state: {keys: {k-p: {setRoles: [TEAM_ROLE]}}}
  > set k-p (observed) to DEVELOPER
not where a later run has read it with these roles
  seenKeys: {k-p: {prefix: k-p, address: root@acme.example, roles: [DEVELOPER], at: 2026-11-20T09:59:30.000Z}}
  > set k-p (observed) to DEVELOPER
not where it was read with these roles since
  state: {keys: {k-p: {observedRoles: [DEVELOPER]}}}
  > set k-p (observed) to DEVELOPER
where it was read so early that it may be what the key had before
  state: {keys: {k-p: {observedRoles: [AUDITOR], provisional: true}}}
  > write-pending: key k-p
`;

play("what is settling is told with the time from when on it is decided:", wholeFindings)`
  there: {root: {in: {Data}, keys: {k-p: {roles: [AUDITOR]}}}}
a user
  users: {ada: {line: 4}}
  state: {users: {ada: {createdAt: 2026-11-20T09:59:30.000Z}}}
  > notice write-pending: user ada
  > roster created ada at 2026-11-20T09:59:30.000Z. The service does not show the user yet. The service may show the change as late as 2026-11-20T10:14:30.000Z. roster does not send the call again. Plan again after that time.
  > because user at 4
  > rests on user ada: recorded, created, 2026-11-20T09:59:30.000Z
an addition
  there: {ada}
  users: {ada}
  teams: {Data: {identifier: t-data, open: true, members: [ada], line: 7}}
  state: {members: {Data/ada: {at: 2026-11-20T09:59:30.000Z}}}
  > notice write-pending: member ada of team acc-1/data
  > roster added ada to Data at 2026-11-20T09:59:30.000Z. The service does not show the membership yet. The service may show the change as late as 2026-11-20T10:14:30.000Z. roster does not send the call again. Plan again after that time.
  > because member ada at 7
  > rests on member ada of team acc-1/data: recorded, added, 2026-11-20T09:59:30.000Z
the roles of a key
  users: {root}
  keys: {k-p: {roles: [DEVELOPER], line: 9}}
  state: {keys: {k-p: {setRoles: [DEVELOPER], at: 2026-11-20T09:59:30.000Z}}}
  > notice write-pending: key k-p
  > roster set the roles of the key k-p to DEVELOPER at 2026-11-20T09:59:30.000Z. The service still shows AUDITOR. The service may show the change as late as 2026-11-20T10:14:30.000Z. roster does not send the call again. Plan again after that time.
  > because key at 9
  > rests on key k-p: recorded, DEVELOPER, 2026-11-20T09:59:30.000Z
  > rests on key k-p: observed, AUDITOR, list
  > roles ["AUDITOR","DEVELOPER"]
`;

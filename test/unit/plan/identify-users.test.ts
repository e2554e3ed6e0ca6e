import { expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { recordsMoved } from "../../../src/log/moved-records.ts";
import { emptyState } from "../../../src/model/state.ts";
import { planned } from "../../support/plan-inputs.ts";
import { aRoster } from "../../support/roster-builders.ts";
import { rosterFrom } from "../../support/roster-text.ts";
import {
  actionLines,
  messageLines,
  type Parts,
  partsOf,
  planLines,
  play,
  wholeFindings,
} from "../../support/scenes.ts";
import { recordedAt } from "../../support/state-builders.ts";

play("a user of the roster:", planLines)`
  accounts: {acc-2}
  there: {root: {in: {Data}}}
  users: {ada}
  teams: {Data: {identifier: t-data, open: true, members: [ada]}}
absent, as an exact search has proven, and created
  > create ada
  > add ada to Data after create-user:ada
there with a status that nobody knows
  there: {ada: {status: On Holiday}}
  > add ada to Data
barred, and so added to nothing
  there: {ada: {status: INACTIVE}}
  > ! inactive-user: user ada
barred, whose keys that are there get their roles all the same
  there: {ada: {status: Inactive, in: {Data}}}
  teams: {Data: {roles: [DEVELOPER]}}
  > set k-ada-data (observed) to DEVELOPER
  > ! inactive-user: user ada
deleted, and so neither created nor added
  there: {ada: {status: Deleted}}
  > ! inactive-user: user ada
there twice, and never merged
  there: {ada: {identifier: u-b}, Ada: {identifier: u-a}}
  > ! ambiguous-user: user ada
there under a former address
  there: {ada@old.example}
  users: {ada: {previously: [ada@older.example, ada@old.example]}}
  > ! former-address: user ada
listed by another account alone, where users do not show theirs
  there: {ada: {account: acc-2}}
  hides: [user-accounts]
  > ! user-in-other-account: user ada
gone, though we created her
  state: {users: {ada: {createdAt: RECORDED}}}
  > ! user-missing: user ada
gone, though a run met her
  state: {users: {ada: {seenAt: RECORDED}}}
  > ! user-missing: user ada
gone with the team that she was created with, which is not created again for her
  there: {root: {in: gone}}
  state:
    users: {ada: {createdAt: RECORDED, createdTeam: acc-1/data, key: k-1}}
    teams: {Data: {firstMember: ada@acme.example}}
  teams: {Data: {identifier: gone, open: gone}}
  > ! user-missing: user ada
  > ! team-identifier-unknown: team acc-1/data
known by her identifier, under another address
  there: {countess: {identifier: u-ada}}
  state: {users: {ada: {identifier: u-ada}}}
  > ! user-missing: user ada
not known under a former address, which proves nothing
  users: {ada: {previously: [ada@old.example]}}
  unproven: {ada@old.example: cut off}
  > ! incomplete-read: user ada
replaced by another user at her address
  there: {ada: {identifier: u-2}}
  state: {users: {ada: {identifier: u-1, seenAt: RECORDED}}}
  > ! user-missing: user ada
replaced by another user, whom a person takes for her, without what the former one held
  there: {ada: {identifier: u-2}}
  state: {users: {ada: {identifier: u-1, seenAt: RECORDED}}, members: {Data/ada: {}}}
  allows: [user-missing:ada@acme.example]
  > add ada to Data
perhaps created by a run that never learned it, whatever a person says
  open: {create ada}
  allows: [user-missing:ada@acme.example]
  > ! unknown-outcome: user ada
  > idle-allowance: allowance user-missing:ada
shown, whatever a run never learned
  there: {ada}
  open: {create ada}
  > add ada to Data
not proven to be absent by her search
  unproven: {ada: the control was not found}
  > ! incomplete-read: user ada
never asked for
  unproven: {ada}
  > ! incomplete-read: user ada
`;

play("an allowance to create again", planLines)`
  there: {ada}
  users: {ada, bo, cy}
  state: {users: {bo: {createdAt: RECORDED}}}
somebody who is gone is of use
  allows: [user-missing:bo@acme.example]
  > create bo
  > create cy
nobody of the roster is idle, and changes nothing
  allows: [user-missing:boo@acme.example, user-missing:bo@acme.example]
  > create bo
  > create cy
  > idle-allowance: allowance user-missing:boo
`;

play("somebody who has not accepted an invitation", planLines)`
  there: {ada: {status: Invited, in: {Data}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada]}, Ops: {identifier: t-ops, members: [ada]}}
of which nothing is recorded is a notice
  > add ada to Ops
  > invitation-pending: user ada
of 14 days ago is a notice
  state: {users: {ada: {createdAt: 2026-11-06T08:00:00.000Z}}}
  > add ada to Ops
  > invitation-pending: user ada
of 15 days ago blocks
  state: {users: {ada: {createdAt: 2026-11-05T08:00:00.000Z}}}
  > add ada to Ops
  > ! invitation-pending: user ada
mailed for a team later is a notice
  state: {users: {ada: {createdAt: 2026-11-05T08:00:00.000Z}}, members: {Data/ada: {at: 2026-11-19T08:00:00.000Z}}}
  > add ada to Ops
  > invitation-pending: user ada
of which the last of several mails counts
  state: {members: {Data/ada: {at: 2026-11-19T08:00:00.000Z}, Ops/ada: {at: 2026-10-01T08:00:00.000Z}}}
  > invitation-pending: user ada
  > ! member-removed: member ada of team acc-1/ops
who created a team was mailed by nobody since
  state: {users: {ada: {createdAt: 2026-11-05T08:00:00.000Z}}, members: {Data/ada: {how: created, at: 2026-11-05T08:00:00.000Z}}}
  > add ada to Ops
  > ! invitation-pending: user ada
who was seen in a team was not mailed then
  state: {users: {ada: {createdAt: 2026-11-05T08:00:00.000Z}}, members: {Data/ada: {how: seen, at: 2026-11-19T08:00:00.000Z}}}
  > add ada to Ops
  > ! invitation-pending: user ada
`;

play("is told:", wholeFindings)`
  users: {ada: {line: 4}}
an idle allowance
  there: {ada}
  allows: [user-missing:ada@acme.example]
  > notice idle-allowance: allowance user-missing:ada
  > Nothing in this run needs this code. You can leave it out.
an invitation that has waited for long
  there: {ada: {status: Invited}}
  state: {members: {Ops/ada: {at: 2026-11-01T08:00:00.000Z}}}
  > task invitation-pending: user ada
  > The service shows ada as Invited. The last known invitation is 19 days old (2026-11-01T08:00:00.000Z). The mail may be lost, or the invitation expired. roster does not send a second one. Ask the user, or send the invitation again in the service.
  > because user at 4
  > rests on user ada: observed, present as Invited, list
  > rests on user ada: recorded, invited, 2026-11-01T08:00:00.000Z
  > rests on today: observed, 2026-11-20, clock
  > accept {"code":"invitation-pending:ada","until":"2026-12-20"}
somebody who may not be created a second time, with both ways out
  there: {ada@old.example}
  users: {ada: {previously: [ada@old.example]}}
  > task former-address: user ada
  > The service has the user ada under the former address ada@old.example. The API cannot change addresses. roster does
    not create a second user. If ada is right, change the address in the service. If not, write ada@old.example as the \`email\` in the roster.
  > because user at 4
  > because former-address ada@old.example at 4
  > rests on user ada@old.example: observed, present, list
  > accept {"code":"former-address:ada","until":"2026-12-20"}
`;

test("a creation carries the former addresses that are proven to be nobody's, for them to be looked up again", () => {
  const { actions } = planned(partsOf("users: {ada: {previously: [ada@old.example]}}"));
  expect(actions).toMatchObject([
    {
      formerly: ["ada@old.example"],
      restsOn: [
        { about: { kind: "user", address: "ada@acme.example" } },
        { about: { kind: "user", address: "ada@old.example" } },
      ],
    },
  ]);
});

const common = `
there: {ada}
users: {ada, bo}
state: {users: {bo: {createdAt: RECORDED}}}
allows: [user-missing:bo@acme.example]
`;

play("what only a word allows rests on it:", actionLines)`
  there: {ada}
  users: {ada, bo}
  state: {users: {bo: {createdAt: RECORDED}}}
  allows: [user-missing:bo@acme.example]
a creation, on the absence, on who was here and on the word
  > create-user:bo (recreated-user)
  > because user at 1
  > rests on user bo: observed, absent, list
  > rests on user bo: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user bo: unknown, you allowed roster to create this user again
a creation of a team, which stays one
  teams: {Red: {admin: ada, members: [bo]}}
  > create-user:bo (creates-team)
  > because user at 1
  > because team Red at 1
  > because admin ada at 1
  > because member bo at 1
  > rests on user bo: observed, absent, list
  > rests on user bo: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user bo: unknown, you allowed roster to create this user again
  > rests on team acc-1/red: observed, absent, list
  > rests on user ada: observed, present, list
  > replace-roles:acc-1/red:bo (roles-of-first-member)
  > because member bo at 1
a word that nothing waited for is no reason
  state: {users: {bo: gone}}
  > create-user:bo (absent-user)
  > because user at 1
  > rests on user bo: observed, absent, list
without the word nothing is created
  allows: []
what is done for another user at the address, and nothing else
  shown: {Red, Blue}
  there: {ada: {in: {Red}}, bo: {in: {Blue}}, cy}
  users: {bo: {ownKeyRoles: [AUDITOR]}, cy}
  teams:
    Red: {identifier: t-red, members: [ada, bo, cy]}
    Blue: {identifier: t-blue, members: [{user: bo, roles: [DEVELOPER]}]}
  state: {users: {bo: {createdAt: gone, identifier: u-of-before, seenAt: RECORDED}, cy: {identifier: u-cy, seenAt: RECORDED}}}
  allows: [user-missing:bo@acme.example, user-missing:cy@acme.example]
  > add-members:acc-1/red (missing-member)
  > because team Red at 1
  > because member bo at 1
  > because member cy at 1
  > rests on member bo of team acc-1/red: observed, absent, list
  > rests on member bo of team acc-1/red: unknown, you allowed roster to use the user who has the address now
  > rests on member cy of team acc-1/red: observed, absent, list
  > replace-roles:k-bo-blue (roles-differ)
  > because member bo at 1
  > rests on roles of key k-bo-blue: observed, TEAM_ROLE, list
  > rests on user bo: unknown, you allowed roster to use the user who has the address now
  > replace-roles:k-bo (roles-differ)
  > because own-key-roles at 1
  > because user at 1
  > rests on roles of key k-bo: observed, TEAM_ROLE, list
  > rests on user bo: unknown, you allowed roster to use the user who has the address now
`;

test("a plan that a word allows is the same by its id as one that needs none", () => {
  const unneeded = partsOf(common, "state: {users: {bo: gone}}");
  expect(planned(partsOf(common)).id).toBe(planned(unneeded).id);
});

/** An apply's plan: records follow those whom the service shows under another address. */
function moved({ roster = aRoster({}), snapshot, state = emptyState("test"), ...parts }: Parts): Parts {
  const event = recordsMoved(roster, snapshot, state, recordedAt);
  return { ...parts, roster, snapshot, state: applyEvents(state, event === undefined ? [] : [event]) };
}

play("of an address that was changed in the service first,", (parts) => planLines(moved(parts)))`
  there: {ada.new: {identifier: u-ada, in: {Data}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  state:
    users: {ada: {identifier: u-ada, createdAt: RECORDED, key: k-ada.new}}
    members: {Data/ada: {prefix: k-ada.new-data}}
nobody is created
  > ! user-missing: user ada
  > ! extra-member: member ada.new of team acc-1/data
nobody is created where the other is a leaver
  leavers: {ada.new}
  > set k-ada.new (observed) to nothing
  > set k-ada.new-data (observed) to nothing
  > ! leaver-remains: user ada.new
  > ! user-missing: user ada
nobody is created where that user is deleted
  there: {ada.new: {status: deleted}}
  > ! user-missing: user ada
all that was recorded counts once the roster says so: nobody is mailed, and no prefix is lost
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  > set k-ada.new-data (observed) to DEVELOPER
all that was recorded counts, where keys are hidden as well
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  hides: [keys]
  > set k-ada.new-data (recorded) to DEVELOPER
it may have been changed in the roster first: that is told, and never a second account
  there: {ada.new: gone, ada: {in: {Data}}}
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  > ! former-address: user ada.new
a leaver who is back among the users, and still there, gets their roles back, and no second mail
  there: {ada.new: gone, ada: {own: [], in: {Data: []}}}
  state: {members: {Data/ada: {prefix: k-ada-data}}, keys: {k-ada-data: {setRoles: [], observedRoles: []}}}
  > set k-ada-data (observed) to DEVELOPER
a leaver who is back and gone has vanished
  there: {ada.new: gone, root}
  shown: {Data}
  > ! user-missing: user ada
`;

play("an address that was changed in the service first is told", (parts) => wholeFindings(moved(parts)))`
  there: {ada.new: {identifier: u-ada}}
  users: {ada}
  state: {users: {ada: {identifier: u-ada, createdAt: RECORDED}}}
with the YAML that says so too
  > task user-missing: user ada
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now. If this is the same person, write ada.new as the \`email\`, and ada under \`previously\`. To create ada as well, if ada.new is another person, run \`--allow user-missing:ada\`.
  > because user at 1
  > rests on user ada: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user ada.new: observed, present as u-ada, list
  > rests on user ada: observed, absent, list
  > allow ["user-missing:ada"]
  > suggestedYaml # If it is the same person:
  > suggestedYaml users:
  > suggestedYaml   - email: ada.new
  > suggestedYaml     previously: [ada]
  > accept {"code":"user-missing:ada","until":"2026-12-20"}
`;

const toldOfAda = (parts: Parts) =>
  wholeFindings(moved(parts)).filter((line) => /^(?:ada was created|suggestedYaml)/u.test(line));

play("an address that was changed in the service first is told without YAML where", toldOfAda)`
  there: {ada.new: {identifier: u-ada}}
  users: {ada}
  state: {users: {ada: {identifier: u-ada, createdAt: RECORDED}}}
the roster names both
  users: {ada.new}
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now. If the address in the roster is wrong, correct it. If the user has left, remove ada from the roster. To create ada again, run \`--allow user-missing:ada\`.
the other is a leaver
  leavers: {ada.new}
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now. If the address in the roster is wrong, correct it. If the user has left, remove ada from the roster. To create ada again, run \`--allow user-missing:ada\`.
that user is deleted
  there: {ada.new: {status: deleted}}
  > ada was created at 2026-11-01T00:00:00.000Z. The service does not show this user any more. If the address in the roster is wrong, correct it. If the user has left, remove ada from the roster. To create ada again, run \`--allow user-missing:ada\`.
`;

play("somebody of the last applied roster", planLines)`
  there: {root, dee: {own: []}}
  users: {root}
  applied: [root, dee]
is told where nobody names them any more
  > ! user-removed: user dee
is told where it is not proven that they are gone
  there: {dee: gone}
  unproven: {dee}
  > ! user-removed: user dee
is nothing once they are gone
  there: {dee: gone}
is not dropped where they became a leaver
  leavers: {dee}
  > ! leaver-remains: user dee
is not dropped where they have another address, and the roster says which
  users: {dee.new: {previously: [dee]}}
  > ! former-address: user dee.new
is not dropped where they moved to another account
  users: {dee: {account: acc-2}}
  > ! account-unavailable: account acc-2
is nobody's matter where a person releases them
  allows: [user-removed:dee@acme.example]
is not also unmanaged
  reportUnmanaged: true
  > ! user-removed: user dee
is no matter of a run about somebody else
  include: [user:root]
is told one by one up to three
  there: {a, b, c}
  applied: [a, b, c]
  > ! user-removed: user a
  > ! user-removed: user b
  > ! user-removed: user c
`;

play("somebody of the last applied roster is told", wholeFindings)`
  there: {root, dee}
  users: {root}
  applied: [dee]
with both ways out, and the YAML of the first
  > task user-removed: user dee
  > dee was in the roster at an earlier apply, but is in no roster file now. The service still shows dee. roster does not change this user, because a file may be missing. If dee left, list this user under \`leavers\`. If the address changed, add \`previously: [dee]\` to the entry with the new address. To stop managing dee but keep this user in the service, run \`--allow user-removed:dee\`.
  > rests on user dee: recorded, in the applied roster, 2026-11-01T00:00:00.000Z
  > rests on user dee: observed, present, list
  > allow ["user-removed:dee"]
  > suggestedYaml # If dee left:
  > suggestedYaml leavers:
  > suggestedYaml   - email: dee
  > suggestedYaml     since: 2026-11-20
  > accept {"code":"user-removed:dee","until":"2026-12-20"}
`;

play("people of the last applied roster are told", (parts) => messageLines(parts).slice(0, 1))`
  there: {root, dee}
  users: {root}
  applied: [dee]
not to be left quite alone where a team revokes roles whoever is in it
  teams: {Red: {identifier: t-1, onRemoval: revoke}}
  > ! user-removed: dee was in the roster at an earlier apply, but is in no roster file now. The service still shows dee. roster does not change this user, except in teams with \`onRemoval: revoke\`, because a file may be missing. If dee left, list this user under \`leavers\`. If the address changed, add \`previously: [dee]\` to the entry with the new address. To stop managing dee but keep this user in the service, run \`--allow user-removed:dee\`.
all at once as well, where they are more than three
  there: {a, b, c, dee}
  applied: [a, b, c, dee]
  > ! user-removed: 4 users of applied rosters are in no file now: a, b, c and dee. Check if a file was lost in a merge. If not, each user has a task with the next step.
`;

/** With a roster as people write it: ada, who starts tomorrow, and bo in the team T. */
function written(parts: Parts, team = "members: [ada@acme.example, bo@acme.example]", own = ""): Parts {
  const text = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, from: 2026-11-21${own} }
  - { email: bo@acme.example, firstName: Bo, lastName: Test }
teams: [{ name: T, roles: [TEAM_ROLE], ${team} }]
`;
  const { roster } = rosterFrom({ "roster.yaml": text });
  if (roster === undefined) throw new Error("the roster is invalid");
  return { ...parts, roster };
}

play("of a user who starts later,", (parts) => {
  const whole = written(parts, undefined, ", ownKeyRoles: [TEAM_ROLE]");
  return [...planLines(whole), ...wholeFindings(whole)];
})`
  there: {zoe: {in: {Z}}}
  users: {ada, bo}
who is not created, the plan says when they will be
  > create bo creating T with TEAM_ROLE
  > set key of bo in T to TEAM_ROLE after create-user:bo
  > date-ahead: user ada
  > notice date-ahead: user ada
  > ada starts on 2026-11-21. Until then, roster does not create the user.
  > because from 2026-11-21 at 4
  > because user at 4
  > rests on from of user ada: declared, 2026-11-21, roster.yaml:4
  > rests on today: observed, 2026-11-20, clock
who is there, the plan says that they stay as they are
  there: {ada: {own: [DEVELOPER]}}
  > create bo creating T with TEAM_ROLE
  > set key of bo in T to TEAM_ROLE after create-user:bo
  > date-ahead: user ada
  > notice date-ahead: user ada
  > ada starts on 2026-11-21. The service already shows ada. Until then, roster does not change this user.
  > because from 2026-11-21 at 4
  > because user at 4
  > rests on from of user ada: declared, 2026-11-21, roster.yaml:4
  > rests on today: observed, 2026-11-20, clock
  > rests on user ada: observed, present as active, list
`;

test.each([
  [
    "whose administrator has not started",
    "admin: ada@acme.example, members: [{ user: ada@acme.example, roles: [TEAM_ROLE] }, bo@acme.example]",
    [],
    "! cannot-create-team: roster cannot create T yet: its admin ada starts on 2026-11-21. Wait until 2026-11-21, change `from`, or name another `admin`. Until this task is done, roster does not create bo. The API creates a team only together with a new user.",
  ],
  [
    "whose first member has not started",
    "firstMember: ada@acme.example, members: [{ user: ada@acme.example, roles: [TEAM_ROLE] }, bo@acme.example]",
    ["create bo"],
    "! cannot-create-team: roster cannot create T yet: its first member ada starts on 2026-11-21. Wait until 2026-11-21, change `from`, or name another `firstMember`.",
  ],
  [
    "of which nobody has started",
    "members: [ada@acme.example]",
    ["create bo"],
    "date-ahead: roster creates T later: its first member ada starts on 2026-11-21.",
  ],
])("a new team waits %s", (_, team, created, message) => {
  const parts = written(partsOf("{there: {zoe: {in: {Z}}}, users: {ada, bo}}"), team);
  expect(planLines(parts).filter((line) => line.startsWith("create "))).toEqual(created);
  const later = "date-ahead: ada starts on 2026-11-21. Until then, roster does not create the user.";
  expect(messageLines(parts)).toEqual([later, message]);
});

play("an address that can be misread:", planLines)`
nobody is created under it, and everybody else is
  users: {eve@acme.example/é.evil.example, ada}
  > create ada
  > ! unsafe-address: user eve@acme.example/é.evil.example
whoever is there under it is managed like anybody
  there: {eve@acme.example/é.evil.example: {firstName: Eve}}
  users: {eve@acme.example/é.evil.example: {firstName: Eve}}
where it is not proven that they are absent, that is what has to be found out
  users: {eve@acme.example/é.evil.example}
  everyone: {read: incomplete, why: the service gives 3 of 50, by: list 1}
  > ! incomplete-read: user eve@acme.example/é.evil.example
nobody is created in a domain without a dot
  users: {eve@intranet}
  > ! unsafe-address: user eve@intranet
letters beyond ASCII before the @ are a notice where somebody is created
  users: {évé}
  > create évé
  > unsafe-address: user évé
letters beyond ASCII before the @ are nothing where they are there
  there: {évé}
  users: {évé}
`;

play("an address that can be misread is told", messageLines)`
with what is wrong and why that matters
  users: {eve@acme.example/é.evil.example}
  > ! unsafe-address: eve@acme.example/é.evil.example is not created: the address contains \`/\`. The service does not show this user,
    and a mail could reach another person. Correct the address.
`;

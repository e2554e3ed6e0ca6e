import { expect, test } from "vitest";
import { planned } from "../../support/plan-inputs.ts";
import { partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

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
  > \`--allow user-missing:ada\` has no effect on this plan. Remove it.
an invitation that has waited for long
  there: {ada: {status: Invited}}
  state: {members: {Ops/ada: {at: 2026-11-01T08:00:00.000Z}}}
  > task invitation-pending: user ada
  > The service shows ada as Invited. The last known invitation is 19 days old (2026-11-01T08:00:00.000Z). It may be
    lost or expired. roster does not send it again. Ask the user, or send the invitation again in the service.
  > because user at 4
  > rests on user ada: observed, present as Invited, list
  > rests on user ada: recorded, invited, 2026-11-01T08:00:00.000Z
  > rests on today: observed, 2026-11-20, clock
  > accept {"code":"invitation-pending:ada","until":"2026-12-20"}
somebody who may not be created a second time, with both ways out
  there: {ada@old.example}
  users: {ada: {previously: [ada@old.example]}}
  > task former-address: user ada
  > The service has this user as ada@old.example, a former address of ada. The API cannot change addresses. roster does
    not create a second user. Change the address in the service, or write ada@old.example as the \`email\`.
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

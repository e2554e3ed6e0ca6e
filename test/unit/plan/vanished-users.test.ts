import { expect, test } from "vitest";
import { planned } from "../../support/plan-inputs.ts";
import { actionLines, partsOf, play } from "../../support/scenes.ts";

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
  > rests on user bo: unknown, you allowed a second creation
a creation of a team, which stays one
  teams: {Red: {admin: ada, members: [bo]}}
  > create-user:bo (creates-team)
  > because user at 1
  > because team Red at 1
  > because admin ada at 1
  > because member bo at 1
  > rests on user bo: observed, absent, list
  > rests on user bo: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user bo: unknown, you allowed a second creation
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
  > rests on member bo of team acc-1/red: observed, no member, list
  > rests on member bo of team acc-1/red: unknown, you allowed roster to use the user who has the address now
  > rests on member cy of team acc-1/red: observed, no member, list
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

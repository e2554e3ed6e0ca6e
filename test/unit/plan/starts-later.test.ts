import { expect, test } from "vitest";
import { rosterFrom } from "../../support/roster-text.ts";
import { messageLines, type Parts, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

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
    "! cannot-create-team: roster cannot create T yet: its admin ada starts on 2026-11-21. Wait until then, change " +
      "`from`, or name another `admin`. Until then, roster does not create bo: the team needs a new user.",
  ],
  [
    "whose first member has not started",
    "firstMember: ada@acme.example, members: [{ user: ada@acme.example, roles: [TEAM_ROLE] }, bo@acme.example]",
    ["create bo"],
    "! cannot-create-team: roster cannot create T yet: its first member ada starts on 2026-11-21. Wait until then, " +
      "change `from`, or name another `firstMember`.",
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

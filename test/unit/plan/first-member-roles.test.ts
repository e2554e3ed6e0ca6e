import fc from "fast-check";
import { expect, test } from "vitest";
import { always } from "../../support/always.ts";
import { type InputParts, planned } from "../../support/plan-inputs.ts";
import { runs } from "../../support/property-runs.ts";
import { aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { messageLines, partsOf, planLines, play } from "../../support/scenes.ts";

/** What the key of a first member is asked to carry, what of it for a moment, and with what it ends. */
function keyLines(parts: InputParts): readonly string[] {
  return planned(parts).actions.flatMap((action) => {
    if (action.kind === "replace-roles") return [`then ${action.roles.join(" ") || "nothing"}`];
    if (action.kind !== "create-user" || action.createsTeam === undefined) return [];
    const { accessKeyRoles, temporaryRoles } = action.createsTeam;
    return [
      `${accessKeyRoles.join(" ")}${temporaryRoles.length === 0 ? "" : `, of it ${temporaryRoles.join(" ")} for a moment`}`,
    ];
  });
}

play("a first member's key is asked to carry", keyLines)`
  there: {root}
  users: {ada}
  teams: {T: {members: [ada]}}
  privileged: [ACCOUNT_ADMIN, OWNER]
the usual role, where none is wanted
  teams: {T: {roles: []}}
  offers: [A, TEAM_ROLE]
  > TEAM_ROLE
  > then nothing
the usual role, where none is managed
  offers: [A, TEAM_ROLE]
  > TEAM_ROLE
  > then TEAM_ROLE
the usual role besides, where only privileged ones are wanted
  teams: {T: {roles: [ACCOUNT_ADMIN]}}
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  > ACCOUNT_ADMIN TEAM_ROLE
  > then ACCOUNT_ADMIN
the usual role beside privileged ones, though the list of roles does not name it
  teams: {T: {roles: [OWNER]}}
  offers: [ACCOUNT_ADMIN, OWNER]
  > OWNER TEAM_ROLE
  > then OWNER
the usual role though it is called privileged, shown as given for a moment
  teams: {T: {roles: []}}
  offers: [TEAM_ROLE]
  privileged: [TEAM_ROLE]
  > TEAM_ROLE, of it TEAM_ROLE for a moment
  > then nothing
only roles that the service knows for a team key
  teams: {T: {roles: [DEVELOPER, PROJECT]}}
  offers: [DEVELOPER, PROJECT, TEAM_ROLE]
  > DEVELOPER
  > then DEVELOPER
the usual role, where the service says that it knows none
  teams: {T: {roles: []}}
  offers: none
  > TEAM_ROLE
  > then nothing
as wanted, where the service does not say what it knows
  teams: {T: {roles: [NOPE]}}
  offers: []
  > NOPE
  > then NOPE
`;

play("of a team with odd roles", (parts) => [...planLines(parts), ...messageLines(parts)])`
  there: {root}
  users: {ada, bo}
  offers: [ACCOUNT_ADMIN, AUDITOR, DEVELOPER, TEAM_ROLE]
a privilege for a moment is told
  users: {bo: gone}
  teams: {T: {members: [ada], roles: []}}
  privileged: [TEAM_ROLE]
  > create ada creating T with TEAM_ROLE
  > set key of ada in T to nothing after create-user:ada
  > temporary-privilege: team acc-1/t
  > temporary-privilege: When roster creates T, the key of ada gets TEAM_ROLE for a short time. A new key needs at least one
    role. The next action sets the exact roles. Check who the first member is before you approve.
one that the service does not know lets nobody create it, whoever else may be named like it
  teams: {T: {admin: ada, members: [ada, bo], roles: [DEVLOPER], line: 5}}
  > create bo
  > ! cannot-create-team: team acc-1/t
  > ! unknown-role: role DEVLOPER
  > ! cannot-create-team: roster cannot create T: the service does not know DEVLOPER, which the roster gives to its first
    member ada. Correct the roles. Until then, roster does not create ada: the team needs a new user.
  > ! unknown-role: The service does not know the role DEVLOPER of roster.yaml:5:3. roster does not change keys that need
    it, and creates no team with it. Did you mean DEVELOPER? The service offers ACCOUNT_ADMIN, AUDITOR, DEVELOPER and
    TEAM_ROLE. Upper and lower case matter.
one that the service does not know lets another one, whose roles are known, be the first
  teams: {T: {members: [{user: ada, roles: [DEVLOPER]}, bo], roles: [DEVELOPER]}}
  > create bo creating T with DEVELOPER
  > create ada after create-user:bo
  > add ada to T after create-user:bo, create-user:ada
  > set key of bo in T to DEVELOPER after create-user:bo
  > ! unknown-role: role DEVLOPER
  > ! unknown-role: The service does not know the role DEVLOPER of roster.yaml:1:3. roster does not change keys that need
    it, and creates no team with it. Did you mean DEVELOPER? The service offers ACCOUNT_ADMIN, AUDITOR, DEVELOPER and
    TEAM_ROLE. Upper and lower case matter.
`;

test("nobody is ever planned a role that the roster does not give to that key, but for TEAM_ROLE", () => {
  const names = ["ada", "bo", "cy", "di"];
  const written = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "DEVLOPER", "auditor", "PROJECT"]);
  const teams = fc.array(
    fc.record({ members: fc.subarray(names, { minLength: 1 }), roles: fc.option(written, { nil: undefined }) }),
    { minLength: 1, maxLength: 3 },
  );
  const offered = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "PROJECT"]);
  const own = fc.option(written, { nil: undefined });
  always({ numRuns: runs(1200) }, teams, offered, own, (wanted, roles, ownKeyRoles) => {
    const { snapshot } = partsOf("{there: {root}, users: {ada, bo, cy, di}}", `offers: [${roles.join()}]`);
    const rosterTeams = wanted.map(({ members, roles: given }, index) => aTeam(`T${index}`, { members, roles: given }));
    const users = names.map((name) => aUser(name, name === "di" && ownKeyRoles !== undefined ? { ownKeyRoles } : {}));
    const plan = planned({ snapshot, roster: aRoster({ users, teams: rosterTeams }) });
    for (const action of plan.actions) {
      if (action.kind === "create-user" && action.createsTeam !== undefined) {
        const given = wanted[Number(action.createsTeam.name.slice(1))]?.roles ?? [];
        const { accessKeyRoles } = action.createsTeam;
        expect(accessKeyRoles).not.toEqual([]);
        expect(accessKeyRoles.filter((role) => ![...given, "TEAM_ROLE"].includes(role))).toEqual([]);
        expect(given.filter((role) => roles.length > 0 && ![...roles, "TEAM_ROLE"].includes(role))).toEqual([]);
      }
      if (action.kind === "replace-roles" && action.key.of === "team-key") {
        const given = wanted[Number(plan.teams.get(action.key.team)?.name.slice(1))]?.roles ?? ["TEAM_ROLE"];
        expect(action.roles.filter((role) => !given.includes(role) && role !== "TEAM_ROLE")).toEqual([]);
      }
    }
  });
});

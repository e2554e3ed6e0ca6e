import { expect, test } from "vitest";
import { findInSync } from "../../../src/plan/in-sync.ts";
import { aContext, type InputParts, planned } from "../../support/plan-inputs.ts";
import { brief, partsOf, play } from "../../support/scenes.ts";

/** What is so already, each with how it is known. */
function agreed(parts: InputParts): readonly string[] {
  return findInSync(aContext(parts)).map(({ says, restsOn: [fact] }) => {
    if (fact === undefined || fact.known === "unknown") return brief(says);
    return brief(`${says} (${fact.known === "recorded" ? fact.at : fact.known})`);
  });
}

play("agreed to are", agreed)`
  there: {ada: {in: {Data: [DEVELOPER]}}, bo: {in: {Data: [DEVELOPER]}}}
  users: {ada, bo}
people, teams, places and roles that are as the roster says, and nothing else
  users: {cy}
  teams: {Data: {members: [ada, {user: bo, roles: [AUDITOR]}, cy], roles: [DEVELOPER]}}
  > the service already has ada (observed)
  > the service already has bo (observed)
  > the service already has the team Data (observed)
  > ada is already a member of Data (observed)
  > bo is already a member of Data (observed)
  > ada's key in Data (k-ada-data) already has exactly the roles DEVELOPER (observed)
own keys and listed keys with exactly the roles that are wanted
  there: {bo: gone, ada: {keys: {project: {roles: [PROJECT]}}}}
  users: {bo: gone, ada: {ownKeyRoles: [TEAM_ROLE]}}
  keys: {project: {roles: [PROJECT]}}
  > the service already has ada (observed)
  > ada's own key (k-ada) already has exactly the roles TEAM_ROLE (observed)
  > the key under \`keys\` (project) already has exactly the roles PROJECT (observed)
none of the places that are not shown
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  hides: [keys]
  > the service already has ada (observed)
  > the service already has bo (observed)
  > the service already has the team Data (declared)
places that are not shown, by our record
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  state: {members: {Data/ada: {prefix: k-9}}, keys: {k-9: [DEVELOPER]}}
  hides: [keys]
  > the service already has ada (observed)
  > the service already has bo (observed)
  > the service already has the team Data (declared)
  > ada is already a member of Data (2026-11-01T00:00:00.000Z)
  > ada's key in Data (k-9) already has exactly the roles DEVELOPER (2026-11-01T00:00:00.000Z)
leavers who are gone, or whose keys have no roles
  there: {bo: gone, cy: {own: []}}
  users: {bo: gone}
  leavers: {cy, di}
  > the service already has ada (observed)
  > a key of the leaver cy (k-cy) already has no roles (observed)
  > the leaver di is gone (observed)
`;

test("what a plan changes is not agreed to", () => {
  const parts = partsOf(`
there: {ada: {in: {Data: [DEVELOPER]}}, bo: {in: {Data: [DEVELOPER]}}}
users: {ada, bo, cy}
teams: {Data: {members: [ada, bo, cy], roles: [AUDITOR]}}
`);
  const changed = planned(parts).actions.map(({ id }) => id);
  expect(changed).toEqual(expect.arrayContaining(["replace-roles:k-ada-data", "replace-roles:k-bo-data"]));
  expect(findInSync(aContext(parts)).flatMap(({ prefix }) => prefix ?? [])).toEqual([]);
});

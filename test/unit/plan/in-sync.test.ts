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
  > the service has ada already (observed)
  > the service has bo already (observed)
  > the service has the team Data already (observed)
  > ada is a member of Data already (observed)
  > bo is a member of Data already (observed)
  > ada's key in Data (k-ada-data) has exactly the roles DEVELOPER already (observed)
own keys and listed keys with exactly the roles that are wanted
  there: {bo: gone, ada: {keys: {project: {roles: [PROJECT]}}}}
  users: {bo: gone, ada: {ownKeyRoles: [TEAM_ROLE]}}
  keys: {project: {roles: [PROJECT]}}
  > the service has ada already (observed)
  > ada's own key (k-ada) has exactly the roles TEAM_ROLE already (observed)
  > the key under \`keys\` (project) has exactly the roles PROJECT already (observed)
none of the places that are not shown
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  hides: [keys]
  > the service has ada already (observed)
  > the service has bo already (observed)
  > the service has the team Data already (declared)
places that are not shown, by our record
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  state: {members: {Data/ada: {prefix: k-9}}, keys: {k-9: [DEVELOPER]}}
  hides: [keys]
  > the service has ada already (observed)
  > the service has bo already (observed)
  > the service has the team Data already (declared)
  > ada is a member of Data already (2026-11-01T00:00:00.000Z)
  > ada's key in Data (k-9) has exactly the roles DEVELOPER already (2026-11-01T00:00:00.000Z)
leavers who are gone, or whose keys have no roles
  there: {bo: gone, cy: {own: []}}
  users: {bo: gone}
  leavers: {cy, di}
  > the service has ada already (observed)
  > a key of the leaver cy (k-cy) has no roles already (observed)
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

import { makePlan } from "../../../src/plan/make-plan.ts";
import { aContext } from "../../support/plan-inputs.ts";
import { type Parts, planLines, play } from "../../support/scenes.ts";

/** The plan, or why it is refused. */
function selectedLines(parts: Parts): readonly string[] {
  const made = makePlan(aContext(parts));
  if (made.ok) return planLines(parts);
  return [made.error.code, made.error.message, ...("hint" in made.error ? [String(made.error.hint)] : [])];
}

/** In every world there is root, with a different last name, and a team Old of root with other roles. */
play("a selection", selectedLines)`
  there: {root: {lastName: Other, in: {Old: [AUDITOR]}}}
  users: {root, ada}
of a user keeps what is about them
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [user:ada]
  > create ada
  > add ada to Old after create-user:ada
  > set key of ada in Old to DEVELOPER after add-members:acc-1/old
of a team keeps the creation of its members
  users: {bo}
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [team:OLD]
  > create ada
  > add ada to Old after create-user:ada
  > set key of ada in Old to DEVELOPER after add-members:acc-1/old
  > set k-root-old (observed) to DEVELOPER
excludes before it includes
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}}
  include: [team:Old]
  exclude: [user:ada]
  > set k-root-old (observed) to DEVELOPER
of a first member creates the team
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  include: [user:ada]
  > create ada creating New with TEAM_ROLE
  > set key of ada in New to TEAM_ROLE after create-user:ada
of another new member creates them alone, where the first member is left for the team
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  include: [user:bo]
  > create bo
  > not-selected: additions to team acc-1/new
without a first member leaves the team unfounded, and the first member for it
  users: {bo}
  teams: {New: {members: [ada, bo, root]}}
  exclude: [user:ada]
  > create bo
  > ! profile-differs: user root
  > not-selected: additions to team acc-1/new
of a first member without their administrator waits
  users: {bo: {ownKeyRoles: []}}
  teams: {New: {admin: bo, members: [ada, bo]}}
  include: [user:ada]
  > not-selected: team acc-1/new
  > not-selected: additions to team acc-1/new
of a team does not found another one with a member of it
  teams: {Old: {members: [root, ada], roles: [DEVELOPER]}, New: {members: [ada]}}
  include: [team:Old]
  > set k-root-old (observed) to DEVELOPER
  > not-selected: additions to team acc-1/old
without a new team and enough of its people is no harm
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  exclude: [team:New, user:bo]
  > create ada
  > ! profile-differs: user root
keeps findings about accounts, and drops keys of nobody selected
  users: {bo: {account: acc-9}}
  keys: {k-1: {roles: []}, k-2: {owner: ada, roles: []}}
  there: {ada}
  include: [user:ada]
  > ! account-unavailable: account acc-9
  > ! unknown-key: key k-2
that excludes a new team and would create all of its new people is refused
  users: {bo}
  teams: {New: {members: [ada, bo]}}
  exclude: [team:New]
  > not-selected
  > The selection creates the new users that New needs later: a new team needs one newly created user as its first member
  > Select the team together with its users, or exclude one of its new users as well.
that excludes one of two new teams that need each of their people is refused
  users: {bo, cy}
  teams: {New: {members: [ada, bo]}, Next: {members: [ada, bo]}}
  exclude: [team:New]
  > not-selected
  > The selection creates the new users that New needs later: a new team needs one newly created user as its first member
  > Select the team together with its users, or exclude one of its new users as well.
that includes a first member and excludes the team, which has nobody else, is refused
  teams: {New: {members: [ada]}}
  include: [user:ada]
  exclude: [team:New]
  > not-selected
  > The selection creates the new users that New needs later: a new team needs one newly created user as its first member
  > Select the team together with its users, or exclude one of its new users as well.
of a user whom the roster does not know is refused
  exclude: [user:nobody]
  > unknown-selector
  > The selector user:nobody matches no user in the roster, so roster planned nothing
  > Write user:EMAIL or team:NAME, as they are in the roster.
of a team that the roster does not know is refused
  exclude: [team:Nothing]
  > unknown-selector
  > The selector team:Nothing matches no team in the roster, so roster planned nothing
  > Write user:EMAIL or team:NAME, as they are in the roster.
`;

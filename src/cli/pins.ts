import type { Place } from "../model/fact.ts";
import type { Policy } from "../model/policy.ts";
import type { Roster, RosterMember } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { shownOwnKey } from "../model/team.ts";
import { buildPlanContext, type PlanContext } from "../plan/context.ts";
import { showsTeam, type TeamIdentity, type UserIdentities, type UserIdentity } from "../plan/identities.ts";
import { membershipStatus } from "../plan/memberships/membership-status.ts";
import { identifyTeams } from "../plan/teams/teams.ts";
import { identifyUsers } from "../plan/users/users.ts";
import { textProblem } from "../roster/decode-values.ts";
import type { MapInsertion } from "../yaml/edit.ts";
import { sha256 } from "./system.ts";

/** An identity that was learned and that the roster does not say yet. */
export interface Pin extends MapInsertion {
  /** Such as `team Platform`. */
  readonly of: string;
}

/** The identifiers of teams, and the prefixes of keys whose holder or team the service does not show, as a plan knows them. */
export function findPins(known: {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly policy: Policy;
}): readonly Pin[] {
  const { context: question } = buildPlanContext({ ...known, digest: sha256 });
  const { people } = identifyUsers(question);
  const { teams } = identifyTeams(question);
  const pins = [
    ...[...people.values()].flatMap(ownKeyPin),
    ...[...teams.values()].flatMap((identity) => [
      ...identifierPin(identity),
      ...memberPins(identity, people, question),
    ]),
  ];
  return pins.filter(({ value }) => textProblem(value) === undefined);
}

function identifierPin(identity: TeamIdentity): readonly Pin[] {
  const { team } = identity;
  if (identity.is !== "known" || team.identifier !== undefined) return [];
  const of = `team ${team.name}`;
  return [{ place: team.place, after: "name", key: "identifier", value: identity.identifier, of }];
}

function ownKeyPin(person: UserIdentity): readonly Pin[] {
  if (person.is !== "present" || person.user.key !== undefined) return [];
  const { user, observed, record } = person;
  if (record?.key === undefined || record.founded !== undefined || shownOwnKey(observed) !== undefined) return [];
  const isGone = observed.keys !== undefined && !observed.keys.some(({ prefix }) => prefix === record.key);
  return isGone ? [] : [keyPin(user.place, "email", record.key, `own key of ${user.email}`)];
}

function memberPins(identity: TeamIdentity, people: UserIdentities, question: PlanContext): readonly Pin[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  return identity.team.members.flatMap((member) => memberPin(member, identity, people.get(member.address), question));
}

function memberPin(
  member: RosterMember,
  identity: TeamIdentity,
  person: UserIdentity | undefined,
  question: PlanContext,
): readonly Pin[] {
  const [place] = member.because;
  if (person?.is !== "present" || member.key !== undefined || place === undefined) return [];
  const standing = membershipStatus(person, member, identity, question);
  if (standing.is !== "member" || standing.key === undefined) return [];
  const { value } = standing.key;
  const shown = person.observed.keys?.find(({ prefix }) => prefix === value);
  if (shown !== undefined && showsTeam(shown, identity) === "yes") return [];
  return [keyPin(place, "user", value, `key of ${person.user.email} in team ${identity.team.name}`)];
}

function keyPin(place: Place, after: string, value: string, of: string): Pin {
  return { place, after, key: "key", value, of };
}

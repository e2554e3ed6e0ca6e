import { type Action, peopleOf, prefixOf, teamOf } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { type Fact, type Known, observed, recorded, unknown } from "../model/fact.ts";
import { keyBelongsToTeam, type ObservedKey, shownTeam } from "../model/key.ts";
import type { NamesInCalls } from "../model/plan.ts";
import type { TeamKey } from "../model/recorded.ts";
import { formatRoles, type RoleSet } from "../model/role-set.ts";
import type { TeamInRoster } from "../model/roster-index.ts";
import type { State } from "../model/state.ts";
import { type Basis, keySubject, observedBasis, partOf, teamSubject, userSubject } from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { DesiredUser, ObservedUser, RecordedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { observedAccount, type SnapshotIndex, teamIdentifier, type UserKey } from "./snapshot-index.ts";

export type UserIdentity =
  | PresentUser
  | AbsentUser
  /** Nothing is done for them, nor for what needs them; a finding says why. */
  | { readonly is: "blocked"; readonly user: DesiredUser };

export interface PresentUser {
  readonly is: "present";
  readonly user: DesiredUser;
  readonly observed: ObservedUser;
  readonly record: RecordedUser | undefined;
  /** False for people that the service bars: they are not invited to anything. */
  readonly invitable: boolean;
  /** Our records know another user at the address, and a person allowed that this one is meant. */
  readonly isReplacement: boolean;
}

/** Proven to be absent: to be created. */
export interface AbsentUser {
  readonly is: "absent";
  readonly user: DesiredUser;
  /** Of the address, then of the former ones; never empty. */
  readonly absences: readonly Basis[];
}

export type UserIdentities = ReadonlyMap<EmailKey, UserIdentity>;

export interface ClassifiedUser {
  readonly person: UserIdentity;
  readonly findings: readonly FindingDraft[];
}

export type UserFinding = Omit<FindingDraft, "subject" | "because" | "concerns" | "roles"> &
  Partial<Pick<FindingDraft, "because">>;

export function userFinding(user: DesiredUser, finding: UserFinding): FindingDraft {
  const concerns = [{ address: user.address }];
  return { subject: userSubject(user.address), because: user.because.slice(0, 1), concerns, ...finding };
}

export function blockUser(user: DesiredUser, finding: UserFinding): ClassifiedUser {
  return { person: { is: "blocked", user }, findings: [userFinding(user, finding)] };
}

/** What a team of the roster is to the service. */
export type TeamIdentity = TeamInRoster &
  (
    | { readonly is: "known"; readonly identifier: string; readonly identified: Known<string> }
    /** It is there, but nobody knows by which identifier: nobody can be added, nor is it created again. */
    | { readonly is: "unidentified" }
    /** To be created: its absence is proven, or a person confirms it. */
    | { readonly is: "absent"; readonly absence: Basis }
    /** Not shown as such, but not proven to be absent either: nothing is created, and its first member is kept for it. */
    | {
        readonly is: "unknown";
        readonly code: "unproven-absence" | "incomplete-read" | "team-identifier-unknown";
        readonly why: string;
      }
    /** Nothing is done for it, and a finding says why. */
    | { readonly is: "blocked" }
  );

export type TeamThatIs<Is extends TeamIdentity["is"]> = Extract<TeamIdentity, { readonly is: Is }>;

export type TeamIdentities = ReadonlyMap<TeamKey, TeamIdentity>;

export interface ClassifiedTeam {
  readonly identity: TeamIdentity;
  readonly findings: readonly FindingDraft[];
}

export function teamFinding(
  team: DesiredTeam,
  finding: Omit<FindingDraft, "subject" | "because" | "concerns">,
): FindingDraft {
  return {
    subject: teamSubject(team.key),
    because: team.because.slice(0, 1),
    concerns: [{ team: team.key }],
    ...finding,
  };
}

/** Whether the service shows a key as one of this team. A name alone does not tell teams of several accounts apart. */
export function isKeyOfTeam(
  identity: TeamThatIs<"known" | "unidentified">,
  held: UserKey,
  facts: SnapshotIndex,
): boolean {
  const { key, holder } = held;
  if (keyBelongsToTeam(key, identity) !== "yes") return false;
  const account = observedAccount(holder, facts);
  return teamIdentifier(key) !== undefined || account === undefined || account === identity.team.account;
}

export interface KnownKey {
  readonly prefix: Known<string>;
  readonly roles?: Known<RoleSet> | undefined;
}

export function knownKey({ prefix, roles }: ObservedKey, { by }: ObservedUser): KnownKey {
  return { prefix: observed(prefix, by), roles: roles && observed(roles, by) };
}

/** A key known by prefix alone; its roles are shown where the holder's keys are. */
export function keyWithPrefix(prefix: Known<string>, holder: ObservedUser): KnownKey {
  const shown = holder.keys?.find((key) => key.prefix === prefix.value);
  return shown === undefined ? { prefix } : knownKey(shown, holder);
}

/** What a key carries, as far as it is known: as it is shown, else as we asked for it the last time. */
export function currentRoles({ prefix, roles }: KnownKey, { keys }: State): Fact<RoleSet> {
  if (roles !== undefined) return roles;
  const record = keys.get(prefix.value);
  if (record !== undefined) return recorded(record.setRoles, record.at);
  if (prefix.known === "observed") return unknown("the service does not show the roles of this key");
  return unknown(`no read shows this key${prefix.known === "declared" ? ", only the roster names it" : ""}`);
}

/** What a key carries before the plan, as what something rests on. */
export function rolesBasis(prefix: string, roles: Fact<RoleSet>): Basis {
  const fact = roles.known === "unknown" ? roles : { ...roles, value: formatRoles(roles.value) };
  return { about: partOf("roles", keySubject(prefix)), fact };
}

export function presenceBasis({ address, status, by }: ObservedUser): Basis {
  return observedBasis(userSubject(address), `present as ${status ?? "a user without a status"}`, by);
}

/** How calls name the people and teams of these actions: by the service's identifiers, where they are known. */
export function namesInCalls(
  actions: readonly Action[],
  people: UserIdentities,
  teams: TeamIdentities,
  context: PlanContext,
): NamesInCalls {
  const named = new Map<TeamKey, ReturnType<typeof teamInCalls>>();
  for (const action of actions) {
    const team = teamOf(action);
    if (team !== undefined && !named.has(team)) named.set(team, teamInCalls(team, teams.get(team), action, context));
  }
  const addresses = [...new Set(actions.flatMap(peopleOf))];
  const users = new Map(addresses.map((one) => [one, userInCalls(one, people.get(one), context)]));
  return { users, teams: named };
}

function userInCalls(address: EmailKey, person: UserIdentity | undefined, { facts, roster, state }: PlanContext) {
  const shown = person?.is === "present" ? person.observed : facts.people.get(address)?.[0];
  const email = person?.user.email ?? shown?.email ?? roster.leavers.get(address)?.email ?? address;
  const record = person?.is === "present" ? person.record : shown === undefined ? state.users.get(address) : undefined;
  const at = record?.createdAt ?? record?.seenAt;
  const identifier = (): Fact<string> => {
    if (person?.is === "absent") return unknown("this plan creates the user");
    if (shown?.identifier !== undefined) return observed(shown.identifier, shown.by);
    if (record?.identifier !== undefined && at !== undefined) return recorded(record.identifier, at);
    return unknown(`the service does not show ${shown === undefined ? "this user" : "the identifiers of users"}`);
  };
  return { email, identifier: identifier() };
}

function teamInCalls(team: TeamKey, identity: TeamIdentity | undefined, action: Action, { facts, state }: PlanContext) {
  if (identity !== undefined) {
    const { name, account } = identity.team;
    const identifier = identity.is === "known" ? identity.identified : unknown<string>("this plan creates the team");
    return { name, account, identifier };
  }
  // A key of a team that the roster does not name.
  const held = facts.keyPrefixed((action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? "");
  const shown = held && shownTeam(held.key);
  const record = state.teams.get(team);
  const name = shown?.name ?? record?.name ?? team;
  const account = (held && observedAccount(held.holder, facts)) ?? record?.account ?? "";
  const known = record?.identifier === undefined ? undefined : recorded(record.identifier, record.at);
  const observedAs = held && shown?.identifier !== undefined ? observed(shown.identifier, held.holder.by) : undefined;
  return { name, account, identifier: observedAs ?? known ?? unknown<string>("no read shows the team") };
}

import { type Action, peopleOf, prefixOf, teamOf } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { type Fact, observed, recorded, unknown } from "../model/fact.ts";
import { type ObservedKey, shownTeams } from "../model/key.ts";
import type { NamesInCalls } from "../model/plan.ts";
import type { TeamKey } from "../model/recorded.ts";
import { formatRoles, type RoleSet } from "../model/role-set.ts";
import type { State } from "../model/state.ts";
import { type Basis, keySubject, observedBasis, partOf, teamSubject, userSubject } from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { DesiredUser, ObservedUser, RecordedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { observedAccount } from "./snapshot-index.ts";

/** Who a user of the roster is to the service. */
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

/** A finding about one person, at their place in the roster. */
export function userFinding(user: DesiredUser, finding: UserFinding): FindingDraft {
  const concerns = [{ address: user.address }];
  return { subject: userSubject(user.address), because: user.because.slice(0, 1), concerns, ...finding };
}

export function blockUser(user: DesiredUser, finding: UserFinding): ClassifiedUser {
  return { person: { is: "blocked", user }, findings: [userFinding(user, finding)] };
}

/** What a team of the roster is to the service. Where it is blocked nothing is done for it, and a finding says why. */
export type TeamIdentity =
  | KnownTeam
  | UnidentifiedTeam
  | AbsentTeam
  | UnknownTeam
  | (TeamIdentityFields & { readonly is: "blocked" });

/** Under which names and keys a team of the roster may be found. */
export interface TeamIdentityFields {
  readonly team: DesiredTeam;
  /** Folded names under which keys may show it. */
  readonly names: ReadonlySet<string>;
  /** True where its account has another team of its name, so that the name alone does not tell which one is shown. */
  readonly isTwin: boolean;
  /** Keys under which the state may remember it: its own first, then those of its former names. */
  readonly recordKeys: readonly TeamKey[];
}

export interface KnownTeam extends TeamIdentityFields {
  readonly is: "known";
  readonly identifier: string;
  readonly identified: Fact<string>;
}

/** It is there, but nobody knows by which identifier: nobody can be added, nor is it created again. */
export interface UnidentifiedTeam extends TeamIdentityFields {
  readonly is: "unidentified";
}

/** To be created: its absence is proven, or a person confirms it. */
export interface AbsentTeam extends TeamIdentityFields {
  readonly is: "absent";
  readonly absence: Basis;
}

/** Not shown as such, but not proven to be absent either: nothing is created, and its first member is kept for it. */
export interface UnknownTeam extends TeamIdentityFields {
  readonly is: "unknown";
  readonly code: "unproven-absence" | "incomplete-read" | "team-identifier-unknown";
  readonly why: string;
}

export type TeamIdentities = ReadonlyMap<TeamKey, TeamIdentity>;

export interface ClassifiedTeam {
  readonly identity: TeamIdentity;
  readonly findings: readonly FindingDraft[];
}

/** A finding about one team, at its place in the roster. */
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

/** A key whose prefix is known, with its roles where the service shows them. */
export interface KnownKey {
  readonly prefix: Fact<string>;
  readonly value: string;
  readonly roles?: Fact<RoleSet> | undefined;
}

export function knownKey({ prefix, roles }: ObservedKey, { by }: ObservedUser): KnownKey {
  const carried = roles === undefined ? undefined : observed(roles, by);
  return { prefix: observed(prefix, by), value: prefix, roles: carried };
}

/** A key known by prefix alone; its roles are shown where the holder's keys are. */
export function keyWithPrefix(value: string, prefix: Fact<string>, holder: ObservedUser): KnownKey {
  const shown = holder.keys?.find((key) => key.prefix === value);
  return shown === undefined ? { prefix, value } : knownKey(shown, holder);
}

/** What a key carries, as far as it is known: as it is shown, else as we asked for it the last time. */
export function currentRoles(key: KnownKey, { keys }: State): Fact<RoleSet> {
  if (key.roles !== undefined) return key.roles;
  const record = keys.get(key.value);
  if (record !== undefined) return recorded(record.setRoles, record.at);
  return unknown(whyRolesUnknown[key.prefix.known]);
}

const whyRolesUnknown: Readonly<Record<Fact<string>["known"], string>> = {
  observed: "the service does not show the roles of this key",
  declared: "no read shows this key, only the roster names it",
  recorded: "no read shows this key",
  unknown: "no read shows this key",
};

/** What a key carries before the plan, as what something rests on. */
export function rolesBasis(prefix: string, roles: Fact<RoleSet>): Basis {
  const fact = roles.known === "unknown" ? roles : { ...roles, value: formatRoles(roles.value) };
  return { about: partOf("roles", keySubject(prefix)), fact };
}

/** That the service shows a user, and with which status. */
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
  const users = new Map<EmailKey, ReturnType<typeof userInCalls>>();
  const named = new Map<TeamKey, ReturnType<typeof teamInCalls>>();
  for (const action of actions) {
    for (const address of peopleOf(action))
      if (!users.has(address)) users.set(address, userInCalls(address, people.get(address), context));
    const team = teamOf(action);
    if (team !== undefined && !named.has(team)) named.set(team, teamInCalls(team, teams.get(team), action, context));
  }
  return { users, teams: named };
}

function userInCalls(address: EmailKey, person: UserIdentity | undefined, { facts, roster, state }: PlanContext) {
  if (person?.is === "absent")
    return { email: person.user.email, identifier: unknown<string>("this plan creates the user") };
  const shown = person?.is === "present" ? person.observed : facts.people.get(address)?.[0];
  const email = person?.user.email ?? shown?.email ?? roster.leavers.get(address)?.email ?? address;
  if (shown?.identifier !== undefined) return { email, identifier: observed(shown.identifier, shown.by) };
  const record = person?.is === "present" ? person.record : shown === undefined ? state.users.get(address) : undefined;
  const at = record?.createdAt ?? record?.seenAt;
  if (record?.identifier !== undefined && at !== undefined)
    return { email, identifier: recorded(record.identifier, at) };
  const why =
    shown === undefined ? "the service does not show this user" : "the service does not show the identifiers of users";
  return { email, identifier: unknown<string>(why) };
}

function teamInCalls(team: TeamKey, identity: TeamIdentity | undefined, action: Action, { facts, state }: PlanContext) {
  if (identity !== undefined) {
    const { name, account } = identity.team;
    return {
      name,
      account,
      identifier: identity.is === "known" ? identity.identified : unknown<string>("this plan creates the team"),
    };
  }
  // A key of a team that the roster does not name.
  const held = facts.keyPrefixed((action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? "");
  const shown = held === undefined ? undefined : shownTeams([held.key])[0];
  const record = state.teams.get(team);
  const name = shown?.name ?? record?.name ?? team;
  const account = (held && observedAccount(held.holder, facts)) ?? record?.account ?? "";
  if (held !== undefined && shown?.identifier !== undefined)
    return { name, account, identifier: observed(shown.identifier, held.holder.by) };
  const identifier =
    record?.identifier === undefined
      ? unknown<string>("no read shows the team")
      : recorded(record.identifier, record.at);
  return { name, account, identifier };
}

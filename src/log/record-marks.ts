import type { Action, AddMembers, CreateUser, MemberRef, PersonRef, ReplaceRoles, TeamRef } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { RecordDigest } from "../model/plan.ts";
import { byCodeUnit, multimap } from "../model/role-set.ts";
import { sha256 } from "../model/sha256.ts";
import type { OpenIntent, State } from "../model/state.ts";
import { membershipKeyOf, type TeamKey } from "../model/team.ts";

/** The subject of an action: a creation, one person's place in a team, the roles of a key. */
interface RecordSubject {
  readonly about: string;
  readonly action: Action;
  /** Of an addition, the one person. */
  readonly member?: MemberRef;
}

/**
 * A digest of what a state records about the subjects of actions. Times are left out: the same facts give the same digest.
 * A subject without records has no mark.
 */
export function recordMarks(actions: readonly Action[], state: State): readonly RecordDigest[] {
  const lookup: RecordLookup = { state, holders: keyHolders(state) };
  return actions.flatMap(recordSubjects).flatMap((subject) => {
    const facts = recordedFacts(subject, lookup);
    return facts.every(isNothingRecorded)
      ? []
      : [{ about: subject.about, digest: sha256(JSON.stringify(facts)).slice(0, 16) }];
  });
}

/** Subjects with other records than when the marks were made. */
export function changedSubjects(
  actions: readonly Action[],
  state: State,
  { marks }: { readonly marks: readonly RecordDigest[] },
): readonly RecordSubject[] {
  const before = new Map(marks.map((mark) => [mark.about, mark.digest]));
  const now = new Map(recordMarks(actions, state).map((mark) => [mark.about, mark.digest]));
  return actions.flatMap(recordSubjects).filter(({ about }) => before.get(about) !== now.get(about));
}

function recordSubjects(action: Action): readonly RecordSubject[] {
  switch (action.kind) {
    case "create-user":
      return [{ about: `creation ${action.address}`, action }];
    case "add-members":
      return action.members.map((member) => ({
        about: `addition ${membershipKeyOf(action.team.team, member.address)}`,
        action,
        member,
      }));
    case "replace-roles": {
      const prefix = action.key.of === "prefix" ? factValue(action.key.prefix) : undefined;
      return prefix === undefined ? [] : [{ about: `roles ${prefix}`, action }];
    }
  }
}

/** As a list, so that no order of fields can change the text. */
type RecordedFacts = readonly unknown[];

function isNothingRecorded(facts: unknown): boolean {
  return facts === null || (Array.isArray(facts) && facts.length === 0);
}

interface RecordLookup {
  readonly state: State;
  readonly holders: ReadonlyMap<string, readonly string[]>;
}

function recordedFacts({ action, member }: RecordSubject, lookup: RecordLookup): RecordedFacts {
  switch (action.kind) {
    case "create-user":
      return recordedOfCreation(action, lookup);
    case "add-members":
      return member === undefined ? [] : recordedOfMembership(action, member, lookup);
    case "replace-roles":
      return recordedOfKey(action, lookup);
  }
}

function recordedOfCreation({ address, createsTeam, request }: CreateUser, { state }: RecordLookup): RecordedFacts {
  const known = state.users.get(address);
  const team = createsTeam === undefined ? undefined : state.teams.get(createsTeam.team);
  return [
    known === undefined ? null : [known.identifier ?? null, known.createdTeam ?? null],
    team === undefined ? null : [team.identifier ?? null],
    recordedIdentity(createsTeam?.admin, state),
    openCallsAbout(state, (open) => isAboutCreation(open, address, createsTeam?.team)),
    recordedRefusal(request, state),
  ];
}

function isAboutCreation({ intent }: OpenIntent, address: EmailKey, team: TeamKey | undefined): boolean {
  if (intent.kind !== "create-user") return false;
  return intent.address === address || (team !== undefined && intent.createsTeam?.team === team);
}

function recordedOfMembership({ team }: AddMembers, member: MemberRef, { state }: RecordLookup): RecordedFacts {
  const { address } = member;
  const identifier = factValue(team.identifier);
  const membership = state.memberships.get(membershipKeyOf(team.team, address));
  return [
    membership === undefined ? null : [membership.prefix ?? null],
    recordedIdentity(member, state),
    recordedTeamIdentity(team, state),
    openCallsAbout(state, ({ intent }) => {
      const isOfThem = intent.kind === "add-members" && intent.addresses.includes(address);
      return isOfThem && (intent.team === team.team || intent.identifier === identifier);
    }),
    recordedRefusal(member.request, state),
  ];
}

function recordedOfKey({ key, before, request }: ReplaceRoles, { state, holders }: RecordLookup): RecordedFacts {
  const prefix = key.of === "prefix" ? key.prefix : undefined;
  const value = prefix === undefined ? undefined : factValue(prefix);
  if (prefix === undefined || value === undefined) return [];
  const put = before.known === "observed" ? undefined : state.keys.get(value);
  return [
    prefix.known === "recorded" ? (holders.get(value) ?? null) : null,
    put === undefined ? null : [put.put, put.readAs ?? null],
    recordedRefusal(request, state),
  ];
}

/** A record speaks of somebody only where the service shows no identifier. */
function recordedIdentity(person: PersonRef | undefined, { users }: State): string | null {
  if (person === undefined || person.createdBy !== undefined || person.identifier.known === "observed") return null;
  return users.get(person.address)?.identifier ?? null;
}

function recordedTeamIdentity({ team, identifier, createdBy }: TeamRef, { teams }: State): string | null {
  if (createdBy !== undefined || identifier.known === "observed" || identifier.known === "declared") return null;
  return teams.get(team)?.identifier ?? null;
}

/** Who holds which key, as far as is recorded. */
function keyHolders({ users, memberships }: State): ReadonlyMap<string, readonly string[]> {
  const holders = [
    ...[...users.values()].map(({ key, address }) => [key, address] as const),
    ...[...memberships].map(([membership, { prefix }]) => [prefix, membership] as const),
  ].flatMap(([prefix, holder]) => (prefix === undefined ? [] : [[prefix, holder] as const]));
  return new Map([...multimap(holders)].map(([prefix, held]) => [prefix, held.toSorted(byCodeUnit)]));
}

function openCallsAbout({ open }: State, isMeant: (open: OpenIntent) => boolean): RecordedFacts {
  return open.filter(isMeant).map(({ run, action }) => [run, action]);
}

/** That the very request was refused. */
function recordedRefusal(request: string | undefined, { refusals }: State): string | null {
  return request !== undefined && refusals.has(request) ? request : null;
}

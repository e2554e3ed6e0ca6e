import type { FindingCode } from "../../codes/findings.ts";
import type { EmailKey } from "../../model/address.ts";
import { keySubject, memberSubject, partOf, type Subject, userSubject } from "../../model/fact.ts";
import type { Finding, OutsideChange } from "../../model/finding.ts";
import { isDeleted, shownOwnKey, shownTeam, shownTeamKey, shownTeams } from "../../model/key.ts";
import { type Action, prefixOf, teamOf } from "../../model/plan.ts";
import type { State } from "../../model/state.ts";
import { foldName, membershipKeyOf } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { profileFieldNames, type RoleSet, roleSet, rolesWithout, type TeamKey } from "../../model/values.ts";
import type { Comparison } from "../snapshot-index.ts";

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: EmailKey;
  readonly subject: Subject;
}

export function splitAction(action: Action): readonly ActionPart[] {
  switch (action.kind) {
    case "create-user":
      return [{ action, subject: userSubject(action.address) }];
    case "add-members":
      return action.members.map(({ address: person }) => {
        return { action, person, subject: memberSubject(person, action.team) };
      });
    case "replace-roles": {
      const { key } = action;
      if (key.of === "prefix") return [{ action, subject: keySubject(key.prefix.value) }];
      if (key.of === "own-key") return [{ action, subject: partOf("own key", userSubject(key.address)) }];
      return [{ action, subject: partOf("key", memberSubject(key.address, key.team)) }];
    }
  }
}

/** What others did in the service since roster last wrote or saw it: the same for a plan and for its drift. */
export type OutsideChanges = ReturnType<typeof findOutsideChanges>;

export function findOutsideChanges(compared: Comparison) {
  const known = new Map<string, readonly OutsideChange[]>();
  return {
    behindAction: (part: ActionPart) => changesBehindAction(part, compared),
    behindFinding(finding: Finding): readonly OutsideChange[] {
      const changes = known.get(finding.fingerprint) ?? changesBehindFinding(finding, compared);
      known.set(finding.fingerprint, changes);
      return changes;
    },
  };
}

/** What an action undoes that was changed outside roster. Empty where the action only brings what no run has applied yet. */
function changesBehindAction({ action, person }: ActionPart, input: Comparison): readonly OutsideChange[] {
  switch (action.kind) {
    case "create-user":
      return removedRecordedUser(action.address, input);
    case "add-members": {
      const { team } = action;
      const isRecorded = person !== undefined && input.state.memberships.has(membershipKeyOf(team, person));
      return isRecorded ? [removedMember(person, team, input)] : [];
    }
    case "replace-roles": {
      const { key, before, roles } = action;
      const [prefix, team] = [prefixOf(action), teamOf(action)];
      // Only roles that were read can have been changed by others.
      if (prefix === undefined || before.known !== "observed") return [];
      const person = key.address && personAt(key.address, input);
      const name = team && teamNameOf(team, input);
      return changesOfKey(prefix, before.value, roles, input).map((change) => {
        return { ...change, person: change.person ?? person, team: change.team ?? name };
      });
    }
  }
}

/** What a finding is about that was changed outside roster, and privileged roles that the roster does not give, as far as they are known. */
function changesBehindFinding(finding: Finding, input: Comparison): readonly OutsideChange[] {
  const { code, subject, kind } = finding;
  switch (subject.kind) {
    case "user":
      return changesOfUser(finding, subject.address, input);
    case "member":
      if (code === "member-removed") return [removedMember(subject.address, subject.team, input)];
      return code === "extra-member" && kind === "task" ? addedMember(subject.address, subject.team, input) : [];
    case "team":
      return code === "team-name-differs" ? renamedTeam(subject.team, input) : [];
    case "key":
      if (code === "unknown-key") {
        if (baselineOf(subject.prefix, input.state) === undefined) return [];
        return [
          outsideChange("key-removed", { prefix: subject.prefix, lost: lostWith([subject.prefix], input) }, input),
        ];
      }
      if (code === "unmanaged-key-changed") return changesOfUnmanagedKey(subject.prefix, input);
      return kind === "task" && code !== "write-pending" ? rolesOfShownKey(subject.prefix, finding, input) : [];
    case "role-on-key":
      return gainedRole(subject.role, subject.prefix, input);
    default:
      return [];
  }
}

function changesOfUser(finding: Finding, address: EmailKey, input: Comparison): readonly OutsideChange[] {
  const user = shownAt(address, input);
  switch (finding.code) {
    case "user-missing":
      return [missingUser(address, input)];
    case "inactive-user":
      return user !== undefined && isDeleted(user) ? removedRecordedUser(address, input) : [];
    case "user-in-other-account":
      return changedAccount(address, input);
    case "profile-differs":
      return finding.kind === "task" ? changedProfile(address, input) : [];
    default: {
      const blocked = blockingCodes.has(finding.code) ? (user?.keys ?? []) : [];
      return blocked.flatMap(({ prefix }) => rolesOfShownKey(prefix, finding, input));
    }
  }
}

/** Only a key whose roles are blocked has roles that others changed. Keys that the roster leaves alone have findings of their own. */
function rolesOfShownKey(prefix: string, { code }: Finding, input: Comparison): readonly OutsideChange[] {
  const held = input.facts.keyPrefixed(prefix);
  if (held?.key.roles === undefined || isDeleted(held.key)) return [];
  const given = input.names().keyOf(held).roles;
  if (blockingCodes.has(code)) return changesOfKey(prefix, held.key.roles, given, input);
  return given === undefined ? [] : privilegedRoles(prefix, rolesWithout(held.key.roles, given), input);
}

/**
 * What others did to the roles of a key, then the privileged roles that it has and that the roster does not give it. A roster that gives no roles
 * leaves those that were there.
 */
function changesOfKey(
  prefix: string,
  carried: RoleSet,
  given: RoleSet | undefined,
  input: Comparison,
): readonly OutsideChange[] {
  const record = baselineOf(prefix, input.state);
  const wanted = given ?? record?.setRoles;
  if (wanted === undefined) return [];
  const { gained, lost } = record === undefined ? { gained: [], lost: [] } : outsideRoles(record, carried, wanted);
  const others = rolesWithout(carried, [...wanted, ...gained]);
  return [...changedRoles(prefix, { gained, lost }, input), ...privilegedRoles(prefix, others, input)];
}

/** What differs from what was seen, without the privileged roles: each of them is a finding of its own, or its holder may have it. */
function changesOfUnmanagedKey(prefix: string, input: Comparison): readonly OutsideChange[] {
  const record = baselineOf(prefix, input.state);
  const carried = input.facts.keyPrefixed(prefix)?.key.roles;
  if (record === undefined || carried === undefined) return [];
  return changedRoles(prefix, unmanagedChange(record, carried, input.policy.privilegedRoles), input);
}

function gainedRole(role: string, prefix: string, input: Comparison): readonly OutsideChange[] {
  const record = baselineOf(prefix, input.state);
  const isNew = record === undefined ? isOfOurs(prefix, input) : outsideRoles(record, [role], []).gained.includes(role);
  if (!isNew) return privilegedRoles(prefix, [role], input);
  return changedRoles(prefix, { gained: [role], lost: [] }, input);
}

/** A key that came with a creation or an addition by a run. Others were there before, with roles that nobody recorded. */
function isOfOurs(prefix: string, { facts, state }: Comparison): boolean {
  const holder = facts.recordedHolders(prefix).at(-1);
  if (holder === undefined) return false;
  const user = state.users.get(holder.address);
  if (user?.createdAt !== undefined && user.key === prefix) return true;
  if (holder.of === "own") return false;
  const membership = state.memberships.get(membershipKeyOf(holder.of, holder.address));
  return membership !== undefined && membership.how !== "seen";
}

function changedRoles(
  prefix: string,
  { gained, lost }: Pick<OutsideChange, "gained" | "lost">,
  input: Comparison,
): readonly OutsideChange[] {
  if (gained.length + lost.length === 0) return [];
  return [outsideChange("roles-changed", { prefix, gained, lost }, input)];
}

function privilegedRoles(prefix: string, carried: RoleSet, input: Comparison): readonly OutsideChange[] {
  const gained = carried.filter((role) => input.policy.privilegedRoles.includes(role));
  if (gained.length === 0) return [];
  const isKnown = baselineOf(prefix, input.state) !== undefined;
  return [outsideChange(isKnown ? "privileged-roles-left" : "privileged-roles-found", { prefix, gained }, input)];
}

/** Records know the user; the service shows nobody, somebody else, or the same user with another address. */
function missingUser(address: EmailKey, input: Comparison): OutsideChange {
  if (input.facts.people.has(address)) return outsideChange("user-replaced", { address }, input);
  const identifier = input.state.users.get(address)?.identifier;
  const moved = identifier === undefined ? undefined : input.facts.userIdentifiedBy(identifier);
  if (moved !== undefined) return outsideChange("email-changed", { address, to: moved.email }, input);
  return removedUser(address, input);
}

function removedRecordedUser(address: EmailKey, input: Comparison): readonly OutsideChange[] {
  const record = input.state.users.get(address);
  const wasThere = record?.createdAt !== undefined || record?.seenAt !== undefined;
  return wasThere ? [removedUser(address, input)] : [];
}

function removedUser(address: EmailKey, input: Comparison): OutsideChange {
  const lost = lostWith(input.facts.recordedPrefixes(address), input);
  return outsideChange("user-removed", { address, lost }, input);
}

function removedMember(address: EmailKey, team: TeamKey, input: Comparison): OutsideChange {
  const prefix = input.state.memberships.get(membershipKeyOf(team, address))?.prefix;
  const lost = prefix === undefined ? [] : lostWith([prefix], input);
  return outsideChange("member-removed", { address, team: teamNameOf(team, input), prefix, lost }, input);
}

/** A member of a team that a run created was added by a run, or by others. */
function addedMember(address: EmailKey, team: TeamKey, input: Comparison): readonly OutsideChange[] {
  const { state, facts } = input;
  const record = state.teams.get(team);
  if (record?.firstMember === undefined || state.memberships.has(membershipKeyOf(team, address))) return [];
  const user = shownAt(address, input);
  const name = teamNameOf(team, input);
  const held = user && shownTeamKey(user, { team, name, identifier: record.identifier });
  if (held?.is !== "present") return [outsideChange("member-added", { address, team: name }, input)];
  const { prefix, roles = [] } = held.key;
  // The key of a recorded member, who has another address by now.
  if (facts.recordedHolders(prefix).at(-1)?.of === team) return [];
  const gained = rolesWithout(roles, baselineOf(prefix, state)?.observedRoles ?? []);
  return [outsideChange("member-added", { address, team: name, prefix, gained }, input)];
}

function changedAccount(address: EmailKey, input: Comparison): readonly OutsideChange[] {
  const { roster, state } = input;
  const record = state.users.get(address);
  if (record?.createdAt === undefined || record.account !== roster.users.get(address)?.account) return [];
  return [outsideChange("account-changed", { address, to: shownAt(address, input)?.account }, input)];
}

/** Fields that the roster still asks for as our creation sent them, and that show otherwise than they were answered. */
function changedProfile(address: EmailKey, input: Comparison): readonly OutsideChange[] {
  const profile = input.state.users.get(address)?.profile;
  const wanted = input.roster.users.get(address);
  const now = shownAt(address, input);
  if (profile === undefined || wanted === undefined || now === undefined) return [];
  const fields = profileFieldNames.filter((field) => {
    const answered = profile.answered[field];
    const isAsked = wanted[field] !== undefined && wanted[field] === profile.sent[field];
    return isAsked && answered !== undefined && now[field] !== undefined && now[field] !== answered;
  });
  return fields.length === 0 ? [] : [outsideChange("profile-changed", { address, fields }, input)];
}

/** A team that records know by its identifier and under the name that the roster gives it. */
function renamedTeam(team: TeamKey, input: Comparison): readonly OutsideChange[] {
  const record = input.state.teams.get(team);
  const wanted = input.names().teamWithKey(team);
  if (record?.identifier === undefined || wanted === undefined) return [];
  if (foldName(record.name) !== foldName(wanted.name)) return [];
  const held = input.facts.byTeamIdentifier.get(record.identifier) ?? [];
  const to = shownTeams(held.map(({ key }) => key)).find(({ name }) => name !== undefined)?.name;
  const known = [wanted.name, ...wanted.previously.map(({ value }) => value)].map(foldName);
  if (to === undefined || known.includes(foldName(to))) return [];
  return [outsideChange("team-renamed", { team: record.name, to }, input)];
}

interface FoundChange extends Partial<Pick<OutsideChange, "gained" | "lost" | "fields">> {
  readonly address?: EmailKey;
  readonly team?: string;
  readonly prefix?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * A change of which no more is said than is known. Who holds a key, and in which team, is as found, else as the service shows it,
 * else as it is recorded.
 */
function outsideChange(is: OutsideChange["is"], found: FoundChange, input: Comparison): OutsideChange {
  const { prefix, to, fields, gained = [], lost = [] } = found;
  const held = prefix === undefined ? undefined : input.facts.keyPrefixed(prefix);
  const recorded = prefix === undefined ? undefined : input.facts.recordedHolders(prefix).at(-1);
  const seen = prefix === undefined ? undefined : input.state.seenKeys?.get(prefix);
  const address = found.address ?? held?.holder.address ?? recorded?.address ?? seen?.address;
  const recordedTeam = recorded === undefined || recorded.of === "own" ? undefined : teamNameOf(recorded.of, input);
  const team = found.team ?? (held && shownTeam(held.key)?.name) ?? recordedTeam;
  const isShownAsOwn = held !== undefined && shownOwnKey(held.holder)?.prefix === prefix;
  const isOwn = team === undefined && (isShownAsOwn || recorded !== undefined);
  const key = prefix === undefined ? undefined : { prefix, isOwn };
  const privileged = gained.filter((role) => input.policy.privilegedRoles.includes(role));
  const person = address && personAt(address, input);
  return { is, person, team, key, to, fields, gained, lost, privileged };
}

/** The recorded roles of keys that the service does not show any more. */
function lostWith(prefixes: readonly string[], { state, facts }: Comparison): RoleSet {
  const gone = prefixes.filter((prefix) => {
    const held = facts.keyPrefixed(prefix);
    return held === undefined || isDeleted(held.key) || isDeleted(held.holder);
  });
  return roleSet(gone.flatMap((prefix) => baselineOf(prefix, state)?.observedRoles ?? []));
}

function shownAt(address: EmailKey, { facts }: Comparison): ObservedUser | undefined {
  return facts.people.get(address)?.at(-1);
}

function personAt(address: EmailKey, input: Comparison) {
  const known = input.roster.users.get(address) ?? shownAt(address, input) ?? input.state.users.get(address);
  return { address, email: known?.email ?? address };
}

function teamNameOf(team: TeamKey, { names, state }: Comparison): string {
  return names().teamWithKey(team)?.name ?? state.teams.get(team)?.name ?? team;
}

/** What later reads of a key are compared with: what a run wrote, and what the key was read as since. */
interface Baseline {
  readonly setRoles: RoleSet;
  readonly observedRoles: RoleSet;
}

/** What a key had when a run wrote it, or when a later read showed it as the roster has it; undefined where neither is known. */
export function baselineOf(prefix: string, { keys, seenKeys }: Pick<State, "keys" | "seenKeys">): Baseline | undefined {
  const seen = seenKeys?.get(prefix)?.roles;
  if (seen !== undefined) return { setRoles: seen, observedRoles: seen };
  const written = keys.get(prefix);
  return written && { setRoles: written.setRoles, observedRoles: written.observedRoles ?? written.setRoles };
}

/** A guard or a refusal keeps apply from undoing a change of roles: it is reported all the same. */
export const blockingCodes: ReadonlySet<FindingCode> = new Set(["own-key", "protected", "privileged-roles", "refused"]);

type ChangedRoles = Pick<OutsideChange, "gained" | "lost">;

/**
 * What others did to the roles of a key, role by role. Gained: it came since our last look, and no run asked for it, nor does
 * the roster now. Lost: it went, although a run asked for it and the roster still does. Any other difference comes from the roster.
 */
function outsideRoles({ setRoles, observedRoles }: Baseline, carried: RoleSet, wanted: RoleSet): ChangedRoles {
  return {
    gained: rolesWithout(carried, observedRoles).filter((role) => !setRoles.includes(role) && !wanted.includes(role)),
    lost: rolesWithout(observedRoles, carried).filter((role) => setRoles.includes(role) && wanted.includes(role)),
  };
}

/**
 * The same of a key whose roles the roster leaves alone. Each privileged role that it gained is reported by itself, or its holder may have it.
 */
export function unmanagedChange(baseline: Baseline, carried: RoleSet, privileged: RoleSet): ChangedRoles {
  const { gained, lost } = outsideRoles(baseline, carried, baseline.setRoles);
  return { gained: rolesWithout(gained, privileged), lost };
}

import type { ActionId, KeyRef, PersonRef, TeamRef } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Reason, recorded } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { DesiredRoles, RosterKey } from "../../model/roster.ts";
import {
  type Basis,
  keySubject,
  memberSubject,
  partOf,
  recordedBasis,
  unknownBasis,
  userSubject,
} from "../../model/subject.ts";
import { shownOwnKey, type TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type Concern, type FindingDraft, yamlScalar } from "../finding-draft.ts";
import type { SentRoles } from "../first-member-roles.ts";
import {
  createUserId,
  currentRoles,
  type KnownKey,
  keyWithPrefix,
  knownKey,
  type PresentUser,
  shownRef,
  type UserIdentities,
  type UserIdentity,
  userFinding,
} from "../identities.ts";
import { memberKeyYaml } from "../memberships/memberships.ts";
import type { MembershipSlot } from "../memberships/placement.ts";
import { acceptedReplacementBasis } from "../vanished-users.ts";
import { listedKeyDeclaration, ownKeyDeclaration, resolveDeclaredKey } from "./declared-keys.ts";

/** The exact roles that the roster wants on one key. */
type DesiredKeyRoles = KnownKeyUpdate | NewKeyUpdate;

interface KeyUpdateFields {
  readonly roles: RoleSet;
  readonly owner?: UserIdentity;
  readonly because: readonly Reason[];
  readonly concern: Concern;
}

/** On a key whose prefix is known. */
export interface KnownKeyUpdate extends KeyUpdateFields {
  readonly is: "known";
  readonly key: KnownKey;
  readonly team?: TeamRef;
  /** Of a key that the roster does not ask for by whose it is: it is known to be its holder's own. */
  readonly isOwn?: true;
  /** Who is shown to hold it, where the roster does not name an owner. */
  readonly holder?: PersonRef;
  /** What of the roster asks: a member entry, a user's `ownKeyRoles`, the list of keys, a leaver, a team's `onRemoval`. */
  readonly asks: "member" | "user" | "list" | "leaver" | "removal";
  /** What else the update rests on. */
  readonly restsOn?: readonly Basis[];
}

/** Whether an update takes all roles from somebody who is to have none: nothing that the roster asks for waits for it. */
export function removesAllRoles({ asks }: Pick<KnownKeyUpdate, "asks">): boolean {
  return asks === "leaver" || asks === "removal";
}

/** On a key that an action of this plan gives. */
export interface NewKeyUpdate extends KeyUpdateFields {
  readonly is: "given";
  readonly id: ActionId;
  readonly key: Exclude<KeyRef, { of: "prefix" }>;
  /** The key of a first member, who got it with the team. */
  readonly isFirstMembers?: true;
}

/** An update, or the finding that explains why there is none; undefined where the roster asks for nothing. */
export type DesiredRolesResult =
  | DesiredKeyRoles
  | { readonly is: "finding"; readonly finding: FindingDraft }
  | undefined;

/** The roles that the roster wants on the team key of one member. */
export function desiredTeamKeyRoles(slot: MembershipSlot, sent: ReadonlyMap<TeamKey, SentRoles>): DesiredRolesResult {
  const { team, ref, member, status } = slot;
  const { address, because } = member;
  const common = { owner: status.person, because, concern: { address, team: team.key } };
  switch (status.is) {
    case "member": {
      if (member.roles === undefined) return undefined;
      if (status.key === undefined) return teamKeyWithoutPrefix(slot, status);
      const restsOn = acceptedReplacementBasis(status.person, userSubject(address));
      const update = {
        is: "known",
        asks: "member",
        roles: member.roles,
        key: status.key,
        restsOn,
        ...common,
      } as const;
      return ref === undefined ? update : { ...update, team: ref };
    }
    case "first-member":
    case "joining": {
      const roles = status.is === "first-member" ? sent.get(team.key)?.exact : member.roles;
      if (roles === undefined || ref === undefined) return undefined;
      const key = { of: "team-key", address, team: ref, givenBy: status.by } as const;
      const update = { is: "given", id: `replace-roles:${team.key}:${address}`, key, roles, ...common } as const;
      return status.is === "first-member" ? { ...update, isFirstMembers: true } : update;
    }
  }
}

/** A membership that no read shows yet has a finding of its own. */
function teamKeyWithoutPrefix(
  slot: MembershipSlot,
  { basis, settling }: Extract<MembershipSlot["status"], { readonly is: "member"; readonly key?: undefined }>,
): DesiredRolesResult {
  return settling === undefined ? { is: "finding", finding: unknownPrefixFinding(slot, [basis]) } : undefined;
}

function unknownPrefixFinding({ team, member, status }: MembershipSlot, restsOn: readonly Basis[]): FindingDraft {
  const { email, address } = status.person.user;
  return {
    code: "key-prefix-unknown",
    subject: memberSubject(address, team.key),
    message:
      `${email} is a member of ${team.name}, but the prefix of their team key is unknown. roster cannot change its roles. ` +
      "Find the prefix in the service, and write it as `key` of the member.",
    because: member.because,
    restsOn,
    suggestedYaml: memberKeyYaml(team, email),
    concerns: [{ address, team: team.key }],
  };
}

/** The roles that the roster wants on the key that was, or will be, created with a user. */
export function desiredOwnKeyRoles(
  person: UserIdentity,
  creations: ReadonlySet<EmailKey>,
  context: PlanContext,
): DesiredRolesResult {
  const wanted = person.user.ownKeyRoles;
  if (wanted === undefined || person.is === "blocked") return undefined;
  const { address } = person.user;
  const common = {
    roles: wanted.value,
    owner: person,
    because: [...wanted.because, ...person.user.because.slice(0, 1)],
    concern: { address },
  };
  if (person.is === "absent") {
    if (!creations.has(address)) return undefined;
    const key = { of: "own-key", address, givenBy: createUserId(person.user) } as const;
    return { is: "given", id: `replace-roles:own:${address}`, key, ...common };
  }
  const key = resolveOwnKey(person, context);
  // A mistaken prefix is a finding of its own.
  if (key === undefined && person.user.key !== undefined) return undefined;
  if (key === undefined) return { is: "finding", finding: unknownOwnKeyFinding(person, wanted) };
  return { is: "known", asks: "user", key, restsOn: acceptedReplacementBasis(person, userSubject(address)), ...common };
}

/**
 * The key that was created with a user, where it is known which one that is. What the roster says about a key that the
 * person is shown with counts more than the kinds of their keys; where the roster is mistaken, no other key is guessed.
 */
function resolveOwnKey(person: PresentUser, context: PlanContext): KnownKey | undefined {
  const { observed, record } = person;
  const declaration = ownKeyDeclaration(person);
  const judged = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  if (judged?.is === "mistaken") return undefined;
  const named = judged?.key;
  if (named?.prefix.known === "observed") return named;
  const shown = shownOwnKey(observed);
  if (shown !== undefined) return knownKey(shown, observed);
  if (record?.key !== undefined && record.createdTeam === undefined && record.createdAt !== undefined) {
    return keyWithPrefix(record.key, recorded(record.key, record.createdAt), observed);
  }
  return named;
}

function unknownOwnKeyFinding({ user, observed }: PresentUser, wanted: DesiredRoles): FindingDraft {
  const why =
    observed.keys === undefined
      ? "the service does not show the keys of users"
      : "roster cannot know which of the keys was created with the user";
  const suggestedYaml = `users:\n  - email: ${yamlScalar(user.email)}\n    key: PREFIX\n`;
  const finding = userFinding(user, {
    code: "key-prefix-unknown",
    message:
      `The roster has \`ownKeyRoles\` for ${user.email}, but the prefix of their own key is unknown: ${why}. ` +
      "Find the prefix in the service, and write it as `key` of the user.",
    restsOn: [unknownBasis(partOf("own key", userSubject(user.address)), why)],
  });
  return { ...finding, because: [...wanted.because, ...user.because.slice(0, 1)], suggestedYaml };
}

/** The roles that the roster wants on a key that it names by its prefix. A mistaken prefix is a finding of its own. */
export function desiredListedKeyRoles(
  entry: RosterKey,
  context: PlanContext,
  people: UserIdentities,
): DesiredRolesResult {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const declaration = listedKeyDeclaration(entry, people, context);
  const judged = resolveDeclaredKey(declaration, context);
  if (judged.is === "mistaken" || owner?.is === "blocked") return undefined;
  const { key, held } = judged;
  const common = { roles: entry.roles, because: entry.because, concern: declaration.concern };
  const update = { is: "known", asks: "list", key, ...common } as const;
  if (owner !== undefined) return { ...update, owner };
  return held === undefined ? update : { ...update, holder: shownRef(held.holder) };
}

/** A key that is its holder's by the roster, and of whose roles the roster may say nothing. */
interface UnaskedKey extends Pick<FindingDraft, "because" | "concerns"> {
  readonly key: KnownKey;
  /** Whose key it is, in words. */
  readonly whose: string;
  /** What to write in the roster, in words and as YAML. */
  readonly write: string;
  readonly yaml: string;
}

/** Keys that an earlier run emptied, such as those of a leaver who came back, and that nothing in the roster fills again. */
export function findEmptiedKeys(
  people: UserIdentities,
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
): readonly FindingDraft[] {
  const emptied = new Set<string>();
  for (const [prefix, { put }] of context.state.keys) if (put.length === 0) emptied.add(prefix);
  for (const update of desired) if (update?.is === "known") emptied.delete(update.key.value);
  if (emptied.size === 0) return [];
  const keys = [
    ...[...people.values()].flatMap((person) => unaskedOwnKey(person, emptied, context)),
    ...slots.flatMap((slot) => unaskedTeamKey(slot, emptied)),
  ];
  const unasked = new Map(keys.map((one) => [one.key.value, one]));
  return [...unasked.values()].flatMap((one) => emptiedKeyFinding(one, context));
}

function unaskedOwnKey(
  person: UserIdentity,
  emptied: ReadonlySet<string>,
  context: PlanContext,
): readonly UnaskedKey[] {
  if (person.is !== "present") return [];
  const { user } = person;
  const key = resolveOwnKey(person, context);
  if (key === undefined || !emptied.has(key.value)) return [];
  const yaml = `users:\n  - email: ${yamlScalar(user.email)}\n    ownKeyRoles: [ROLE]\n`;
  const about = { because: user.because.slice(0, 1), concerns: [{ address: user.address }] };
  return [{ key, whose: `the own key of ${user.email}`, write: "`ownKeyRoles` of the user", yaml, ...about }];
}

function unaskedTeamKey({ team, member, status }: MembershipSlot, emptied: ReadonlySet<string>): readonly UnaskedKey[] {
  if (status.is !== "member" || status.key === undefined || !emptied.has(status.key.value)) return [];
  const { email, address } = status.person.user;
  const yaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    members:\n      - { user: ${yamlScalar(email)}, roles: [ROLE] }\n`;
  const about = { because: member.because, concerns: [{ address, team: team.key }] };
  const write = "`roles` of the member or of the team";
  return [{ key: status.key, whose: `the key of ${email} in team ${team.name}`, write, yaml, ...about }];
}

function emptiedKeyFinding(
  { key, whose, write, yaml, because, concerns }: UnaskedKey,
  { state }: PlanContext,
): readonly FindingDraft[] {
  const record = state.keys.get(key.value);
  const before = currentRoles(key, state);
  if (record === undefined || before.known === "unknown" || before.value.length > 0) return [];
  const subject = keySubject(key.value);
  const message =
    `${key.value} (${whose}) has no roles. An earlier run removed them all (${record.at}), and the roster gives none now. ` +
    `Write ${write}. Write \`[]\` for no roles.`;
  const restsOn = [recordedBasis(partOf("roles", subject), "no roles", record.at)];
  return [{ code: "key-without-roles", subject, message, because, restsOn, suggestedYaml: yaml, concerns }];
}

import type { EmailKey } from "../model/address.ts";
import type { Intent, OpenIntent } from "../model/call.ts";
import { definedFields, latest } from "../model/collections.ts";
import type { EventOf, LearnedOutcome } from "../model/event.ts";
import { sha256 } from "../model/json.ts";
import type { RecordedAccess, SeenKey } from "../model/key.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf, type RecordedMembership } from "../model/team.ts";
import type { RecordedUser } from "../model/user.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import { forgetCreations, forgetRefusals, forgetRolesOf } from "./remembered-refusals.ts";
import type { StateDraft } from "./state-draft.ts";

type IntentOf<Kind extends Intent["kind"]> = Extract<Intent, { readonly kind: Kind }>;
type LearnedOf<Kind extends LearnedOutcome["kind"]> = Extract<LearnedOutcome, { readonly kind: Kind }>;
type Open = Pick<OpenIntent, "intent" | "at" | "run">;

/** Records what a call has done: what it asked for is in its intent, what came of it in what was learned. */
export function recordLearned(draft: StateDraft, { intent, ...open }: Open, learned: LearnedOutcome, at: string): void {
  if (intent.kind === "create-user" && learned.kind === "create-user") {
    forgetCreations(draft, new Set([intent.address]));
    if (learned.was === "there-before") recordObserved(draft, intent, learned, at);
    else recordCreation(draft, { ...open, intent }, learned, at);
  }
  if (intent.kind === "add-members" && learned.kind === "add-members")
    recordAddition(draft, { ...open, intent }, learned, at);
  if (intent.kind === "replace-roles" && learned.kind === "replace-roles")
    recordReplacement(draft, { ...open, intent }, learned, at);
}

/**
 * A user created again is another user: nothing of an earlier record remains, though a service that started anew may have given the
 * same identifier. Only what was recorded after the call was sent is of this user.
 */
function recordCreation(
  draft: StateDraft,
  { intent, at: sentAt, run }: Open & { readonly intent: IntentOf<"create-user"> },
  { identifier, prefix, roles, answered, teamIdentifier }: LearnedOf<"create-user">,
  at: string,
): void {
  const { address, email, account, sent, createsTeam } = intent;
  const known = draft.users.get(address);
  const isLater = Date.parse(known?.seenAt ?? known?.createdAt ?? "") > Date.parse(sentAt);
  const isSameUser = identifier !== undefined && known?.identifier === identifier && isLater;
  const { formerRolesAt } = isSameUser ? known : forgetUser(draft, address);
  const profile = { sent, answered };
  const learned = definedFields({ identifier, key: prefix, createdTeam: createsTeam?.team, formerRolesAt });
  draft.users.set(address, { address, email, account, createdAt: at, profile, ...learned });
  if (createsTeam !== undefined) {
    const { team, name } = createsTeam;
    forgetRefusals(draft, (about) => about.kind === "team" && about.team === team);
    draft.teams.set(team, {
      team,
      name,
      account,
      firstMember: address,
      at,
      ...definedFields({ identifier: teamIdentifier }),
    });
    recordMembership(draft, { team, address, how: "created", at }, prefix);
  }
  if (prefix === undefined) return;
  const key = { prefix, address, team: createsTeam && { team: createsTeam.team, name: createsTeam.name } };
  recordAccess(draft, key, { after: roles ?? createsTeam?.accessKeyRoles, at, run });
}

/** A user that the service already had: nothing of the record is ours, and they may be in teams. */
function recordObserved(
  draft: StateDraft,
  { address, email, account }: IntentOf<"create-user">,
  { identifier }: LearnedOf<"create-user">,
  at: string,
): void {
  const isSameUser = identifier === undefined || draft.users.get(address)?.identifier === identifier;
  const shown = { ...(isSameUser ? {} : forgetUser(draft, address)), ...definedFields({ identifier }) };
  draft.users.set(address, { ...draft.users.get(address), address, email, account, seenAt: at, ...shown });
}

function recordAddition(
  draft: StateDraft,
  { intent, run }: Open & { readonly intent: IntentOf<"add-members"> },
  { members }: LearnedOf<"add-members">,
  at: string,
): void {
  const { team, name, account, identifier, addresses } = intent;
  draft.teams.set(team, { team, name, account, at, ...draft.teams.get(team), identifier });
  for (const { address, outcome, prefix, roles } of members) {
    if (!outcome.added) continue;
    recordMembership(draft, { team, address, how: "added", at }, prefix);
    if (prefix === undefined) continue;
    // A read showed a member already: the call was not about this person.
    const after = addresses.includes(address) ? roles : undefined;
    recordAccess(draft, { prefix, address, team: { team, name } }, { after, at, run });
  }
}

function recordMembership(draft: StateDraft, membership: RecordedMembership, prefix: string | undefined): void {
  const { team, address } = membership;
  draft.memberships.set(membershipKeyOf(team, address), { ...membership, ...definedFields({ prefix }) });
}

function recordReplacement(
  draft: StateDraft,
  { intent, run }: Open & { readonly intent: IntentOf<"replace-roles"> },
  { roles: observedRoles }: LearnedOf<"replace-roles">,
  at: string,
): void {
  const { prefix, roles, owner, team, name, before } = intent;
  draft.keys.set(prefix, { prefix, setRoles: roles, at, ...definedFields({ observedRoles }) });
  forgetSeenKeys(draft, (seen) => seen.prefix === prefix);
  forgetRolesOf(draft, prefix);
  const key = { prefix, address: owner, team: team && teamNamed(draft, team, name) };
  recordAccess(draft, key, { before, after: observedRoles ?? roles, at, run });
}

/** The roles of a key after a call; where they are not known, that the key is there. */
interface GivenRoles {
  /** What the call found on the key, where that was seen: it counts, and not what was recorded. */
  readonly before?: RoleSet | undefined;
  readonly after: RoleSet | undefined;
  readonly at: string;
  readonly run: string;
}

interface KeyPlace extends Pick<RecordedAccess, "prefix"> {
  readonly address?: EmailKey | undefined;
  readonly team?: RecordedAccess["team"] | undefined;
}

/** A role that stays keeps the run that gave it. */
export function recordAccess(draft: StateDraft, { prefix, address, team }: KeyPlace, given?: GivenRoles): void {
  const known = draft.access.get(prefix);
  const had = new Map(known?.roles?.map((one) => [one.role, one]));
  const before = new Set(given?.before ?? had.keys());
  const roles = given?.after?.map((role) =>
    before.has(role) ? (had.get(role) ?? { role }) : { role, at: given.at, run: given.run },
  );
  draft.access.set(prefix, { ...known, prefix, ...definedFields({ address, team, roles }) });
  if (address !== undefined && draft.prefixes !== undefined) notePrefix(draft.prefixes, address, prefix);
}

function prefixesOf(address: EmailKey, draft: StateDraft): Iterable<string> {
  if (draft.prefixes === undefined) {
    draft.prefixes = new Map();
    for (const one of draft.access.values())
      if (one.address !== undefined) notePrefix(draft.prefixes, one.address, one.prefix);
  }
  return draft.prefixes.get(address) ?? [];
}

function notePrefix(prefixes: Map<EmailKey, Set<string>>, address: EmailKey, prefix: string): void {
  const known = prefixes.get(address);
  if (known === undefined) prefixes.set(address, new Set([prefix]));
  else known.add(prefix);
}

export function teamNamed({ teams }: StateDraft, team: TeamKey, name: string = team): RecordedAccess["team"] {
  return { team, name: teams.get(team)?.name ?? name };
}

/** Before when what was recorded of somebody was pruned, so that a digest alone is known of them; undefined where it was not. */
export function prunedBefore(
  { former, lineage }: Pick<State, "former" | "lineage">,
  address: EmailKey,
): string | undefined {
  return former?.users.includes(digestOf(address, lineage)) ? former.before : undefined;
}

/** Salted with the lineage: the digests of two logs say nothing of one another. */
export function digestOf(address: EmailKey, lineage: string): string {
  return sha256(`${lineage}\n${address}`);
}

/** Forgets what is recorded of the user at an address, with their memberships and keys: somebody else has it now. Returns what stays. */
export function forgetUser(draft: StateDraft, address: EmailKey): Pick<RecordedUser, "formerRolesAt"> {
  forgetRefusals(draft, (_, of) => of === address);
  forgetSeenKeys(draft, (seen) => seen.address === address);
  const user = draft.users.get(address);
  const prefixes = [...prefixesOf(address, draft)].filter((prefix) => draft.access.get(prefix)?.address === address);
  const formerRolesAt = latest(
    user?.formerRolesAt,
    prunedBefore(draft, address),
    ...prefixes.map((prefix) => draft.keys.get(prefix)?.at),
  );
  for (const prefix of prefixes) draft.access.delete(prefix);
  if (user?.key !== undefined) draft.keys.delete(user.key);
  draft.users.delete(address);
  for (const [key, membership] of user === undefined ? [] : draft.memberships) {
    if (membership.address !== address) continue;
    draft.memberships.delete(key);
    if (membership.prefix !== undefined) draft.keys.delete(membership.prefix);
  }
  return definedFields({ formerRolesAt });
}

/** Remembers what a read has shown for the first time, or anew as the roster has it. */
export function recordSeenAccess(
  draft: StateDraft,
  { at, service, users, members, keys }: EventOf<"access-seen">,
): void {
  draft.service = service;
  for (const address of users) {
    const user = draft.users.get(address);
    if (user !== undefined) draft.users.set(address, { ...user, seenAt: at });
  }
  const isMember = new Set(members.map(({ team, address }) => membershipKeyOf(team, address)));
  const isAsWanted = new Set(keys.map(({ prefix }) => prefix));
  forgetRefusals(draft, (about) => {
    if (about.kind === "member") return isMember.has(membershipKeyOf(about.team, about.address));
    return about.kind === "key" && isAsWanted.has(about.prefix);
  });
  for (const { team, address, prefix } of members) {
    const membership = membershipKeyOf(team, address);
    const known = draft.memberships.get(membership);
    draft.memberships.set(
      membership,
      known === undefined ? { team, address, how: "seen", at, prefix } : { ...known, seenAt: at },
    );
  }
  if (keys.length > 0)
    draft.seenKeys = new Map([...(draft.seenKeys ?? []), ...keys.map((key) => [key.prefix, { ...key, at }] as const)]);
}

/** Keys that a run has written since, or whose holders are gone. */
export function forgetSeenKeys(draft: StateDraft, isOver: (key: SeenKey) => boolean): void {
  const known = [...(draft.seenKeys ?? [])];
  const left = known.filter(([, key]) => !isOver(key));
  if (left.length === known.length) return;
  if (left.length > 0) draft.seenKeys = new Map(left);
  else delete draft.seenKeys;
}

/** More would make every save of a state slow; what matters most comes first. */
const maxOpenFindings = 10_000;

export function recordOpenFindings(draft: StateDraft, { at, service, seen, gone }: EventOf<"findings-seen">): void {
  draft.service = service;
  const openFindings = new Map(draft.openFindings);
  for (const fingerprint of gone) openFindings.delete(fingerprint);
  for (const one of seen) {
    if (openFindings.size < maxOpenFindings && !openFindings.has(one.fingerprint))
      openFindings.set(one.fingerprint, { since: at, ...one });
  }
  if (openFindings.size > 0) draft.openFindings = openFindings;
  else delete draft.openFindings;
}

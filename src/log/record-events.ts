import type { EmailKey } from "../model/address.ts";
import type { AccessSeen, FindingsSeen, Intent, LearnedOutcome } from "../model/event.ts";
import type { OpenIntent, SeenKey } from "../model/state.ts";
import { membershipKeyOf, type TeamKey } from "../model/team.ts";
import { forgetCreations, forgetRefusals, forgetRolesOf } from "./remembered-refusals.ts";
import type { StateDraft } from "./state-draft.ts";

type IntentOf<Kind extends Intent["kind"]> = Extract<Intent, { readonly kind: Kind }>;
type LearnedOf<Kind extends LearnedOutcome["kind"]> = Extract<LearnedOutcome, { readonly kind: Kind }>;

/** Records what a call has done: what it asked for is in its intent, what came of it in what was learned. */
export function recordLearned(
  draft: StateDraft,
  { intent, at: sentAt }: Pick<OpenIntent, "intent" | "at">,
  learned: LearnedOutcome,
  at: string,
): void {
  if (intent.kind === "create-user" && learned.kind === "create-user") {
    forgetCreations(draft, new Set([intent.address]));
    if (learned.was !== "there-before") {
      forgetRefusals(draft, (about) => about.kind === "team" && about.team === intent.createsTeam?.team);
    }
    if (learned.was === "there-before") recordObserved(draft, intent, learned, at);
    else recordCreation(draft, intent, learned, { sentAt, at });
  }
  if (intent.kind === "add-members" && learned.kind === "add-members") recordAddition(draft, intent, learned, at);
  if (intent.kind === "replace-roles" && learned.kind === "replace-roles") {
    const readAs = learned.roles === undefined ? {} : { readAs: learned.roles };
    draft.keys.set(intent.prefix, { prefix: intent.prefix, put: intent.roles, at, ...readAs });
    forgetSeenKeys(draft, ({ prefix }) => prefix === intent.prefix);
    forgetRolesOf(draft, intent.prefix);
  }
}

/**
 * A user created again is another user: nothing of an earlier record remains, though a service that started anew may have given the
 * same identifier. Only what was recorded after the call was sent is of this user.
 */
function recordCreation(
  draft: StateDraft,
  intent: IntentOf<"create-user">,
  learned: LearnedOf<"create-user">,
  { sentAt, at }: { readonly sentAt: string; readonly at: string },
): void {
  const { address, email, account, sent, createsTeam } = intent;
  const known = draft.users.get(address);
  const isLater = Date.parse(known?.seenAt ?? known?.createdAt ?? "") > Date.parse(sentAt);
  const isSameUser = learned.identifier !== undefined && known?.identifier === learned.identifier && isLater;
  if (!isSameUser) forgetUser(draft, address);
  draft.users.set(address, {
    address,
    email,
    account,
    createdAt: at,
    profile: { sent, answered: learned.answered },
    ...(learned.identifier === undefined ? {} : { identifier: learned.identifier }),
    ...(learned.prefix === undefined ? {} : { key: learned.prefix }),
    ...(createsTeam === undefined ? {} : { createdTeam: createsTeam.team }),
  });
  if (createsTeam === undefined) return;
  const identifier = learned.teamIdentifier === undefined ? {} : { identifier: learned.teamIdentifier };
  draft.teams.set(createsTeam.team, {
    team: createsTeam.team,
    name: createsTeam.name,
    account,
    firstMember: address,
    at,
    ...identifier,
  });
  recordMembership(draft, { team: createsTeam.team, address, how: "created", at, prefix: learned.prefix });
}

/** A user that the service already had: nothing of the record is ours, and they may be in teams. */
function recordObserved(
  draft: StateDraft,
  { address, email, account }: IntentOf<"create-user">,
  { identifier }: LearnedOf<"create-user">,
  at: string,
): void {
  const isSameUser = identifier === undefined || draft.users.get(address)?.identifier === identifier;
  if (!isSameUser) forgetUser(draft, address);
  const shown = identifier === undefined ? {} : { identifier };
  draft.users.set(address, { ...draft.users.get(address), address, email, account, seenAt: at, ...shown });
}

function recordAddition(
  draft: StateDraft,
  intent: IntentOf<"add-members">,
  learned: LearnedOf<"add-members">,
  at: string,
): void {
  const { team, name, account, identifier } = intent;
  draft.teams.set(team, { team, name, account, at, ...draft.teams.get(team), identifier });
  for (const { address, outcome, prefix } of learned.members) {
    if (!outcome.added) continue;
    recordMembership(draft, { team, address, how: "added", at, prefix });
  }
}

function recordMembership(
  draft: StateDraft,
  membership: {
    readonly team: TeamKey;
    readonly address: EmailKey;
    readonly how: "created" | "added";
    readonly at: string;
    readonly prefix: string | undefined;
  },
): void {
  const { prefix, ...rest } = membership;
  draft.memberships.set(membershipKeyOf(rest.team, rest.address), {
    ...rest,
    ...(prefix === undefined ? {} : { prefix }),
  });
}

/** Forgets what is recorded of the user at an address, with their memberships and keys: somebody else has it now. */
export function forgetUser(draft: StateDraft, address: EmailKey): void {
  forgetRefusals(draft, (_, of) => of === address);
  forgetSeenKeys(draft, (seen) => seen.address === address);
  const user = draft.users.get(address);
  if (user === undefined) return;
  if (user.key !== undefined) draft.keys.delete(user.key);
  draft.users.delete(address);
  for (const [key, membership] of draft.memberships) {
    if (membership.address !== address) continue;
    draft.memberships.delete(key);
    if (membership.prefix !== undefined) draft.keys.delete(membership.prefix);
  }
}

/** Remembers what a read has shown for the first time, or anew as the roster has it. */
export function recordAccess(draft: StateDraft, { at, service, users, members, keys }: AccessSeen): void {
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
const maxSightings = 10_000;

export function recordSightings(draft: StateDraft, { at, service, seen, gone }: FindingsSeen): void {
  draft.service = service;
  const sightings = new Map(draft.sightings);
  for (const fingerprint of gone) sightings.delete(fingerprint);
  for (const { fingerprint, ...what } of seen) {
    if (sightings.size < maxSightings && !sightings.has(fingerprint))
      sightings.set(fingerprint, { since: at, ...what });
  }
  if (sightings.size > 0) draft.sightings = sightings;
  else delete draft.sightings;
}

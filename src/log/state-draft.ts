import type { EmailKey } from "../model/address.ts";
import type { Intent, IntentOf, OpenIntent } from "../model/call.ts";
import { definedFields, latest } from "../model/collections.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import { isEndedOnKey } from "../model/finding.ts";
import { sha256 } from "../model/json.ts";
import type { RecordedAccess, RecordedKey } from "../model/key.ts";
import type { Action } from "../model/plan.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { RecordedUser } from "../model/user.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import { beginRun, forgetCreations, forgetRefusals, recordAllowed, recordMemberOutcomes } from "./refusals.ts";

/** What a fold knows beside the state. */
interface FoldNotes {
  /** Each prefix that an address has or had, once it is asked for: no creation looks through the access of everybody. */
  prefixes: Map<EmailKey, Set<string>> | undefined;
  /** The command whose events come, and its run. */
  command: EventOf<"command-started"> | undefined;
  current: ReturnType<typeof beginRun>;
}

/** A state under change: copied once for a whole fold, so that a fold costs what it changes. */
export type StateDraft = ReturnType<typeof draftFromState>;

export function draftFromState(state: State) {
  const notes: FoldNotes = { prefixes: undefined, command: undefined, current: beginRun() };
  return {
    ...state,
    users: new Map(state.users),
    teams: new Map(state.teams),
    memberships: new Map(state.memberships),
    keys: new Map(state.keys),
    access: new Map(state.access),
    runs: new Map(state.runs),
    refusals: new Map(state.refusals),
    seenKeys: new Map(state.seenKeys),
    allowances: new Map(state.allowances),
    openFindings: new Map(state.openFindings),
    open: callsByKey(state.open),
    presumedUndone: callsByKey(state.presumedUndone ?? []),
    ...notes,
  };
}

export function stateFromDraft(draft: StateDraft): State {
  const { current: _, command: _command, prefixes: _prefixes, open, presumedUndone, ...state } = draft;
  const { seenKeys, allowances, openFindings } = state;
  return {
    ...state,
    open: [...open.values()],
    presumedUndone: presumedUndone.size === 0 ? undefined : [...presumedUndone.values()],
    seenKeys: seenKeys.size === 0 ? undefined : seenKeys,
    allowances: allowances.size === 0 ? undefined : allowances,
    openFindings: openFindings.size === 0 ? undefined : openFindings,
  };
}

function callsByKey(calls: readonly OpenIntent[]): Map<string, OpenIntent> {
  return new Map(calls.map((call) => [intentKey(call.run, call.action), call]));
}

/** Two runs may announce the same action; each answers for its own. */
export function intentKey(run: string, action: string): string {
  return `${run}\n${action}`;
}

/** Of one user or one team: only one of both can have been done. */
export function isSameCreation(one: Intent, another: Intent | Action): boolean {
  if (one.kind !== "create-user" || another.kind !== "create-user") return false;
  return (
    one.address === another.address ||
    (one.createsTeam !== undefined && one.createsTeam.team === another.createsTeam?.team)
  );
}

export function peopleOf(intent: Intent): readonly EmailKey[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.address];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return intent.owner === undefined ? [] : [intent.owner];
  }
}

/** A key and whose it is. Without a team it is the user's own. */
export type LearnedKey = Omit<EventOf<"key-learned">, "type" | "at">;

export function keysOf(learned: LearnedOutcome): readonly LearnedKey[] {
  const shown = learned.kind === "create-user" ? [learned] : learned.kind === "add-members" ? learned.members : [];
  const { team } = learned.kind === "replace-roles" ? {} : learned;
  return shown.flatMap(({ address, prefix, roles, provisional }) =>
    prefix === undefined ? [] : [{ address, prefix, team, roles, provisional }],
  );
}

/** The keys that an event of a run is the first to show. */
export function learnedKeys(event: RunEvent): readonly LearnedKey[] {
  switch (event.type) {
    case "succeeded":
      return keysOf(event.learned);
    case "resolved":
      return event.as.done ? keysOf(event.as.learned) : [];
    case "key-learned":
      return [event];
    default:
      return [];
  }
}

/** `open`: its call; undefined where that has ended before. */
export function recordDone(
  draft: StateDraft,
  open: OpenIntent | undefined,
  { action, at }: Pick<EventOf<"succeeded">, "action" | "at">,
  learned: LearnedOutcome,
): void {
  recordMemberOutcomes(draft, action, learned, at);
  if (open !== undefined) {
    recordLearned(draft, open, learned, at);
    recordAllowed(draft, open.intent);
    for (const [key, { intent }] of draft.presumedUndone) {
      if (isSameCreation(intent, open.intent)) draft.presumedUndone.delete(key);
    }
  }
  for (const key of keysOf(learned)) recordPrefix(draft, key, at);
}

type LearnedOf<Kind extends LearnedOutcome["kind"]> = Extract<LearnedOutcome, { readonly kind: Kind }>;
type Open = Pick<OpenIntent, "intent" | "at" | "run" | "former">;

/** Records what a call has done: what it asked for is in its intent, what came of it in what was learned. */
function recordLearned(draft: StateDraft, { intent, ...open }: Open, learned: LearnedOutcome, at: string): void {
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
    const shown = definedFields({ identifier: teamIdentifier });
    draft.teams.set(team, { team, name, account, firstMember: address, at, ...shown });
    draft.memberships.set(membershipKeyOf(team, address), { team, address, how: "created", at, prefix });
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
  { intent, run, former }: Open & { readonly intent: IntentOf<"add-members"> },
  { members }: LearnedOf<"add-members">,
  at: string,
): void {
  const { team, name, account, identifier, addresses } = intent;
  const known = former === true ? {} : { identifier };
  draft.teams.set(team, { team, name, account, at, ...draft.teams.get(team), ...known });
  for (const { address, outcome, prefix, roles } of members) {
    if (!outcome.added) continue;
    draft.memberships.set(membershipKeyOf(team, address), { team, address, how: "added", at, prefix });
    if (prefix === undefined) continue;
    // A read showed a member already: the call was not about this person.
    const after = addresses.includes(address) ? roles : undefined;
    recordAccess(draft, { prefix, address, team: { team, name } }, { after, at, run });
  }
}

function recordReplacement(
  draft: StateDraft,
  { intent, run }: Open & { readonly intent: IntentOf<"replace-roles"> },
  { roles: observedRoles }: LearnedOf<"replace-roles">,
  at: string,
): void {
  const { prefix, roles, owner, team, name, before } = intent;
  for (const [fingerprint, finding] of draft.openFindings)
    if (isEndedOnKey(finding, prefix)) draft.openFindings.delete(fingerprint);
  recordRoles(draft, { prefix, setRoles: roles, at, ...definedFields({ observedRoles }) });
  const key = { prefix, address: owner, team: team && teamNamed(draft, team, name) };
  recordAccess(draft, key, { before, after: observedRoles ?? roles, at, run });
}

/** What was seen of the key, and refused of it, was before. */
export function recordRoles(draft: StateDraft, key: RecordedKey): void {
  const { prefix } = key;
  draft.keys.set(prefix, key);
  draft.seenKeys.delete(prefix);
  forgetRefusals(draft, (about) => about.kind === "key" && about.prefix === prefix);
}

/** The roles of a key after a call; where they are not known, that the key is there. */
interface GivenRoles {
  /** What the call found on the key, where that was seen: it counts, and not what was recorded. */
  readonly before?: RoleSet | undefined;
  readonly after: RoleSet | undefined;
  readonly at: string;
  readonly run: string;
}

/** A role that stays keeps the run that gave it. */
export function recordAccess(
  draft: StateDraft,
  { prefix, address, team }: Omit<RecordedAccess, "roles">,
  given?: GivenRoles,
): void {
  const known = draft.access.get(prefix);
  const had = new Map(known?.roles?.map((one) => [one.role, one]));
  const before = new Set(given?.before ?? had.keys());
  const roles = given?.after?.map((role) =>
    before.has(role) ? (had.get(role) ?? { role }) : { role, at: given.at, run: given.run },
  );
  draft.access.set(prefix, { ...known, prefix, ...definedFields({ address, team, roles }) });
  if (address !== undefined && draft.prefixes !== undefined) notePrefix(draft.prefixes, address, prefix);
}

export function recordPrefix(draft: StateDraft, { address, team, prefix }: LearnedKey, at: string): void {
  const user = draft.users.get(address);
  if (user !== undefined && user.createdTeam === team) draft.users.set(address, { ...user, key: prefix });
  recordAccess(draft, { prefix, address, team: team && teamNamed(draft, team) });
  if (team === undefined) return;
  const membership = membershipKeyOf(team, address);
  const known = draft.memberships.get(membership) ?? { team, address, how: "seen", at };
  draft.memberships.set(membership, { ...known, prefix });
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
  prefixes.set(address, (prefixes.get(address) ?? new Set()).add(prefix));
}

function teamNamed({ teams }: StateDraft, team: TeamKey, name: string = team): RecordedAccess["team"] {
  return { team, name: teams.get(team)?.name ?? name };
}

/** Before when what was recorded of somebody was pruned, so that a digest alone is known of them; undefined where it was not. */
export function prunedBefore(state: Pick<State, "former" | "lineage">, address: EmailKey): string | undefined {
  const { former, lineage } = state;
  return former?.users.includes(digestOf(address, lineage)) ? former.before : undefined;
}

/** Salted with the lineage: the digests of two logs say nothing of one another. */
export function digestOf(address: EmailKey, lineage: string): string {
  return sha256(`${lineage}\n${address}`);
}

/** Forgets what is recorded of the user at an address, with their memberships and keys: somebody else has it now. Returns what stays. */
export function forgetUser(draft: StateDraft, address: EmailKey): Pick<RecordedUser, "formerRolesAt"> {
  forgetRefusals(draft, (_, of) => of === address);
  for (const [prefix, seen] of draft.seenKeys) if (seen.address === address) draft.seenKeys.delete(prefix);
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
export function recordSeenAccess(draft: StateDraft, { at, service, users, members, keys }: EventOf<"access-seen">) {
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
    const seen =
      known === undefined ? ({ team, address, how: "seen", at, prefix } as const) : { ...known, seenAt: at, prefix };
    draft.memberships.set(membership, seen);
  }
  for (const key of keys) draft.seenKeys.set(key.prefix, { ...key, at });
}

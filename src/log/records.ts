import type { EmailKey } from "../model/address.ts";
import type { Intent, IntentOf, OpenIntent, ServerDate } from "../model/call.ts";
import { consistencyWindow } from "../model/capabilities.ts";
import { definedFields, latest } from "../model/collections.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import {
  decodeSubject,
  formatSubject,
  keySubject,
  memberSubject,
  type Subject,
  teamSubject,
  userSubject,
} from "../model/fact.ts";
import type { Failure, FailureCode, RecordedRefusal } from "../model/failure.ts";
import { sha256 } from "../model/json.ts";
import type { RecordedAccess, RecordedKey } from "../model/key.ts";
import type { Action, Plan } from "../model/plan.ts";
import { allowanceCodeOf, allowanceScope, formatAllowanceCode, retryOf } from "../model/policy.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { RecordedUser } from "../model/user.ts";
import { formatRoles, type RoleSet, type TeamKey } from "../model/values.ts";

/** A whole creation, one person's part of an addition, or the roles of one key. */
interface AskedRequest extends Pick<RecordedRefusal, "request" | "subject" | "address" | "asked"> {
  /** What a key in use is allowed as a whole or not at all. */
  readonly kind: string;
  /** When we made those whom it is about. Undefined of those that were there before. ISO 8601. */
  readonly made: readonly (string | undefined)[];
  /** When the call was announced, or a little later, by a server's clock. */
  readonly dated: ServerDate | undefined;
}

/** What counts within one run alone. */
export function beginRun(plan?: string) {
  return {
    plan,
    /** The run that announced an action: events without a run of their own belong to it. */
    announcedBy: new Map<string, string>(),
    /** What the run has asked for each person of its additions, by action and address. */
    asked: new Map<string, AskedRequest>(),
    /** Of which kinds of calls the run was allowed one. */
    allowed: new Set<string>(),
    /** What the run was not allowed, by kind, until it is known whether it was allowed another call of the kind. */
    forbidden: new Map<string, readonly RecordedRefusal[]>(),
  };
}

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

function requestKey(action: string, address: EmailKey | undefined): string {
  return `${action}\n${address}`;
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

type LearnedOf<Kind extends LearnedOutcome["kind"]> = Extract<LearnedOutcome, { readonly kind: Kind }>;
type Open = Pick<OpenIntent, "intent" | "at" | "run" | "former">;

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

export function teamNamed({ teams }: StateDraft, team: TeamKey, name: string = team): RecordedAccess["team"] {
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

/** More would make every save of a state slow; what matters most comes first. */
const maxOpenFindings = 10_000;

export function recordOpenFindings(draft: StateDraft, { at, service, seen, gone }: EventOf<"findings-seen">): void {
  draft.service = service;
  const { openFindings } = draft;
  for (const fingerprint of gone) openFindings.delete(fingerprint);
  for (const one of seen) {
    if (openFindings.size < maxOpenFindings && !openFindings.has(one.fingerprint))
      openFindings.set(one.fingerprint, { since: at, ...one });
  }
}

type AnnouncedCall = Pick<OpenIntent, "intent" | "dated">;

/** Keeps what is asked for each person of an addition, also where a later call is announced without them. */
export function recordRequests(draft: StateDraft, action: string, call: AnnouncedCall): void {
  if (call.intent.kind !== "add-members") return;
  for (const one of requestsOf(draft, call)) draft.current.asked.set(requestKey(action, one.address), one);
}

/** Remembers what would be refused again of a call that was refused whole. */
export function recordRefusal(draft: StateDraft, call: AnnouncedCall, failure: Failure, at: string): void {
  for (const one of requestsOf(draft, call)) rememberRefusal(draft, one, failure, at);
}

/** Remembers the people of an addition that the service would refuse again, and forgets refusals of people who are members now. */
export function recordMemberOutcomes(draft: StateDraft, action: string, learned: LearnedOutcome, at: string): void {
  if (learned.kind !== "add-members") return;
  const { team, members } = learned;
  for (const { address, outcome } of members) {
    const one = draft.current.asked.get(requestKey(action, address));
    if (outcome.added) {
      forgetRefusals(draft, (about) => about.kind === "member" && about.team === team && about.address === address);
      allowCallKind(draft, `additions to ${team}`);
    } else if (one !== undefined) rememberRefusal(draft, one, outcome.failure, at);
  }
}

/** A call of its kind was allowed: what was forbidden in the same run was forbidden for its own sake. */
export function recordAllowed(draft: StateDraft, intent: Intent): void {
  if (intent.kind === "create-user") allowCallKind(draft, `creations in ${intent.account}`);
  if (intent.kind === "replace-roles") allowCallKind(draft, "roles");
}

/** Forgets what nobody asks for any more: it has come about, or somebody else is meant by now. */
export function forgetRefusals(
  { refusals }: StateDraft,
  isOver: (about: Subject, address: EmailKey | undefined) => boolean,
): void {
  for (const [request, { subject, address }] of refusals)
    if (isOver(decodeSubject(subject), address)) refusals.delete(request);
}

export function forgetCreations(draft: StateDraft, people: ReadonlySet<EmailKey | undefined>): void {
  forgetRefusals(draft, ({ kind }, address) => (kind === "user" || kind === "team") && people.has(address));
}

/** The codes by which a person lets the calls be sent again that were refused in the run of a plan. */
export function allowedRetries(state: State, { id, service }: Pick<Plan, "id" | "service">): readonly string[] {
  const refused = [...state.refusals.values()].filter(({ plan }) => plan === id);
  const scope = allowanceScope(service, state);
  return refused.map((refusal) => formatAllowanceCode(allowanceCodeOf(retryOf(refusal), scope)));
}

/**
 * A wrong request and a conflict stay what they are. What is forbidden counts only where the key in use was allowed another call of the
 * kind: else the refusal is the key's, not the request's. All else may pass.
 */
const lasting: readonly FailureCode[] = ["refused", "conflict", "not-found", "forbidden"];

function rememberRefusal(draft: StateDraft, one: AskedRequest, failure: Failure, at: string): void {
  if (!lasting.includes(failure.code) || isTooEarly(one, failure, at)) return;
  const { kind, made: _made, dated: _dated, ...asked } = one;
  const { plan, allowed, forbidden } = draft.current;
  const refusal = { ...asked, at, failure, ...definedFields({ plan }) };
  if (failure.code === "forbidden" && !allowed.has(kind)) {
    forbidden.set(kind, [...(forbidden.get(kind) ?? []), refusal]);
  } else draft.refusals.set(refusal.request, refusal);
}

/**
 * What we made within the consistency window may not be known everywhere yet, and be refused as not there or as a wrong request. The clock
 * of this machine may run ahead: then the server's time counts.
 */
function isTooEarly({ made, dated }: AskedRequest, { code, status }: Failure, at: string): boolean {
  if (code !== "not-found" && !(code === "refused" && (status === 400 || status === 422))) return false;
  const refused = Math.min(Date.parse(at), Date.parse(dated?.at ?? at));
  return made.some((one) => one !== undefined && refused < Date.parse(one) + consistencyWindow(undefined));
}

function allowCallKind({ current: { allowed, forbidden }, refusals }: StateDraft, kind: string): void {
  allowed.add(kind);
  for (const refusal of forbidden.get(kind) ?? []) refusals.set(refusal.request, refusal);
  forbidden.delete(kind);
}

/** What a call asks for; nothing where its plan did not digest it. */
function requestsOf(
  { users, teams, memberships }: StateDraft,
  { intent, dated }: AnnouncedCall,
): readonly AskedRequest[] {
  const createdAt = (address: EmailKey | undefined) => address && users.get(address)?.createdAt;
  switch (intent.kind) {
    case "create-user": {
      const { address, email, account, createsTeam, request } = intent;
      if (request === undefined) return [];
      const subject = formatSubject(createsTeam === undefined ? userSubject(address) : teamSubject(createsTeam.team));
      const asked = createsTeam === undefined ? `create ${email}` : `create ${createsTeam.name} with ${email}`;
      const made = [createdAt(createsTeam?.admin)];
      return [{ request, subject, address, asked, kind: `creations in ${account}`, made, dated }];
    }
    case "add-members": {
      const { team, name, requests = [] } = intent;
      const { firstMember, at } = teams.get(team) ?? {};
      return requests.map(({ address, request }) => ({
        request,
        subject: formatSubject(memberSubject(address, team)),
        address,
        asked: `add ${users.get(address)?.email ?? address} to ${name}`,
        kind: `additions to ${team}`,
        made: [createdAt(address), firstMember && at],
        dated,
      }));
    }
    case "replace-roles": {
      const { prefix, roles, owner, team, request } = intent;
      if (request === undefined) return [];
      const subject = formatSubject(keySubject(prefix));
      const asked = `give the key ${prefix} ${formatRoles(roles)}`;
      // An answer without keys gave the membership, and reads the prefix.
      const places = [...memberships.values()].filter(
        (one) => one.how !== "seen" && (one.prefix === prefix || (one.team === team && one.address === owner)),
      );
      const made = [createdAt(owner), ...places.map(({ at }) => at)];
      return [{ request, subject, ...definedFields({ address: owner }), asked, kind: "roles", made, dated }];
    }
  }
}

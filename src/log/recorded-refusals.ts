import type { EmailKey } from "../model/address.ts";
import { consistencyWindow } from "../model/capabilities.ts";
import type { CreationIntent, Intent, LearnedOutcome, RefusalsReviewed } from "../model/event.ts";
import { formatAllowance } from "../model/policy.ts";
import {
  additionRefusalFacts,
  creationRefusalFacts,
  permanenceOf,
  type RecordedRefusal,
  type RefusedPart,
  type RequestDigest,
  refusalKeyOf,
  retryOf,
  roleRefusalFacts,
} from "../model/refusal.ts";
import type { Failure } from "../model/result.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import { type Roster, type RosterTeam, removesRoles } from "../model/roster.ts";
import { accountStatus, type ObservedKey, type ObservedUser, type Snapshot, uniqueUsers } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf, shownTeamKey, type TeamKey } from "../model/team.ts";
import { requestKey, type StateDraft } from "./state-draft.ts";

/** Keeps what is asked for each person of an addition, also where a later call is announced without them. */
export function recordRequests(draft: StateDraft, action: string, intent: Intent): void {
  for (const asked of requestsOf(intent)) {
    if (asked.part.of === "addition") draft.asked.set(requestKey(action, asked.part.address), asked);
  }
}

/** Remembers what would be refused again of a call that was refused whole. */
export function recordRefusal(draft: StateDraft, intent: Intent, failure: Failure, at: string): void {
  const admin = intent.kind === "create-user" ? intent.createsTeam?.admin : undefined;
  for (const { part, request } of requestsOf(intent)) rememberRefusal(draft, { part, request, at, failure }, admin);
}

/** Remembers the people of an addition that the service would refuse again, and forgets refusals of people who are members now. */
export function recordMemberOutcomes(draft: StateDraft, action: string, learned: LearnedOutcome, at: string): void {
  if (learned.kind !== "add-members") return;
  for (const { address, outcome } of learned.members) {
    const asked = draft.asked.get(requestKey(action, address));
    if (asked === undefined) continue;
    if (outcome.added) {
      draft.refusals.delete(refusalKeyOf(asked.part));
      allowCallKind(draft, asked.part);
    } else rememberRefusal(draft, { ...asked, at, failure: outcome.failure });
  }
}

/** A call of its kind was allowed: what was forbidden in the same run was forbidden for its own sake. */
export function recordAllowed(draft: StateDraft, intent: Intent): void {
  if (intent.kind === "add-members") return;
  for (const { part } of requestsOf(intent)) allowCallKind(draft, part);
}

/** What a person can allow so that the calls that were refused in the run of a plan are sent again: the values of `--allow`. */
export function allowedRetries({ refusals }: State, plan: string): readonly string[] {
  const refused = [...refusals.values()].filter((refusal) => refusal.plan === plan);
  return [...new Set(refused.map((refusal) => formatAllowance({ exception: retryOf(refusal), plan })))];
}

/** These people are there: nobody asks for their creation any more. */
export function forgetCreations(draft: StateDraft, people: ReadonlySet<EmailKey>): void {
  forgetRefusals(
    draft,
    ({ part }) => (part.of === "creation" || part.of === "team-creation") && people.has(part.address),
  );
}

/** The team is there: nobody asks for its creation any more. */
export function forgetTeamCreations(draft: StateDraft, team: TeamKey): void {
  forgetRefusals(draft, ({ part }) => part.of === "team-creation" && part.team === team);
}

/** Somebody else has the address now. */
export function forgetRefusalsOf(draft: StateDraft, address: EmailKey): void {
  forgetRefusals(draft, ({ part }) => (part.of === "roles" ? part.owner === address : part.address === address));
}

export function recordRefusalReview(draft: StateDraft, { over, seen }: RefusalsReviewed): void {
  for (const key of over) draft.refusals.delete(key);
  for (const { refusal: key, facts } of seen) {
    const refusal = draft.refusals.get(key);
    if (refusal !== undefined) draft.refusals.set(key, { ...refusal, request: { ...refusal.request, facts } });
  }
}

function forgetRefusals(draft: StateDraft, isMeant: (refusal: RecordedRefusal) => boolean): void {
  for (const [key, refusal] of draft.refusals) if (isMeant(refusal)) draft.refusals.delete(key);
}

function rememberRefusal(draft: StateDraft, refused: Omit<RecordedRefusal, "plan">, admin?: EmailKey): void {
  const { part, request, failure } = refused;
  const refusal = draft.plan === undefined ? refused : { ...refused, plan: draft.plan };
  const kind = callKind(part);
  const permanence = isTooEarly(draft, refusal, admin) ? "passing" : permanenceOf(failure, request);
  if (permanence === "permanent" || (permanence !== "passing" && draft.allowed.has(kind))) {
    draft.refusals.set(refusalKeyOf(part), refusal);
  } else if (permanence === "if-others-were-allowed") {
    draft.forbidden.set(kind, [...(draft.forbidden.get(kind) ?? []), refusal]);
  }
}

/** What we made within the consistency window may not be known everywhere yet, and be refused as not there or as a wrong request. */
function isTooEarly(draft: StateDraft, { part, failure, at }: RecordedRefusal, admin: EmailKey | undefined): boolean {
  const { code, status } = failure;
  if (code !== "not-found" && !(code === "refused" && (status === 400 || status === 422))) return false;
  const window = consistencyWindow(undefined);
  return creationTimes(draft, part, admin).some((made) => Date.parse(at) < Date.parse(made) + window);
}

/** When we made what the call is about: the person, the team and its administrator, the key. ISO 8601. */
function creationTimes(
  { users, teams, memberships }: StateDraft,
  part: RefusedPart,
  admin: EmailKey | undefined,
): readonly string[] {
  switch (part.of) {
    case "creation":
    case "team-creation":
      return admin === undefined ? [] : [users.get(admin)?.createdAt].flatMap((at) => at ?? []);
    case "addition": {
      const team = teams.get(part.team);
      return [users.get(part.address)?.createdAt, team?.firstMember === undefined ? undefined : team.at].flatMap(
        (at) => at ?? [],
      );
    }
    case "roles": {
      const { prefix, owner } = part;
      const places = [...memberships.values()].filter((one) => one.prefix === prefix && one.how !== "seen");
      const createdAt = owner === undefined ? undefined : users.get(owner)?.createdAt;
      return [...places.map(({ at }) => at), ...(createdAt === undefined ? [] : [createdAt])];
    }
  }
}

function allowCallKind(draft: StateDraft, part: RefusedPart): void {
  const kind = callKind(part);
  draft.allowed.add(kind);
  for (const refusal of draft.forbidden.get(kind) ?? []) draft.refusals.set(refusalKeyOf(refusal.part), refusal);
  draft.forbidden.delete(kind);
}

/** What a key in use is allowed as a whole or not at all. */
function callKind(part: RefusedPart): string {
  switch (part.of) {
    case "creation":
    case "team-creation":
      return `creations in ${part.account}`;
    case "addition":
      return `additions to ${part.team}`;
    case "roles":
      return "roles";
  }
}

/** What a call asks for; nothing where its plan did not digest it. */
function requestsOf(intent: Intent): readonly { readonly part: RefusedPart; readonly request: RequestDigest }[] {
  switch (intent.kind) {
    case "create-user":
      return intent.request === undefined ? [] : [{ part: creationPart(intent), request: intent.request }];
    case "add-members": {
      const { team, name, account, identifier, requests = [] } = intent;
      return requests.map(({ address, ...request }) => {
        return { part: { of: "addition", address, account, team, name, identifier }, request };
      });
    }
    case "replace-roles": {
      const { prefix, roles, owner, request } = intent;
      const part = { of: "roles", prefix, roles, ...(owner === undefined ? {} : { owner }) } as const;
      return request === undefined ? [] : [{ part, request }];
    }
  }
}

function creationPart({ address, email, account, createsTeam }: CreationIntent): RefusedPart {
  if (createsTeam === undefined) return { of: "creation", address, email, account };
  return { of: "team-creation", address, email, account, team: createsTeam.team, name: createsTeam.name };
}

type RefusedPartOf<Of extends RefusedPart["of"]> = Extract<RefusedPart, { readonly of: Of }>;

interface ReviewContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly teams: ReadonlyMap<TeamKey, RosterTeam>;
  /** Without addresses that two users share, and without deleted users. */
  readonly users: ReadonlyMap<EmailKey, ObservedUser>;
  readonly keys: ReadonlyMap<string, { readonly holder: ObservedUser; readonly key: ObservedKey }>;
}

/**
 * Which remembered refusals are over, because the roster does not ask for them any more or has what it asked for; and
 * what was seen for the first time of the people of the others. Undefined where there is nothing of either.
 */
export function refusalsReviewed(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  { at, digest }: { readonly at: string; readonly digest: (text: string) => string },
): RefusalsReviewed | undefined {
  if (state.refusals.size === 0) return undefined;
  const context = buildReviewContext(roster, snapshot, state);
  const refusals = [...state.refusals.values()];
  const over = refusals.filter(({ part }) => isOver(part, context));
  const unseen = refusals.filter((one) => one.request.facts === undefined && !over.includes(one));
  const seen = unseen.flatMap((refusal) => {
    const facts = currentFacts(refusal, context);
    return facts === undefined ? [] : [{ refusal: refusalKeyOf(refusal.part), facts: digest(facts).slice(0, 16) }];
  });
  if (over.length + seen.length === 0) return undefined;
  return { type: "refusals-reviewed", at, over: over.map(({ part }) => refusalKeyOf(part)), seen };
}

function buildReviewContext(roster: Roster, snapshot: Snapshot, state: State): ReviewContext {
  const living = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  return {
    roster,
    snapshot,
    state,
    teams: new Map(roster.teams.map((team) => [team.key, team])),
    users: uniqueUsers(living),
    keys: new Map(
      snapshot.users.flatMap((holder) => (holder.keys ?? []).map((key) => [key.prefix, { holder, key }] as const)),
    ),
  };
}

function isOver(part: RefusedPart, context: ReviewContext): boolean {
  switch (part.of) {
    case "creation":
      return !context.roster.users.has(part.address) || context.users.has(part.address);
    case "team-creation":
      return isOverForFirstMember(part, context);
    case "addition":
      return isOverForMember(part, context);
    case "roles":
      return isOverForKey(part, context);
  }
}

function isOverForFirstMember(
  { address, team }: RefusedPartOf<"team-creation">,
  { teams, users, state }: ReviewContext,
): boolean {
  const wanted = teams.get(team);
  const isThere = wanted?.identifier !== undefined || state.teams.has(team) || users.has(address);
  return isThere || wanted === undefined || !hasMember(wanted, address);
}

function isOverForMember(part: RefusedPartOf<"addition">, { teams, users, state }: ReviewContext): boolean {
  const { address, team, name, identifier } = part;
  const wanted = teams.get(team);
  if (wanted === undefined || !hasMember(wanted, address)) return true;
  if (state.memberships.has(membershipKeyOf(team, address))) return true;
  const user = users.get(address);
  return user !== undefined && shownTeamKey(user, { team, name, identifier }).is === "present";
}

function isOverForKey({ prefix, roles, owner }: RefusedPartOf<"roles">, { roster, keys }: ReviewContext): boolean {
  const shown = keys.get(prefix)?.key.roles;
  if (shown !== undefined && sameRoles(shown, roles)) return true;
  const asks = (wanted: RoleSet | undefined) => wanted !== undefined && sameRoles(wanted, roles);
  if (roster.keys.some((key) => key.prefix === prefix && asks(key.roles))) return false;
  if (roles.length === 0 && mayLoseRoles(prefix, owner, { roster, keys })) return false;
  if (owner === undefined) return true;
  if (asks(roster.users.get(owner)?.ownKeyRoles?.value)) return false;
  const places = roster.teams.flatMap(({ members }) => members.filter(({ address }) => address === owner));
  return !places.some((member) => asks(member.roles));
}

/** A leaver has no roles on any key, nor has a member too many where a team says so. */
function mayLoseRoles(
  prefix: string,
  owner: EmailKey | undefined,
  { roster, keys }: Pick<ReviewContext, "roster" | "keys">,
): boolean {
  if (owner !== undefined && roster.leavers.has(owner)) return true;
  const { team } = keys.get(prefix)?.key ?? {};
  return team !== undefined && team !== "none" && roster.teams.some(removesRoles);
}

function hasMember({ members }: RosterTeam, address: EmailKey): boolean {
  return members.some((member) => member.address === address);
}

/** Undefined where they are not there to be seen. */
function currentFacts({ part }: RecordedRefusal, { snapshot, users, keys, teams }: ReviewContext): string | undefined {
  switch (part.of) {
    case "creation":
      return creationRefusalFacts(snapshot.accounts.get(part.account));
    case "team-creation": {
      const admin = teams.get(part.team)?.admin?.value;
      const account = snapshot.accounts.get(part.account);
      if (admin === undefined || admin === part.address) return creationRefusalFacts(account);
      const shown = users.get(admin);
      return shown === undefined ? undefined : creationRefusalFacts(account, shown);
    }
    case "addition": {
      const user = users.get(part.address);
      return user === undefined ? undefined : additionRefusalFacts(user);
    }
    case "roles": {
      const held = keys.get(part.prefix);
      const holder = held?.holder ?? (part.owner === undefined ? undefined : users.get(part.owner));
      return roleRefusalFacts(part.roles, { roles: snapshot.roles, holder, key: held?.key });
    }
  }
}

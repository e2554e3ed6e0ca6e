import type { EmailKey } from "../model/address.ts";
import { readDelay } from "../model/capabilities.ts";
import type { AccessSeen, Convergence } from "../model/event.ts";
import { formatRoles, type RoleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { keySubject } from "../model/subject.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import { type Effect, effectsOf, membershipOf, standingOf } from "./effect.ts";
import type { DoneCall } from "./knowledge.ts";
import { onlyUser, type PeopleLookup, type Shown } from "./lookups.ts";
import type { RunSession } from "./session.ts";

/** What a call of the run should have brought about, for a read to show. */
interface Expected {
  readonly effect: Effect;
  readonly email: string;
  readonly call: DoneCall;
}

/** How an effect looks when it is read again. */
type Check =
  | { readonly is: "present" }
  | { readonly is: "hidden" }
  | { readonly is: "pending"; readonly why: string }
  /** `confirmed`: the answer to the call had shown the same. */
  | { readonly is: "mismatch"; readonly why: string; readonly confirmed: boolean };

/** How long to wait before what does not show as asked is read again, in milliseconds. */
const verifyPauses = [500, 1500, 3000];

/** How many remarks are listed one by one. */
const maxListed = 20;

/**
 * Reads again what the run has touched, and says whether it shows as asked. What does not is read again a moment
 * later, since a service may take its time to show what it has done. Nothing is read where nothing was touched.
 */
export async function verify(session: RunSession, look: PeopleLookup): Promise<void> {
  const { journal, clock } = session;
  const { expected, unsearchable } = expectedEffects(session);
  if (expected.length + unsearchable === 0) return;
  const checks = new Map<Expected, Check>();
  const seen: SeenEffects = { users: new Set(), members: new Map(), roles: new Map() };
  for (const pause of [0, ...verifyPauses]) {
    const open = expected.filter((one) => needsAnotherRead(checks.get(one)));
    if (open.length === 0) break;
    await journal.pause(pause, "the service does not show all changes yet");
    const readAt = clock.monotonic();
    const read = await look(open.map(({ effect: { address }, email }) => ({ address, email })));
    if (!read.ok) {
      recordSeen(session, { ...seen, roles: new Map() });
      const why = `roster could not read the service again: ${read.error.message}`;
      return recordVerified(session, "unverified", [why]);
    }
    for (const one of open) {
      const check = checkEffect(session, one, read.value, readAt);
      checks.set(one, check);
      noteSeen(session, seen, one, { check, user: onlyUser(read.value, one.effect.address), readAt });
    }
  }
  recordSeen(session, seen);
  for (const one of expected) recordRolesNotTaken(session, one, seen);
  recordResult(session, [...checks.values()], unsearchable);
}

/** What the calls of the run should have brought about, once each: the last call about it counts. */
function expectedEffects({ knowledge, emails }: RunSession) {
  const expected = new Map<string, Expected>();
  let unsearchable = 0;
  for (const call of knowledge.done) {
    const effects = effectsOf(call.intent, call.learned);
    // The roles of a key whose owner nobody knows: no search can show them.
    if (call.intent.kind === "replace-roles" && effects.length === 0) unsearchable += 1;
    for (const effect of effects) {
      const { address } = effect;
      const about = effect.of === "membership" ? effect.team.team : effect.of === "roles" ? effect.prefix : "";
      expected.set(`${effect.of} ${address} ${about}`, { effect, email: emails.get(address) ?? address, call });
    }
  }
  return { expected: [...expected.values()], unsearchable };
}

function needsAnotherRead(check: Check | undefined): boolean {
  return check === undefined || check.is === "pending" || (check.is === "mismatch" && !check.confirmed);
}

function checkEffect(session: RunSession, expected: Expected, shown: Shown, readAt: number): Check {
  const { effect, email } = expected;
  const found = shown(effect.address);
  if (found.is === "unknown" && found.users.length > 0) return { is: "hidden" };
  if (found.is !== "present") return { is: "pending", why: `the service does not show ${email} yet` };
  if (effect.of === "user") return { is: "present" };
  if (effect.of === "roles") return checkRoles(session, expected, effect, found.user, readAt);
  const standing = standingOf(effect, found.user);
  if (standing.is !== "absent") return { is: standing.is === "present" ? "present" : "hidden" };
  return { is: "pending", why: `the service does not show ${email} as a member of ${effect.team.name} yet` };
}

type RolesEffect = Extract<Effect, { readonly of: "roles" }>;

/** An answer that repeats what was sent shows nothing: only what a read shows is verified. */
function checkRoles(
  session: RunSession,
  { call, email }: Expected,
  effect: RolesEffect,
  user: ObservedUser,
  readAt: number,
): Check {
  const { prefix, roles } = effect;
  const answered = answeredRoles(call);
  const standing = standingOf(effect, user);
  if (standing.is === "present") return standing;
  if (standing.is === "absent")
    return { is: "pending", why: `the service does not show the key ${prefix} of ${email} yet` };
  const shown = standing.is === "mismatch" ? standing.key?.roles : answered;
  if (shown === undefined || sameRoles(shown, roles)) return { is: "hidden" };
  const why = `the key ${prefix} of ${email} has ${formatRoles(shown)} instead of ${formatRoles(roles)}`;
  if (!isTrusted(session, shown, effect, call, readAt)) return { is: "pending", why };
  return { is: "mismatch", why, confirmed: answered !== undefined && sameRoles(answered, shown) };
}

function answeredRoles({ learned, by }: DoneCall): RoleSet | undefined {
  return by === "answer" && learned.kind === "replace-roles" ? learned.roles : undefined;
}

/**
 * A read soon after the call may still show what was before it, unless the key reads otherwise than before, or as the call was answered, or
 * as it has read ever since an earlier call that asked for the same.
 */
function isTrusted(
  { knowledge }: RunSession,
  shown: RoleSet,
  { prefix, roles }: RolesEffect,
  call: DoneCall,
  readAt: number,
): boolean {
  const answered = answeredRoles(call);
  if (sameRoles(shown, roles) || (answered !== undefined && sameRoles(shown, answered))) return true;
  const age = readAt - call.at;
  if (age >= knowledge.window) return true;
  const observed = call.intent.kind === "replace-roles" ? call.intent.before : undefined;
  const before = observed ?? knowledge.givenRoles(prefix);
  if (before !== undefined && !sameRoles(shown, before)) return age >= readDelay;
  const earlier = knowledge.state.keys.get(prefix);
  return earlier?.readAs !== undefined && sameRoles(earlier.put, roles) && sameRoles(earlier.readAs, shown);
}

/** What reads have shown of what the run did: once that is missing, it is missing, and not "not shown yet". */
interface SeenEffects {
  readonly users: Set<EmailKey>;
  readonly members: Map<MembershipKey, AccessSeen["members"][number]>;
  /** The last reading of each key, and one that can be trusted before any other. */
  readonly roles: Map<string, { readonly roles: RoleSet; readonly isTrusted: boolean }>;
}

function noteSeen(
  session: RunSession,
  seen: SeenEffects,
  { effect, call }: Expected,
  { check, user, readAt }: { readonly check: Check; readonly user: ObservedUser | undefined; readonly readAt: number },
): void {
  const { address } = effect;
  if (effect.of === "roles") {
    const roles = user?.keys?.find(({ prefix }) => prefix === effect.prefix)?.roles;
    if (roles === undefined) return;
    const reading = { roles, isTrusted: isTrusted(session, roles, effect, call, readAt) };
    if (reading.isTrusted || seen.roles.get(effect.prefix)?.isTrusted !== true) seen.roles.set(effect.prefix, reading);
    return;
  }
  if (check.is !== "present" || user === undefined) return;
  if (effect.of === "user") {
    seen.users.add(address);
    return;
  }
  const { team } = effect.team;
  const member = membershipOf(user, effect.team);
  if (typeof member !== "string" && member.prefix !== undefined)
    seen.members.set(membershipKeyOf(team, address), { team, address, prefix: member.prefix });
}

function recordSeen({ journal, plan }: RunSession, { users, members, roles }: SeenEffects): void {
  const at = journal.now();
  if (users.size + members.size > 0) {
    const seen = { users: [...users], members: [...members.values()], keys: [] };
    journal.record([{ type: "access-seen", at, service: plan.service, ...seen }]);
  }
  journal.record(
    [...roles].map(([prefix, { roles: read, isTrusted: trusted }]) => {
      const event = { type: "key-read", at, prefix, roles: read } as const;
      return trusted ? event : { ...event, early: true };
    }),
  );
}

/**
 * A key that the service answered for, and that reads otherwise once it had time to show it: it lacks what the roster asks for, or keeps
 * a privilege that the roster denies. Other roles that stay are the service's way.
 */
function recordRolesNotTaken(session: RunSession, { effect, email }: Expected, seen: SeenEffects): void {
  const read = effect.of === "roles" ? seen.roles.get(effect.prefix) : undefined;
  if (effect.of !== "roles" || read?.isTrusted !== true) return;
  const { prefix, roles } = effect;
  const missing = rolesWithout(roles, read.roles);
  const privileges = rolesWithout(read.roles, roles).filter((role) => session.privilegedRoles.includes(role));
  if (missing.length + privileges.length === 0) return;
  session.journal.found({
    code: "roles-kept-by-service",
    subject: keySubject(prefix),
    message:
      `The service accepted ${formatRoles(roles)} for the key ${prefix} of ${email}, but the key has ${formatRoles(read.roles)}. ` +
      "Check the key in the service.",
    deniedAccess: true,
    because: [],
  });
}

function recordResult(session: RunSession, checks: readonly Check[], unsearchable: number): void {
  const mismatches = checks.filter((one) => one.is === "mismatch");
  const pending = checks.filter((one) => one.is === "pending");
  const hidden = checks.filter((one) => one.is === "hidden").length + unsearchable;
  const remarks = [...new Set([...mismatches, ...pending].map(({ why }) => why))];
  if (hidden > 0) {
    const all = checks.length + unsearchable;
    remarks.push(`the service does not show enough to check ${hidden} of ${all} changes`);
  }
  if (mismatches.length > 0) recordVerified(session, "diverged", remarks);
  else if (pending.length > 0) recordVerified(session, "pending", remarks);
  else recordVerified(session, hidden > 0 ? "unverified" : "converged", remarks);
}

function recordVerified({ journal }: RunSession, result: Convergence, all: readonly string[]): void {
  const remarks = all.slice(0, maxListed);
  if (all.length > remarks.length) remarks.push(`and ${all.length - remarks.length} more`);
  journal.record([{ type: "verified", at: journal.now(), result, remarks }]);
}

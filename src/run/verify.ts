import { formatCount, say, truncateList } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { Convergence, EventOf } from "../model/event.ts";
import { keySubject } from "../model/fact.ts";
import { formatRoles, type RoleSet, rolesWithout, sameRoles } from "../model/values.ts";
import { readDelay } from "../service/port.ts";
import { batchLookups, type Effect, effectsOf, type Shown, type Standing, standingOf } from "./assess.ts";
import type { DoneCall } from "./knowledge.ts";
import { queryOf, type RunSession } from "./session.ts";

/** What a call of the run should have brought about, for a read to show. */
interface Expected {
  readonly effect: Effect;
  readonly email: string;
  readonly call: DoneCall;
}

type Check =
  /** `prefix`: that of the key of a membership. */
  | { readonly is: "present"; readonly prefix?: string | undefined }
  | { readonly is: "hidden" }
  | { readonly is: "pending"; readonly why: string }
  /** `confirmed`: the answer to the call had shown the same. */
  | { readonly is: "mismatch"; readonly why: string; readonly confirmed: boolean };

/** `roles`: those of a key as they were read last, and such as can be trusted before any others. */
type Reading = Check & { readonly roles?: { readonly are: RoleSet; readonly isTrusted: boolean } | undefined };

type Readings = ReadonlyMap<Expected, Reading>;

/** How long to wait before what does not show as asked is read again, in milliseconds. */
const verifyPauses = [0, 500, 1500, 3000];

const maxListed = 20;

/**
 * Reads again what the run has touched, and says whether it shows as asked. What does not is read again a moment
 * later, since a service may take its time to show what it has done. Nothing is read where nothing was touched.
 */
export async function verify(session: RunSession): Promise<void> {
  const { journal, people, clock, signal } = session;
  const look = batchLookups(people, "check", signal);
  const { expected, unsearchable } = expectedEffects(session);
  if (expected.length + unsearchable === 0) return;
  const readings = new Map<Expected, Reading>();
  for (const pause of verifyPauses) {
    const open = expected.filter((one) => needsAnotherRead(readings.get(one)));
    if (open.length === 0) break;
    await journal.pause(pause, "the service does not show all changes yet");
    const readAt = clock.monotonic();
    const read = await look(open.map(({ effect: { address }, email }) => ({ address, email })));
    if (!read.ok) {
      recordSeen(session, readings);
      return recordVerified(session, "unverified", [`roster could not read the service again: ${read.error.message}`]);
    }
    for (const one of open) {
      const now = readEffect(session, one, read.value, readAt);
      const before = readings.get(one)?.roles;
      const isBetter = now.roles?.isTrusted === true || before?.isTrusted !== true;
      readings.set(one, { ...now, roles: isBetter ? (now.roles ?? before) : before });
    }
  }
  recordSeen(session, readings);
  recordRolesRead(session, readings);
  recordResult(session, readings, unsearchable);
}

/** What the calls of the run should have brought about, once each: the last call about it counts. */
function expectedEffects({ knowledge, plan }: RunSession) {
  const expected = new Map<string, Expected>();
  let unsearchable = 0;
  for (const call of knowledge.done) {
    const effects = effectsOf(call.intent, call.learned);
    // The roles of a key whose owner nobody knows: no search can show them.
    if (call.intent.kind === "replace-roles" && effects.length === 0) unsearchable += 1;
    for (const effect of effects) {
      const { address } = effect;
      const about = effect.of === "membership" ? effect.team.team : effect.of === "roles" ? effect.prefix : "";
      expected.set(`${effect.of} ${address} ${about}`, { effect, email: queryOf(address, plan).email, call });
    }
  }
  return { expected: [...expected.values()], unsearchable };
}

function needsAnotherRead(check: Check | undefined): boolean {
  return check === undefined || check.is === "pending" || (check.is === "mismatch" && !check.confirmed);
}

function readEffect(session: RunSession, expected: Expected, shown: Shown, readAt: number): Reading {
  const { effect, email } = expected;
  const found = shown(effect.address);
  if (found.is === "unknown" && found.users.length > 0) return { is: "hidden" };
  if (found.is !== "present") return { is: "pending", why: `the service does not show ${email} yet` };
  switch (effect.of) {
    case "user":
      return { is: "present" };
    case "membership": {
      const standing = standingOf(effect, found.user);
      if (standing.is === "present") return { is: "present", prefix: standing.key?.prefix };
      const why = `the service does not show ${email} as a member of ${effect.team.name} yet`;
      return standing.is === "absent" ? { is: "pending", why } : { is: "hidden" };
    }
    case "roles": {
      const read = found.user.keys?.find(({ prefix }) => prefix === effect.prefix)?.roles;
      const isTrusted = (roles: RoleSet) => areTrusted(session, roles, effect, expected.call, readAt);
      const check = checkRoles(expected, effect, standingOf(effect, found.user), isTrusted);
      return { ...check, roles: read && { are: read, isTrusted: isTrusted(read) } };
    }
  }
}

type RolesEffect = Extract<Effect, { readonly of: "roles" }>;

/** An answer that repeats what was sent shows nothing: only what a read shows is verified. */
function checkRoles(
  { call, email }: Expected,
  { prefix, roles }: RolesEffect,
  standing: Standing,
  isTrusted: (roles: RoleSet) => boolean,
): Check {
  if (standing.is === "present") return { is: "present" };
  if (standing.is === "absent")
    return { is: "pending", why: `the service does not show the key ${prefix} of ${email} yet` };
  const answered = answeredRoles(call);
  const shown = standing.is === "mismatch" ? standing.key?.roles : answered;
  if (shown === undefined || sameRoles(shown, roles)) return { is: "hidden" };
  const why = `the key ${prefix} of ${email} has ${formatRoles(shown)} instead of ${formatRoles(roles)}`;
  if (!isTrusted(shown)) return { is: "pending", why };
  return { is: "mismatch", why, confirmed: answered !== undefined && sameRoles(answered, shown) };
}

function answeredRoles({ learned, by }: DoneCall): RoleSet | undefined {
  return by === "answer" && learned.kind === "replace-roles" ? learned.roles : undefined;
}

/**
 * A read soon after the call may still show what was before it, unless the key reads otherwise than before, or as the call was answered, or
 * as it has read ever since an earlier call that asked for the same.
 */
function areTrusted(
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
  const before = observed ?? knowledge.givenRoles.get(prefix);
  const earlier = knowledge.before.keys.get(prefix);
  // What was before an earlier call may be what a read still shows. No clock is right enough to tell that its time is over.
  const isFirst =
    earlier === undefined &&
    !knowledge.before.open.some(({ intent }) => intent.kind === "replace-roles" && intent.prefix === prefix);
  if (isFirst && before !== undefined && !sameRoles(shown, before)) return age >= readDelay;
  return (
    earlier?.observedRoles !== undefined &&
    earlier.provisional !== true &&
    sameRoles(earlier.setRoles, roles) &&
    sameRoles(earlier.observedRoles, shown)
  );
}

/** What reads have shown of what the run did: once that is missing, it is missing, and not "not shown yet". */
function recordSeen({ journal, plan }: RunSession, readings: Readings): void {
  const users: EmailKey[] = [];
  const members: EventOf<"access-seen">["members"][number][] = [];
  for (const [{ effect }, reading] of readings) {
    if (reading.is !== "present") continue;
    const { address } = effect;
    if (effect.of === "user") users.push(address);
    else if (effect.of === "membership" && reading.prefix !== undefined)
      members.push({ team: effect.team.team, address, prefix: reading.prefix });
  }
  if (users.length + members.length === 0) return;
  journal.record([{ type: "access-seen", at: journal.now(), service: plan.service, users, members, keys: [] }]);
}

/**
 * Records how keys read. A key that the service answered for, and that reads otherwise once it had time to show it, is a finding where it
 * lacks what the roster asks for, or keeps a privilege that the roster denies. Other roles that stay are the service's way.
 */
function recordRolesRead({ journal, privilegedRoles }: RunSession, readings: Readings): void {
  const read = [...readings].flatMap(([{ effect, email }, { roles }]) =>
    effect.of === "roles" && roles !== undefined ? [{ effect, email, ...roles }] : [],
  );
  const at = journal.now();
  journal.record(
    read.map(({ effect: { prefix }, are, isTrusted }) => {
      const event = { type: "key-read", at, prefix, roles: are } as const;
      return isTrusted ? event : { ...event, provisional: true };
    }),
  );
  for (const { effect, email, are, isTrusted } of read) {
    const { prefix, roles } = effect;
    const privileges = rolesWithout(are, roles).filter((role) => privilegedRoles.includes(role));
    if (!isTrusted || rolesWithout(roles, are).length + privileges.length === 0) continue;
    journal.found({
      ...say("roles-kept-by-service/verified", { roles: formatRoles(roles), prefix, email, shown: formatRoles(are) }),
      subject: keySubject(prefix),
      kind: "task",
      because: [],
    });
  }
}

function recordResult(session: RunSession, readings: Readings, unsearchable: number): void {
  const checks = [...readings.values()];
  const mismatches = checks.filter((one) => one.is === "mismatch");
  const pending = checks.filter((one) => one.is === "pending");
  const hidden = [...readings].flatMap(([expected, { is }]) => (is === "hidden" ? [nameOf(expected)] : []));
  if (unsearchable > 0) hidden.push(`the roles of ${formatCount(unsearchable, "key")} with an unknown owner`);
  const remarks = [...new Set([...mismatches, ...pending].map(({ why }) => why))];
  if (hidden.length > 0) remarks.push(`check in the web interface of the service: ${truncateList(hidden)}`);
  const without = hidden.length > 0 ? "unverified" : "converged";
  recordVerified(session, mismatches.length > 0 ? "diverged" : pending.length > 0 ? "pending" : without, remarks);
}

function nameOf({ effect, email }: Expected): string {
  if (effect.of === "roles") return `the roles of ${email}'s key ${effect.prefix}`;
  return effect.of === "user" ? `the user ${email}` : `the membership of ${email} in ${effect.team.name}`;
}

function recordVerified({ journal }: RunSession, result: Convergence, all: readonly string[]): void {
  const remarks = all.slice(0, maxListed);
  if (all.length > remarks.length) remarks.push(`and ${all.length - remarks.length} more`);
  journal.record([{ type: "verified", at: journal.now(), result, remarks }]);
}

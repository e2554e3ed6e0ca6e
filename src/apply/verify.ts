import type { FoldedAddress } from "../model/address.ts";
import { readDelay } from "../model/capabilities.ts";
import type { AccessSeen, Convergence, RunEvent } from "../model/event.ts";
import type { FindingInput } from "../model/finding.ts";
import { formatRoles, type RoleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { keySubject } from "../model/subject.ts";
import { type MembershipKey, membershipKeyOf, shownTeamKey } from "../model/team.ts";
import type { ApplySession } from "./apply-session.ts";
import {
  type ExpectedEffect,
  type LearnedFacts,
  type LookupResults,
  onlyUser,
  type PeopleLookup,
} from "./learned-facts.ts";
import type { RunJournal } from "./run-journal.ts";
import type { WriteBehaviourTracker } from "./write-behaviour.ts";

/** How one expectation looks when it is read again. */
type EffectCheck =
  | { readonly is: "as-asked" }
  | { readonly is: "hidden" }
  | { readonly is: "not-yet"; readonly remark: string }
  /** `confirmed`: the answer to the call had shown the same. */
  | { readonly is: "otherwise"; readonly remark: string; readonly confirmed: boolean };

/** How long to wait before what does not show as asked is read again, in milliseconds. */
const verifyPauses = [500, 1500, 3000];

/** How many remarks are listed one by one. */
const maxListed = 20;

/**
 * Reads again what the run has touched, and says whether it shows as asked. What does not is read again a moment
 * later, since a service may take its time to show what it has done. Nothing is read where nothing was touched.
 */
export async function verify(session: ApplySession, lookUp: PeopleLookup): Promise<void> {
  const { journal, writes, learned, limits } = session;
  const { all: effects, unsearchable } = learned.effects;
  if (effects.length + unsearchable === 0) return;
  const seen = new Map<ExpectedEffect, EffectCheck>();
  const shown: ShownEffects = { users: new Set(), members: new Map() };
  const roles = new Map<string, KeyReading>();
  for (const pause of [0, ...verifyPauses]) {
    const open = effects.filter((one) => needsAnotherRead(seen.get(one)));
    if (open.length === 0) break;
    if (pause > 0) await journal.wait(pause, "the service does not show all changes yet");
    const time: ReadingTime = { readAt: journal.clock.monotonic(), behaviour: writes.behaviour, learned };
    const found = await lookUp(open);
    if (!found.ok) {
      const why = `roster could not read the service again: ${found.error.message}`;
      return journal.record([...accessSeenEvents(session, shown), verifiedEvent(journal, "unverified", [why])]);
    }
    checkEffects(open, found.value, time, seen);
    recordReadings(roles, open, found.value, time);
    for (const effect of open) if (seen.get(effect)?.is === "as-asked") recordShown(shown, effect, found.value);
  }
  const trusted = trustedRoles(roles);
  journal.record([
    ...accessSeenEvents(session, shown),
    ...keyReadEvents(journal, roles),
    ...effects.flatMap((effect) => rolesNotTaken(effect, trusted, limits.privilegedRoles)).map(journal.found),
    verificationResult(journal, [...seen.values()], unsearchable),
  ]);
}

/** What reads have shown of what the run did: once that is missing, it is missing, and not "not shown yet". */
interface ShownEffects {
  readonly users: Set<FoldedAddress>;
  readonly members: Map<MembershipKey, AccessSeen["members"][number]>;
}

function recordShown({ users, members }: ShownEffects, effect: ExpectedEffect, found: LookupResults): void {
  const { address } = effect;
  if (effect.of === "user") users.add(address);
  const user = effect.of === "membership" ? onlyUser(found, address) : undefined;
  if (effect.of !== "membership" || user === undefined) return;
  const key = shownTeamKey(user, effect.team);
  const { team } = effect.team;
  if (key.is === "shown") members.set(membershipKeyOf(team, address), { team, address, prefix: key.key.prefix });
}

function accessSeenEvents({ journal, service }: ApplySession, { users, members }: ShownEffects): readonly RunEvent[] {
  if (users.size + members.size === 0) return [];
  const seen = { users: [...users], members: [...members.values()], keys: [] };
  return [{ type: "access-seen", at: journal.now(), service, ...seen }];
}

function checkEffects(
  open: readonly ExpectedEffect[],
  found: LookupResults,
  time: ReadingTime,
  seen: Map<ExpectedEffect, EffectCheck>,
): void {
  for (const effect of open) {
    seen.set(effect, checkEffect(effect, found, time));
  }
}

function needsAnotherRead(check: EffectCheck | undefined): boolean {
  return check === undefined || check.is === "not-yet" || (check.is === "otherwise" && !check.confirmed);
}

/** When a read was made, by the monotonic clock, and what is known of how late reads are. */
interface ReadingTime {
  readonly readAt: number;
  readonly behaviour: WriteBehaviourTracker;
  readonly learned: LearnedFacts;
}

function checkEffect(expectation: ExpectedEffect, found: LookupResults, time: ReadingTime): EffectCheck {
  const { address, email } = expectation;
  const result = found(address);
  if (result.is === "several") return { is: "hidden" };
  if (result.is !== "user") return { is: "not-yet", remark: `the service does not show ${email} yet` };
  const { user } = result;
  switch (expectation.of) {
    case "user":
      return { is: "as-asked" };
    case "membership": {
      const shown = shownTeamKey(user, expectation.team);
      if (shown.is !== "absent") return { is: shown.is === "shown" ? "as-asked" : "hidden" };
      return {
        is: "not-yet",
        remark: `the service does not show ${email} as a member of ${expectation.team.name} yet`,
      };
    }
    case "roles":
      return checkRoles(expectation, user, time);
  }
}

type ExpectedRoles = Extract<ExpectedEffect, { readonly of: "roles" }>;

/** An answer that repeats what was sent shows nothing: only what a read shows is verified. */
function checkRoles(expectation: ExpectedRoles, user: ObservedUser, time: ReadingTime): EffectCheck {
  const { email, prefix, roles, answered } = expectation;
  const key = user.keys?.find((held) => held.prefix === prefix);
  if (key === undefined && user.keys !== undefined) {
    return { is: "not-yet", remark: `the service does not show the key ${prefix} of ${email} yet` };
  }
  const shown = key?.roles ?? answered;
  if (shown === undefined || (key?.roles === undefined && sameRoles(shown, roles))) return { is: "hidden" };
  if (sameRoles(shown, roles)) return { is: "as-asked" };
  const remark = `the key ${prefix} of ${email} has ${formatRoles(shown)} instead of ${formatRoles(roles)}`;
  if (!isTrustedReading(shown, expectation, time)) return { is: "not-yet", remark };
  return { is: "otherwise", remark, confirmed: answered !== undefined && sameRoles(answered, shown) };
}

/**
 * A read soon after the call may still show what was before it, unless the key reads otherwise than before, or as the call was answered, or
 * as it has read ever since an earlier call that asked for the same.
 */
function isTrustedReading(
  shown: RoleSet,
  expectation: ExpectedRoles,
  { readAt, behaviour, learned }: ReadingTime,
): boolean {
  const { prefix, roles, answered, before, at } = expectation;
  if (sameRoles(shown, roles) || (answered !== undefined && sameRoles(shown, answered))) return true;
  const age = at === undefined ? 0 : readAt - at;
  if (age >= behaviour.window) return true;
  if (before !== undefined && !sameRoles(shown, before)) return age >= readDelay;
  const earlier = learned.recordedKey(prefix);
  return earlier?.readAs !== undefined && sameRoles(earlier.put, roles) && sameRoles(earlier.readAs, shown);
}

interface KeyReading {
  readonly roles: RoleSet;
  readonly isTrusted: boolean;
}

/** The last reading counts, and one that can be trusted before any other. */
function recordReadings(
  roles: Map<string, KeyReading>,
  expectations: readonly ExpectedEffect[],
  found: LookupResults,
  time: ReadingTime,
): void {
  for (const one of expectations) {
    if (one.of !== "roles") continue;
    const key = onlyUser(found, one.address)?.keys?.find(({ prefix }) => prefix === one.prefix);
    if (key?.roles === undefined) continue;
    const reading = { roles: key.roles, isTrusted: isTrustedReading(key.roles, one, time) };
    if (reading.isTrusted || roles.get(one.prefix)?.isTrusted !== true) roles.set(one.prefix, reading);
  }
}

function trustedRoles(readings: ReadonlyMap<string, KeyReading>): ReadonlyMap<string, RoleSet> {
  return new Map([...readings].flatMap(([prefix, one]) => (one.isTrusted ? [[prefix, one.roles] as const] : [])));
}

function keyReadEvents(journal: RunJournal, readings: ReadonlyMap<string, KeyReading>): readonly RunEvent[] {
  const at = journal.now();
  return [...readings].map(([prefix, { roles, isTrusted }]) => {
    const read = { type: "key-read", at, prefix, roles } as const;
    return isTrusted ? read : { ...read, early: true };
  });
}

/**
 * A key that the service answered for, and that reads otherwise once it had time to show it: it lacks what the roster asks for, or keeps
 * a privilege that the roster denies. Other roles that stay are the service's way.
 */
function rolesNotTaken(
  effect: ExpectedEffect,
  read: ReadonlyMap<string, RoleSet>,
  privileged: RoleSet,
): readonly Omit<FindingInput, "restsOn">[] {
  const shown = effect.of === "roles" ? read.get(effect.prefix) : undefined;
  if (effect.of !== "roles" || shown === undefined) return [];
  const { prefix, email, roles } = effect;
  const missing = rolesWithout(roles, shown);
  const privileges = rolesWithout(shown, roles).filter((role) => privileged.includes(role));
  if (missing.length + privileges.length === 0) return [];
  return [
    {
      code: "roles-kept-by-service",
      subject: keySubject(prefix),
      message:
        `The service accepted ${formatRoles(roles)} for the key ${prefix} of ${email}, but the key has ${formatRoles(shown)}. ` +
        "Check the key in the service.",
      deniedAccess: true,
      because: [],
    },
  ];
}

function verificationResult(journal: RunJournal, checks: readonly EffectCheck[], unsearchable: number): RunEvent {
  const otherwise = checks.filter((one) => one.is === "otherwise");
  const notYet = checks.filter((one) => one.is === "not-yet");
  const hidden = checks.filter((one) => one.is === "hidden").length + unsearchable;
  const remarks = [...new Set([...otherwise, ...notYet].map(({ remark }) => remark))];
  if (hidden > 0) {
    const all = checks.length + unsearchable;
    remarks.push(`the service does not show enough to check ${hidden} of ${all} changes`);
  }
  return verifiedEvent(journal, convergenceOf({ otherwise: otherwise.length, notYet: notYet.length, hidden }), remarks);
}

function convergenceOf(counts: {
  readonly otherwise: number;
  readonly notYet: number;
  readonly hidden: number;
}): Convergence {
  if (counts.otherwise > 0) return "diverged";
  if (counts.notYet > 0) return "pending";
  return counts.hidden > 0 ? "unverified" : "converged";
}

function verifiedEvent(journal: RunJournal, result: Convergence, remarks: readonly string[]): RunEvent {
  const first = remarks.slice(0, maxListed);
  if (remarks.length > first.length) first.push(`and ${remarks.length - first.length} more`);
  return { type: "verified", at: journal.now(), result, remarks: first };
}

import { promptReadTime } from "../model/capabilities.ts";
import type { Convergence, RunEvent } from "../model/event.ts";
import { type RoleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { keySubject } from "../model/subject.ts";
import { shownTeamKey } from "../model/team.ts";
import { type LookupResults, onlyUser, type PeopleLookup } from "./people-lookup.ts";
import { type ExpectedEffect, foundEvent, type RunContext } from "./run-context.ts";

/** How one expectation looks when it is read again. */
type EffectCheck =
  | { readonly is: "as-asked" }
  | { readonly is: "hidden" }
  | { readonly is: "not-yet"; readonly remark: string }
  /** `confirmed`: the answer to the call had shown the same. */
  | { readonly is: "otherwise"; readonly remark: string; readonly confirmed: boolean };

/** How long to wait before what does not show as asked is read again, in milliseconds. */
const verifyPauses = [500, 1500, 3000];

/** How many remarks are told one by one. */
const maxNotes = 20;

/**
 * Reads again what the run has touched, and says whether it shows as asked. What does not is read again a moment
 * later, since a service may take its time to show what it has done. Nothing is read where nothing was touched.
 */
export async function verify(context: RunContext, lookUp: PeopleLookup): Promise<void> {
  const { expectations, unsearchable } = context.expectedEffects;
  if (expectations.length + unsearchable.length === 0) return;
  const seen = new Map<ExpectedEffect, EffectCheck>();
  const roles = new Map<string, KeyReading>();
  for (const pause of [0, ...verifyPauses]) {
    const open = expectations.filter((one) => needsAnotherRead(seen.get(one)));
    if (open.length === 0) break;
    if (pause > 0) await waitForService(context, pause);
    const readAt = context.clock.now();
    const found = await lookUp(open);
    if (!found.ok)
      return context.record([
        verifiedEvent(context, "unverified", [`it could not be read again: ${found.error.message}`]),
      ]);
    for (const one of open) {
      const looked = checkEffect(one, found.value, { context, readAt });
      if (looked.is === "as-asked") recordShownWrite(context, one, { readAt, isLate: seen.has(one) });
      seen.set(one, looked);
    }
    recordReadings(roles, open, found.value, { context, readAt });
  }
  if ([...seen.values()].some(({ is }) => is === "not-yet")) context.writes.showedNothing();
  await context.record([
    ...keyReadEvents(context, roles),
    ...rolesNotTakenFindings(context, trustedRoles(roles)),
    verificationResult(context, [...seen.values()]),
  ]);
}

function needsAnotherRead(look: EffectCheck | undefined): boolean {
  return look === undefined || look.is === "not-yet" || (look.is === "otherwise" && !look.confirmed);
}

async function waitForService(context: RunContext, milliseconds: number): Promise<void> {
  const why = "the service does not show all of it yet";
  await context.record([{ type: "waiting", at: context.now(), milliseconds, why }]);
  await context.clock.wait(milliseconds, context.signal);
}

/** When a read was made, and what is known of how late reads are. */
interface ReadingTime {
  readonly context: RunContext;
  readonly readAt: number;
}

function recordShownWrite(
  { writes }: RunContext,
  { at }: ExpectedEffect,
  { readAt, isLate }: { readonly readAt: number; readonly isLate: boolean },
): void {
  if (at !== undefined) writes.showed(at, readAt, isLate ? "late" : "at-first-look");
}

function checkEffect(expectation: ExpectedEffect, found: LookupResults, time: ReadingTime): EffectCheck {
  const { address, email } = expectation;
  const looked = found(address);
  if (looked.is === "several") return { is: "hidden" };
  if (looked.is !== "user") return { is: "not-yet", remark: `${email} is not shown yet` };
  const { user } = looked;
  switch (expectation.of) {
    case "user":
      return { is: "as-asked" };
    case "membership": {
      const shown = shownTeamKey(user, expectation.team);
      if (shown.is !== "absent") return { is: shown.is === "shown" ? "as-asked" : "hidden" };
      return { is: "not-yet", remark: `${email} is not shown as a member of ${expectation.team.name} yet` };
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
    return { is: "not-yet", remark: `the key ${prefix} of ${email} is not shown yet` };
  }
  const shown = key?.roles ?? answered;
  if (shown === undefined || (key?.roles === undefined && sameRoles(shown, roles))) return { is: "hidden" };
  if (sameRoles(shown, roles)) return { is: "as-asked" };
  const remark = `the key ${prefix} of ${email} reads as ${formatRoles(shown)} instead of ${formatRoles(roles)}`;
  if (!isTrustedReading(shown, expectation, time)) return { is: "not-yet", remark };
  return { is: "otherwise", remark, confirmed: answered !== undefined && sameRoles(answered, shown) };
}

function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/**
 * A read soon after the call may still show what was before it, unless the key reads otherwise than before, or as the call was answered, or
 * as it has read ever since an earlier call that asked for the same.
 */
function isTrustedReading(shown: RoleSet, expectation: ExpectedRoles, { context, readAt }: ReadingTime): boolean {
  const { prefix, roles, answered, before, at } = expectation;
  if (sameRoles(shown, roles) || (answered !== undefined && sameRoles(shown, answered))) return true;
  const age = at === undefined ? 0 : readAt - at;
  if (age >= context.writes.window) return true;
  if (before !== undefined && !sameRoles(shown, before)) return age >= promptReadTime;
  const earlier = context.recordedKey(prefix);
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

function keyReadEvents(context: RunContext, readings: ReadonlyMap<string, KeyReading>): readonly RunEvent[] {
  const at = context.now();
  return [...readings].map(([prefix, { roles, isTrusted }]) => {
    const read = { type: "key-read", at, prefix, roles } as const;
    return isTrusted ? read : { ...read, early: true };
  });
}

/** A key that lacks what the roster asks for, or keeps a privilege that it denies. Other roles that stay are the service's way. */
function rolesNotTakenFindings(context: RunContext, read: ReadonlyMap<string, RoleSet>): readonly RunEvent[] {
  return context.expectedEffects.expectations.flatMap((one) => {
    const shown = one.of === "roles" ? read.get(one.prefix) : undefined;
    if (one.of !== "roles" || shown === undefined) return [];
    const missing = rolesWithout(one.roles, shown);
    const privileges = rolesWithout(shown, one.roles).filter((role) => context.input.privilegedRoles.includes(role));
    return missing.length + privileges.length === 0 ? [] : [rolesNotTaken(context, one, shown)];
  });
}

/** A key that the service answered for, and that reads otherwise once it had time to show it. */
function rolesNotTaken(
  context: RunContext,
  { prefix, email, roles }: { readonly prefix: string; readonly email: string; readonly roles: RoleSet },
  shown: RoleSet,
): RunEvent {
  const list = (set: RoleSet) => (set.length === 0 ? "no roles" : set.join(", "));
  return foundEvent(context, {
    code: "roles-implied",
    subject: keySubject(prefix),
    message:
      `The service took the roles ${list(roles)} for the key ${prefix} of ${email}, but the key reads as ${list(shown)}. ` +
      "Look at the key in the service: the roster does not get what it asks for.",
    deniedAccess: true,
    because: [],
  });
}

function verificationResult(context: RunContext, looks: readonly EffectCheck[]): RunEvent {
  const otherwise = looks.filter((one) => one.is === "otherwise");
  const notYet = looks.filter((one) => one.is === "not-yet");
  const hidden = looks.filter((one) => one.is === "hidden").length + context.expectedEffects.unsearchable.length;
  const remarks = [...new Set([...otherwise, ...notYet].map(({ remark }) => remark))];
  if (hidden > 0)
    remarks.push(
      `the service does not show enough to check ${hidden} of ${looks.length + context.expectedEffects.unsearchable.length} things done`,
    );
  return verifiedEvent(context, convergenceOf({ otherwise: otherwise.length, notYet: notYet.length, hidden }), remarks);
}

function convergenceOf(counts: {
  readonly otherwise: number;
  readonly notYet: number;
  readonly hidden: number;
}): Convergence {
  if (counts.otherwise > 0) return "diverged";
  if (counts.notYet > 0) return "settling";
  return counts.hidden > 0 ? "unverified" : "converged";
}

function verifiedEvent(context: RunContext, result: Convergence, remarks: readonly string[]): RunEvent {
  const told = remarks.slice(0, maxNotes);
  if (remarks.length > told.length) told.push(`and ${remarks.length - told.length} more`);
  return { type: "verified", at: context.now(), result, remarks: told };
}

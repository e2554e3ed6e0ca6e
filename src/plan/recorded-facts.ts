import { type Basis, distinctReasons, type Fact } from "../model/fact.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { FindingDraft } from "./draft.ts";
import type { DesiredRolesResult } from "./key-wishes.ts";
import type { PlanContext } from "./question.ts";
import { currentRoles } from "./roles-before.ts";
import type { MembershipSlot } from "./seats.ts";
import { formatRoles, joinList, keySubject, memberSubject } from "./subjects.ts";

/** A fact that the plan takes from a record or from the roster, because the service does not show it. */
interface UnobservedFact {
  readonly basis: Basis;
  readonly because: FindingDraft["because"];
  readonly concern: FindingDraft["concerns"][number];
}

/** One notice of all that the plan takes as recorded or as the roster gives it: such facts are not seen to drift. */
export function findRecordedFacts(
  seats: readonly MembershipSlot[],
  wished: readonly DesiredRolesResult[],
  context: PlanContext,
): readonly FindingDraft[] {
  const memberships = seats.flatMap(unobservedMembership);
  const roles = wished.flatMap((wish) => unobservedRoles(wish, context));
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const message = `The service does not show everything that the roster is about: ${formatUnobserved(memberships.length, roles.length)} taken as recorded${formatOldest(unread)} or as the roster gives them. What is not shown cannot be seen to drift.`;
  return [
    {
      code: "rests-on-records",
      subject: `service ${context.snapshot.service}`,
      message,
      because: distinctReasons(unread.flatMap(({ because }) => because)),
      restsOn: unread.map(({ basis }) => basis),
      concerns: unread.map(({ concern }) => concern),
    },
  ];
}

function unobservedMembership({ team, member, holding }: MembershipSlot): readonly UnobservedFact[] {
  // What no read shows yet is told by a finding of its own.
  if (holding.is !== "member" || holding.settling !== undefined) return [];
  const about = memberSubject(member.address, team.key);
  const basis = holding.key === undefined ? holding.basis : { about, fact: keyFact(holding.key.prefix) };
  if (basis.fact.known === "observed") return [];
  return [{ basis, because: team.because.slice(0, 1), concern: { address: member.address, team: team.key } }];
}

function keyFact(prefix: Fact<string>): Fact<string> {
  return prefix.known === "unknown" ? prefix : { ...prefix, value: `by key ${prefix.value}` };
}

function unobservedRoles(wish: DesiredRolesResult, { state }: PlanContext): readonly UnobservedFact[] {
  if (wish?.is !== "known") return [];
  const before = currentRoles(wish.key, state);
  if (before.known === "observed") return [];
  const fact = before.known === "unknown" ? before : { ...before, value: formatRoles(before.value) };
  const about = `roles of ${keySubject(wish.key.value)}`;
  return [{ basis: { about, fact }, because: wish.because.slice(0, 1), concern: wish.concern }];
}

function formatOldest(unread: readonly UnobservedFact[]): string {
  const times = unread.flatMap(({ basis: { fact } }) => (fact.known === "recorded" ? [fact.at] : []));
  const [first] = times.sort(byCodeUnit);
  return first === undefined ? "" : ` (the oldest at ${first})`;
}

function formatUnobserved(memberships: number, keys: number): string {
  const parts = [
    ...(memberships === 0 ? [] : [pluralize(memberships, "membership")]),
    ...(keys === 0 ? [] : [`the roles of ${pluralize(keys, "key")}`]),
  ];
  return `${joinList(parts)} ${memberships === 1 && keys === 0 ? "is" : "are"}`;
}

function pluralize(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}

import type { Basis, Fact } from "../model/fact.ts";
import { distinctReasons } from "../model/reason.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { Draft } from "./draft.ts";
import type { Wished } from "./key-wishes.ts";
import type { Question } from "./question.ts";
import { rolesBefore } from "./roles-before.ts";
import type { Seat } from "./seats.ts";
import { keySubject, listed, memberSubject, showRoles } from "./subjects.ts";

/** A fact that the plan takes from a record or from the roster, because the service does not show it. */
interface Unread {
  readonly basis: Basis;
  readonly because: Draft["because"];
  readonly concern: Draft["concerns"][number];
}

/** One notice of all that the plan takes as recorded or as the roster gives it: such facts are not seen to drift. */
export function findRecorded(seats: readonly Seat[], wished: readonly Wished[], question: Question): readonly Draft[] {
  const memberships = seats.flatMap(membershipUnread);
  const roles = wished.flatMap((wish) => rolesUnread(wish, question));
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const message = `The service does not show everything that the roster is about: ${whatIsUnread(memberships.length, roles.length)} taken as recorded${oldest(unread)} or as the roster gives them. What is not shown cannot be seen to drift.`;
  return [
    {
      code: "rests-on-records",
      subject: `service ${question.snapshot.service}`,
      message,
      because: distinctReasons(unread.flatMap(({ because }) => because)),
      restsOn: unread.map(({ basis }) => basis),
      concerns: unread.map(({ concern }) => concern),
    },
  ];
}

function membershipUnread({ team, member, holding }: Seat): readonly Unread[] {
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

function rolesUnread(wish: Wished, { state }: Question): readonly Unread[] {
  if (wish?.is !== "known") return [];
  const before = rolesBefore(wish.key, state);
  if (before.known === "observed") return [];
  const fact = before.known === "unknown" ? before : { ...before, value: showRoles(before.value) };
  const about = `roles of ${keySubject(wish.key.value)}`;
  return [{ basis: { about, fact }, because: wish.because.slice(0, 1), concern: wish.concern }];
}

function oldest(unread: readonly Unread[]): string {
  const times = unread.flatMap(({ basis: { fact } }) => (fact.known === "recorded" ? [fact.at] : []));
  const [first] = times.sort(byCodeUnit);
  return first === undefined ? "" : ` (the oldest at ${first})`;
}

function whatIsUnread(memberships: number, keys: number): string {
  const parts = [
    ...(memberships === 0 ? [] : [counted(memberships, "membership")]),
    ...(keys === 0 ? [] : [`the roles of ${counted(keys, "key")}`]),
  ];
  return `${listed(parts)} ${memberships === 1 && keys === 0 ? "is" : "are"}`;
}

function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}

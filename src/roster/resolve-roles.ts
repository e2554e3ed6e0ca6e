import { type Reason, reasonAt } from "../model/fact.ts";
import { type RoleEnding, type RoleSet, roleSet } from "../model/role-set.ts";
import type { SourceValue } from "../yaml/decode.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import type { Period, RoleReferences, RoleSetEntry, TimedRole } from "./decode-file.ts";
import { maxRoles } from "./decode-file.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";

export interface ResolvedRoles {
  readonly at: SourceRange;
  readonly roles: RoleSet;
  /** The definitions of the role sets that they came from, and each `until` that has taken roles away. */
  readonly through: readonly Reason[];
  /** What of them counts until a day. */
  readonly endings: readonly RoleEnding[];
}

/** What the lists of a roster refer to, and the day of this run in UTC. */
export interface RoleContext {
  readonly roleSets: ReadonlyMap<string, RoleSetEntry>;
  readonly today: string;
}

/** The roles of a list that count today, those of its role sets included. */
export function resolveRoles(written: RoleReferences, references: RoleContext, log: RosterDiagnostics): ResolvedRoles {
  const { timed, ...lasting } = written;
  const counting = timed.filter((one) => countsToday(one, references.today, log));
  const ended = timed.filter(({ until }) => until !== undefined && until.value <= references.today);
  const setOf = (name: SourceValue<string>) => findRoleSet(name, references, log);
  // A name that nothing has is an error also where its time has not come.
  const timedSets = timed.flatMap((one) => {
    const found = one.is === "set" ? setOf(one.name) : [];
    return counting.includes(one) ? found : [];
  });
  const sets = [...lasting.sets.flatMap(setOf), ...timedSets];
  const roles = [...lasting.roles, ...counting.flatMap(({ is, name }) => (is === "role" ? [name.value] : []))];
  const through = [
    ...sets.map(({ name }): Reason => reasonAt(name.at.place, "role-set", { name: name.value })),
    ...ended.flatMap(({ until }) => (until === undefined ? [] : [untilReason(until)])),
  ];
  const rolesOf = ({ is, name }: Pick<TimedRole, "is" | "name">) =>
    is === "role" ? [name.value] : (references.roleSets.get(name.value)?.roles ?? []);
  const endless = new Set([
    ...lasting.roles,
    ...lasting.sets.flatMap((name) => rolesOf({ is: "set", name })),
    ...counting.filter(({ until }) => until === undefined).flatMap(rolesOf),
  ]);
  const endings = endingsOf(counting, (one) => rolesOf(one).filter((role) => !endless.has(role)));
  return { at: written.at, roles: combineRoles(written.at, roles, sets, log), through, endings };
}

/** What ends on which day. A role that several entries give ends with the last of them. */
function endingsOf(
  counting: readonly TimedRole[],
  rolesOf: (one: TimedRole) => readonly string[],
): readonly RoleEnding[] {
  const last = new Map<string, SourceValue<string>>();
  for (const one of counting) {
    for (const role of one.until === undefined ? [] : rolesOf(one)) {
      const before = last.get(role);
      if (one.until !== undefined && (before === undefined || before.value < one.until.value))
        last.set(role, one.until);
    }
  }
  return [...new Set(last.values())].map((until) => ({
    roles: roleSet([...last].flatMap(([role, end]) => (end === until ? [role] : []))),
    until: { value: until.value, place: until.at.place },
  }));
}

export function untilReason({ value, at }: SourceValue<string>): Reason {
  return reasonAt(at.place, "until", { name: value });
}

/** Tells of a role whose time is over, and of one that has none. */
function countsToday(one: TimedRole, today: string, log: RosterDiagnostics): boolean {
  const { name, from, until } = one;
  if (!isPeriod(one, name.value, log)) return false;
  if (until !== undefined && until.value <= today) {
    const message = `\`until\` of \`${name.value}\` has passed: since ${until.value} this entry gives nothing.`;
    log.warning(until.at, "until-reached", message, "Remove this entry.");
    return false;
  }
  return from === undefined || from.value <= today;
}

/** Whether an entry begins before it ends; one that does not is reported. */
export function isPeriod(
  { at, from, until }: Period & { readonly at: SourceRange },
  what: string,
  log: RosterDiagnostics,
): boolean {
  if (from === undefined || until === undefined || from.value < until.value) return true;
  const message = `\`${what}\` ends on ${until.value}, before it begins on ${from.value}.`;
  log.error(at, "contradiction", message, "Write a later `until`, or an earlier `from`.");
  return false;
}

function combineRoles(
  at: SourceRange,
  roles: readonly string[],
  sets: readonly RoleSetEntry[],
  log: RosterDiagnostics,
): RoleSet {
  const [only, second] = sets;
  if (only !== undefined && second === undefined && roles.length === 0) return only.roles;
  const all = new Set(roles);
  for (const set of sets) for (const role of set.roles) all.add(role);
  if (all.size <= maxRoles) return roleSet(all);
  const message = `This list has ${all.size} roles with its role sets; no key can have more than ${maxRoles}.`;
  log.error(at, "bad-value", message);
  return [];
}

function findRoleSet(
  name: SourceValue<string>,
  { roleSets }: RoleContext,
  log: RosterDiagnostics,
): readonly RoleSetEntry[] {
  const set = roleSets.get(name.value);
  if (set !== undefined) return [set];
  const hint = log.didYouMean(name.value, roleSets.keys()) ?? "Define it under `roleSets`.";
  log.error(name.at, "unknown-name", `There is no role set \`${name.value}\`.`, hint);
  return [];
}

/** Whether a membership counts today. `until`: the day on which it ends, or has ended; `from`: the day on which it begins. */
export type MembershipPeriod =
  | { readonly is: "counting"; readonly until?: SourceValue<string> | undefined }
  | { readonly is: "to-come"; readonly from: SourceValue<string> }
  | { readonly is: "ended"; readonly until: SourceValue<string> };

export function countsOn(today: string, { from, until }: Period): boolean {
  return (from === undefined || from.value <= today) && (until === undefined || until.value > today);
}

/** The period of somebody in a team through these entries. A user who starts later is no member yet. */
export function membershipPeriod(
  entries: readonly Period[],
  start: SourceValue<string> | undefined,
  today: string,
): MembershipPeriod {
  const later = start !== undefined && start.value > today ? [start] : [];
  const counting = entries.filter((entry) => countsOn(today, entry));
  const [starts] = later;
  if (counting.length > 0) {
    if (starts !== undefined) return { is: "to-come", from: starts };
    const isLasting = counting.some(({ until }) => until === undefined);
    return { is: "counting", until: isLasting ? undefined : latestOf(counting.flatMap(({ until }) => until ?? [])) };
  }
  const until = latestOf(entries.flatMap((entry) => entry.until ?? []).filter(({ value }) => value <= today));
  if (until !== undefined) return { is: "ended", until };
  const begins = entries.flatMap(({ from }) => from ?? []).sort((a, b) => (a.value < b.value ? -1 : 1));
  const from = latestOf([...begins.slice(0, 1), ...later]);
  return from === undefined ? { is: "counting" } : { is: "to-come", from };
}

function latestOf(dates: readonly SourceValue<string>[]): SourceValue<string> | undefined {
  return dates.reduce<SourceValue<string> | undefined>(
    (last, one) => (last === undefined || one.value > last.value ? one : last),
    undefined,
  );
}

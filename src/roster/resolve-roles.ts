import { type Reason, type RoleEnding, reasonAt } from "../model/fact.ts";
import { type RoleSet, roleSet } from "../model/values.ts";
import type { SourceValue } from "../yaml/decode.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import { maxRoles, type RoleReferences, type RoleSetEntry, type TimedRole } from "./decode.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import { countsOn, hasEnded, isPeriod } from "./from-until.ts";

/** What names in a list of roles refer to. Of two with one name the first counts. */
export interface RoleSetReferences {
  /** The day of this run in UTC, as in `2026-11-20`. */
  readonly today: string;
  readonly log: RosterDiagnostics;
  readonly roleSets: ReadonlyMap<string, RoleSetEntry>;
}

export interface ResolvedRoles {
  readonly at: SourceRange;
  readonly roles: RoleSet;
  /** The definitions of the role sets that they came from, and each `until` that has taken roles away. */
  readonly through: readonly Reason[];
  /** What of them counts until a day. */
  readonly endings: readonly RoleEnding[];
}

/** The roles of a list that count today, those of its role sets included. */
export function resolveRoles(written: RoleReferences, references: RoleSetReferences): ResolvedRoles {
  const { timed, ...lasting } = written;
  const counting = timed.filter((one) => countsToday(one, references));
  const ended = timed.filter((one) => hasEnded(one, references.today));
  const setOf = (name: SourceValue<string>) => findRoleSet(name, references);
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
  return { at: written.at, roles: combineRoles(written.at, roles, sets, references.log), through, endings };
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
function countsToday(one: TimedRole, { today, log }: RoleSetReferences): boolean {
  const { name, until } = one;
  if (!isPeriod(one, name.value, log)) return false;
  if (until !== undefined && hasEnded(one, today)) {
    const message = `\`until\` of \`${name.value}\` has passed: since ${until.value} this entry gives nothing.`;
    log.warning(until.at, "until-reached", message, "Remove this entry.");
    return false;
  }
  return countsOn(today, one);
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

function findRoleSet(name: SourceValue<string>, { roleSets, log }: RoleSetReferences): readonly RoleSetEntry[] {
  const set = roleSets.get(name.value);
  if (set !== undefined) return [set];
  const hint = log.didYouMean(name.value, roleSets.keys()) ?? "Define it under `roleSets`.";
  log.error(name.at, "unknown-name", `There is no role set \`${name.value}\`.`, hint);
  return [];
}

export function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

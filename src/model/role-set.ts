/** What each team key has, as the interface names it. Public lists of roles leave it out. */
export const teamRole = "TEAM_ROLE";

/** Role identifiers, compared exactly; sorted and without repetition, so that equal sets are equal lists. */
export type RoleSet = readonly string[];

export function roleSet(roles: Iterable<string>): RoleSet {
  const listed = [...roles];
  return isSorted(listed) ? listed : [...new Set(listed)].sort(byCodeUnit);
}

/** Whether each is after the one before it, as most lists of roles come. */
function isSorted(roles: readonly string[]): boolean {
  let previous: string | undefined;
  for (const role of roles) {
    if (previous !== undefined && previous >= role) return false;
    previous = role;
  }
  return true;
}

export function sameRoles(a: RoleSet, b: RoleSet): boolean {
  return a.length === b.length && a.every((role, index) => role === b[index]);
}

export function rolesWithout(roles: RoleSet, taken: RoleSet): RoleSet {
  return roles.filter((role) => !taken.includes(role));
}

export function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/** Deterministic and independent of locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Roles that let their holder administer others: never granted in passing without being shown. */
export const defaultPrivilegedRoles: RoleSet = roleSet(["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"]);

/** Everything that goes by one key; never empty. */
export type Group<V> = readonly [V, ...(readonly V[])];

/** The values of each key, keys and values in the order in which they come. */
export function multimap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, Group<V>> {
  const groups = new Map<K, [V, ...V[]]>();
  for (const [key, value] of entries) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** The items of each key, in the order in which they come. An item without a key is left out. */
export function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V) => K | undefined): ReadonlyMap<K, Group<V>> {
  const groups = new Map<K, [V, ...V[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The fields that are there: one without a value is left out. */
export function definedFields<T extends object>(
  fields: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined: { [Name in keyof T]?: Exclude<T[Name], undefined> } = {};
  // What is not undefined here is one of the values without it.
  for (const name in fields)
    if (fields[name] !== undefined) defined[name] = fields[name] as Exclude<T[typeof name], undefined>;
  return defined;
}

/** Deterministic and independent of locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Everything that goes by one key; never empty. */
export type Group<V> = readonly [V, ...(readonly V[])];

export function multimap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, Group<V>> {
  const groups = new Map<K, [V, ...V[]]>();
  for (const [key, value] of entries) addTo(groups, key, value);
  return groups;
}

function addTo<K, V>(groups: Map<K, [V, ...V[]]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/** The items of each key, in the order in which they come. An item without a key is left out. */
export function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V) => K | undefined): ReadonlyMap<K, Group<V>> {
  const groups = new Map<K, [V, ...V[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) addTo(groups, key, item);
  }
  return groups;
}

export function definedFields<const T extends object>(fields: T): Defined<T> {
  const defined: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  // What is not undefined here is one of the values without it.
  return defined as Defined<T>;
}

type Defined<T> = {
  readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & {
  readonly [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

export function latest(...times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted(byCodeUnit)
    .at(-1);
}

/** The same map in the order of its keys, so that the same is always the same text. */
export function sortedMap<Key extends string, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return new Map([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** `1 user`, `3 users`, `2 people`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function formatList(parts: readonly string[]): string {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return last ?? "";
  return `${parts.slice(0, -1).join(", ")} and ${last}`;
}

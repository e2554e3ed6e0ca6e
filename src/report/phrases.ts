import type { Ownership } from "../model/recorded.ts";

/** `1 user`, `3 users`, `2 people`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `2 errors`, `1 warning`: each count that is not 0, with its unit as formatCount takes it. */
export function formatCounts(
  ...counts: readonly (readonly [count: number, one: string, many?: string])[]
): readonly string[] {
  return counts.flatMap(([count, one, many]) => (count === 0 ? [] : [formatCount(count, one, many)]));
}

/** `2 failed`, `1 stale`: each count that is not 0, with words that are the same for one and for several. */
export function formatTallies(...tallies: readonly (readonly [count: number, words: string])[]): readonly string[] {
  return tallies.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
}

/** `a`, `a and b`, `a, b and c`. */
export function formatList(parts: readonly string[]): string {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return last ?? "";
  return `${parts.slice(0, -1).join(", ")} and ${last}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first of many, and how many are left. One more than the limit is shown too: to count it would take as much room. */
export function firstOf<One>(
  all: readonly One[],
  limit: number,
): { readonly shown: readonly One[]; readonly more: number } {
  const shown = all.length <= limit + 1 ? all : all.slice(0, limit);
  return { shown, more: all.length - shown.length };
}

/** `a, b and 3 more`. */
export function truncateList(texts: readonly string[], limit: number): string {
  const { shown, more } = firstOf(texts, limit);
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** At most so many characters, with a mark where something is left out. */
export function truncateText(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

/** `owner platform-team, note: on call at night`. */
export function formatOwnership(ownership: Ownership): string {
  const { owner, note } = ownership;
  return [...(owner === undefined ? [] : [`owner ${owner}`]), ...(note === undefined ? [] : [`note: ${note}`])].join(
    ", ",
  );
}

/** The same in parentheses, behind something; nothing where nothing is said. */
export function ownershipAside(ownership: Ownership | undefined): string {
  return ownership === undefined ? "" : ` (${formatOwnership(ownership).replace(/\.$/u, "")})`;
}

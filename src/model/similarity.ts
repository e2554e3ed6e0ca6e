import type { FoldedAddress } from "./address.ts";

/**
 * The candidate that a slip of the hand most likely meant; nothing where none is near. Letter case does not count. Of two
 * addresses what stands before the `@` has to be near by itself: the domain is everybody's.
 */
export function closestMatch(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bound = maxEditDistance(wanted) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bound) continue;
    const slips = editDistance(wanted, candidate.toLowerCase());
    if (slips >= bound || !haveSimilarLocalParts(wanted, candidate.toLowerCase())) continue;
    best = candidate;
    bound = slips;
  }
  return best;
}

function maxEditDistance(text: string): number {
  return Math.min(3, Math.floor(text.length / 3));
}

function haveSimilarLocalParts(one: string, other: string): boolean {
  const [a, b] = [localPartIn(one), localPartIn(other)];
  return a === undefined || b === undefined || editDistance(a, b) <= Math.max(1, maxEditDistance(a));
}

/** Of an address, be it at the end of a selector or an action's id. */
function localPartIn(text: string): string | undefined {
  return /([^:/@]*)@[^@]*$/u.exec(text)?.[1];
}

/** Letters inserted, left out, replaced or swapped with their neighbour: Damerau-Levenshtein, each letter edited once. @internal */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = swapped ? numberAt(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      line.push(
        Math.min(numberAt(last, column) + 1, numberAt(line, column - 1) + 1, numberAt(last, column - 1) + same, swap),
      );
    }
    beforeLast = last;
    last = line;
  }
  return numberAt(last, b.length);
}

function numberAt(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * A person's name for comparison: decomposed, without marks such as accents, in lower case, without regard to runs of white
 * space. Letters that are letters of their own, such as ø, ł or ß, stay what they are. Undefined where nothing is left.
 */
export function foldPersonName(firstName: string | undefined, lastName: string | undefined): string | undefined {
  const whole = `${firstName ?? ""} ${lastName ?? ""}`.normalize("NFKD").replace(/\p{M}+/gu, "");
  const folded = whole.toLowerCase().trim().replace(/\s+/gu, " ");
  return folded === "" ? undefined : folded;
}

/** What stands before the last `@`. */
export function localPartOf(address: FoldedAddress): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : address.slice(0, at);
}

/** What stands behind the last `@`, in ASCII; nothing where there is none. */
export function domainOf(address: FoldedAddress): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? "" : address.slice(at + 1);
}

/** Whether one letter more, less or other, or two neighbours exchanged, or nothing at all, makes one text of the other. */
export function isWithinOneEdit(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  const at = firstDifference(short, long);
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const exchanged = short[at] === long[at + 1] && short[at + 1] === long[at];
  return exchanged && short.slice(at + 2) === long.slice(at + 2);
}

/** Texts of which two share one wherever they are within one edit: the text itself, and each with one letter less. */
export function oneEditSignatures(text: string): ReadonlySet<string> {
  const near = new Set([text]);
  for (let at = 0; at < text.length; at += 1) near.add(text.slice(0, at) + text.slice(at + 1));
  return near;
}

function firstDifference(short: string, long: string): number {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  return at;
}

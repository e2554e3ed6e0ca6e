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

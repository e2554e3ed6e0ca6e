/** The candidate that a slip of the hand most likely meant; nothing where none is near. Letter case does not count. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bound = Math.min(3, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bound) continue;
    const slips = distance(wanted, candidate.toLowerCase());
    if (slips >= bound) continue;
    best = candidate;
    bound = slips;
  }
  return best;
}

/** Letters inserted, left out, replaced or swapped with their neighbour: Damerau-Levenshtein, each letter edited once. @internal */
export function distance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      line.push(Math.min(at(last, column) + 1, at(line, column - 1) + 1, at(last, column - 1) + same, swap));
    }
    beforeLast = last;
    last = line;
  }
  return at(last, b.length);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}

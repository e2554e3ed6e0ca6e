import type { SourceValue } from "../yaml/decode.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import type { Period } from "./decode.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";

/** On its `until`, a user has left, and a membership or a role counts no more. */
export function hasEnded({ until }: Pick<Period, "until">, today: string): boolean {
  return until !== undefined && until.value <= today;
}

export function countsOn(today: string, period: Period): boolean {
  const { from } = period;
  return (from === undefined || from.value <= today) && !hasEnded(period, today);
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

/** Whether a membership counts today. `until`: the day on which it ends, or has ended; `from`: the day on which it begins. */
export type MembershipPeriod =
  | { readonly is: "counting"; readonly until?: SourceValue<string> | undefined }
  | { readonly is: "to-come"; readonly from: SourceValue<string> }
  | { readonly is: "ended"; readonly until: SourceValue<string> };

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
  const until = latestOf(entries.flatMap((entry) => (hasEnded(entry, today) ? (entry.until ?? []) : [])));
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

import { showDuration } from "../duration.ts";
import type { CommandError } from "../stop.ts";

/** Milliseconds by which the clock of whoever made a snapshot may be ahead. */
const clocksApart = 5 * 60_000;

/** How long ago a snapshot was read, or why it is too old, or too new, to plan with. `now`: milliseconds since the epoch. */
export function snapshotAge(
  { path, readAt, maxAge }: { readonly path: string; readonly readAt: string; readonly maxAge: number },
  now: number,
): { readonly stop: CommandError } | { readonly told: string } {
  const age = now - Date.parse(readAt);
  if (age < -clocksApart) return { stop: stale("snapshot-from-the-future", fromTheFuture(path, readAt)) };
  if (age > maxAge) {
    const message = `the snapshot ${path} is too old: it was read ${showDuration(age)} ago, at ${readAt}, and may be ${showDuration(maxAge)} old`;
    return { stop: stale("stale-snapshot", message) };
  }
  const ago = age < 1000 ? "just now" : `${showDuration(age)} ago`;
  return {
    told: `the snapshot ${path} was read ${ago}, at ${readAt}: what has changed since then is not in this plan`,
  };
}

function fromTheFuture(path: string, readAt: string): string {
  return `the snapshot ${path} says that it was read at ${readAt}, which has not come yet`;
}

function stale(code: string, message: string): CommandError {
  const hint =
    "make a new one with `roster observe --out FILE`, or look after the job that does; --max-age says how old one may be";
  return { reason: "stale", problem: { code, message, hint } };
}

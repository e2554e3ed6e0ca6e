import { showDuration } from "../../library/duration.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";

export interface SnapshotFlags {
  readonly from?: string | undefined;
}

/** Milliseconds. */
const maxAge = 86_400_000;

/** The snapshot that is planned with; undefined where the service itself is read. Refuses what would shape a reading, or an apply, that there is not. */
export function readSnapshotFlags({ from, ...rest }: SnapshotFlags & object): Result<string | undefined, RosterError> {
  if (from === undefined) return success(undefined);
  const strange = unusableFlags.filter((name) => Reflect.get(rest, name) !== undefined);
  return strange.length > 0 ? problem(refuseFlags(strange)) : success(from);
}

const unusableFlags = ["endpoint", "parallelism", "debug", "state", "deadline", "out"] as const;

function refuseFlags(names: readonly (typeof unusableFlags)[number][]): RosterError {
  const flags = names.map((name) => `--${name}`).join(", ");
  if (names.includes("out")) {
    return invalidSetting(
      "usage",
      `${flags} cannot be combined with --from: a plan from a snapshot is a preview and cannot be applied.`,
      "Save a plan without --from, or print the preview with `--format json`.",
    );
  }
  return invalidSetting(
    "usage",
    `${flags} cannot be combined with --from: the snapshot replaces the service and the state.`,
    "Use it with `roster snapshot`, or remove it.",
  );
}

/** Milliseconds by which the clock of the machine that made a snapshot may be ahead. */
const clocksApart = 5 * 60_000;

/** How long ago a snapshot was read, or why it is too old, or too new, to plan with. `now`: milliseconds since the epoch. */
export function snapshotAge(
  { path, readAt }: { readonly path: string; readonly readAt: string },
  now: number,
): { readonly stop: RosterError } | { readonly notice: string } {
  const age = now - Date.parse(readAt);
  if (age < -clocksApart) return { stop: stale(fromTheFuture(path, readAt)) };
  if (age > maxAge) {
    const message = `the snapshot ${path} is too old: it was read ${showDuration(age)} ago, at ${readAt}, and may be ${showDuration(maxAge)} old`;
    return { stop: stale(message) };
  }
  const ago = age < 1000 ? "just now" : `${showDuration(age)} ago`;
  return {
    notice: `the snapshot ${path} was read ${ago}, at ${readAt}: what has changed since then is not in this plan`,
  };
}

function fromTheFuture(path: string, readAt: string): string {
  return `the snapshot ${path} says that it was read at ${readAt}, which is in the future`;
}

function stale(message: string): RosterError {
  const hint = "make a new one with `roster snapshot --out FILE`, or check the job that does";
  return stopError("stale", "stale", message, hint);
}

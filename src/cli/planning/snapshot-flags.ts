import { showDuration } from "../../library/duration.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { durationOf } from "../time-limits.ts";

export interface SnapshotFlags {
  readonly from?: string | undefined;
  readonly maxAge?: string | undefined;
}

/** Which snapshot is planned with, and how old it may be, in milliseconds. */
export interface WantedSnapshot {
  readonly path: string;
  readonly maxAge: number;
}

const defaultMaxAge = 86_400_000;

/** Undefined where the service itself is read. Refuses what would shape a reading, or an apply, that there is not. */
export function readSnapshotFlags(
  { from, maxAge, ...rest }: SnapshotFlags & object,
  host: Host,
): Result<WantedSnapshot | undefined, RosterError> {
  const age = durationOf({ flag: "--max-age", said: maxAge }, host);
  if (!age.ok) return age;
  if (from === undefined) return age.value === undefined ? success(undefined) : problem(nothingToBound);
  if (age.value === 0) return problem(refusesEverything);
  const strange = unusableFlags.filter((name) => Reflect.get(rest, name) !== undefined);
  return strange.length > 0
    ? problem(refuseFlags(strange))
    : success({ path: from, maxAge: age.value ?? defaultMaxAge });
}

const unusableFlags = ["endpoint", "parallelism", "debug", "state", "deadline", "out", "expires"] as const;

function refuseFlags(names: readonly (typeof unusableFlags)[number][]): RosterError {
  const flags = names.map((name) => `--${name}`).join(", ");
  if (names.includes("out") || names.includes("expires")) {
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

const nothingToBound = invalidSetting("usage", "--max-age needs --from.", "Add --from FILE.");

const refusesEverything = invalidSetting("bad-flag-value", "--max-age 0 would refuse every snapshot.");

/** Milliseconds by which the clock of the machine that made a snapshot may be ahead. */
const clocksApart = 5 * 60_000;

/** How long ago a snapshot was read, or why it is too old, or too new, to plan with. `now`: milliseconds since the epoch. */
export function snapshotAge(
  { path, readAt, maxAge }: { readonly path: string; readonly readAt: string; readonly maxAge: number },
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
  const hint = "make a new one with `roster snapshot --out FILE`, or check the job that does; --max-age sets the limit";
  return stopError("stale", "stale", message, hint);
}

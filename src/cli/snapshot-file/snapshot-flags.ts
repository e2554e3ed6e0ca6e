import { problem, type Result, success } from "../../model/result.ts";
import { durationOf } from "../duration-flag.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

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
): Result<WantedSnapshot | undefined, CommandError> {
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

function refuseFlags(names: readonly (typeof unusableFlags)[number][]): CommandError {
  const flags = names.map((name) => `--${name}`).join(", ");
  if (names.includes("out") || names.includes("expires")) {
    return invalidSetting(
      "preview-not-applied",
      `${flags} cannot be said with --from: a plan that is made of a snapshot is a preview and never applied, since nothing in it was read for it.`,
      "Save a plan that reads the service, without --from; `--format json` prints a preview for other programs.",
    );
  }
  return invalidSetting(
    "snapshot-has-said",
    `${flags} cannot be said with --from: neither the service nor the state is asked, since the snapshot holds what both have said.`,
    "Say it to `roster observe`, or leave it out.",
  );
}

const nothingToBound = invalidSetting(
  "nothing-to-bound",
  "--max-age says how old a snapshot may be, and none is named.",
  "Name it with --from FILE.",
);

const refusesEverything = invalidSetting("bad-duration", "--max-age 0 would refuse every snapshot.");

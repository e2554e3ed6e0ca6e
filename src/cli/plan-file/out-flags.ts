import { problem, type Result, success } from "../../model/result.ts";
import { durationOf } from "../duration-flag.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { refuseOccupied } from "./out-file.ts";

export interface OutFlags {
  readonly out?: string | undefined;
  readonly expires?: string | undefined;
}

/** Where a plan is to be saved, and how long it is good for, in milliseconds from the reading on. */
export interface Out {
  readonly path: string;
  readonly lasts: number;
}

const defaultLifetime = 86_400_000;

/** Undefined where no plan is to be saved. Found wrong before anything is read of the service. */
export async function readOut({ out, expires }: OutFlags, host: Host): Promise<Result<Out | undefined, CommandError>> {
  const lasts = durationOf({ flag: "--expires", said: expires }, host);
  if (!lasts.ok) return lasts;
  if (lasts.value === 0) return problem(expiresAtOnce);
  if (out === undefined) return lasts.value === undefined ? success(undefined) : problem(nothingToExpire);
  const taken = await refuseOccupied(out, host);
  return taken === undefined ? success({ path: out, lasts: lasts.value ?? defaultLifetime }) : problem(taken);
}

const expiresAtOnce = invalidSetting("bad-duration", "--expires 0 would make a plan file that is never applied.");

const nothingToExpire = invalidSetting(
  "nothing-to-expire",
  "--expires says how long a plan file is good for, and none is written.",
  "Name the file with --out FILE.",
);

import { problem, type Result, success } from "../../model/result.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

export interface RehearsalFlags {
  readonly rehearse?: boolean;
  readonly latency?: string | undefined;
}

/** What a person says of a rehearsal. The settings may ask for one where nobody does. */
export interface RehearsalOptions {
  readonly rehearse: boolean;
  /** Milliseconds that a call is taken to take; absent where nobody says so. */
  readonly latency?: number;
}

const maxLatency = 60_000;

/** A time that is given is one for a rehearsal. */
export function readRehearsal({ rehearse = false, latency }: RehearsalFlags): Result<RehearsalOptions, CommandError> {
  if (latency === undefined) return success({ rehearse });
  const [, number = "", unit = ""] = /^(\d+)(ms|s)$/u.exec(latency) ?? [];
  const milliseconds = Number(number) * (unit === "s" ? 1000 : 1);
  if (unit !== "" && milliseconds <= maxLatency) return success({ rehearse: true, latency: milliseconds });
  return problem(
    invalidSetting(
      "bad-latency",
      `--latency ${latency} is no time that a call takes.`,
      "Write a whole number of milliseconds or seconds, at most a minute: 80ms, 2s.",
    ),
  );
}

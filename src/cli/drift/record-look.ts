import { findingsSeen } from "../../journal/observed-events.ts";
import type { Drift } from "../../model/drift.ts";
import type { Policy } from "../../model/policy.ts";
import type { Failure } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import type { DriftRecording } from "../../report/drift.ts";
import type { Host } from "../host.ts";
import type { Planned } from "../planning/pipeline.ts";
import { recordEvents } from "../running/record-events.ts";
import type { CommandError } from "../stop.ts";
import { scopeOfCheck } from "./judge-drift.ts";

export interface CheckedDrift {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly policy: Policy;
  /** Fingerprints of what the run itself has put right. */
  readonly settled?: ReadonlySet<string>;
}

/** Records what a look has shown for the first time, and what is gone, in a locked state. Nothing is written where that is nothing. */
export async function recordSightings(
  session: StateSession,
  looked: CheckedDrift,
  host: Host,
): Promise<CommandError | "recorded" | "known"> {
  const { planned, drift, policy, settled } = looked;
  const look = { at: isoTime(host.clock), service: planned.snapshot.service, lookedAt: scopeOfCheck(planned, policy) };
  const event = findingsSeen(drift, session.state, settled === undefined ? look : { ...look, settled });
  if (event === undefined) return "known";
  return (await recordEvents(session, [event], "what was seen is not remembered")) ?? "recorded";
}

/** Why a look that may go unrecorded was not. */
export function notRecorded({ message, hint }: Pick<Failure, "message" | "hint">): DriftRecording {
  return { is: "not-recorded", why: hint === undefined ? message : `${message} (${hint})` };
}

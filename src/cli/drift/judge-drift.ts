import type { Drift } from "../../model/drift.ts";
import type { Policy } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import { acknowledge, computeDrift, type SubjectsInProgress } from "../../plan/drift/drift.ts";
import type { Planned } from "../planning/pipeline.ts";
import { sha256 } from "../system.ts";
import type { AcknowledgementsFile } from "./acknowledgements-file.ts";

export interface DriftInput {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly known: AcknowledgementsFile;
  readonly moving?: SubjectsInProgress;
}

/** In what the service and the roster differ, with what people have said of it. */
export function findDrift(planned: Planned, { roster, policy, known, moving }: DriftInput): Drift {
  const { plan, snapshot, state } = planned;
  const about = { plan, snapshot, state, roster, privilegedRoles: policy.privilegedRoles, digest: sha256 };
  const drift = computeDrift(moving === undefined ? about : { ...about, moving });
  const { acknowledgements, for: what } = known;
  return acknowledge(drift, {
    acknowledgements,
    today: policy.today,
    for: what,
    lookedAt: scopeOfCheck(planned, policy),
  });
}

/** Whether nothing was left out: then what is not there is no more. */
export function scopeOfCheck({ snapshot }: Planned, policy: Policy): "everything" | "a-part" {
  const isWhole = policy.include.length + policy.exclude.length === 0 && policy.reportUnmanaged;
  return isWhole && snapshot.everyone.read === "complete" ? "everything" : "a-part";
}

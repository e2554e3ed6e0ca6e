import type { RunSummary } from "../../journal/summary.ts";
import type { AuditActor } from "../../model/audit.ts";
import type { BreakGlassBegun } from "../../model/event.ts";
import { createFinding, findingFingerprint } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatAllowance, type Policy } from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { formatSubject } from "../../model/subject.ts";
import { accessGiven, findBreakGlassAccess, takenBackByRun } from "../../plan/guards/break-glass.ts";
import { isoTime } from "../../ports/clock.ts";
import { type AcknowledgementsReader, findDrift } from "../drift/sightings.ts";
import { type RosterError, stopError } from "../error.ts";
import { type Planned, planFromReading } from "../planning/planning.ts";
import { sha256 } from "../system.ts";
import { recordEvents } from "./lock.ts";
import type { RunContext } from "./run-plan.ts";

/** An emergency in which a person passes guards: why, until when (ISO 8601), and who. */
export interface BreakGlassRequest {
  readonly reason: string;
  readonly until: string;
  readonly actor: AuditActor;
}

type BreakGlassContext = RunContext & { readonly roster: Roster };

/** With what is found out which emergency access a reviewed file accepts. */
interface AcceptanceContext {
  readonly acknowledgements: AcknowledgementsReader;
  readonly roster: Roster;
  readonly policy: Policy;
}

/** Why an emergency changes nothing: no guard that it names objects to this plan. */
export function refuseIdleBreakGlass({ plan, refusal }: Planned, { allowed }: Policy): RosterError | undefined {
  if (refusal !== undefined) return undefined;
  const idle = new Set(plan.findings.flatMap(({ code, subject }) => (code === "idle-allowance" ? [subject] : [])));
  const idleWords = new Set([...idle].map(formatSubject));
  const words = allowed.map(formatAllowance);
  const isIdle = words.every((written) => idleWords.has(formatSubject({ kind: "allowance", written })));
  if (!isIdle && plan.actions.length > 0) return undefined;
  return stopError(
    "refused",
    "nothing-to-break-glass",
    "no guard that --break-glass names holds or refuses this plan",
    "nothing was sent; run `roster plan`, and use the --allow value that it prints, or apply without --break-glass",
  );
}

/** What the emergency gives, as it is recorded before the first call. */
export function breakGlassBegun(
  { reason, until, actor }: BreakGlassRequest,
  planned: Planned,
  { clock, policy, roster, lock }: BreakGlassContext,
): BreakGlassBegun {
  const { plan, keyInUse } = planned;
  const guarded = planFromReading(planned, { roster, policy: { ...policy, allowed: [] }, keyInUse });
  const actions = guarded.ok && guarded.value.refusal === undefined ? guarded.value.plan.actions : [];
  return {
    type: "break-glass-begun",
    at: isoTime(clock),
    run: lock.run,
    plan: plan.id,
    reason,
    until,
    actor,
    allowed: policy.allowed.map(formatAllowance),
    gives: accessGiven(plan.actions, actions),
  };
}

/** The plan with what a reviewed file accepts as notices. */
export async function withAcceptedBreakGlass(
  planned: Planned,
  { acknowledgements, roster, policy }: AcceptanceContext,
): Promise<Result<Planned, RosterError>> {
  const isOpen = ({ code, blocking }: Plan["findings"][number]) => code === "break-glass-access" && blocking;
  if (!planned.plan.findings.some(isOpen)) return success(planned);
  const read = await acknowledgements();
  if (!read.ok) return read;
  const { items } = findDrift(planned, { roster, policy, known: read.value });
  const accepted = new Map(
    items.flatMap(({ fingerprint, acknowledged }) =>
      acknowledged?.counts === true ? [[fingerprint, acknowledged.by] as const] : [],
    ),
  );
  const input = { ...planned, roster, digest: sha256, accepted };
  const drafts = findBreakGlassAccess(input).map(({ concerns: _, allow: _allow, ...draft }) =>
    createFinding({ ...draft, restsOn: draft.restsOn ?? [] }, sha256),
  );
  const known = new Map(drafts.map((finding) => [finding.fingerprint, finding]));
  const findings = planned.plan.findings.map((finding) => known.get(finding.fingerprint) ?? finding);
  return success({ ...planned, plan: { ...planned.plan, findings } });
}

/** The plan after its run, without emergency access that the run has taken back, which is recorded. */
export async function closeTakenBack(
  plan: Plan,
  { snapshot, state }: Pick<Planned, "snapshot" | "state">,
  { rolesRead }: RunSummary,
  { roster, lock, clock }: Pick<BreakGlassContext, "roster" | "lock" | "clock">,
): Promise<Plan> {
  if (state.breakGlass === undefined) return plan;
  const users = snapshot.users.map((user) => {
    const keys = user.keys?.map((key) => {
      const roles = rolesRead.get(key.prefix);
      return roles === undefined ? key : { ...key, roles };
    });
    return keys === undefined ? user : { ...user, keys };
  });
  const before = { roster, snapshot, state, digest: sha256 };
  const after = { ...before, snapshot: { ...snapshot, users } };
  const closed = takenBackByRun(before, after, isoTime(clock));
  // What is not recorded now is recorded by a later apply that sees it.
  if (closed.length > 0) await recordEvents(lock, closed, "");
  const left = new Set(findBreakGlassAccess(after).map((one) => findingFingerprint(one, sha256)));
  const findings = plan.findings.filter(
    ({ code, fingerprint }) => code !== "break-glass-access" || left.has(fingerprint),
  );
  return { ...plan, findings };
}

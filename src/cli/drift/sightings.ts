import { findingsSeen } from "../../journal/observed-events.ts";
import { type RunSummary, refusedMembers } from "../../journal/summary.ts";
import type { Drift, DriftItem, Todo } from "../../model/drift.ts";
import type { FindingsSeen } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import type { Failure } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { acknowledge, computeDrift, type SubjectsInProgress } from "../../plan/drift/compute-drift.ts";
import { looksAtEverything, provesGone, todoOf } from "../../plan/drift/todo.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import type { DriftRecording } from "../../report/drift.ts";
import type { CommandError } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { PlanningSession } from "../session.ts";
import { recordEvents } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import type { AcknowledgementsFile } from "./acknowledgements.ts";

interface CheckedDrift {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly policy: Policy;
  /** Fingerprints of what the run itself has put right. */
  readonly settled?: ReadonlySet<string>;
}

/** Records in a locked state which differences are new and which are gone. Writes nothing if there are none. */
export async function recordSightings(
  session: StateSession,
  checked: CheckedDrift,
  host: Host,
): Promise<CommandError | "recorded" | "known"> {
  const event = newSightings(checked, session.state, host);
  if (event === undefined) return "known";
  return (await recordEvents(session, [event], "what was seen is not remembered")) ?? "recorded";
}

/** What the state does not know yet of a drift, and what it knows that is proven to be gone. */
function newSightings(
  { planned, drift, policy, settled }: CheckedDrift,
  state: State,
  host: Host,
): FindingsSeen | undefined {
  const { snapshot } = planned;
  const check = { at: isoTime(host.clock), service: snapshot.service, proves: provesGone(snapshot, policy, state) };
  return findingsSeen(drift, state, settled === undefined ? check : { ...check, settled });
}

/** What of a drift is left to people, and what of it is done since the state was saved. */
export function findTodo(
  checked: CheckedDrift,
  state: State,
  { loaded, settings, host }: Pick<PlanningSession, "loaded" | "settings" | "host">,
): Todo {
  const gone = newSightings(checked, state, host)?.gone ?? [];
  const { roster } = loaded;
  const { snapshot } = checked.planned;
  return todoOf({ drift: checked.drift, state, gone, roster, snapshot, due: settings.due, now: isoTime(host.clock) });
}

/** Why a drift that may go unrecorded was not recorded. */
export function notRecorded({ message, hint }: Pick<Failure, "message" | "hint">): DriftRecording {
  return { is: "not-recorded", why: hint === undefined ? message : `${message} (${hint})` };
}

interface SightingsInput {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly known: AcknowledgementsFile;
  readonly moving?: SubjectsInProgress;
}

/** In what the service and the roster differ, with what people have said of it. */
export function findDrift(planned: Planned, { roster, policy, known, moving }: SightingsInput): Drift {
  const { plan, snapshot, state, keyInUse } = planned;
  const about = { plan, snapshot, state, keyInUse, roster, privilegedRoles: policy.privilegedRoles, digest: sha256 };
  const drift = computeDrift(moving === undefined ? about : { ...about, moving });
  const { acknowledgements, for: what } = known;
  return acknowledge(drift, {
    acknowledgements,
    today: policy.today,
    for: what,
    lookedAt: looksAtEverything(snapshot, policy) ? "everything" : "a-part",
  });
}

/** Fingerprints of what a run has put right: what it did, and what came to be as wanted without it. */
export function fixedByRun(run: RunSummary | undefined, { items }: Drift): ReadonlySet<string> {
  return new Set(items.filter((item) => isFixed(item, run)).map(({ fingerprint }) => fingerprint));
}

function isFixed({ of }: DriftItem, run: RunSummary | undefined): boolean {
  const outcome = of.is === "action" ? run?.outcomes.get(of.action) : undefined;
  if (of.is === "finding" || outcome === undefined) return false;
  if (outcome.is !== "succeeded") return outcome.is === "unneeded";
  if (outcome.learned.kind !== "add-members" || of.person === undefined) return true;
  const refused = refusedMembers(outcome).some(({ address }) => address === of.person);
  return !refused && outcome.learned.members.some(({ address }) => address === of.person);
}

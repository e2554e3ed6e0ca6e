import { encodePlanFile } from "../../codec/plan-file.ts";
import { encodeState } from "../../codec/state.ts";
import { recordMarks } from "../../journal/record-marks.ts";
import type { Plan } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { type Roster, rosterDigest } from "../../model/roster.ts";
import type { PlanFile, StateBasis, UserAddress } from "../../model/saved-files.ts";
import { accountStatus, type Snapshot } from "../../model/snapshot.ts";
import { isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { CommandResult } from "../output/finish.ts";
import { learnedEvents } from "../planning/pipeline.ts";
import type { PlanMade } from "../planning/plan-without-lock.ts";
import { installedPackage, sha256 } from "../system.ts";
import { type Out, writeOut } from "./out-file.ts";

/** Saves a plan to be applied later. One that guards refuse is shown alone: what stands in the file stays as it was. */
export async function savePlan(result: CommandResult, made: PlanMade, out: Out): Promise<CommandResult> {
  if (result.stop !== undefined) return result;
  const file = makePlanFile(made, out.lasts);
  const written = await writeOut(out.path, encodePlanFile(file, sha256), made.session.host);
  if (!written.ok) return { ...result, stop: written.error };
  return { ...result, planFile: { path: out.path, file, is: "written" } };
}

/** When the next one of the roster becomes a leaver, so that the roster asks for something else. */
function nextLeaving({ users }: Roster): number {
  const days = [...users.values()].flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until.value)]));
  return days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
}

/** So many are enough for one to be there still. */
const maxSampleUsers = 5;

/** A plan with everything that its apply needs. `lasts`: milliseconds from the reading on. */
function makePlanFile({ planned, session, state }: PlanMade, lasts: number): PlanFile {
  const { loaded, policy, host } = session;
  const { plan, snapshot } = planned;
  const { readAt, everyone, capabilities } = snapshot;
  const { roster, counts } = loaded;
  const madeAt = isoTime(host.clock);
  return {
    id: host.randomness.identifier(),
    madeAt,
    madeBy: installedPackage().version,
    expiresAt: new Date(Math.min(Date.parse(readAt) + lasts, nextLeaving(roster))).toISOString(),
    basis: {
      roster: { digest: rosterDigest(roster, sha256), ...counts },
      state: stateBasis(state),
      records: recordMarks(plan.actions, planned.state, sha256),
      readAt,
      everyone,
      capabilities,
      witnesses: sampleUsers(snapshot, roster),
    },
    policy: { words: formatPolicyFlags(policy, plan), privilegedRoles: policy.privilegedRoles },
    lessons: learnedEvents(planned, { roster, policy, at: madeAt }),
    plan,
  };
}

/** The very version of a state; `none` where nothing was ever kept. */
export function stateBasis(state: State): StateBasis | "none" {
  if (isUnusedState(state)) return "none";
  const { lineage, serial } = state;
  // What runs note of themselves, and what a drift has seen, moves nothing that a plan rests on.
  const { sequence: _order, planFiles: _files, sightings: _seen, capabilities: _shown, ...rest } = state;
  const { queues: _later, ...known } = rest;
  return { lineage, serial, digest: sha256(encodeState({ ...known, serial: 0 })).slice(0, 16) };
}

/** People of the roster first: others need not be named. */
function sampleUsers({ users }: Snapshot, roster: Roster): readonly UserAddress[] {
  const there = users.filter(({ status }) => accountStatus(status) === "active" || accountStatus(status) === "pending");
  const named = there.filter(({ address }) => roster.users.has(address));
  const best = [...named, ...there.filter(({ address }) => !roster.users.has(address))];
  return best.slice(0, maxSampleUsers).map(({ address, email }) => ({ address, email }));
}

/** The selection and what a person allows, as flags. */
function formatPolicyFlags({ include, exclude }: Policy, { allowed = [] }: Plan): readonly string[] {
  return [
    ...include.map(({ written }) => `--include ${written}`),
    ...exclude.map(({ written }) => `--exclude ${written}`),
    ...allowed.map((word) => `--allow ${word}`),
  ];
}

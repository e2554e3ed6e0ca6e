import { encodeState } from "../../codec/state.ts";
import { recordMarks } from "../../journal/record-marks.ts";
import { type Roster, rosterDigest } from "../../model/roster.ts";
import type { PlanFile, StateBasis, UserAddress } from "../../model/saved-files.ts";
import { accountStatus, type Snapshot } from "../../model/snapshot.ts";
import { isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../package-directory.ts";
import { learnedEvents } from "../planning/lessons.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { PlanSources } from "../planning/with-plan.ts";
import { sha256 } from "../system.ts";
import { formatPolicyFlags } from "./plan-words.ts";

/** When the next one of the roster becomes a leaver, so that the roster asks for something else. */
function nextLeaving({ users }: Roster): number {
  const days = [...users.values()].flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until.value)]));
  return days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
}

/** So many are enough for one to be there still. */
const maxSampleUsers = 5;

/** A plan with all that its apply needs beside it. `lasts`: milliseconds from the reading on. */
export function makePlanFile(
  planned: Planned,
  { loaded, policy, state }: PlanSources,
  { host, lasts }: { readonly host: Host; readonly lasts: number },
): PlanFile {
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
    policy: { words: formatPolicyFlags(policy), privilegedRoles: policy.privilegedRoles },
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

import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { findingsSeen } from "../../src/log/observed-events.ts";
import type { Drift, Tasks } from "../../src/model/drift.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot, UserListStatus } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import { provesGone, tasksOf } from "../../src/plan/drift/tasks.ts";
import { always } from "../support/always.ts";
import { aPolicy, aState, plannedDrift } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, rosterOf, sceneOf, situations, worldOf } from "../support/random-situations.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { Hidden } from "../support/visibility.ts";

const policy = aPolicy({ reportUnmanaged: true });
const day = (date: string) => `2026-11-${date}T12:00:00.000Z`;

interface Seen {
  readonly drift: Drift;
  readonly tasks: Tasks;
  readonly state: State;
}

/** What a read makes of a roster, and the state that remembers it. */
function look(roster: Roster, snapshot: Snapshot, state: State, at: string): Seen {
  const { drift } = plannedDrift({ roster, snapshot, state, policy });
  const { service } = snapshot;
  const seen = findingsSeen(drift, state, {
    at,
    service,
    proves: provesGone(snapshot, policy, state),
  });
  const tasks = tasksOf(drift, seen?.gone ?? [], { state, roster });
  return { drift, tasks, state: seen === undefined ? state : applyEvents(state, [seen]) };
}

const incomplete: fc.Arbitrary<UserListStatus> = fc.constantFrom(
  { read: "incomplete", why: "a page failed" },
  { read: "not-read" },
);

/** What a second look closes, and what of the first list a third one does not know since the first day. */
function lookedAgain(roster: Roster, [whole, poor]: readonly [Snapshot, Snapshot], state: State) {
  const first = look(roster, whole, state, day("01"));
  const second = look(roster, poor, first.state, day("02"));
  const third = look(roster, whole, second.state, day("20"));
  const known = new Set(third.tasks.open.map(({ fingerprint, since }) => `${fingerprint} ${since}`));
  const lost = first.tasks.open.filter(({ fingerprint }) => !known.has(`${fingerprint} ${day("01")}`));
  return { closed: second.tasks.closed, lost: lost.map(({ code }) => code) };
}

test("nothing is closed by a list that is cut, or was not read", () => {
  always(
    { seed: 41, numRuns: runs(150) },
    situations,
    incomplete,
    fc.subarray([0, 1, 2, 3, 4, 5]),
    (situation, everyone, missing) => {
      const roster = rosterOf(situation);
      const whole = snapshotOf(worldOf(situation), { roster });
      const users = whole.users.filter((_, index) => !missing.includes(index));
      const again = lookedAgain(roster, [whole, { ...whole, users, everyone }], aState());
      expect(again).toEqual({ closed: [], lost: [] });
    },
  );
});

const hidden = fc.subarray<Hidden>(["keys", "roles", "teams", "user-accounts", "user-profiles"], { minLength: 1 });

const aboutAccess = ["extra-member", "unmanaged-privilege", "user-in-other-account"];

test("nothing is closed by a read that hides what earlier reads showed", () => {
  always({ seed: 43, numRuns: runs(400) }, situations, hidden, (situation, hides) => {
    const { roster, world } = sceneOf(situation);
    const whole = snapshotOf(world, { roster });
    const poor = snapshotOf(world, { roster, hides });
    const capabilities = { learned: whole.capabilities, at: day("01") };
    expect(lookedAgain(roster, [whole, poor], aState({ capabilities }))).toEqual({ closed: [], lost: [] });
    // Also where nobody remembers what the service showed.
    const { closed } = lookedAgain(roster, [whole, poor], aState());
    expect(closed.filter(({ code }) => aboutAccess.includes(code))).toEqual([]);
  });
});

test("everything is closed by a read that shows it all gone, once", () => {
  always({ seed: 42, numRuns: runs(100) }, anySituation, (situation) => {
    const roster = rosterOf(situation);
    const first = look(roster, snapshotOf(worldOf(situation), { roster }), aState(), day("01"));
    const nobody = { ...roster, users: new Map(), leavers: new Map(), teams: [], keys: [] };
    const empty = { ...worldOf(situation), users: [] };
    const second = look(nobody, snapshotOf(empty, { roster: nobody }), first.state, day("02"));
    const closed = second.tasks.closed.map(({ fingerprint }) => fingerprint).sort();
    expect(closed).toEqual(first.tasks.open.map(({ fingerprint }) => fingerprint).sort());
    expect(look(nobody, snapshotOf(empty, { roster: nobody }), second.state, day("03")).tasks.closed).toEqual([]);
  });
});

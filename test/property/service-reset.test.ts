import fc from "fast-check";
import { expect, test } from "vitest";
import type { Absence } from "../../src/model/snapshot.ts";
import { always } from "../support/always.ts";
import { aState, planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { addressOf, aRoster, aUser, emailOf } from "../support/roster-builders.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../support/simulated-world.ts";

const unproven: Absence = { proven: false, why: "the search failed" };

const drawn = fc.record({
  present: fc.nat({ max: 6 }),
  absent: fc.nat({ max: 6 }),
  unread: fc.nat({ max: 6 }),
  isCreated: fc.boolean(),
  isIdentified: fc.boolean(),
});

test("at least three, and more than half, of the users whom reads prove present or absent put the service in doubt", () => {
  always({ numRuns: runs(1200) }, drawn, ({ present, absent, unread, isCreated, isIdentified }) => {
    const called = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}${index + 1}`);
    const [there, gone, unseen] = [called("there", present), called("gone", absent), called("unread", unread)];
    const names = [...there, ...gone, ...unseen];
    const world = aWorld();
    putUser(world, { email: emailOf("root") });
    for (const name of there) putUser(world, { email: emailOf(name), identifier: `u-${name}` });
    const roster = aRoster({ users: names.map((name) => aUser(name)) });
    const snapshot = snapshotOf(world, { roster });
    const absences = new Map(unseen.map((name) => [addressOf(name), unproven] as const));
    const at = "2026-11-01T00:00:00.000Z";
    const records = names.map((name) => ({
      address: addressOf(name),
      email: emailOf(name),
      account: "acc-1",
      ...(isCreated ? { createdAt: at } : { seenAt: at }),
      ...(isIdentified ? { identifier: `u-${name}` } : {}),
    }));
    const state = aState({ users: new Map(records.map((record) => [record.address, record])) });
    const plan = planned({
      roster,
      state,
      snapshot: { ...snapshot, absences: new Map([...snapshot.absences, ...absences]) },
    });
    const codes = plan.findings.map(({ code }) => code);
    const isInDoubt = absent >= 3 && absent > (absent + present) / 2;
    if (isInDoubt) expect([codes, plan.actions]).toEqual([["service-reset"], []]);
    else expect(codes.filter((code) => code === "user-missing")).toHaveLength(absent);
    expect(codes.includes("service-reset")).toBe(isInDoubt);
  });
});

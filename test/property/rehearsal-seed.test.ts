import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldAddress } from "../../src/model/address.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { observe } from "../../src/observe/observe.ts";
import type { ObserveInput } from "../../src/observe/read-users.ts";
import type { AccountService } from "../../src/ports/account-service.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { rehearsalService, virtualClock } from "../../src/rehearse/rehearsal-service.ts";
import { aPlan } from "../support/action-builders.ts";
import { drawnWorld, type WorldDraw, worldDraws } from "../support/arbitrary-world.ts";
import { inMemoryService } from "../support/in-memory-service.ts";
import { aState } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { aRoster, aTeam, aUser } from "../support/roster-builders.ts";
import type { World } from "../support/simulated-world.ts";

// Slow machines may take their time; the number of runs is what is bounded.
const ways: fc.Arbitrary<Partial<Knobs>> = fc.record({
  pageBase: fc.constantFrom("one-alias", "one-strict", "one-empty", "zero"),
  maxPerPage: fc.constantFrom(3, 5, 1000),
  total: fc.constantFrom("body", "header", "both", "none"),
  envelope: fc.constantFrom("L1", "L2", "L6", "named"),
  showKeys: fc.constantFrom("accessKeys", "accessKeys", "listAccessKeys", "none"),
  showKeyRoles: fc.constantFrom("objects", "names", "none"),
  showKeyKinds: fc.constantFrom("kind", "keyType", "none"),
  showTeams: fc.constantFrom("full", "full", "identifier", "text", "created-only", "none"),
  showTitles: fc.constantFrom("yes", "no"),
  accountDetails: fc.constantFrom("A1", "A2", "A3", "A5", "no-users"),
  roleList: fc.constantFrom("R1", "R2"),
  statusCase: fc.constantFrom("capitalised", "lower", "upper"),
});

const plainly = { state: aState(), assumeAbsentTeams: [], namesakes: "sought" } as const;
const noon = Date.UTC(2026, 10, 20, 12);

async function observed(question: ObserveInput, service: AccountService, clock: Clock): Promise<Snapshot> {
  const read = await observe(question, { service, clock, progress: { report: () => {} }, parallelism: 10 });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** A snapshot without what differs from one look to the next, in one order. */
function lasting({ readAt, reads, readings, users, accounts, absences, capabilities, everyone, ...rest }: Snapshot) {
  return {
    ...rest,
    capabilities,
    everyone: everyone.read,
    absences: sortedBy(
      [...absences].map(([address, { proven }]) => ({ address, proven })),
      ({ address }) => address,
    ),
    accounts: [...accounts.values()].map(({ members, memberStatuses, ...account }) => ({
      ...account,
      members: members && [...members].sort(),
      statuses: memberStatuses && [...memberStatuses].sort(),
    })),
    users: sortedBy(
      users.map(({ keys, by, ...user }) => ({ ...user, keys: keys && sortedBy(keys, ({ prefix }) => prefix) })),
      ({ email }) => email,
    ),
  };
}

function sortedBy<T>(items: readonly T[], name: (item: T) => string): readonly T[] {
  return [...items].sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

/** Of two users of one address, and of somebody whose address is none, a read does not say whose account is whose. */
function tellingApart({ people, ...draw }: WorldDraw): WorldDraw {
  const real = people.filter(({ email }) => email.includes("@"));
  return { ...draw, people: [...new Map(real.map((one) => [foldAddress(one.email), one])).values()] };
}

async function expectAlike(question: ObserveInput, world: World, knobs: Partial<Knobs>): Promise<void> {
  const clock = virtualClock(noon);
  const snapshot = await observed(question, inMemoryService(world, knobs, clock), clock);
  const ground = { snapshot, state: question.state, plan: aPlan([]) };
  const { service } = rehearsalService(ground, { clock, latency: 10, parallelism: 10 });
  expect(lasting(await observed(question, service, clock))).toEqual(lasting(snapshot));
}

describe("a service in memory that is filled from a snapshot", () => {
  test("is read as the service was, whatever there is and whatever the service shows of it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(situations, crowdedSituations),
        ways,
        fc.constantFrom<ObserveInput["everyone"]>("always", "when-needed"),
        async (situation, knobs, everyone) => {
          const roster = rosterOf(situation);
          const question: ObserveInput = { ...plainly, roster, everyone };
          await expectAlike(question, worldOf(situation), knobs);
        },
      ),
      { seed: 20261120, numRuns: runs(180) },
    );
  });

  test("is read as the service was, whatever mess there is", async () => {
    const roster = aRoster({
      users: Array.from({ length: 10 }, (_, index) => aUser(`p${index}`)),
      teams: [aTeam("Data", { members: ["p0", "p1"], roles: ["DEVELOPER"] }), aTeam("Ops", { members: ["p2"] })],
    });
    await fc.assert(
      fc.asyncProperty(
        worldDraws,
        fc.constantFrom<ObserveInput["everyone"]>("always", "when-needed"),
        (draw, everyone) => expectAlike({ ...plainly, roster, everyone }, drawnWorld(tellingApart(draw)), {}),
      ),
      { seed: 20261120, numRuns: runs(180) },
    );
  });
});

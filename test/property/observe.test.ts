import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAddress } from "../../src/model/address.ts";
import { success } from "../../src/model/result.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { observe } from "../../src/observe/observe.ts";
import type { AccountService } from "../../src/service/port.ts";
import { alwaysAsync } from "../support/always.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { runs } from "../support/property-runs.ts";
import { addressOf, aRoster, aUser, emailOf } from "../support/roster-builders.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { aWorld, putUser } from "../support/simulated-world.ts";

const seed = 20261120;
const names = Array.from({ length: 260 }, (_, at) => `p${String(at).padStart(3, "0")}`);

interface World {
  /** How many of the names are asked for, and which of all are there. */
  readonly asked: number;
  readonly present: readonly boolean[];
  readonly remembered: readonly boolean[];
  readonly membersShown: boolean;
  readonly everyone: "when-needed" | "always";
  /** The most hits that one answer holds, and their order: the service's own, that of the question, or its reverse. */
  readonly mostHits: number;
  readonly order: "own" | "asked" | "reversed";
  /** How many others a search finds by resemblance for each identifier, and after how many of those asked for they come. */
  readonly strangers: number;
  readonly strangersAfter: number;
  /** The most identifiers of one search that the service looks at. */
  readonly mostIdentifiers: number;
  readonly parallelism: number;
}

const worlds: fc.Arbitrary<World> = fc.record({
  asked: fc.integer({ min: 0, max: 250 }),
  present: fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length }),
  remembered: fc.array(
    fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
    { minLength: names.length, maxLength: names.length },
  ),
  membersShown: fc.boolean(),
  everyone: fc.constantFrom("when-needed", "always"),
  mostHits: fc.constantFrom(2, 10, 50, 1000, 1000),
  order: fc.constantFrom("own", "asked", "reversed"),
  strangers: fc.constantFrom(0, 0, 1, 2),
  strangersAfter: fc.constantFrom(0, 1, 1000),
  mostIdentifiers: fc.constantFrom(10, 50, 1000, 1000),
  parallelism: fc.integer({ min: 1, max: 8 }),
});

test("nobody who is there is ever proven to be absent, and a service that bounds nothing leaves no doubt", async () => {
  let proven = 0;
  await alwaysAsync({ seed, numRuns: runs(250) }, worlds, async (world) => {
    const snapshot = await snapshotOf(world);
    const asked = names.slice(0, world.asked);
    const there = (name: string) => world.present[names.indexOf(name)] === true;
    const found = new Set(snapshot.users.map(({ address }) => address));
    for (const name of asked) {
      const absence = snapshot.absences.get(addressOf(name));
      expect(found.has(addressOf(name))).toBe(absence === undefined);
      if (there(name)) expect(absence?.proven).not.toBe(true);
      if (absence?.proven) proven += 1;
    }
    if (world.mostHits < 1000 || world.mostIdentifiers < 1000) return;
    expect(asked.filter((name) => there(name) !== found.has(addressOf(name)))).toEqual([]);
    expect([...snapshot.absences.values()].filter((absence) => !absence.proven)).toEqual([]);
  });
  expect(proven).toBeGreaterThan(runs(5000));
});

test("a bound on the answers alone costs more searches, and leaves no doubt either", async () => {
  await alwaysAsync({ seed, numRuns: runs(150) }, worlds, async (world) => {
    const snapshot = await snapshotOf({ ...world, mostIdentifiers: 1000, membersShown: true, strangers: 0 });
    expect([...snapshot.absences.values()].filter((absence) => !absence.proven)).toEqual([]);
  });
});

async function snapshotOf(world: World) {
  const result = await observe(
    {
      roster: aRoster({ users: names.slice(0, world.asked).map((name) => aUser(name)) }),
      state: remembering(names.filter((_, at) => world.remembered[at])),
      everyone: world.everyone,
    },
    {
      service: boundedService(world),
      clock: clockAt("2026-11-20T12:00:00.000Z"),
      progress: () => undefined,
      parallelism: world.parallelism,
    },
  );
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function boundedService(habits: World): AccountService {
  const { present, membersShown, mostHits, mostIdentifiers, order, strangers, strangersAfter } = habits;
  const world = aWorld();
  for (const [at, name] of names.entries()) if (present[at]) putUser(world, { email: emailOf(name) });
  const simulated = simulatedService({ world, hides: membersShown ? [] : ["account-members"] });
  const searchUsers: AccountService["searchUsers"] = async (identifiers, by, signal) => {
    const seen = identifiers.slice(0, mostIdentifiers);
    const hits = await simulated.searchUsers(seen, by, signal);
    if (!hits.ok) return hits;
    const place = ({ email }: ObservedUser) => seen.indexOf(email);
    const asked = [...hits.value].sort((a, b) => place(a) - place(b));
    const ordered = { own: hits.value, asked, reversed: [...asked].reverse() }[order];
    const others = seen.flatMap((email) => resembling(email, strangers, by));
    const answered = [...ordered.slice(0, strangersAfter), ...others, ...ordered.slice(strangersAfter)];
    return success(answered.slice(0, mostHits));
  };
  return Object.assign(Object.create(simulated), { searchUsers });
}

function resembling(email: string, count: number, by: string): readonly ObservedUser[] {
  return Array.from({ length: count }, (_, at) => {
    const other = `jo${at}${email}`;
    return { email: other, address: foldAddress(other), keys: [], by };
  });
}

function remembering(remembered: readonly string[]): State {
  const users = remembered.map((name) => {
    const record = { address: addressOf(name), email: emailOf(name), account: "acc-1" };
    return [record.address, record] as const;
  });
  return { ...emptyState("l"), users: new Map(users) };
}

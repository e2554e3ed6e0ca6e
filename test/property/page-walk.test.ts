import fc from "fast-check";
import { expect, test } from "vitest";
import { walkPages } from "../../src/service/paging.ts";
import { alwaysAsync } from "../support/always.ts";
import { timerBy } from "../support/fixed-ports.ts";
import { type PagingHabits, pagedCollection } from "../support/paged-collection.ts";
import { runs } from "../support/property-runs.ts";

const seed = 20261120;
const maxPages = 400;

const habits: fc.Arbitrary<Omit<PagingHabits, "isHidden" | "order" | "largestPage">> = fc.record({
  base: fc.constantFrom("zero", "alias", "refused-zero", "empty-zero"),
  refusal: fc.constantFrom(400, 404, 422),
  beyondLargest: fc.constantFrom("clamped", "clamped", "refused"),
  pastEnd: fc.constantFrom("empty", "refused", "last-again"),
  total: fc.constantFrom("none", "right"),
  ignoresPage: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  sorting: fc.constantFrom<PagingHabits["sorting"][]>("honoured", "ignored", 400, 500),
});

/** Rows in arrival order, which is not their sorted order. */
function rows(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `row ${String((at * 7919) % 10_007).padStart(5, "0")}`);
}

const common = { keyOf: (row: string) => row, stableOrder: "email", maxPages };

async function walk(collection: ReturnType<typeof pagedCollection>, perPage: number) {
  const walked = await walkPages({ ...common, readPage: collection.readPage, firstPage: undefined, perPage });
  expect(collection.requests.length).toBeLessThanOrEqual(4 * maxPages);
  if (!walked.ok) throw new Error(walked.error.message);
  return walked.value;
}

const stableWorlds = fc
  .record({
    habits,
    largestPage: fc.constantFrom(1, 2, 3, 7, 10, 20, 100, 1000),
    count: fc.integer({ min: 0, max: 120 }),
    perPage: fc.constantFrom(10, 20, 100),
    gaps: fc.boolean(),
  })
  .filter(({ largestPage, habits: { beyondLargest } }) => largestPage >= 10 || beyondLargest === "clamped")
  // A single row that comes again and again is taken for the whole list.
  .filter(({ largestPage, habits: { ignoresPage } }) => largestPage > 1 || !ignoresPage);

/** With gaps, every third row of a page is filtered out after the page was cut: pages are short, none is empty. */
function stableCollection({
  habits: random,
  largestPage,
  count,
  perPage,
  gaps,
}: typeof stableWorlds extends fc.Arbitrary<infer World> ? World : never) {
  const hasGaps = gaps && Math.min(largestPage, perPage) >= 3;
  const hidden = new Set(hasGaps ? rows(count).filter((_, at) => at % 3 === 1) : []);
  const size = random.beyondLargest === "refused" && perPage > largestPage ? 10 : Math.min(perPage, largestPage);
  const paging: PagingHabits = { ...random, largestPage, order: "stable", isHidden: (row) => hidden.has(row) };
  return { paging, hasManyPages: count > size && !random.ignoresPage && !hasGaps };
}

test("a stable service is never claimed to be complete with a row missing, and is claimed so where it has pages that differ", async () => {
  let completeWalks = 0;
  await alwaysAsync({ seed, numRuns: runs(1500) }, stableWorlds, async (world) => {
    const { paging, hasManyPages } = stableCollection(world);
    const collection = pagedCollection(rows(world.count), paging);
    const walked = await walk(collection, world.perPage);
    if (hasManyPages) expect(walked.complete).toEqual({ yes: true });
    if (!walked.complete.yes) return;
    completeWalks += 1;
    expect([...walked.rows].sort()).toEqual([...collection.shownRows].sort());
  });
  expect(completeWalks).toBeGreaterThan(runs(900));
});

test("what one walk learned about the first page never makes the next one miss a row", async () => {
  let learned = 0;
  await alwaysAsync(
    { seed, numRuns: runs(1000) },
    stableWorlds,
    fc.integer({ min: 0, max: 120 }),
    async (world, laterCount) => {
      const { paging } = stableCollection(world);
      const { firstPage } = await walk(pagedCollection(rows(world.count), paging), world.perPage);
      const later = pagedCollection(rows(laterCount), paging);
      const again = await walkPages({ ...common, readPage: later.readPage, perPage: world.perPage, firstPage });
      if (firstPage === undefined || !again.ok || !again.value.complete.yes) return;
      learned += 1;
      expect([...again.value.rows].sort()).toEqual([...later.shownRows].sort());
    },
  );
  expect(learned).toBeGreaterThan(runs(400));
});

test("a service whose order changes at each request is never claimed to be complete with a row missing", async () => {
  const worlds = fc.record({
    habits,
    largestPage: fc.constantFrom(20, 25, 50),
    count: fc.integer({ min: 0, max: 200 }),
    shuffles: fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 60, maxLength: 60 }),
  });
  let completeWalks = 0;
  await alwaysAsync({ seed, numRuns: runs(800) }, worlds, async ({ habits: random, largestPage, count, shuffles }) => {
    let request = 0;
    const shuffle = (same: readonly string[]) => {
      request += 1;
      return shuffled(same, shuffles[request % shuffles.length] ?? request);
    };
    const collection = pagedCollection(
      rows(count),
      { ...random, largestPage, order: "shuffled", isHidden: () => false },
      shuffle,
    );
    const walked = await walk(collection, 100);
    if (!walked.complete.yes) return;
    completeWalks += 1;
    expect([...walked.rows].sort()).toEqual([...rows(count)].sort());
  });
  expect(completeWalks).toBeGreaterThan(runs(200));
});

const growingWorlds = fc.record({
  habits,
  countsBy: fc.constantFrom<"given" | "wished">("given", "wished"),
  largestPage: fc.constantFrom(10, 15, 20, 37, 100, 1000),
  larger: fc.constantFrom(20, 50, 100),
  parallelism: fc.constantFrom(1, 3, 10),
  count: fc.integer({ min: 0, max: 300 }),
  gaps: fc.boolean(),
});

test("larger pages, and several at the same time, lose no row of a stable service, and are asked for where a small one is full", async () => {
  let completeWalks = 0;
  let enlarged = 0;
  await alwaysAsync(
    { seed, numRuns: runs(1500) },
    growingWorlds,
    async ({ habits: random, countsBy, largestPage, larger, parallelism, count, gaps }) => {
      const hidden = new Set(gaps ? rows(count).filter((_, at) => at >= 10 && at % 3 === 1) : []);
      const paging = {
        ...random,
        countsBy,
        largestPage,
        order: "stable",
        isHidden: (row: string) => hidden.has(row),
      } as const;
      // A last page is one of as many rows as are given: a service that counts by the wish has another last page.
      const hasOwnEnd = countsBy === "wished" && random.pastEnd !== "empty";
      const collection = pagedCollection(rows(count), hasOwnEnd ? { ...paging, pastEnd: "empty" } : paging);
      const clock = timerBy(() => 0);
      const walked = await walkPages({
        ...common,
        ...{
          readPage: collection.readPage,
          firstPage: undefined,
          perPage: 10,
          larger: { perPage: larger, clock },
          parallelism,
        },
      });
      if (!walked.ok) throw new Error(walked.error.message);
      if (collection.requests.filter(({ perPage = 0 }) => perPage > 10).length > 1) enlarged += 1;
      if (count > 10 && !gaps && !random.ignoresPage) expect(walked.value.complete).toEqual({ yes: true });
      if (!walked.value.complete.yes) return;
      completeWalks += 1;
      expect([...walked.value.rows].sort()).toEqual([...collection.shownRows].sort());
    },
  );
  expect(completeWalks).toBeGreaterThan(runs(1100));
  expect(enlarged).toBeGreaterThan(runs(500));
});

function shuffled(same: readonly string[], salt: number): readonly string[] {
  const weight = (row: string) => {
    let hash = salt | 1;
    for (let at = 0; at < row.length; at += 1) hash = Math.imul(hash ^ row.charCodeAt(at), 0x9e3779b1) ^ (hash >>> 15);
    return hash;
  };
  return [...same].sort((a, b) => weight(a) - weight(b));
}

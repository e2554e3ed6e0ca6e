import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { readEveryone } from "../../src/cli/read-everyone.ts";
import type { Roster } from "../../src/model/roster.ts";
import { observe } from "../../src/observe/observe.ts";
import { adopt } from "../../src/roster/adopt/adopt.ts";
import { layOut } from "../../src/roster/adopt/lay-out.ts";
import { drawnWorld, worldDraws } from "../support/arbitrary-world.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { aState, planned } from "../support/plan-inputs.ts";
import { faultsOf, rosterFrom } from "../support/roster-text.ts";
import { simulatedService } from "../support/simulated-service.ts";
import type { Hidden } from "../support/visibility.ts";

// Slow machines may take their time; the number of runs is what is bounded.
vi.setConfig({ testTimeout: 60_000 });

const hides = fc.subarray<Hidden>(
  [
    "keys",
    "roles",
    "teams",
    "team-identifiers",
    "user-identifiers",
    "user-accounts",
    "user-profiles",
    "account-members",
  ],
  { maxLength: 2 },
);
const wishes = fc.record({
  draw: worldDraws,
  hides: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: hides }),
  layout: fc.constantFrom("file" as const, "account" as const, "team" as const),
  roles: fc.constantFrom("keep" as const, "keep" as const, "omit" as const),
  accounts: fc.constantFrom(["acc-1", "acc-2"], ["acc-1", "acc-2"], ["acc-1"], ["acc-2"]),
});
type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never;

function portsFor({ draw, hides: hidden }: Wish) {
  const service = simulatedService({ world: drawnWorld(draw), hides: hidden });
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  return { service, clock, progress: { report: () => undefined }, parallelism: 4 };
}

async function filesOf(wish: Wish): Promise<Record<string, string>> {
  const read = await readEveryone(wish.accounts, portsFor(wish));
  if (!read.ok) throw new Error(read.error.message);
  const adoption = adopt({ ...read.value, accounts: wish.accounts, roles: wish.roles });
  const files = layOut(adoption, {
    layout: wish.layout,
    taken: [],
    schemaFor: () => "schemas/roster.schema.json",
    imported: { service: "https://simulated.example", at: "2026-11-20T10:00:00.000Z" },
  });
  return Object.fromEntries(files.map(({ file, text }) => [file, text]));
}

async function planFrom(
  roster: Roster,
  wish: Wish,
): Promise<{ actions: readonly unknown[]; blocking: readonly string[] }> {
  const question = { roster, state: aState(), everyone: "when-needed", assumeAbsentTeams: [] } as const;
  const snapshot = await observe(question, portsFor(wish));
  if (!snapshot.ok) throw new Error(snapshot.error.message);
  const { actions, findings } = planned({ roster, snapshot: snapshot.value });
  return {
    actions,
    blocking: findings.filter(({ blocking }) => blocking).map(({ code, message }) => `${code}: ${message}`),
  };
}

test("a plan made from what was imported is empty, and every file is a roster file", async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async (wish) => {
      const files = await filesOf(wish);
      const making = rosterFrom(files);
      expect(faultsOf(making)).toEqual([]);
      if (making.roster === undefined) throw new Error("no roster");
      expect({ ...(await planFrom(making.roster, wish)), files }).toEqual({ actions: [], blocking: [], files });
    }),
    { seed: 41, numRuns: Number(process.env["RUNS"] ?? 1000) },
  );
});

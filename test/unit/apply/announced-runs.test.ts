import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/journal/fold.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { observed } from "../../../src/model/fact.ts";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, anAddition, aReplacement, createId, person, teamRef } from "../../support/action-builders.ts";
import { applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { aFailure } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const empty = emptyState("l");
const names = Array.from({ length: 200 }, (_, index) => `p${index}`);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The service numbers keys as calls reach it, and calls that are under way at once reach it in any order. */
function withoutKeyNumbers(events: readonly RunEvent[]): readonly string[] {
  return brief(events)
    .map((text) => text.replace(/\bk\d+\b/gu, "k"))
    .sort();
}

/** A session whose writes take a turn, and which counts them. */
function counting(writes: "appended" | "rewritten") {
  let count = 0;
  const session = memorySession(
    empty,
    async () => {
      count += 1;
      await turn();
    },
    writes,
  );
  return { session, appends: () => count };
}

describe("a run whose session rewrites the whole state", () => {
  test("announces creations before their turn, in fewer writes, and tells each once as it is sent", async () => {
    const [each, ahead] = [counting("appended"), counting("rewritten")];
    const creations = names.map((name) => aCreation(name));
    const usual = await applied(creations, emptyService(), { session: each.session });
    const told = await applied(creations, emptyService(), { session: ahead.session });
    expect(withoutKeyNumbers(told)).toEqual(withoutKeyNumbers(usual));
    expect(each.appends()).toBeGreaterThan(400);
    expect(ahead.appends()).toBeLessThan(215);
    expect(ahead.session.saved().open).toEqual([]);
    expect([...ahead.session.saved().users.keys()].sort()).toEqual([...each.session.saved().users.keys()].sort());
  });

  test("sends no call before its announcement is durable", async () => {
    const { session } = counting("rewritten");
    const announced: string[] = [];
    const simulated = emptyService({
      before: (call) => {
        if (call.route === "create-user") {
          const action = `create-user:${call.user.email}`;
          if (session.durable.some((event) => event.type === "intended" && event.action === action))
            announced.push(action);
        }
        return undefined;
      },
    });
    await applied(
      names.map((name) => aCreation(name)),
      simulated,
      { session },
    );
    expect(announced.sort()).toEqual(names.map(createId).sort());
  });

  test("leaves nothing open of what it announced and did not send", async () => {
    const clock = clockAt(noon);
    // What was announced is about to lapse at each write.
    const session = memorySession(empty, () => clock.move(4000), "rewritten");
    const simulated = emptyService({ before: () => ({ failure: aFailure("unauthorized", "the key is refused") }) });
    await applied(
      names.map((name) => aCreation(name)),
      simulated,
      { session, clock, parallelism: 1 },
    );
    expect(announcedIn(session.durable).length).toBeGreaterThan(1);
    expect(session.saved().open).toEqual([]);
  });

  test("leaves open what it announced where it dies, until a time to come", async () => {
    const dying = emptyService({ before: () => new Promise(() => undefined) });
    const session = memorySession(empty, undefined, "rewritten");
    void applied(
      names.map((name) => aCreation(name)),
      dying,
      { session, parallelism: 1 },
    );
    for (let turns = 0; turns < 5; turns += 1) await turn();
    const { open } = applyEvents(empty, session.durable);
    expect(open.map(({ action }) => action)).toEqual(names.slice(0, 6).map(createId));
    expect(open.map(({ at }) => at)).toEqual(Array(6).fill("2026-11-20T12:00:06.000Z"));
  });

  test("announces replacements of known keys, and additions where reads show who is a member", async () => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [] }).identifier);
    const key = (prefix: string) => ({ of: "prefix", prefix: observed(prefix, "search 1") }) as const;
    const actions = [
      aReplacement("one", key("k-1"), []),
      aReplacement("two", key("k-2"), []),
      anAddition(team, [person("ada", ada.identifier)]),
    ];
    const hidden = { keysOnUsers: "shown", teamsOnKeys: "hidden" } as const;
    const shown = { keysOnUsers: "shown", teamsOnKeys: "shown" } as const;
    const unknown = {
      rolesOnKeys: "unknown",
      titles: "unknown",
      totals: "unknown",
      paging: { firstPage: "unknown" },
    } as const;
    for (const [capabilities, expected] of [
      [{ ...shown, ...unknown }, 3],
      [{ ...hidden, ...unknown }, 2],
    ] as const) {
      const session = memorySession(empty, undefined, "rewritten");
      const stuck = emptyService({ world, before: () => new Promise(() => undefined) });
      void applied(actions, stuck, { session, parallelism: 1, capabilities });
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(applyEvents(empty, session.durable).open).toHaveLength(expected);
    }
  });
});

describe("a write of an announcement that takes long", () => {
  test.each([
    ["appended", 900, [undefined]],
    ["appended", 3000, [undefined, "2026-11-20T12:00:15.000Z"]],
    ["rewritten", 4000, ["2026-11-20T12:00:10.000Z"]],
    ["rewritten", 5000, ["2026-11-20T12:00:11.000Z", "2026-11-20T12:00:25.000Z"]],
  ] as const)(
    "where it is %s and takes %i ms is made again only where it says too little",
    async (writes, takes, until) => {
      const clock = clockAt(noon);
      const session = memorySession(empty, () => clock.move(takes), writes);
      const simulated = emptyService();
      const events = await applied([aCreation("ada")], simulated, { session, clock });
      expect(announcedIn(session.durable).map((event) => event.until)).toEqual(until);
      expect(brief(events).filter((text) => text.startsWith("intended"))).toEqual([`intended ${createId("ada")}`]);
      expect(simulated.requests.writes).toBe(1);
    },
  );

  test("ends the run where no announcement can last so long, and nothing is sent", async () => {
    const clock = clockAt(noon);
    const session = memorySession(empty, () => clock.move(21_000), "rewritten");
    const simulated = emptyService();
    const events = await applied([aCreation("ada")], simulated, { session, clock });
    expect(brief(events).at(-1)).toBe(
      "finished stopped: the state store took 21 s to write. That is too slow to record each call before it " +
        "is sent",
    );
    expect(simulated.requests.writes).toBe(0);
    expect(session.saved().open).toEqual([]);
  });
});

function announcedIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === "intended" ? [event] : []));
}

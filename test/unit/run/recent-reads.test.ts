import { describe, expect, test } from "vitest";
import type { Action } from "../../../src/model/plan.ts";
import { aCreation, anAddition, person, teamRef } from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aFailure, type Disturbance, on, type ServiceCall } from "../../support/simulated-service.ts";
import { aWorldOf } from "../../support/simulated-world.ts";

/** What the service, or what stands before it, answered in place of an outcome. */
const failed = (status: number) => ({ ...aFailure("service-error"), status });

interface RecentWrites {
  /** The write that is answered; then the one that fails. */
  readonly bo: Action;
  readonly ada: Action;
  /** Milliseconds between the two announcements. */
  readonly apart: number;
  /** What searches show once the failed call is so many milliseconds old. */
  readonly reads: (age: number) => "everybody" | "only bo" | "bo without keys" | "nobody" | "a failure";
  readonly done: "done" | "not-done";
  readonly told: Omit<Disturbance, "outcome">;
  readonly hides: Scene["hides"];
}

const creations = { bo: aCreation("bo"), ada: aCreation("ada") };
const teamCreations = {
  bo: aCreation("bo", { createsTeam: "Data" }),
  ada: aCreation("ada", { createsTeam: "Science" }),
};
const additions = {
  bo: anAddition(teamRef("Data", "t-data"), [person("bo", "u-bo")]),
  ada: anAddition(teamRef("Ops", "t-ops"), [person("ada", "u-ada")]),
};
const usual: RecentWrites = {
  ...creations,
  apart: 0,
  reads: () => "everybody",
  done: "not-done",
  told: { failure: failed(500) },
  hides: [],
};

/** How the failed call ended, and how old it was by then. No window is over within the run. */
async function ending(wish: Partial<RecentWrites>): Promise<string> {
  const { bo, ada, apart, reads, done, told, hides = [] } = { ...usual, ...wish };
  const lost = { outcome: "unknown", ...told } as const;
  const clock = clockAt(noon);
  const joins = Object.entries({ bo, ada }).filter(([, { kind }]) => kind === "add-members");
  const world = aWorldOf({
    users: Object.fromEntries(joins.map(([name]) => [name, { identifier: `u-${name}` }])),
    teams: { Data: {}, Ops: {} },
  });
  const isAdas = (call: ServiceCall) =>
    (call.route === "create-user" && call.user.email.startsWith("ada@")) ||
    (call.route === "add-members" && call.team === "t-ops");
  const age = () => clock.now() - Date.parse(noon) - apart;
  const { events, outcome, open } = await runPlan([bo, { ...ada, dependsOn: [bo.id] }], {
    clock,
    world,
    hides,
    parallelism: 1,
    consistency: "learned",
    before(call) {
      if (call.route === "search-users" && reads(age()) === "a failure") return { failure: aFailure("service-error") };
      return isAdas(call) && done === "not-done" ? lost : undefined;
    },
    after(call) {
      if (isAdas(call)) return lost;
      if (call.route === "create-user" || call.route === "add-members") clock.move(apart);
      return undefined;
    },
    searches(users) {
      const shows = reads(age());
      if (shows === "everybody") return users;
      const onlyBo = shows === "nobody" ? [] : users.filter(({ address }) => address === addressOf("bo"));
      return shows === "bo without keys" ? onlyBo.map((user) => ({ ...user, keys: [] })) : onlyBo;
    },
  });
  const resolved = events.find((event) => event.type === "resolved");
  const after = resolved === undefined ? "" : ` after ${Date.parse(resolved.at) - Date.parse(noon) - apart}`;
  return `${outcome(ada.id)?.is}${after}${open.length > 0 ? ", open" : ""}`;
}

const unknown = "unknown, open";

describe("a write that no read shows, within the window", () => {
  test("stays unknown where the service took it for later, whatever later writes show", async () => {
    expect(await ending({ ...additions, told: { ...usual.told, accepted: {} } })).toBe(unknown);
  });

  test.each([
    ["where no answer came", aFailure("unreachable", "the connection was ended")],
    ["where a gateway lost the service", failed(502)],
    ["where a gateway gave up", failed(504)],
  ])("stays unknown %s, since the call may arrive later", async (_, failure) => {
    expect(await ending({ told: { failure } })).toBe(unknown);
  });

  test("stays unknown where the details of the account show the user, and a search that is cut off does not", async () => {
    const cutOff: Partial<RecentWrites> = { done: "done", reads: () => "only bo" };
    expect(await ending(cutOff)).toBe(unknown);
    expect(await ending({ ...cutOff, hides: ["account-members"] })).toBe("failed after 11000");
  });

  test.each([
    ["a creation", creations],
    ["a creation of a team", teamCreations],
    ["an addition", additions],
  ])("was not done where two reads show a later one of its kind: %s", async (_, actions) => {
    expect(await ending(actions)).toBe("failed after 11000");
  });

  test.each<readonly [string, Partial<RecentWrites>, string]>([
    ["one that began a second before speaks for it", { apart: 1000 }, "failed after 11000"],
    ["one that began more than a second before does not", { apart: 1001 }, unknown],
    ["one that began two seconds before does not", { apart: 2000 }, unknown],
    ["a creation of a team speaks for a creation", { bo: teamCreations.bo }, "failed after 11000"],
    ["a creation does not speak for a creation of a team", { ada: teamCreations.ada }, unknown],
    ["a creation does not speak for an addition", { ada: additions.ada }, unknown],
    ["a creation of a team does not speak for an addition", { bo: teamCreations.bo, ada: additions.ada }, unknown],
    ["an addition does not speak for a creation", { bo: additions.bo }, unknown],
    ["an addition does not speak for a creation of a team", { bo: additions.bo, ada: teamCreations.ada }, unknown],
    ["reads of the first seconds prove nothing", { reads: (age) => (age < 5000 ? "everybody" : "nobody") }, unknown],
    ["reads without the other one prove nothing", { reads: () => "nobody" }, unknown],
    ["a creation is shown by the user alone", { reads: () => "bo without keys" }, "failed after 11000"],
    ["a creation of a team is shown by its key alone", { ...teamCreations, reads: () => "bo without keys" }, unknown],
    ["one read proves nothing", { reads: (age) => (age === 5500 ? "everybody" : "nobody") }, unknown],
    ["nor where all others fail", { reads: (age) => (age === 5500 ? "everybody" : "a failure") }, unknown],
    [
      "a second read may fail, and a third one agree",
      { reads: (age) => (age === 11_000 ? "a failure" : "everybody") },
      "failed after 19000",
    ],
    [
      "the second comes after as long again as the first",
      { reads: (age) => (age < 11_000 ? "nobody" : "everybody") },
      "failed after 30000",
    ],
    [
      "a second read that shows it was done disagrees",
      { done: "done", reads: (age) => (age < 11_000 ? "only bo" : "everybody") },
      "succeeded after 11000",
    ],
    ["a read that shows it at once needs nothing else", { done: "done", apart: 2000 }, "succeeded after 0"],
  ])("%s", async (_, scene, ends) => {
    expect(await ending(scene)).toBe(ends);
  });

  test("is read with three others at the most that were answered a moment before, the latest first", async () => {
    const others = ["ada", "bo", "cy", "di", "ed"];
    const before = on("create-user", ...others.map(() => undefined), { outcome: "unknown", failure: failed(500) });
    const actions = [...others, "zoe"].map((name) => aCreation(name));
    const { calls } = await runPlan(actions, { before, parallelism: 1, consistency: "learned" });
    expect(calls[6]).toBe("search zoe ed di cy");
  });
});

import { describe, expect, test } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import type { Action } from "../../../src/model/action.ts";
import type { Failure } from "../../../src/model/recorded.ts";
import { problem, success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { aCreation, anAddition, person, teamRef } from "../../support/action-builders.ts";
import { applied, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { aFailure, type ServiceCall } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

/** What the service, or what stands before it, answered in place of an outcome. */
const failed = (status: number): Failure => ({ ...aFailure("service-error"), status });

/** What searches show once the failed call is so many milliseconds old. */
type Reads = (age: number) => "everybody" | "only bo" | "bo without keys" | "nobody" | "a failure";

interface Scene {
  /** The write that is answered; then the one that fails. */
  readonly bo: Action;
  readonly ada: Action;
  /** Milliseconds between the two announcements. */
  readonly apart: number;
  readonly reads: Reads;
  /** Whether the failed call was done. */
  readonly done: "done" | "not-done";
  readonly failure: Failure;
  /** Whether the details of the account show whoever is in it. */
  readonly details: "shown" | "hidden";
  /** The service took it for later. */
  readonly accepted?: { readonly askAfter?: number };
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
const usual: Scene = {
  ...creations,
  apart: 0,
  reads: () => "everybody",
  done: "not-done",
  failure: failed(500),
  details: "shown",
};

/** How the failed call ended, and how old it was by then. No window is over within the run. */
async function ending(wish: Partial<Scene>) {
  const { bo, ada, apart, reads, done, failure, details, accepted } = { ...usual, ...wish };
  const lost = { outcome: "unknown", failure, ...(accepted === undefined ? {} : { accepted }) } as const;
  const clock = clockAt(noon);
  const world = aWorld();
  for (const name of ["Data", "Ops"]) putTeam(world, { name, identifier: `t-${name.toLowerCase()}` });
  for (const [name, action] of Object.entries({ bo, ada })) {
    if (action.kind === "add-members") putUser(world, { email: emailOf(name), identifier: `u-${name}` });
  }
  const isAdas = (call: ServiceCall) =>
    (call.route === "create-user" && call.user.email === emailOf("ada")) ||
    (call.route === "add-members" && call.team === "t-ops");
  const isRead = ({ route }: ServiceCall) => route === "search-users" || route === "read-account";
  const isBos = (call: ServiceCall) => !isRead(call) && !isAdas(call);
  const simulated = emptyService({
    world,
    hides: details === "shown" ? [] : ["account-members"],
    before: (call) => (isAdas(call) && done === "not-done" ? lost : undefined),
    after(call) {
      if (isBos(call)) clock.move(apart);
      return isAdas(call) ? lost : undefined;
    },
  });
  const age = () => clock.now() - Date.parse(noon) - apart;
  const service: AccountService = {
    ...simulated,
    async searchUsers(...asked) {
      const shows = reads(age());
      if (shows === "a failure") return problem(aFailure("service-error"));
      const found = await simulated.searchUsers(...asked);
      if (!found.ok || shows === "everybody") return found;
      const onlyBo = found.value.filter(({ address }) => address === addressOf("bo"));
      if (shows === "bo without keys") return success(onlyBo.map((user) => ({ ...user, keys: [] })));
      return success(shows === "nobody" ? [] : onlyBo);
    },
  };
  const session = memorySession(emptyState("l"));
  const events = await applied([bo, { ...ada, dependsOn: [bo.id] }], service, {
    clock,
    session,
    parallelism: 1,
    consistency: "learned",
  });
  const resolved = events.find((event) => event.type === "resolved");
  const after = resolved === undefined ? undefined : Date.parse(resolved.at) - Date.parse(noon) - apart;
  const isOpen = session.saved().open.length > 0;
  return { is: summarizeRun(events).outcomes.get(ada.id)?.is, after, isOpen };
}

const unknown = { is: "unknown", after: undefined, isOpen: true } as const;
const notDone = (after: number) => ({ is: "failed", after, isOpen: false }) as const;
const wasDone = (after: number) => ({ is: "succeeded", after, isOpen: false }) as const;

describe("a write that no read shows, within the window", () => {
  test("stays unknown where the service took it for later, whatever later writes show", async () => {
    expect(await ending({ ...additions, accepted: {} })).toEqual(unknown);
  });

  test.each([
    ["where no answer came", aFailure("unreachable", "the connection was ended")],
    ["where a gateway lost the service", failed(502)],
    ["where a gateway gave up", failed(504)],
  ])("stays unknown %s, since the call may arrive later", async (_, failure) => {
    expect(await ending({ failure })).toEqual(unknown);
  });

  test("stays unknown where the details of the account show the user, and a search that is cut off does not", async () => {
    const cutOff: Partial<Scene> = { done: "done", reads: () => "only bo" };
    expect(await ending(cutOff)).toEqual(unknown);
    expect(await ending({ ...cutOff, details: "hidden" })).toEqual(notDone(11_000));
  });

  test.each([
    ["a creation", creations],
    ["a creation of a team", teamCreations],
    ["an addition", additions],
  ])("was not done where two reads show a later one of its kind: %s", async (_, actions) => {
    expect(await ending(actions)).toEqual(notDone(11_000));
  });

  test.each<readonly [string, Partial<Scene>, Awaited<ReturnType<typeof ending>>]>([
    ["one that began a second before speaks for it", { apart: 1000 }, notDone(11_000)],
    ["one that began more than a second before does not", { apart: 1001 }, unknown],
    ["one that began two seconds before does not", { apart: 2000 }, unknown],
    ["a creation of a team speaks for a creation", { bo: teamCreations.bo }, notDone(11_000)],
    ["a creation does not speak for a creation of a team", { ada: teamCreations.ada }, unknown],
    ["a creation does not speak for an addition", { ada: additions.ada }, unknown],
    ["a creation of a team does not speak for an addition", { bo: teamCreations.bo, ada: additions.ada }, unknown],
    ["an addition does not speak for a creation", { bo: additions.bo }, unknown],
    ["an addition does not speak for a creation of a team", { bo: additions.bo, ada: teamCreations.ada }, unknown],
    ["reads of the first seconds prove nothing", { reads: (age) => (age < 5000 ? "everybody" : "nobody") }, unknown],
    ["reads without the other one prove nothing", { reads: () => "nobody" }, unknown],
    ["a creation is shown by the user alone", { reads: () => "bo without keys" }, notDone(11_000)],
    [
      "a creation of a team is shown by its key, not by the user alone",
      { ...teamCreations, reads: () => "bo without keys" },
      unknown,
    ],
    ["one read proves nothing", { reads: (age) => (age === 5500 ? "everybody" : "nobody") }, unknown],
    ["nor where all others fail", { reads: (age) => (age === 5500 ? "everybody" : "a failure") }, unknown],
    [
      "a second read may fail, and a third one agree",
      { reads: (age) => (age === 11_000 ? "a failure" : "everybody") },
      notDone(19_000),
    ],
    [
      "the second comes after as long again as the first",
      { reads: (age) => (age < 11_000 ? "nobody" : "everybody") },
      notDone(30_000),
    ],
    [
      "a second read that shows it was done disagrees",
      { done: "done", reads: (age) => (age < 11_000 ? "only bo" : "everybody") },
      wasDone(11_000),
    ],
    ["a read that shows it at once needs nothing else", { done: "done", apart: 2000 }, wasDone(0)],
  ])("%s", async (_, scene, ends) => {
    expect(await ending(scene)).toEqual(ends);
  });
});

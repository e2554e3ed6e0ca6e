import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { observe } from "../../../src/observe/observe.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { aRoster, aUser, type UserWish } from "../../support/roster-builders.ts";
import { simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";
import type { Hidden } from "../../support/visibility.ts";

interface Scene {
  readonly others?: readonly string[];
  readonly hides?: readonly Hidden[];
  readonly wish?: UserWish;
  readonly namesakes?: "sought";
  /** Ada, who is asked for, is there herself. */
  readonly there?: true;
}

/** Reads for a roster of ada.l@acme.example alone, beside others who are there. */
async function read({ others = [], hides = [], wish = {}, namesakes = "sought", there }: Scene) {
  const world = aWorld();
  for (const email of ["root@acme.example", ...others, ...(there ? ["ada.l@acme.example"] : [])])
    putUser(world, { email });
  const service = simulatedService({ world, hides });
  const roster = aRoster({ users: [aUser("ada.l", wish)] });
  const question = {
    roster,
    state: emptyState("l"),
    everyone: "when-needed",
    assumeAbsentTeams: [],
    namesakes,
  } as const;
  const ports = {
    service,
    clock: clockAt("2026-11-20T12:00:00.000Z"),
    progress: { report: () => undefined },
    parallelism: 4,
  };
  const result = await observe(question, ports);
  if (!result.ok) throw new Error(result.error.message);
  const searched = service.calls.flatMap((call) => (call.route === "search-users" ? [call.identifiers] : []));
  return {
    routes: service.calls.map(({ route }) => route),
    also: searched.slice(1).flat(),
    shown: result.value.users.map(({ email }) => email),
    everyone: result.value.everyone.read,
  };
}

const usual = ["read-account", "search-users"];

describe("whoever is there under a near address", () => {
  test.each([
    ["in another domain", "ada.l@old.example"],
    ["with a letter less", "adal@acme.example"],
    ["with a letter more", "ada.ll@acme.example"],
    ["with another letter", "ada.k@acme.example"],
    ["with two letters exchanged", "ad.al@acme.example"],
  ])("%s is read by one more search, however many others there are", async (_, email) => {
    const { routes, also, shown } = await read({ others: [email, "bo@acme.example", "cy@acme.example"] });
    expect([routes, also, shown]).toEqual([[...usual, "search-users"], [email], [email, "root@acme.example"].sort()]);
  });

  test("is read with the list, where the account does not show its users", async () => {
    const { routes, shown, everyone } = await read({ others: ["ada.l@old.example"], hides: ["account-members"] });
    expect(routes.filter((route) => route === "list-users")).toHaveLength(1);
    expect([shown, everyone]).toEqual([["ada.l@old.example", "root@acme.example"], "complete"]);
  });
});

describe("nobody else is read", () => {
  test.each([
    ["where nobody is near", { others: ["bo@acme.example", "ada@acme.example"] }],
    ["where everybody of the roster is there", { others: ["adal@acme.example"], there: true }],
    ["where everybody is there and the account shows nobody", { hides: ["account-members"], there: true }],
    ["whom the roster calls somebody else", { others: ["adal@acme.example"], wish: { distinctFrom: ["adal"] } }],
  ] satisfies [string, Scene][])("%s", async (_, scene: Scene) => {
    expect(
      (await read(scene)).also.filter((email) => !email.startsWith("root") && !email.startsWith("ada.l@")),
    ).toEqual([]);
  });

  test("where no guard asks for it", async () => {
    const world = aWorld();
    for (const email of ["root@acme.example", "adal@acme.example"]) putUser(world, { email });
    const service = simulatedService({ world });
    const roster = aRoster({ users: [aUser("ada.l")] });
    const question = { roster, state: emptyState("l"), everyone: "when-needed", assumeAbsentTeams: [] } as const;
    const clock = clockAt("2026-11-20T12:00:00.000Z");
    await observe(question, { service, clock, progress: { report: () => undefined }, parallelism: 4 });
    expect(service.calls.map(({ route }) => route)).toEqual(usual);
  });
});

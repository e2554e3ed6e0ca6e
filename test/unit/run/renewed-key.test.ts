import { describe, expect, test } from "vitest";
import { observed } from "../../../src/model/fact.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import { aCreation, aReplacement, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService, type RunWish } from "../../support/apply-run.ts";
import { aFailure, type ServiceCall } from "../../support/simulated-service.ts";
import { putUser } from "../../support/simulated-world.ts";

/** A service whose caller has another key from the first refused write on. */
function renewing(from: string, to: string) {
  let isRefused = false;
  const simulated = emptyService({
    before: ({ route }: ServiceCall) => {
      if (isRefused || route === "list-roles" || route === "search-users") return undefined;
      isRefused = true;
      return { failure: aFailure("unauthorized"), sendAgain: "new-key" };
    },
  });
  Object.defineProperty(simulated, "keyPrefix", { get: () => (isRefused ? to : from) });
  return simulated;
}

describe("a key that was refused while another one takes its place", () => {
  test("has its call announced anew, and sent at once", async () => {
    const service = renewing("k-old", "k-new");
    const creation = aCreation("ada");
    const events = await applied([creation], service);
    expect(aboutAction(events, creation.id)).toEqual([
      `intended ${creation.id}`,
      `intended ${creation.id}`,
      `succeeded ${creation.id}`,
    ]);
    expect(service.world.users.length).toBe(1);
  });

  test("is sent three times at the most, where each next key is refused as well", async () => {
    const service = emptyService({
      before: ({ route }: ServiceCall) =>
        route === "list-roles" || route === "search-users"
          ? undefined
          : { failure: aFailure("unauthorized"), sendAgain: "new-key" },
    });
    const creation = aCreation("ada");
    const events = await applied([creation], service);
    const intended = `intended ${creation.id}`;
    expect(aboutAction(events, creation.id)).toEqual([
      intended,
      intended,
      intended,
      `failed ${creation.id}: unauthorized`,
    ]);
  });

  const admin = roleSet(["ACCOUNT_ADMIN"]);

  function replacing(roles: readonly string[], wish: RunWish = {}) {
    const service = renewing("k-old", "k2");
    const [key] = putUser(service.world, { email: "root@acme.example" }).keys;
    if (key !== undefined) key.roles = ["ACCOUNT_ADMIN"];
    const named = { of: "prefix", prefix: observed("k2", "search 1") } as const;
    const action = aReplacement("p", named, roles, { before: observed(admin, "search 1") });
    return { service, key, events: applied([action], service, wish) };
  }

  test("is not used to take its own access away: the call that was announced for the old key is not sent with it", async () => {
    const { service, key, events } = replacing(["DEVELOPER"]);
    expect(aboutAction(await events, "p")).toEqual(["intended p", "intended p", "failed p: stale"]);
    expect([key?.prefix, key?.roles, service.requests.writes]).toEqual(["k2", ["ACCOUNT_ADMIN"], 1]);
  });

  test("may be changed where it keeps its access, or where the plan's guards knew it", async () => {
    const kept = replacing(["ACCOUNT_ADMIN", "DEVELOPER"]);
    expect(aboutAction(await kept.events, "p").at(-1)).toBe("succeeded p");
    const known = replacing(["DEVELOPER"], { forbids: { keys: ["k2"], people: [] } });
    expect(aboutAction(await known.events, "p").at(-1)).toBe("succeeded p");
  });

  test("is no key that a run has learned", async () => {
    const service = renewing("k-old", "k2");
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], service);
    expect(aboutAction(events, rolesId("ada")).at(-1)).not.toBe(`succeeded ${rolesId("ada")}`);
    expect(service.calls.filter(({ route }) => route === "replace-roles")).toEqual([]);
  });
});

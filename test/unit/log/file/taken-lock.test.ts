import { beforeEach, describe, expect, test } from "vitest";
import { noon } from "../../../support/event-builders.ts";
import { aRun, failureOf, type StatePlace, statePlace, unwrap } from "../../../support/state-place.ts";

let place: StatePlace;
beforeEach(async () => {
  place = await statePlace();
});

describe("the lock of a file store", () => {
  test("is held by nobody before and after a run, and in between by its run", async () => {
    expect(unwrap(await place.store().holder())).toBe("nobody");
    const running = await place.session();
    expect(unwrap(await place.store().holder())).toMatchObject({
      id: "id-1",
      who: expect.stringContaining("@"),
      operation: "apply",
      since: noon,
      silentFor: expect.any(Number),
    });
    await running.close();
    expect(unwrap(await place.store().holder())).toBe("nobody");
  });

  test("is broken by whoever names its id, and then free", async () => {
    await place.session();
    expect(unwrap(await place.store().kept.breakLease("id-1"))).toMatchObject({ id: "id-1", operation: "apply" });
    expect(unwrap(await place.store().holder())).toBe("nobody");
    await (await place.session()).close();
  });

  test("is not broken under another id, and the failure names the right one", async () => {
    await place.session();
    expect(await failureOf(place.store().kept.breakLease("id-9"))).toMatchObject({
      code: "state",
      message: "the log is locked with the ID id-1, not id-9",
      hint: expect.stringContaining("roster state unlock id-1"),
    });
    expect(await failureOf(place.store().lock(aRun))).toMatchObject({ code: "locked" });
  });

  test("that nobody holds cannot be broken", async () => {
    expect(await failureOf(place.store().kept.breakLease("id-1"))).toMatchObject({ message: "the log is not locked" });
  });
});

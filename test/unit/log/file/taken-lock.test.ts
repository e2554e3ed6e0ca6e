import { readdir, readFile, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { emptyState } from "../../../../src/model/state.ts";
import { noon } from "../../../support/event-builders.ts";
import { aRun, creation, failureOf, type StatePlace, statePlace, unwrap } from "../../../support/state-place.ts";

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
      fence: 1,
      silentFor: expect.any(Number),
    });
    await running.close();
    expect(unwrap(await place.store().holder())).toBe("nobody");
  });

  test("is broken by whoever names its id, and then free", async () => {
    await place.session();
    expect(unwrap(await place.store().unlock("id-1"))).toMatchObject({ id: "id-1", operation: "apply" });
    expect(unwrap(await place.store().holder())).toBe("nobody");
    await (await place.session()).close();
  });

  test("is not broken under another id, and the failure names the right one", async () => {
    await place.session();
    expect(await failureOf(place.store().unlock("id-9"))).toMatchObject({
      code: "state",
      message: "the state is locked with the ID id-1, not id-9",
      hint: expect.stringContaining("roster state unlock id-1"),
    });
    expect(await failureOf(place.store().lock(aRun))).toMatchObject({ code: "locked" });
  });

  test("that nobody holds cannot be broken", async () => {
    expect(await failureOf(place.store().unlock("id-1"))).toMatchObject({ message: "the state is not locked" });
  });
});

describe("verifying a file store", () => {
  test("tells of a state that was never saved", async () => {
    expect(unwrap(await place.store().verify())).toEqual({
      state: emptyState(""),
      parts: ["state.json does not exist yet: no run has saved it", "every recorded call has an outcome"],
    });
    expect(await readdir(place.directory)).toEqual([]);
  });

  test("tells of a saved state", async () => {
    const running = await place.session();
    await running.append(creation);
    const state = unwrap(await running.close());
    expect(unwrap(await place.store().verify())).toEqual({
      state,
      parts: ["state.json holds version 1 of id-2", "every recorded call has an outcome"],
    });
  });

  test("tells of a journal, of its torn last line and of the calls that are open in it", async () => {
    await place.put({ ...emptyState("l"), serial: 4 });
    await place.crashAfter(creation.slice(0, 2));
    const journal = `${place.path}.journal`;
    await writeFile(journal, `${await readFile(journal, "utf8")}{"sum"`);
    const { state, parts } = unwrap(await place.store().verify());
    expect(state.open).toHaveLength(1);
    expect(parts).toEqual([
      "state.json holds version 4 of l",
      "state.json.journal holds 2 events that come after it",
      "the last line of state.json.journal is incomplete and is ignored",
      "1 recorded call has no outcome",
    ]);
  });

  test("names the line of a journal that is broken in the middle", async () => {
    await place.crashAfter(creation);
    const journal = `${place.path}.journal`;
    await writeFile(journal, (await readFile(journal, "utf8")).replace("intended", "Intended"));
    expect(await failureOf(place.store().verify())).toMatchObject({
      code: "state",
      message: "line 3 of the journal has a wrong checksum",
      request: `${journal}:3`,
    });
  });
});

describe("closing a session with another state in place of its own", () => {
  test("saves that state as the next version, and unlocks", async () => {
    await place.put({ ...emptyState("l"), serial: 4 });
    await place.crashAfter(creation);
    const running = await place.session();
    const saved = unwrap(
      await running.close(() => ({ ...emptyState("l"), serial: 99, service: "https://other.example" })),
    );
    expect(saved).toEqual({ ...emptyState("l"), serial: 100, service: "https://other.example" });
    expect(unwrap(await place.store().read())).toEqual(saved);
    expect(await place.kept()).toEqual(["state.json"]);
  });
});

import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { encodeJournalStart } from "../../../../src/codec/journal.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { aRun, creation, failureOf, type StatePlace, statePlace } from "../../../support/state-place.ts";

let place: StatePlace;
beforeEach(async () => {
  place = await statePlace();
});

describe("what the file store refuses", () => {
  test.each([
    [
      "a directory",
      () => mkdir(place.path, { recursive: true }),
      "the state cannot be stored at PATH: it is a directory",
    ],
    [
      "a path below a file",
      () => writeFile(place.deep, ""),
      "the state could not be found at PATH: a part of the path is not a directory",
    ],
    [
      "a link that leads nowhere",
      async () => {
        await mkdir(place.deep);
        await symlink("nowhere", place.path);
      },
      "the state could not be found at PATH: a part of the path is missing",
    ],
    [
      "a damaged state",
      async () => {
        await mkdir(place.deep);
        await writeFile(place.path, Buffer.from([0xff, 0xfe]));
      },
      "the state file is damaged: it is not UTF-8",
    ],
    [
      "a broken line in the middle of the journal",
      async () => {
        await place.crashAfter(creation);
        const text = await readFile(`${place.path}.journal`, "utf8");
        await writeFile(`${place.path}.journal`, text.replace("run-started", "run-Started"));
      },
      "line 2 of the journal has a wrong checksum",
    ],
    [
      "a journal of another state",
      async () => {
        await place.crashAfter(creation);
        await place.put({ ...emptyState("another"), serial: 1 });
      },
      "the journal belongs to another state",
    ],
    [
      "a state that was restored from an older copy",
      async () => {
        await place.put({ ...emptyState("l"), serial: 1 });
        await writeFile(`${place.path}.journal`, encodeJournalStart({ lineage: "l", serial: 3 }));
      },
      "the journal continues version 3 of the state, and the state file holds version 1",
    ],
    [
      "a journal whose state is missing",
      async () => {
        await mkdir(place.deep);
        await writeFile(`${place.path}.journal`, encodeJournalStart({ lineage: "l", serial: 3 }));
      },
      "the journal continues version 3 of the state, and the state file is missing",
    ],
  ])("%s, to readers and lockers alike, and keeps no lock", async (_, prepare, message) => {
    await prepare();
    const expected = { code: "state", message: message.replace("PATH", place.path), hint: expect.any(String) };
    expect(await failureOf(place.store().read())).toMatchObject(expected);
    expect(await failureOf(place.store().lock(aRun))).toMatchObject(expected);
    const kept = await readdir(place.deep).catch(() => []);
    expect(kept.filter((name) => name.includes(".lock"))).toEqual([]);
  });

  test("a directory that cannot be made", async () => {
    await writeFile(place.deep, "");
    const failure = await failureOf(place.store(join(place.directory, "deep", "deeper", "state.json")).lock(aRun));
    expect(failure).toMatchObject({ code: "state", request: expect.stringContaining("deeper") });
  });
});

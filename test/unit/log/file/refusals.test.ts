import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { aRun, creation, failureOf, type StatePlace, statePlace } from "../../../support/state-place.ts";

let place: StatePlace;
beforeEach(async () => {
  place = await statePlace();
});

async function closed(): Promise<void> {
  const session = await place.session();
  await session.append(creation);
  await session.close();
}

/** What is left of a log whose checkpoint is there. */
async function cutOff(bytes: number): Promise<void> {
  await closed();
  await truncate(place.path, bytes);
  if (bytes === 0) await rm(place.path);
}

describe("what the file store refuses", () => {
  test.each([
    [
      "a directory",
      () => mkdir(place.path, { recursive: true }),
      "the log cannot be stored at PATH: it is a directory",
    ],
    [
      "a path below a file",
      () => writeFile(place.deep, ""),
      "the log could not be found at PATH: a part of the path is not a directory",
    ],
    [
      "a link that leads nowhere",
      async () => {
        await mkdir(place.deep);
        await symlink("nowhere", place.path);
      },
      "the log could not be found at PATH: a part of the path is missing",
    ],
    [
      "bytes that are no text",
      async () => {
        await mkdir(place.deep);
        await writeFile(place.path, Buffer.from([0xff, 0xfe, 0x0a]));
      },
      "the log is damaged: it is not UTF-8",
    ],
    [
      "a line that is none",
      async () => {
        await mkdir(place.deep);
        await writeFile(place.path, "{}\n");
      },
      "event 1 of the log cannot be read",
    ],
    [
      "a line that was changed",
      async () => {
        await place.crashAfter(creation);
        const text = await readFile(place.path, "utf8");
        await writeFile(place.path, text.replace('"run":"r1"', '"run":"r9"'));
      },
      "event 2 of the log was changed after it was written",
    ],
    [
      "a line that is missing",
      async () => {
        await place.crashAfter(creation);
        const [first, , ...rest] = (await readFile(place.path, "utf8")).split("\n");
        await writeFile(place.path, [first, ...rest].join("\n"));
      },
      "event 2 of the log is missing: event 3 stands in its place",
    ],
    [
      "a log that was restored from an older copy",
      () => cutOff(200),
      "the end of the log is missing: its checkpoint was written for a longer log",
    ],
    [
      "a log that is gone",
      () => cutOff(0),
      "the end of the log is missing: its checkpoint was written for a longer log",
    ],
    [
      "the log of another service in its place",
      async () => {
        await closed();
        const other = await readFile(place.path, "utf8");
        await rm(place.deep, { recursive: true });
        await closed();
        await writeFile(place.path, `${other}${other}`);
      },
      "event 8 of the log is missing: event 1 stands in its place",
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
    const failure = await failureOf(place.store(join(place.directory, "deep", "deeper", "log.jsonl")).lock(aRun));
    expect(failure).toMatchObject({ code: "state", request: expect.stringContaining("deeper") });
  });
});

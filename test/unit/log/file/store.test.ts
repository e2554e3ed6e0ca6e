import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { encodeJournalLine, encodeJournalStart } from "../../../../src/codec/journal.ts";
import { decodeState, encodeState } from "../../../../src/codec/state.ts";
import { applyEvents } from "../../../../src/log/fold.ts";
import { emptyState } from "../../../../src/model/state.ts";
import {
  created,
  creationIntent,
  intended,
  noon,
  openIntent,
  runStarted,
  succeeded,
} from "../../../support/event-builders.ts";
import { aRun, creation, failureOf, type StatePlace, statePlace, unwrap } from "../../../support/state-place.ts";

let place: StatePlace;
beforeEach(async () => {
  place = await statePlace();
});

describe("the file store", () => {
  test("names its address", () => {
    expect(place.store("x/state.json").address).toBe("file:x/state.json");
  });

  test("reads a state that was never written as empty, and writes nothing to do so", async () => {
    expect(unwrap(await place.store().read())).toEqual(emptyState(""));
    expect(await readdir(place.directory)).toEqual([]);
  });

  test("saves what a run appended, under a lineage of its own, for its owner alone", async () => {
    const writing = await place.session();
    await writing.append(creation.slice(0, 2));
    await writing.append(creation.slice(2));
    const expected = { ...applyEvents(emptyState("id-2"), creation), serial: 1 };
    expect(unwrap(await writing.close())).toEqual(expected);
    expect(unwrap(await place.store().read())).toEqual(expected);
    expect(await place.kept()).toEqual(["state.json"]);
    expect((await stat(place.path)).mode & 0o777).toBe(0o600);
    expect((await stat(place.deep)).mode & 0o777).toBe(0o700);
  });

  test("raises the serial once a run, and keeps the lineage", async () => {
    for (let round = 0; round < 3; round += 1) {
      const writing = await place.session();
      await writing.append([runStarted(`r${round}`)]);
      await writing.close();
    }
    expect(unwrap(await place.store().read())).toMatchObject({ lineage: "id-2", serial: 3 });
  });

  test("writes nothing where nothing was appended", async () => {
    const idle = await place.session();
    await idle.append([]);
    unwrap(await idle.close());
    expect(await place.kept()).toEqual([]);
  });

  test("what a run appended is in the files before it is told so", async () => {
    const writing = await place.session();
    await Promise.all(creation.map((event) => writing.append([event])));
    const text = await readFile(`${place.path}.journal`, "utf8");
    expect(text).toBe(
      [encodeJournalStart({ lineage: "id-2", serial: 0 }), ...creation.map(encodeJournalLine)].join(""),
    );
    expect((await stat(`${place.path}.journal`)).mode & 0o777).toBe(0o600);
    await writing.close();
  });

  test("folds the journal of a run that died into the state, for whoever reads or locks next", async () => {
    await place.crashAfter(creation);
    const expected = applyEvents(emptyState("id-2"), creation);
    expect(unwrap(await place.store().read())).toEqual(expected);
    const next = await place.session();
    expect(next.state).toEqual(expected);
    await next.append([runStarted("r2")]);
    expect(unwrap(await next.close())).toEqual({ ...expected, serial: 2 });
  });

  test("a run that only looked leaves the journal of the dead one as it is", async () => {
    await place.crashAfter(creation);
    const before = await readFile(`${place.path}.journal`);
    await (await place.session()).close();
    expect(await readFile(`${place.path}.journal`)).toEqual(before);
  });

  test("two runs that died one after the other are both folded in", async () => {
    await place.crashAfter(creation.slice(0, 2));
    await place.crashAfter([runStarted("r2"), intended("r2", "d", creationIntent("bo"))]);
    expect(unwrap(await place.store().read()).open).toEqual([
      openIntent("r1", "c", creationIntent("ada")),
      openIntent("r2", "d", creationIntent("bo")),
    ]);
  });

  test("saves what a dead run left before it begins a journal of its own, without a torn last line", async () => {
    await place.crashAfter(creation.slice(0, 2));
    const whole = await readFile(`${place.path}.journal`);
    const torn = Buffer.from(encodeJournalLine(succeeded("c", created("Zoë"))));
    await writeFile(`${place.path}.journal`, Buffer.concat([whole, torn.subarray(0, torn.indexOf(0xc3) + 1)]));
    await place.crashAfter([runStarted("r2")]);
    const state = { ...applyEvents(emptyState("id-2"), creation.slice(0, 2)), serial: 1 };
    expect(await readFile(place.path, "utf8")).toBe(encodeState(state));
    expect(await readFile(`${place.path}.journal`, "utf8")).toBe(
      `${encodeJournalStart(state)}${encodeJournalLine(runStarted("r2"))}`,
    );
  });

  test("begins the journal anew where the dead run did not finish its first line", async () => {
    await place.crashAfter([runStarted("r1")]);
    await writeFile(`${place.path}.journal`, "{");
    const writing = await place.session();
    await writing.append([runStarted("r2")]);
    expect(unwrap(await writing.close()).serial).toBe(1);
  });

  test("ignores the journal of a run that saved the state and died before it could remove it", async () => {
    await place.crashAfter(creation.slice(0, 2));
    const left = await readFile(`${place.path}.journal`);
    const finishing = await place.session();
    await finishing.append([{ type: "settled", at: noon, run: "r1", action: "c", as: { done: false } }]);
    const saved = unwrap(await finishing.close());
    await writeFile(`${place.path}.journal`, left);
    expect(unwrap(await place.store().read())).toEqual(saved);
    const next = await place.session();
    await next.append([runStarted("r3")]);
    expect(unwrap(await next.close())).toEqual({ ...saved, serial: saved.serial + 1 });
  });

  test("follows a symbolic link to the state and leaves the link in its place", async () => {
    await place.put({ ...emptyState("l"), serial: 1 });
    const link = join(place.directory, "link.json");
    await symlink(place.path, link);
    const writing = await place.session(link);
    expect(await failureOf(place.store().lock(aRun))).toMatchObject({ code: "locked" });
    await writing.append(creation);
    await writing.close();
    expect(unwrap(decodeState(await readFile(place.path, "utf8"), place.path)).serial).toBe(2);
    expect((await readdir(place.directory)).sort()).toEqual(["deep", "link.json"]);
  });

  test("never writes through a link in the place of its journal", async () => {
    await place.put({ ...emptyState("l"), serial: 1 });
    const victim = join(place.directory, "victim");
    await writeFile(victim, encodeJournalStart({ lineage: "l", serial: 1 }));
    await symlink(victim, `${place.path}.journal`);
    const writing = await place.session();
    await writing.append(creation);
    await writing.close();
    expect(await readFile(victim, "utf8")).toBe(encodeJournalStart({ lineage: "l", serial: 1 }));
    expect(await place.kept()).toEqual(["state.json"]);
  });

  test("saves what it knows even where the journal could not be written", async () => {
    const writing = await place.session();
    await mkdir(`${place.path}.journal`);
    await expect(writing.append(creation)).rejects.toThrow("the state could not be written");
    await expect(writing.append([runStarted("r2")])).rejects.toThrow("the state could not be written");
    await rm(`${place.path}.journal`, { recursive: true });
    expect(unwrap(await writing.close()).users.size).toBe(1);
  });
});

import { describe, expect, test } from "vitest";
import { verifyLog } from "../../src/log/checkpoint.ts";
import { copyLog, type LogCopy } from "../../src/log/copy.ts";
import { applyEvents } from "../../src/log/fold.ts";
import type { RosterLog } from "../../src/log/port.ts";
import { findCut } from "../../src/log/prune.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { Result } from "../../src/model/result.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { ageLog, cutOf, pruneLog, pruneRun, pruneTime } from "./aged-log.ts";
import { created, creationIntent, intended, noon, openIntent, runStarted, succeeded } from "./event-builders.ts";
import { addressOf } from "./roster-builders.ts";
import { aRun, creation, failureOf, unwrap } from "./state-place.ts";
import { describeFencing } from "./store-contract-fencing.ts";
import { held, locked, type StoreKind, type StorePlace, saving } from "./store-kind.ts";
import { readText, readWhole } from "./whole-log.ts";

const announced: readonly RunEvent[] = [runStarted("r1"), intended("r1", "c", creationIntent("ada"))];
const answered: readonly RunEvent[] = [succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" }))];

/** What every store of a log promises, whatever it keeps the log in. */
export function describeStore(kind: StoreKind): void {
  describe(`the contract of the stores of the log: ${kind.name}`, () => {
    describeSaving(kind);
    describeCopying(kind);
    describePruning(kind);
    describeLocking(kind);
    describeFencing(kind);
    describeDamage(kind);
    describeSecrets(kind);
  });
}

function describeSaving(kind: StoreKind): void {
  test("a state that was never saved is empty, and to look at it writes nothing", async () => {
    const place = await kind.place();
    const store = await place.open();
    expect(unwrap(await store.read())).toEqual(emptyState(""));
    expect(unwrap(await readWhole(store))).toEqual({ events: [], head: { position: 0, hash: "0".repeat(64) } });
    expect(unwrap(await store.holder())).toBe("nobody");
    expect(await place.content()).toBe("");
    await store.close();
  });

  test("what runs append is saved, under one lineage and a growing serial", async () => {
    const place = await kind.place();
    const first = await saving(await place.open(), creation);
    const runs = new Map([["r1", { run: "r1" }]]);
    expect(first).toEqual({ ...applyEvents(emptyState(first.lineage), creation), serial: first.serial, runs });
    expect(first.lineage).not.toBe("");
    expect(first.serial).toBeGreaterThan(0);
    const more = [runStarted("r2"), intended("r2", "d", creationIntent("bo"))];
    const second = await saving(await place.open(), more);
    expect(second).toEqual({ ...applyEvents(first, more), serial: second.serial });
    expect(second.serial).toBeGreaterThan(first.serial);
    expect(unwrap(await (await place.open()).read())).toEqual(second);
  });

  test("two places have states of their own, with lineages of their own", async () => {
    const [one, other] = [await kind.place(), await kind.place()];
    const saved = await saving(await one.open(), announced);
    expect(unwrap(await (await other.open()).read())).toEqual(emptyState(""));
    expect((await saving(await other.open(), announced)).lineage).not.toBe(saved.lineage);
  });

  test("a run that appends nothing writes nothing", async () => {
    const place = await kind.place();
    await saving(await place.open(), []);
    expect(await place.content()).toBe("");
    const saved = await saving(await place.open(), creation);
    const before = await place.content();
    expect(await saving(await place.open(), [])).toEqual(saved);
    expect(await place.content()).toBe(before);
  });

  test("what was appended is there after a crash, with the intents that it left open", async () => {
    const place = await kind.place();
    const dying = await place.open();
    const session = await locked(dying);
    await session.append(announced);
    await place.kill(dying);
    const next = await place.open();
    const { serial: _, runs: _runs, ...expected } = applyEvents(emptyState(session.state.lineage), announced);
    expect(unwrap(await next.read())).toMatchObject(expected);
    const going = await locked(next);
    expect(going.state).toMatchObject({ ...expected, open: [openIntent("r1", "c", creationIntent("ada"))] });
    await going.append(answered);
    expect(unwrap(await going.close()).open).toEqual(openIntentsOf(going.state, answered));
  });

  test("two runs that crashed one after the other are both there", async () => {
    const place = await kind.place();
    for (const name of ["ada", "bo"]) {
      const dying = await place.open();
      await (await locked(dying)).append([intended(`run of ${name}`, "c", creationIntent(name))]);
      await place.kill(dying);
    }
    const expected = ["ada", "bo"].map((name) => openIntent(`run of ${name}`, "c", creationIntent(name)));
    expect(unwrap(await (await place.open()).read()).open).toEqual(expected);
  });

  test("appends that come at once keep their order", async () => {
    const place = await kind.place();
    const dying = await place.open();
    const session = await locked(dying);
    const actions = Array.from({ length: 60 }, (_, index) => `action ${index}`);
    await Promise.all(actions.map((action) => session.append([intended("r1", action, creationIntent("ada"))])));
    await place.kill(dying);
    expect(unwrap(await (await place.open()).read()).open.map(({ action }) => action)).toEqual(actions);
  });

  test("the log has every event of every command, also of one that died, in one chain", async () => {
    const place = await kind.place();
    await saving(await place.open(), creation);
    const dying = await place.open();
    await (await locked(dying)).append([runStarted("r2"), intended("r2", "d", creationIntent("bo"))]);
    await place.kill(dying);
    await saving(await place.open(), [runStarted("r3")]);
    const { events, head } = unwrap(await readWhole(await place.open()));
    expect(events.map(({ event }) => event.type)).toEqual([
      "log-started",
      "command-started",
      ...creation.map(({ type }) => type),
      "command-ended",
      "checkpoint-taken",
      "command-started",
      "run-started",
      "intended",
      "command-started",
      "run-started",
      "command-ended",
      "checkpoint-taken",
    ]);
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject(head);
    expect(
      applyEvents(
        emptyState(""),
        events.map(({ event }) => event),
      ),
    ).toEqual({
      ...unwrap(await (await place.open()).read()),
      serial: 0,
    });
  });

  test("the head of a session is where the log ends, before and after its events", async () => {
    const place = await kind.place();
    const session = await locked(await place.open());
    expect(session.head()).toEqual({ position: 0, hash: "0".repeat(64) });
    await session.append(announced);
    expect(session.head().position).toBe(4);
    unwrap(await session.close());
    expect(unwrap(await readWhole(await place.open())).head).toEqual(session.head());
  });

  test("what was kept before a checkpoint is read no more by those who want the state alone", async () => {
    const place = await kind.place();
    await saving(await place.open(), creation);
    const { kept } = await place.open();
    const behind = unwrap(await readText(kept, "checkpoint"));
    expect(
      behind.lines
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).type),
    ).toEqual(["command-ended", "checkpoint-taken"]);
    expect(unwrap(await readText(kept, "start")).lines.endsWith(behind.lines)).toBe(true);
  });
}

function describeCopying(kind: StoreKind): void {
  const moved = { to: "memory:", at: noon };

  async function copying(from: StorePlace, to: StorePlace, ended?: typeof moved) {
    const [source, target] = [await from.open(), await to.open()];
    return copyLog(source.kept, target.kept, aRun, ended);
  }

  async function copied(from: StorePlace, to: StorePlace, ended?: typeof moved): Promise<LogCopy> {
    const copy = await copying(from, to, ended);
    if (copy === "other") throw new Error("it holds another log");
    return copy;
  }

  test("a log is copied line by line, and goes on there once the copy is finished", async () => {
    const [from, to] = [await kind.place(), await kind.place()];
    const state = await saving(await from.open(), creation);
    const copy = await copied(from, to);
    await copy.finish();
    await copy.release();
    const [source, target] = [await from.open(), await to.open()];
    expect(unwrap(await readText(target.kept, "start"))).toEqual(unwrap(await readText(source.kept, "start")));
    expect(unwrap(await target.read())).toEqual(state);
    await saving(target, [runStarted("r2")]);
    expect(await copying(from, to)).toBe("other");
  });

  test("nobody uses a copy that was broken off, and it is finished by the same copy once more", async () => {
    const [from, to] = [await kind.place(), await kind.place()];
    const state = await saving(await from.open(), creation);
    await (await copied(from, to)).release();
    const target = await to.open();
    for (const asked of [target.read(), target.lock(aRun)]) {
      const failure = await failureOf(asked);
      expect([failure.code, failure.message]).toEqual(["state", expect.stringContaining("is an unfinished copy of")]);
    }
    expect(unwrap(await target.holder())).toBe("nobody");
    const again = await copied(from, to);
    await again.finish();
    await again.release();
    expect(unwrap(await target.read())).toEqual(state);
  });

  test("a copy whose log has ended is finished, and one that was finished is another log", async () => {
    const [from, to] = [await kind.place(), await kind.place()];
    const state = await saving(await from.open(), creation);
    await (await copied(from, to)).release();
    await saving(await from.open(), [{ type: "moved-to", ...moved }]);
    const copy = await copied(from, to, moved);
    await copy.finish();
    await copy.release();
    expect(unwrap(await (await to.open()).read())).toEqual(state);
    expect(await copying(from, to, moved)).toBe("other");
  });
}

function describePruning(kind: StoreKind): void {
  async function agedPlace(): Promise<StorePlace> {
    const place = await kind.place();
    await ageLog(() => place.open());
    return place;
  }

  async function pruned(place: StorePlace): Promise<string> {
    const store = await place.open();
    const exported = await pruneLog(store);
    await store.close();
    return exported;
  }

  test("a log that is pruned keeps what its events add up to, without those who are gone, and goes on", async () => {
    const place = await agedPlace();
    const whole = unwrap(await readText((await place.open()).kept, "start")).lines;
    const state = unwrap(await (await place.open()).read());
    const exported = await pruned(place);
    expect([exported.startsWith(whole), exported.slice(whole.length)]).toEqual([
      true,
      expect.stringContaining("moved-to"),
    ]);
    const store = await place.open();
    const after = unwrap(await store.read());
    expect([...after.users.keys()]).toEqual([addressOf("bo")]);
    expect([after.open, after.former?.users.length]).toEqual([state.open, 1]);
    expect([...after.access.values()]).toEqual([...state.access.values()].filter(({ prefix }) => prefix === "k-2"));
    expect(await place.content()).not.toContain("ada@");
    const { events, head } = unwrap(await readWhole(store));
    expect(events.map(({ event }) => event.type)).toEqual([
      "command-started",
      "pruned",
      "command-ended",
      "checkpoint-taken",
    ]);
    expect(events[0]?.position).toBe(whole.split("\n").length);
    expect(await verifyLog(store)).toMatchObject({
      head,
      checkpoint: events[1]?.position,
      base: { before: pruneTime },
    });
    await saving(await place.open(), [runStarted("r4")]);
    const next = await verifyLog(await place.open());
    expect([next.head.position, next.checkpoint]).toEqual([head.position + 4, head.position + 2]);
    expect(unwrap(await (await place.open()).read()).former).toEqual(after.former);
  });

  test("of a log without a command that ended before that time, nothing is pruned", async () => {
    const store = await (await agedPlace()).open();
    expect(await findCut(store, noon)).toBeUndefined();
    expect(await findCut(await (await kind.place()).open(), pruneTime)).toBeUndefined();
  });

  test("a log is pruned once more, and copied whole", async () => {
    const [place, to] = [await agedPlace(), await kind.place()];
    await pruned(place);
    const store = await place.open();
    expect(await findCut(store, pruneTime)).toBeUndefined();
    const head = await findCut(store, "2100-01-01T00:00:00.000Z");
    expect(head).toMatchObject(unwrap(await readWhole(store)).head);
    const target = await to.open();
    const copy = await copyLog(store.kept, target.kept, aRun, undefined);
    if (copy === "other") throw new Error("it holds another log");
    await copy.finish();
    await copy.release();
    expect(unwrap(await target.read())).toEqual(unwrap(await store.read()));
    expect(await verifyLog(target)).toEqual(await verifyLog(store));
    await saving(target, [runStarted("r4")]);
  });

  test("a prune that dies leaves the old log, or the new one", async () => {
    for (const dies of ["before", "after"] as const) {
      const place = await agedPlace();
      const state = unwrap(await (await place.open()).read());
      const dying = await place.open();
      const session = unwrap(await dying.lock(pruneRun));
      const { cut } = await cutOf(dying);
      if (dies === "before") await session.append([cut.event]);
      else await session.prune(cut);
      await place.kill(dying);
      const store = await place.open();
      const left = unwrap(await store.read());
      expect([...left.users.keys()]).toEqual(dies === "before" ? [...state.users.keys()] : [addressOf("bo")]);
      expect(left.open).toEqual(state.open);
      await verifyLog(store);
      await saving(await place.open(), [runStarted("r4")]);
      await verifyLog(await place.open());
      if (dies === "before") await pruned(place);
      expect([...unwrap(await (await place.open()).read()).users.keys()]).toEqual([addressOf("bo")]);
    }
  });

  test("a log that begins with another checkpoint than its events name is damaged", async () => {
    const place = await agedPlace();
    const store = await place.open();
    const session = unwrap(await store.lock(pruneRun));
    const { cut } = await cutOf(store);
    const { open: _, ...other } = cut.base.state;
    await session.prune({ ...cut, base: { ...cut.base, state: { ...other, open: [] } } });
    unwrap(await session.close());
    const failure = await failureOf(readWhole(await place.open()));
    expect(failure.message).toMatch(/^event \d+ of the log is a checkpoint that no event of the log names$/u);
  });
}

function describeLocking(kind: StoreKind): void {
  test("a locked state says to others who holds it, for what and since when", async () => {
    const place = await kind.place();
    const session = await locked(await place.open());
    const other = await place.open();
    const holder = await held(other);
    expect(holder).toMatchObject({ id: expect.stringMatching(/./), operation: "apply" });
    const failure = await failureOf(other.lock({ ...aRun, run: "r2", operation: "state resolve" }));
    expect(failure.code).toBe("locked");
    for (const said of [holder.who, holder.operation, holder.since]) expect(failure.message).toContain(said);
    expect(await held(other)).toMatchObject({ id: holder.id });
    unwrap(await session.close());
    expect(unwrap(await other.holder())).toBe("nobody");
    await saving(other, announced);
  });

  test("a locked state can be read by others", async () => {
    const place = await kind.place();
    const session = await locked(await place.open());
    await session.append(announced);
    const other = await place.open();
    const expected = openIntentsOf(session.state, announced);
    expect(unwrap(await other.read()).open).toEqual(expected);
    await session.close();
  });

  test("of many who lock at once exactly one gets it", async () => {
    const place = await kind.place();
    for (let round = 0; round < 3; round += 1) {
      const stores = await Promise.all(Array.from({ length: 8 }, () => place.open()));
      const results = await Promise.all(stores.map((store) => store.lock(aRun)));
      const won = results.filter((result) => result.ok);
      expect(won).toHaveLength(1);
      expect(results.flatMap((result) => (result.ok ? [] : [result.error.code]))).toEqual(Array(7).fill("locked"));
      for (const { value } of won) {
        await value.append([runStarted(`r${round}`)]);
        unwrap(await value.close());
      }
      await Promise.all(stores.map((store) => store.close()));
    }
  });
}

function describeDamage(kind: StoreKind): void {
  test("what is damaged is told to everybody, and never written over", async () => {
    const place = await kind.place();
    await saving(await place.open(), creation);
    await place.damage();
    const before = await place.content();
    const store = await place.open();
    for (const asked of [store.read(), readWhole(store), store.lock(aRun)]) {
      expect(await failureOf(asked)).toMatchObject({ code: "state", hint: expect.stringMatching(/./) });
    }
    expect(await place.content()).toBe(before);
    expect(unwrap(await store.holder())).toBe("nobody");
  });
}

function describeSecrets(kind: StoreKind): void {
  test("no address, failure or error tells a secret", async () => {
    const place = await kind.place();
    const store = await place.open();
    const session = await locked(store);
    const said: unknown[] = [store.address, await (await place.open()).lock(aRun), await store.breakLease("another")];
    said.push(await store.breakLease((await held(store)).id), await session.append(announced).catch(String));
    said.push(await session.close(), await store.breakLease("another"));
    const unreachable = await place.openUnreachable?.();
    if (unreachable !== undefined) {
      const failures = await everyFailure(unreachable);
      expect(failures.map(({ code }) => code)).toEqual(failures.map(() => "state"));
      said.push(unreachable.address, failures);
    }
    const text = JSON.stringify(said);
    expect(kind.secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
}

async function everyFailure(store: RosterLog): Promise<readonly Failure[]> {
  const asked: readonly Promise<Result<unknown, Failure>>[] = [
    store.read(),
    store.lock(aRun),
    store.holder(),
    store.breakLease("another"),
    readWhole(store),
  ];
  return Promise.all(asked.map(failureOf));
}

function openIntentsOf(state: State, events: readonly RunEvent[]): State["open"] {
  return applyEvents(state, events).open;
}

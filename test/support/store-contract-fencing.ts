import { expect, test } from "vitest";
import type { LogSession, RosterLog } from "../../src/log/port.ts";
import { creationIntent, intended, openIntent, runStarted } from "./event-builders.ts";
import { aRun, failureOf, unwrap } from "./state-place.ts";
import { held, locked, type StoreKind, type StorePlace } from "./store-kind.ts";

const formerIntent = intended("r1", "former", creationIntent("ada"));
const lateIntent = intended("r1", "late", creationIntent("cy"));
const nextIntent = intended("r2", "next", creationIntent("bo"));
const kept = [openIntent("r1", "former", creationIntent("ada")), openIntent("r2", "next", creationIntent("bo"))];

/** What stops a run whose lock was broken or taken over: it can record nothing, and so can start no call. */
export function describeFencing(kind: StoreKind): void {
  describeUnlocking(kind);
  if (kind.deadAfter !== undefined) describeTakeOver(kind, kind.deadAfter);
}

function describeUnlocking(kind: StoreKind): void {
  test("a lock is broken by its id alone, and another id is refused with the one that holds", async () => {
    const place = await kind.place();
    const session = await locked(await place.open());
    const person = await place.open();
    const holder = await held(person);
    const refused = await failureOf(person.breakLease("another"));
    expect(`${refused.message} ${refused.hint}`).toContain(holder.id);
    expect(await held(person)).toMatchObject({ id: holder.id });
    expect(unwrap(await person.breakLease(holder.id))).toMatchObject({ id: holder.id, operation: "apply" });
    expect(unwrap(await person.holder())).toBe("nobody");
    expect((await person.breakLease(holder.id)).ok).toBe(false);
    await session.close();
  });

  test("a run whose lock was broken can append nothing and save nothing any more", async () => {
    const place = await kind.place();
    const former = await locked(await place.open());
    await former.append([formerIntent]);
    const person = await place.open();
    unwrap(await person.breakLease((await held(person)).id));
    await expect(former.append([lateIntent])).rejects.toThrow(/./);
    await fencedAfter(place, former, await locked(await place.open()));
  });

  test("whatever was told to be durable is seen by whoever locks next, however closely", async () => {
    const place = await kind.place();
    const former = await locked(await place.open());
    const durable: string[] = [];
    const appending = (async () => {
      for (let index = 0; index < 10_000; index += 1) {
        await former.append([intended("r1", `action ${index}`, creationIntent("ada"))]);
        durable.push(`action ${index}`);
      }
    })().catch(() => "fenced");
    while (durable.length < 5) await new Promise((resolve) => setImmediate(resolve));
    await unlockedByPerson(await place.open());
    const next = await locked(await place.open());
    expect(await appending).toBe("fenced");
    const seen = next.state.open.map(({ action }) => action);
    expect(seen.slice(0, durable.length)).toEqual(durable);
    // One more may have become durable without that its run could be told so.
    expect(seen.length).toBeLessThanOrEqual(durable.length + 1);
    await former.close();
    expect(unwrap(await next.close()).open).toEqual(next.state.open);
  });
}

/** A run that works on may renew its lock just as it is broken: then the store says to run again, as a person does. */
async function unlockedByPerson(person: RosterLog): Promise<void> {
  for (;;) {
    const told = await person.breakLease((await held(person)).id);
    if (told.ok || told.error.hint !== "run again") return void unwrap(told);
  }
}

/** The former holder records nothing beside the new one, in whatever order they try. */
async function fencedAfter(place: StorePlace, former: LogSession, next: LogSession): Promise<void> {
  expect(next.state.open).toEqual(kept.slice(0, 1));
  await expect(former.append([lateIntent])).rejects.toThrow(/./);
  await next.append([nextIntent]);
  expect((await former.close()).ok).toBe(false);
  await next.append([runStarted("r2")]);
  const saved = unwrap(await next.close());
  expect(saved.open).toEqual(kept);
  expect(unwrap(await (await place.open()).read())).toEqual(saved);
}

function describeTakeOver(kind: StoreKind, deadAfter: number): void {
  async function silent(place: StorePlace): Promise<RosterLog> {
    if (place.openSilent === undefined)
      throw new Error("this kind gives signs of life, and its place has no openSilent");
    return place.openSilent();
  }

  test("a silent lock is taken over by who asks for it, and fences its former holder", async () => {
    const place = await kind.place();
    const former = await locked(await silent(place));
    await former.append([formerIntent]);
    await place.pass?.(deadAfter + 1);
    const taker = await place.open();
    const before = await held(taker);
    expect(before.silentFor).toBeGreaterThanOrEqual(deadAfter);
    expect((await failureOf(taker.lock(aRun))).code).toBe("locked");
    const next = unwrap(await taker.lock({ ...aRun, run: "r2" }, { breakStaleAfter: deadAfter }));
    const after = await held(await place.open());
    expect(after.id).not.toBe(before.id);
    expect(after.fence ?? 1).toBeGreaterThan(before.fence ?? 0);
    await fencedAfter(place, former, next);
  });

  test("a lock that is silent for less is not taken over", async () => {
    const place = await kind.place();
    const former = await locked(await silent(place));
    const taker = await place.open();
    const failure = await failureOf(taker.lock(aRun, { breakStaleAfter: deadAfter * 100 }));
    expect(failure.code).toBe("locked");
    await former.append([formerIntent]);
    expect(unwrap(await former.close()).open).toEqual(kept.slice(0, 1));
  });

  test("a lock that gives signs of life is not taken over, however long it is held", async () => {
    const place = await kind.place();
    const former = await locked(await place.open());
    await place.pass?.(deadAfter + 1);
    const taker = await place.open();
    expect((await held(taker)).silentFor).toBeLessThan(deadAfter);
    const failure = await failureOf(taker.lock(aRun, { breakStaleAfter: deadAfter }));
    expect(failure.code).toBe("locked");
    await former.append([formerIntent]);
    expect(unwrap(await former.close()).open).toEqual(kept.slice(0, 1));
  });

  test("a silent lock goes to exactly one of many who take it over at once", async () => {
    const place = await kind.place();
    const former = await locked(await silent(place));
    await place.pass?.(deadAfter + 1);
    const takers = await Promise.all(Array.from({ length: 6 }, () => place.open()));
    const results = await Promise.all(takers.map((taker) => taker.lock(aRun, { breakStaleAfter: deadAfter })));
    const won = results.flatMap((result) => (result.ok ? [result.value] : []));
    expect(won).toHaveLength(1);
    await expect(former.append([lateIntent])).rejects.toThrow(/./);
    for (const session of won) unwrap(await session.close());
  });
}

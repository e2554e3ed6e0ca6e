import { describe, expect, test } from "vitest";
import { readLockRecord, writeFree, writeHeld } from "../../../../src/log/s3/lock.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { noon, runStarted } from "../../../support/event-builders.ts";
import { batchObject, beats, lockObject, logPath, type SmallS3Place, smallS3Place } from "../../../support/s3-place.ts";
import type { SeenS3Request } from "../../../support/small-s3.ts";
import { aRun, creation, failureOf, unwrap } from "../../../support/state-place.ts";
import { held, locked } from "../../../support/store-kind.ts";

const holder = { id: "id-1", who: "ada@build-7", operation: "apply", since: "2026-11-20T12:00:00.000Z" };

describe("the text of a lock", () => {
  test("that is held is read back", () => {
    const text = writeHeld(7, holder, { number: 3, at: "2026-11-20T12:01:00.000Z" });
    expect(readLockRecord(text)).toEqual({ fence: 7, holder });
  });

  test("that is free is read back, and keeps counting", () => {
    expect(readLockRecord(writeFree(7, "id-1"))).toEqual({ fence: 7 });
  });

  test("is never twice the same while somebody holds it", () => {
    const at = "2026-11-20T12:01:00.000Z";
    const texts = [0, 1, 2].map((number) => writeHeld(7, holder, { number, at }));
    expect(new Set([...texts, writeFree(7, "id-1"), writeFree(7, "id-2")]).size).toBe(5);
  });

  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["no object", '"x"'],
    ["a list", "[1]"],
    ["no holder and not free", '{"fence":1}'],
    ["free as a word", '{"fence":1,"free":"true"}'],
    ["no fence", JSON.stringify({ holder })],
    ["a fence that is none", JSON.stringify({ fence: 0, holder })],
    ["a fence beyond counting", JSON.stringify({ fence: 2 ** 60, holder })],
    ["a holder without an id", JSON.stringify({ fence: 1, holder: { ...holder, id: undefined } })],
    ["an endless name", JSON.stringify({ fence: 1, holder: { ...holder, who: "a".repeat(300) } })],
    ["a holder that is a word", '{"fence":1,"holder":"ada"}'],
  ])("with %s is of nobody whom roster knows", (_, text) => {
    expect(readLockRecord(text)).toBeUndefined();
  });
});

const asked = ({ method, url }: SeenS3Request) => `${method} ${url.replace("/acme/roster/", "")}`;

describe("a lock in a bucket", () => {
  test("costs a read, the write, two writes that must be refused, a look, and the read of the log", async () => {
    const { server, open } = await smallS3Place();
    const session = await locked(open());
    const [taking, reading] = [server.seen.slice(0, 6).map(asked), server.seen.slice(6).map(asked)];
    const lock = ["GET log.lock", "PUT log.lock", "PUT log.lock", "PUT log.lock", "GET log.lock"];
    expect(taking).toEqual([...lock, "GET log.checkpoint"]);
    expect(reading.sort()).toEqual(["GET log/00000001", "GET log/00000002"]);
    await session.close();
    expect(server.seen.slice(8).map(asked)).toEqual(["PUT log.lock"]);
  });

  test("is never removed, and counts its holders on", async () => {
    const { server, open } = await smallS3Place();
    for (const fence of [1, 2, 3]) {
      const session = await locked(open());
      expect((await held(open())).fence).toBe(fence);
      await session.close();
    }
    expect(JSON.parse(server.text(lockObject) ?? "")).toEqual({ fence: 3, free: true, former: expect.any(String) });
  });

  test("says who holds it, since when, and how long ago they gave a sign of life", async () => {
    const { clock, open } = await smallS3Place();
    await locked(open());
    clock.move(95_400);
    const holder = await held(open());
    const who = expect.stringMatching(/^.+@.+$/u);
    expect(holder).toEqual({ id: holder.id, who, operation: "apply", since: noon, silentFor: 95_000, fence: 1 });
    expect(await failureOf(open().lock(aRun))).toEqual({
      code: "locked",
      message: `the log is locked by ${holder.who} for apply since ${noon}, silent for 1 min`,
      request: `s3://acme/${lockObject}`,
      hint:
        `wait until that run has ended; if it is dead, \`roster state unlock ${holder.id} --state '${open().address}'\` breaks its lock. ` +
        "--break-stale-lock 15m breaks it after 15 minutes of silence",
    });
  });

  test("is kept by signs of life, one at a time, until it is given back", async () => {
    const { server, clock, open } = await smallS3Place();
    const running = beats();
    const session = await locked(open(running));
    for (const beat of [1, 2]) {
      clock.move(20_000);
      await Promise.all([running.beat(), running.beat()]);
      expect(JSON.parse(server.text(lockObject) ?? "")).toMatchObject({ beat });
      expect(await held(open())).toMatchObject({ silentFor: 0 });
    }
    await session.close();
    const free = server.text(lockObject);
    await running.beat();
    expect(server.text(lockObject)).toBe(free);
  });

  test("survives a sign of life that could not be given", async () => {
    const { server, open } = await smallS3Place();
    const running = beats();
    const session = await locked(open(running));
    server.answer(({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : "usual"));
    await running.beat();
    server.answer(() => "usual");
    await running.beat();
    await session.append(creation);
    expect((await session.close()).ok).toBe(true);
    expect(unwrap(await open().holder())).toBe("nobody");
  });

  test("that was taken over stops its run at the next sign of life, before anything is sent", async () => {
    const { server, open } = await smallS3Place();
    const running = beats();
    const former = await locked(open(running));
    await breakLock(open);
    await running.beat();
    const before = server.seen.length;
    await expect(former.append(creation)).rejects.toThrow("the lock of this run was broken or taken over");
    expect(server.seen.slice(before).map(asked)).toEqual(["GET log.lock"]);
  });

  test("is looked at once a second while its run writes on and on", async () => {
    const { server, clock, open } = await smallS3Place();
    const session = await locked(open());
    const before = server.seen.length;
    for (let second = 0; second < 3; second += 1) {
      for (const name of ["a", "b", "c", "d"]) {
        await session.append([runStarted(`${second}${name}`)]);
        clock.move(250);
      }
    }
    const looks = server.seen.slice(before).filter((request) => asked(request) === "GET log.lock");
    expect(looks).toHaveLength(2);
  });

  test("of nobody whom roster knows is held, and can be broken by the name that is shown for it", async () => {
    const { server, open } = await smallS3Place();
    server.put(lockObject, "locked by hand");
    const holder = await held(open());
    expect(holder).toEqual({ id: expect.stringMatching(/^[0-9a-f]{16}$/u), silentFor: 0 });
    const failure = await failureOf(open().lock(aRun));
    expect(failure).toMatchObject({
      code: "locked",
      message: "the log is locked by an unknown run",
    });
    expect(unwrap(await open().breakLease(holder.id))).toEqual(holder);
    await (await locked(open())).close();
  });

  test("that is free cannot be broken", async () => {
    const { open } = await smallS3Place();
    expect((await failureOf(open().breakLease("id-1"))).message).toBe("the log is not locked");
  });

  test("is not had where the log cannot be read, and not left behind", async () => {
    const { server, open } = await smallS3Place();
    server.answer(({ url }) => (url.includes(`${logPath}/`) ? { status: 403, code: "AccessDenied" } : "usual"));
    expect((await failureOf(open().lock(aRun))).message).toContain("the credentials have no permission for this");
    expect(unwrap(await open().holder())).toBe("nobody");
  });

  test("is not taken over where nothing tells how long its holder has been silent", async () => {
    const { server, clock, open } = await smallS3Place();
    await locked(open());
    clock.move(3_600_000);
    server.answer(({ method, url }) => {
      if (method !== "GET" || !url.endsWith(lockObject)) return "usual";
      return { status: 200, headers: { etag: '"v"', date: "" } };
    });
    const before = server.seen.length;
    expect((await failureOf(open().lock(aRun, { breakStaleAfter: 60_000 }))).code).toBe("locked");
    expect(server.seen.slice(before).map(asked)).toEqual(["GET log.lock"]);
  });
});

describe("a service that does not keep to conditions", () => {
  test.each([
    ["if-none-match", "If-None-Match"],
    ["if-match", "If-Match"],
  ] as const)("is refused: %s is ignored", async (ignored, named) => {
    const { server, open } = await smallS3Place({ ignores: [ignored] });
    expect(await failureOf(open().lock(aRun))).toEqual({
      code: "state",
      message: `the log could not be locked at s3://acme/${lockObject}: the service ignores ${named} on writes, which locks need`,
      request: `s3://acme/${lockObject}`,
      hint: "use a service that supports conditional writes, or another kind of store",
    });
    expect(unwrap(await open().holder())).toBe("nobody");
    expect(server.paths()).toEqual([lockObject]);
  });

  test("never gives the lock to one of many at once", async () => {
    const { open } = await smallS3Place({ ignores: ["if-match", "if-none-match"] });
    const results = await Promise.all(Array.from({ length: 5 }, () => open().lock(aRun)));
    expect(results.filter(({ ok }) => ok)).toEqual([]);
  });

  test("is refused where it says that it knows no conditions", async () => {
    const { server, open } = await smallS3Place();
    server.answer(({ method }) => (method === "PUT" ? { status: 501, code: "NotImplemented" } : "usual"));
    expect((await failureOf(open().lock(aRun))).message).toContain("does not support conditional writes");
  });

  test("may look at the condition and write in two steps: whoever was written over does not get the lock", async () => {
    const { server, open } = await smallS3Place();
    const other = { id: "other", who: "bo@build-8", operation: "apply", since: noon };
    let writes = 0;
    server.answer((request) => {
      if (asked(request) === "PUT log.lock") writes += 1;
      // It looked before the lock was there, and writes only now.
      if (writes === 2) server.put(lockObject, writeHeld(1, other, { number: 0, at: noon }));
      return "usual";
    });
    const failure = await failureOf(open().lock(aRun));
    expect(failure).toMatchObject({ code: "locked", message: expect.stringContaining("bo@build-8") });
    expect(await held(open())).toMatchObject({ id: "other" });
  });

  test.each([304, 409, 412] as const)("may refuse with the status %d", async (refusesWith) => {
    const { open } = await smallS3Place({ refusesWith });
    const session = await locked(open());
    expect((await failureOf(open().lock(aRun))).code).toBe("locked");
    await session.append(creation);
    expect((await session.close()).ok).toBe(true);
  });
});

describe("a lock that is broken or taken over", () => {
  test("leaves an empty log where nothing was written yet, which the next run begins", async () => {
    const { server, open } = await smallS3Place();
    const former = await locked(open());
    await breakLock(open);
    expect(server.text(batchObject(1))).toBe("\n");
    expect(unwrap(await open().read())).toEqual(emptyState(""));
    await expect(former.append(creation)).rejects.toThrow("the lock of this run was");
    const next = await locked(open());
    await next.append(creation);
    expect(unwrap(await next.close()).users.size).toBe(1);
  });

  test("is fenced once, however much its former holder wrote, and before anything is read", async () => {
    const { server, clock, open } = await smallS3Place();
    const former = await locked(open());
    for (const event of creation) await former.append([event]);
    clock.move(60_000);
    const before = server.seen.length;
    const next = unwrap(await open().lock(aRun, { breakStaleAfter: 60_000 }));
    const puts = server.seen.slice(before).map(asked);
    expect(puts.filter((one) => one.startsWith("PUT log/"))).toEqual(["PUT log/00000004"]);
    expect(puts.slice(puts.indexOf("PUT log/00000004") + 1)).toContain("GET log/00000003");
    expect(next.state.users.size).toBe(1);
  });

  test("is given up where the log is written all the time by who knows no lock", async () => {
    const { server, open } = await smallS3Place();
    await locked(open());
    const { id } = await held(open());
    server.answer((request) => {
      const [, batch] = /^PUT (log\/\d+)$/u.exec(asked(request)) ?? [];
      if (batch !== undefined) server.put(`roster/${batch}`, "{}\n");
      return "usual";
    });
    expect(await failureOf(open().breakLease(id))).toEqual({
      code: "state",
      message: `the log could not be written at s3://acme/${logPath}: another program keeps writing it`,
      request: `s3://acme/${logPath}`,
      hint: "end the run that writes it, and run again",
    });
    expect(unwrap(await open().holder())).toBe("nobody");
  });
});

async function breakLock(open: SmallS3Place["open"]): Promise<void> {
  const person = open();
  unwrap(await person.breakLease((await held(person)).id));
}

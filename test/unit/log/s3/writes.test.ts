import { expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import { writeHeld } from "../../../../src/log/s3/lock.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../../support/event-builders.ts";
import { batchObject, checkpointObject, lockObject, logPath, smallS3Place } from "../../../support/s3-place.ts";
import type { S3Way, SeenS3Request } from "../../../support/small-s3.ts";
import { aRun, creation, failureOf, thrownBy, unwrap } from "../../../support/state-place.ts";
import { held, locked, saving } from "../../../support/store-kind.ts";
import { readText, readWhole } from "../../../support/whole-log.ts";

const writesBatch = ({ method, url }: SeenS3Request) => method === "PUT" && url.includes(`/${logPath}/`);
const writesLog = (request: SeenS3Request) =>
  writesBatch(request) || (request.method === "PUT" && request.url.endsWith(checkpointObject));

/** The first batches meet what is listed, the later ones nothing. */
function meeting(...ways: readonly S3Way[]): (request: SeenS3Request) => S3Way {
  const left = [...ways];
  return (request) => (writesBatch(request) ? (left.shift() ?? "usual") : "usual");
}

test("each batch replaces nothing, and a checkpoint the one that was read", async () => {
  const { server, open } = await smallS3Place();
  const session = await locked(open());
  for (const event of creation) await session.append([event]);
  unwrap(await session.close());
  await saving(open(), [runStarted("r2")]);
  const written = server.seen.filter(writesLog);
  const name = (url: string) => url.slice("/acme/roster/".length);
  const version = expect.stringMatching(/^"[0-9a-f]{32}"$/u);
  expect(written.map(({ url, headers }) => [name(url), headers["if-none-match"], headers["if-match"]])).toEqual([
    ["log/00000001", "*", undefined],
    ["log/00000002", "*", undefined],
    ["log/00000003", "*", undefined],
    ["log.checkpoint", "*", undefined],
    ["log/00000004", "*", undefined],
    ["log/00000005", "*", undefined],
    ["log.checkpoint", undefined, version],
    ["log/00000006", "*", undefined],
  ]);
  expect(server.text(checkpointObject)).toMatch(/^\{"batches":5\}\n\{"position":/u);
});

test("however long a log is, a read is of its checkpoint and what is behind it", async () => {
  const { server, open } = await smallS3Place();
  for (let run = 0; run < 5; run += 1) await saving(open(), [runStarted(`r${run}`)]);
  const before = server.seen.length;
  unwrap(await open().read());
  expect(
    server.seen
      .slice(before)
      .map(({ url }) => url.slice("/acme/roster/".length))
      .sort(),
  ).toEqual(["log.checkpoint", "log/00000010", "log/00000011"]);
});

test.each<[string, readonly S3Way[]]>([
  ["the connection ends before anything is done", ["lost"]],
  ["the answer is lost", ["answer-lost"]],
  ["the answer is lost twice", ["answer-lost", "answer-lost"]],
  ["the answer is an error although it is done", ["done-and-500"]],
  ["the service wants to be asked less", [{ status: 503, code: "SlowDown" }]],
  ["another write was in the way", [{ status: 409, code: "ConditionalRequestConflict" }]],
  ["everything at once", ["lost", { status: 503, code: "SlowDown" }, "done-and-500", "answer-lost"]],
])("a write is durable although %s", async (_, ways) => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  await session.append(creation.slice(0, 1));
  server.answer(meeting(...ways));
  await session.append(creation.slice(1, 2));
  await session.append(creation.slice(2));
  const state = unwrap(await session.close());
  const runs = new Map([["r1", { run: "r1" }]]);
  expect(state).toEqual({ ...applyEvents(session.state, creation), serial: state.serial, runs });
  expect(unwrap(await open().read())).toEqual(state);
  expect(unwrap(await readWhole(open())).head.position).toBe(state.serial);
});

test("a service that tells versions only to readers is asked for them", async () => {
  const { open } = await smallS3Place({ showsEtags: "when-read" });
  const session = unwrap(await open().lock(aRun));
  for (const event of creation) await session.append([event]);
  expect(unwrap(await session.close()).users.size).toBe(1);
});

const meddled = `the log at s3://acme/${logPath} was changed by another program without the lock`;

test("a batch whose number somebody else has taken is lost, and so is every later one", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  await session.append(creation.slice(0, 1));
  server.put(batchObject(2), "strange");
  await expect(session.append(creation.slice(1, 2))).rejects.toThrow(meddled);
  await expect(session.append(creation.slice(2))).rejects.toThrow(meddled);
  expect((await session.close()).ok).toBe(false);
});

test("a checkpoint that somebody else has changed meanwhile is not replaced, and the run ends all the same", async () => {
  const { server, open } = await smallS3Place();
  const session = await locked(open());
  await session.append(creation);
  server.put(checkpointObject, "strange");
  const state = unwrap(await session.close());
  expect(server.text(checkpointObject)).toBe("strange");
  expect(unwrap(await open().read())).toEqual(state);
  const { events } = unwrap(await readWhole(open()));
  expect(events.slice(-2).map(({ event }) => event.type)).toEqual(["succeeded", "command-ended"]);
});

test("a checkpoint of a former holder in the place of a newer one costs the next read some batches, and nothing else", async () => {
  const { server, open } = await smallS3Place();
  await saving(open(), creation);
  const older = server.text(checkpointObject) ?? "";
  const state = await saving(open(), [runStarted("r2"), intended("r2", "d", creationIntent("bo"))]);
  server.put(checkpointObject, older);
  expect(unwrap(await open().read())).toEqual(state);
  const next = await saving(open(), [runStarted("r3")]);
  expect(unwrap(await open().read())).toEqual(next);
});

test.each([
  ["with a strange first line", (text: string) => text.replace("batches", "parts")],
  ["with another state", (text: string) => text.replace("ada@acme.example", "bo@acme.example")],
  ["that is empty", () => ""],
])("a checkpoint %s is passed over: the log is read from its start", async (_, change) => {
  const { server, open } = await smallS3Place();
  const state = await saving(open(), creation);
  server.put(checkpointObject, change(server.text(checkpointObject) ?? ""));
  expect(unwrap(await open().read())).toEqual(state);
  expect(await saving(open(), [])).toEqual(state);
});

test.each<[string, S3Way | "too large"]>([
  ["may not be read", { status: 403, code: "AccessDenied" }],
  ["is too large to be read", "too large"],
])("a checkpoint that %s is passed over, read once, and replaced by the next run", async (_, way) => {
  const { server, open } = await smallS3Place();
  const state = await saving(open(), creation);
  if (way === "too large") server.put(checkpointObject, "x".repeat(1_000_001));
  else server.answer(({ method, url }) => (method === "GET" && url.endsWith(checkpointObject) ? way : "usual"));
  const before = server.seen.length;
  expect(unwrap(await open().read())).toEqual(state);
  expect(server.seen.slice(before).filter(({ url }) => url.endsWith(checkpointObject))).toHaveLength(1);
  const next = await saving(open(), [runStarted("r2")]);
  server.answer(() => "usual");
  expect(server.text(checkpointObject)).toMatch(/^\{"batches":[1-9]\d*\}\n\{"position":/u);
  expect(unwrap(await open().read())).toEqual(next);
});

test("a checkpoint that would be too large to be read is not written", async () => {
  const { server, open } = await smallS3Place();
  const { kept } = open();
  const lease = await kept.lease(aRun, {});
  unwrap(await readText(kept, "start"));
  expect(await thrownBy(lease.checkpoint("x".repeat(64 * 1024 * 1024)))).toMatchObject({
    code: "state",
    message: `the checkpoint at s3://acme/${checkpointObject} is too large`,
  });
  await lease.release();
  expect(server.paths()).toEqual([lockObject]);
});

test("what another command wrote is never passed over by a run that lost its lock, although it reads it", async () => {
  const { open } = await smallS3Place();
  const store = open();
  const former = await locked(store);
  const person = open();
  unwrap(await person.breakLease((await held(person)).id));
  const state = await saving(open(), creation);
  expect(unwrap(await store.read())).toEqual(state);
  await expect(former.append([runStarted("r1")])).rejects.toThrow("the lock of this run was broken or taken over");
  expect(unwrap(await readWhole(open())).head.position).toBe(state.serial);
});

test("a batch whose answer is lost is not this run's where somebody breaks the lock meanwhile", async () => {
  const { server, clock, open } = await smallS3Place();
  await saving(open(), [runStarted("r1")]);
  const session = await locked(open());
  const person = open();
  const { id } = await held(person);
  const wait = clock.wait.bind(clock);
  const broken: unknown[] = [];
  server.answer(meeting("lost"));
  clock.wait = async (milliseconds) => {
    clock.wait = wait;
    broken.push(await person.breakLease(id));
    await wait(milliseconds);
  };
  await expect(session.append([runStarted("r1")])).rejects.toThrow("the lock of this run was broken or taken over");
  expect(broken).toMatchObject([{ ok: true }]);
});

test("what many batches hold is read, also by who takes the lock over", async () => {
  const { open } = await smallS3Place();
  const session = await locked(open());
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
  for (const name of names) await session.append([intended("r1", name, creationIntent(name))]);
  const expected = names.map((name) => `${name}@acme.example`);
  const people = async () =>
    unwrap(await open().read()).open.map(({ intent }) => (intent.kind === "create-user" ? intent.email : ""));
  expect(await people()).toEqual(expected);
  const person = open();
  unwrap(await person.breakLease((await held(person)).id));
  expect(await people()).toEqual(expected);
  const next = await locked(open());
  await expect(session.append([runStarted("r1")])).rejects.toThrow("the lock of this run was taken over");
  await next.append([runStarted("r2")]);
  expect(unwrap(await next.close()).open).toHaveLength(40);
});

test.each([
  ["cut short", (text: string) => text.slice(0, -3), "does not hold whole lines of a log"],
  ["empty", () => "", "does not hold whole lines of a log"],
  ["not a log", () => "{", "does not hold whole lines of a log"],
  ["changed", (text: string) => text.replace("simulated.example", "other.example"), "event 3 of the log was changed"],
])("a batch that is %s is told, and nothing is written", async (_, change, why) => {
  const { server, open } = await smallS3Place();
  const session = await locked(open());
  await session.append(creation.slice(0, 1));
  await session.append(creation.slice(1));
  const holder = unwrap(await open().holder());
  unwrap(await open().breakLease(holder === "nobody" ? "" : holder.id));
  server.put(batchObject(1), change(server.text(batchObject(1)) ?? ""));
  const writes = server.seen.filter(writesLog).length;
  for (const asked of [open().read(), readWhole(open()), open().lock(aRun)])
    expect((await failureOf(asked)).message).toContain(why);
  expect(server.seen.filter(writesLog)).toHaveLength(writes);
});

test("a server that has a page for every address is not read for ever", async () => {
  const { server, open } = await smallS3Place();
  const page = "<!doctype html>\n";
  for (const path of [checkpointObject, ...Array.from({ length: 99 }, (_, index) => batchObject(index + 1))])
    server.put(path, page);
  expect(await failureOf(open().read())).toMatchObject({
    message: `the log could not be read at s3://acme/${batchObject(1)}: the object does not hold whole lines of a log`,
    hint: expect.stringContaining("check the endpoint"),
  });
  expect(server.seen).toHaveLength(3);
});

const missing = (number: number) => ({
  code: "state",
  message: "objects of the log are missing: its checkpoint was written for a longer log",
  request: `s3://acme/${batchObject(number)}`,
  hint: expect.stringContaining("Restore the log from a backup"),
});

test("a log that ends before its checkpoint is told, and nothing is written", async () => {
  const { server, open } = await smallS3Place();
  await saving(open(), creation);
  server.replace(new Map([...server.objects()].filter(([path]) => !path.startsWith(`${logPath}/`))));
  for (const asked of [open().read(), open().lock(aRun)]) expect(await failureOf(asked)).toEqual(missing(1));
  expect(unwrap(await open().holder())).toBe("nobody");
  expect(server.paths()).toEqual([checkpointObject, lockObject]);
});

test("a log whose oldest batches are gone has a state, but is no record any more", async () => {
  const { server, open } = await smallS3Place();
  await saving(open(), creation);
  const state = await saving(open(), [runStarted("r2")]);
  server.replace(new Map([...server.objects()].filter(([path]) => path !== batchObject(2))));
  expect(unwrap(await open().read())).toEqual(state);
  expect(await failureOf(readWhole(open()))).toEqual(missing(2));
});

test.each([
  ["the write", writesBatch],
  ["the look after it", ({ method, url }: SeenS3Request) => method === "GET" && url.endsWith(lockObject)],
])("a run that slept through the answer to %s learns that its lock is gone", async (_, sleepsAt) => {
  const { server, clock, open } = await smallS3Place();
  const session = await locked(open());
  const other = { id: "other", who: "bo@build-8", operation: "apply", since: noon };
  clock.move(2000);
  let isAsleep = false;
  server.answer((request) => {
    // Whoever took the lock over has read what was written: it must not be acted on as well.
    if (isAsleep) server.put(lockObject, writeHeld(2, other, { number: 0, at: noon }));
    if (!isAsleep && sleepsAt(request)) {
      isAsleep = true;
      clock.move(1_200_000);
    }
    return "usual";
  });
  await expect(session.append(creation)).rejects.toThrow("the lock of this run was taken over by bo@build-8 for apply");
});

test("what never answers in time is given up within 30 seconds", async () => {
  const { server, clock, open } = await smallS3Place();
  server.answer(() => {
    clock.move(10_000);
    return "lost";
  });
  const began = clock.now();
  expect((await failureOf(open().read())).message).toContain("the connection was reset");
  expect([server.seen.length, clock.now() - began]).toEqual([2, 20_150]);
});

test("what stays busy is given up soon, and said to be so", async () => {
  const { server, clock, open } = await smallS3Place();
  server.answer(() => ({ status: 503, code: "SlowDown", message: "Reduce your request rate." }));
  expect(await failureOf(open().read())).toEqual({
    code: "state",
    message: `the log could not be read at s3://acme/${checkpointObject}: the service was busy or failing at every try`,
    request: `s3://acme/${checkpointObject}`,
    status: 503,
    serviceSays: "Reduce your request rate.",
    hint: "run again later: earlier records are kept",
  });
  expect(server.seen).toHaveLength(6);
  expect(clock.waits).toEqual([150, 300, 600, 1200, 2400]);
});

test("a write of the lock that is still in doubt is told by reading, too", async () => {
  const { server, open } = await smallS3Place();
  let lost = 0;
  server.answer(({ method, url }) => {
    if (method !== "PUT" || !url.endsWith(lockObject) || lost > 0) return "usual";
    lost += 1;
    return "answer-lost";
  });
  const session = unwrap(await open().lock(aRun));
  await session.append([intended("r1", "c", creationIntent("ada")), succeeded("c", created("ada"))]);
  expect((await session.close()).ok).toBe(true);
  expect(unwrap(await open().holder())).toBe("nobody");
});

import { expect, test } from "vitest";
import { encodeState } from "../../../../src/codec/state.ts";
import { applyEvents } from "../../../../src/log/fold.ts";
import { writeHeld } from "../../../../src/log/s3/lock.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../../support/event-builders.ts";
import { lockObject, smallS3Place, stateObject } from "../../../support/s3-place.ts";
import type { S3Way, SeenS3Request, SmallS3 } from "../../../support/small-s3.ts";
import { aRun, creation, failureOf, unwrap } from "../../../support/state-place.ts";
import { held, locked, saving } from "../../../support/store-kind.ts";

const writesState = ({ method, url }: SeenS3Request) => method === "PUT" && url.endsWith(stateObject);
const writesBatch = ({ method, url }: SeenS3Request) => method === "PUT" && url.includes(`${stateObject}.journal/`);

const batchesIn = (server: SmallS3) => server.paths().filter((path) => path.includes(".journal/"));

/** The first batches of the journal meet what is listed, the later ones nothing. */
function meeting(...ways: readonly S3Way[]): (request: SeenS3Request) => S3Way {
  const left = [...ways];
  return (request) => (writesBatch(request) ? (left.shift() ?? "usual") : "usual");
}

test("the first batch comes after a saved state, each batch replaces nothing, and the state at the end the one before it", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  for (const event of creation) await session.append([event]);
  const saved = unwrap(await session.close());
  const written = server.seen.filter((request) => writesState(request) || writesBatch(request));
  expect(written.map(({ url, headers }) => [url.slice(-8), headers["if-none-match"], headers["if-match"]])).toEqual([
    ["ate.json", "*", undefined],
    ["00000001", "*", undefined],
    ["00000002", "*", undefined],
    ["00000003", "*", undefined],
    ["ate.json", undefined, expect.stringMatching(/^"[0-9a-f]{32}"$/u)],
  ]);
  expect(server.text(stateObject)).toBe(encodeState(saved));
  expect(saved).toEqual({ ...applyEvents(session.state, creation), serial: 2 });
});

test("a run goes on behind a saved state without saving it again", async () => {
  const { server, open } = await smallS3Place();
  const saved = await saving(open(), creation);
  const session = await locked(open());
  await session.append([runStarted("r2")]);
  expect(batchesIn(server).at(-1)).toMatch(new RegExp(`\\.journal/[0-9a-f]{12}-${saved.serial}-00000001$`, "u"));
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
  expect(unwrap(await session.close())).toEqual({ ...applyEvents(session.state, creation), serial: 2 });
  expect(server.text(stateObject)).toContain('"serial": 2');
});

test("a service that tells versions only to readers is asked for them", async () => {
  const { open } = await smallS3Place({ showsEtags: "when-read" });
  const session = unwrap(await open().lock(aRun));
  for (const event of creation) await session.append([event]);
  expect(unwrap(await session.close()).users.size).toBe(1);
});

const meddled = `the state at s3://acme/${stateObject} was changed by another program without the lock`;

test("a batch whose number somebody else has taken is lost, and so is every later one", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  await session.append(creation.slice(0, 1));
  server.put(`${batchesIn(server).at(-1)?.slice(0, -1)}2`, "strange");
  await expect(session.append(creation.slice(1, 2))).rejects.toThrow(meddled);
  await expect(session.append(creation.slice(2))).rejects.toThrow(meddled);
  expect((await session.close()).ok).toBe(false);
});

test("a state that somebody else has changed meanwhile is not replaced", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  await session.append(creation);
  const strange = encodeState({ ...session.state, serial: 5, service: "https://elsewhere.example" });
  server.put(stateObject, strange);
  expect(await failureOf(session.close())).toMatchObject({ message: meddled });
  expect(server.text(stateObject)).toBe(strange);
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
    broken.push(await person.unlock(id));
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
  unwrap(await person.unlock((await held(person)).id));
  expect(await people()).toEqual(expected);
  const next = await locked(open());
  expect(next.unfinished?.events).toHaveLength(40);
  await expect(session.append([runStarted("r1")])).rejects.toThrow("the lock of this run was taken over");
  await next.append([runStarted("r2")]);
  expect(unwrap(await next.close()).open).toHaveLength(40);
});

test.each([
  ["that is cut short", (text: string) => text.slice(0, -3), "does not end with a whole line"],
  [
    "of another state",
    (text: string) => text.replace(/"lineage":"[^"]*"/u, '"lineage":"other"'),
    "has a wrong checksum",
  ],
])("a journal %s is told, and nothing is written", async (_, change, why) => {
  const { server, open } = await smallS3Place();
  const session = await locked(open());
  await session.append([runStarted("r1")]);
  const batch = batchesIn(server).at(-1) ?? "";
  server.put(batch, change(server.text(batch) ?? ""));
  expect((await failureOf(open().read())).message).toContain(why);
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
    message: `the state could not be read at s3://acme/${stateObject}: the service was busy or failing at every try`,
    request: `s3://acme/${stateObject}`,
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

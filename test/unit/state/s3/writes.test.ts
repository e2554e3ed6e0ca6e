import { expect, test } from "vitest";
import { encodeState } from "../../../../src/codec/state.ts";
import { applyEvents } from "../../../../src/journal/fold.ts";
import { writeHeld } from "../../../../src/state/s3/lock.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../../support/event-builders.ts";
import { lockObject, smallS3Place, stateObject } from "../../../support/s3-place.ts";
import type { S3Way, SeenS3Request } from "../../../support/small-s3.ts";
import { aRun, creation, failureOf, unwrap } from "../../../support/state-place.ts";
import { held, locked, saving } from "../../../support/store-kind.ts";

const writesState = ({ method, url }: SeenS3Request) => method === "PUT" && url.endsWith(stateObject);

/** The first writes of the state meet what is listed, the later ones nothing. */
function meeting(...ways: readonly S3Way[]): (request: SeenS3Request) => S3Way {
  const left = [...ways];
  return (request) => (writesState(request) ? (left.shift() ?? "usual") : "usual");
}

test("each write of the state replaces the one before it, and the first one nothing", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  for (const event of creation) await session.append([event]);
  const written = server.seen.filter(writesState);
  expect(written.map(({ headers }) => [headers["if-none-match"], headers["if-match"]])).toEqual([
    ["*", undefined],
    [undefined, expect.stringMatching(/^"[0-9a-f]{32}"$/u)],
    [undefined, expect.stringMatching(/^"[0-9a-f]{32}"$/u)],
  ]);
  const saved = unwrap(await session.close());
  expect(server.text(stateObject)).toBe(encodeState(saved));
  expect(saved).toEqual({ ...applyEvents(session.state, creation), serial: 3 });
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
  expect(unwrap(await session.close())).toEqual({ ...applyEvents(session.state, creation), serial: 3 });
  expect(server.text(stateObject)).toContain('"serial": 3');
});

test("a service that tells versions only to readers is asked for them", async () => {
  const { open } = await smallS3Place({ showsEtags: "when-read" });
  const session = unwrap(await open().lock(aRun));
  for (const event of creation) await session.append([event]);
  expect(unwrap(await session.close()).users.size).toBe(1);
});

test("a write that somebody else's write has overtaken is lost, and so is every later one", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  await session.append(creation.slice(0, 1));
  const strange = encodeState({ ...session.state, service: "https://elsewhere.example" });
  server.put(stateObject, strange);
  const lost = `the state at s3://acme/${stateObject} was changed by another program without the lock`;
  await expect(session.append(creation.slice(1, 2))).rejects.toThrow(lost);
  await expect(session.append(creation.slice(2))).rejects.toThrow(lost);
  expect((await session.close()).ok).toBe(false);
  expect(server.text(stateObject)).toBe(strange);
});

test("a lost answer whose write somebody has replaced since is no success", async () => {
  const { server, open } = await smallS3Place();
  const session = unwrap(await open().lock(aRun));
  const first = meeting("lost");
  server.answer((request) => {
    if (writesState(request)) server.put(stateObject, encodeState({ ...session.state, serial: 5 }));
    return first(request);
  });
  await expect(session.append(creation)).rejects.toThrow("was changed by another program without the lock");
});

test("after a lost answer the same text is this run's only while the lock is", async () => {
  const { server, clock, open } = await smallS3Place();
  // What was recorded once adds nothing the second time: whoever breaks the lock then writes the very text that was lost.
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

test.each([
  ["the write", writesState],
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

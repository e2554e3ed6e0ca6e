import { describe, expect, onTestFinished, test } from "vitest";
import { encodeState } from "../../../../src/codec/state.ts";
import type { RunEvent } from "../../../../src/model/event.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { openHttpClient } from "../../../../src/network/origin.ts";
import type { Randomness } from "../../../../src/ports/clock.ts";
import type { HttpClient } from "../../../../src/ports/http-client.ts";
import type { StateSession, StateStore } from "../../../../src/ports/state-store.ts";
import { type ServerSettings, serverPlace } from "../../../../src/state/http/address.ts";
import { encodeLock, holderShown, httpStore } from "../../../../src/state/http/store.ts";
import { creationIntent, intended, runStarted } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness, type MovableClock, timerBy } from "../../../support/fixed-ports.ts";
import {
  type Interference,
  type StateRequest,
  type StateServerManner,
  type TerraformStateServer,
  terraformStateServer,
} from "../../../support/terraform-state-server.ts";

const start = "2026-11-20T09:00:00.000Z";
const run = { run: "run-1", operation: "apply", at: start };
const announced = [runStarted("run-1"), intended("run-1", "a-1", creationIntent("ada"))];

interface Scene {
  readonly server: TerraformStateServer;
  readonly store: StateStore;
  readonly clock: MovableClock;
}

async function scene(manner: StateServerManner = {}, said: ServerSettings = {}): Promise<Scene> {
  const server = await terraformStateServer(manner, onTestFinished);
  const clock = clockAt(start);
  return { server, clock, store: storeAt(server.address, { clock, said }) };
}

function storeAt(
  address: string,
  options: {
    clock?: MovableClock;
    said?: ServerSettings;
    randomness?: Randomness;
    around?: (http: HttpClient) => HttpClient;
    deadline?: AbortSignal;
  } = {},
): StateStore {
  const {
    clock = clockAt(start),
    said = {},
    randomness = countingRandomness(),
    around = (http) => http,
    deadline,
  } = options;
  const place = serverPlace(address, said);
  if (!place.ok) throw new Error(place.error.message);
  const limits = { timeout: 10_000, largestAnswer: 1_000_000, clock: timerBy() };
  const http = around(openHttpClient({ origin: place.value.read.url.origin, ...limits }));
  const store = httpStore({ place: place.value, http, clock, randomness, deadline, version: "1.2.3" });
  onTestFinished(() => store.close());
  return store;
}

async function locked(store: StateStore): Promise<StateSession> {
  const session = await store.lock(run);
  if (!session.ok) throw new Error(session.error.message);
  return session.value;
}

function shownRequests({ requests }: TerraformStateServer): readonly string[] {
  return requests.map(({ method, url }) => `${method} ${url}`);
}

/** Strikes the first requests of one method, in order. */
function striking(method: string, ...strikes: readonly (Interference | undefined)[]) {
  let seen = 0;
  return ({ method: came }: StateRequest): Interference | undefined => {
    if (came !== method) return undefined;
    seen += 1;
    return strikes[seen - 1];
  };
}

const manners: readonly [string, StateServerManner][] = [
  ["a plain server", {}],
  ["GitLab", { dialect: "gitlab" }],
  ["a server that says 409", { conflict: 409 }],
];

describe.each(manners)("the state at %s", (_, manner) => {
  test("is nothing at first, and then what was written", async () => {
    const { server, store } = await scene(manner);
    expect(await store.read()).toEqual({ ok: true, value: emptyState("") });
    const session = await locked(store);
    expect(session.writes).toBe("rewritten");
    await session.append(announced);
    await session.append([]);
    const saved = await session.close();
    expect(saved).toMatchObject({ ok: true, value: { lineage: "id-2", serial: 1, open: [{ action: "a-1" }] } });
    expect(await store.read()).toEqual(saved);
    expect(server.lockedBy()).toBeUndefined();
    expect(server.versions).toEqual([saved.ok ? encodeState(saved.value) : ""]);
    const later = await locked(store);
    await later.append([runStarted("run-2")]);
    await later.append([intended("run-2", "a-2", creationIntent("bo"))]);
    expect(await later.close(() => emptyState("other"))).toMatchObject({
      ok: true,
      value: { lineage: "other", serial: 4 },
    });
  });

  test("is locked for one run at a time, and says by whom", async () => {
    const { server, store } = await scene(manner);
    const session = await locked(store);
    const other = storeAt(server.address, { randomness: { fraction: () => 0, identifier: () => "id-other" } });
    const refused = await other.lock({ ...run, run: "run-2" });
    expect(refused).toMatchObject({ ok: false, error: { code: "locked" } });
    const held = await other.holder();
    expect(held).toMatchObject({ ok: true, value: { id: "id-1", since: start } });
    expect(refused.ok ? "" : refused.error.hint).toContain("`roster state unlock id-1`");
    await session.close();
    expect(await other.holder()).toEqual({ ok: true, value: "nobody" });
    expect(server.lockedBy()).toBeUndefined();
  });

  test("is not written any more by a run whose lock was broken, nor by one whose lock another has", async () => {
    const { server, store } = await scene(manner);
    const first = await locked(store);
    server.breakLock();
    await expect(first.append(announced)).rejects.toThrow("the lock of this run was broken or taken over");
    const second = storeAt(server.address, { clock: clockAt("2026-11-20T10:00:00.000Z") });
    const holding = await locked(second);
    server.hold({ ID: "id-9", Who: "bo@build-8", Operation: "apply", Created: start });
    await expect(holding.append(announced)).rejects.toThrow("the lock of this run was");
    await expect(holding.append(announced)).rejects.toThrow("the lock of this run was");
    expect(await holding.close(() => emptyState("other"))).toMatchObject({ ok: false, error: { code: "state" } });
    expect(server.lockedBy()).toBe("id-9");
    expect(server.versions).toEqual([]);
  });

  test("is unlocked by a person who names the ID, and by nobody else", async () => {
    const { server, store } = await scene(manner);
    expect(await store.unlock("id-7")).toMatchObject({
      ok: false,
      error: { message: "the state is not locked" },
    });
    server.hold({ ID: "57b0", Who: "bo@build-8", Operation: "apply", Created: start });
    const wrong = await store.unlock("id-7");
    expect(wrong).toMatchObject({ ok: false, error: { hint: expect.stringContaining("`roster state unlock 57b0`") } });
    expect(server.lockedBy()).toBe("57b0");
    expect(await store.unlock("57b0")).toMatchObject({
      ok: true,
      value: { id: "57b0", who: "bo@build-8", since: start },
    });
    expect(server.lockedBy()).toBeUndefined();
  });

  test("is checked by reading it", async () => {
    const { server, store } = await scene(manner);
    expect(await store.verify()).toEqual({
      ok: true,
      value: { state: emptyState(""), parts: [`${server.address} holds no state yet`] },
    });
    server.keep(encodeState({ ...emptyState("l"), serial: 12 }));
    expect(await store.verify()).toEqual({
      ok: true,
      value: { state: { ...emptyState("l"), serial: 12 }, parts: [`${server.address} holds version 12 of the state`] },
    });
  });
});

describe("the requests", () => {
  test("are those of Terraform", async () => {
    const { server, store } = await scene(
      { credentials: { username: "ada", password: "p:ß" } },
      { username: "ada", password: "p:ß" },
    );
    const session = await locked(store);
    await session.append(announced);
    await session.close();
    expect(shownRequests(server)).toEqual([
      "LOCK /state/roster",
      "GET /state/roster",
      "POST /state/roster?ID=id-1",
      "UNLOCK /state/roster",
    ]);
    const [taken, , written, given] = server.requests;
    expect(JSON.parse(taken?.body ?? "")).toEqual({
      ID: "id-1",
      Operation: "apply",
      Info: "roster, run run-1, lock id-1",
      Who: expect.stringMatching(/^.+@.+$/u),
      Version: "1.2.3",
      Created: start,
      Path: "",
    });
    expect(given?.body).toBe(taken?.body);
    expect(written?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": `${written?.body.length}`,
    });
  });

  test("keep the query of the address", async () => {
    const server = await terraformStateServer({}, onTestFinished);
    const store = storeAt(`${server.address}?project=7`);
    const session = await locked(store);
    await session.append(announced);
    expect(store.address).toBe(server.address);
    expect(shownRequests(server)).toEqual([
      "LOCK /state/roster?project=7",
      "GET /state/roster?project=7",
      "POST /state/roster?project=7&ID=id-1",
    ]);
  });

  test("of several appends at once are one write", async () => {
    const { server, store } = await scene();
    const session = await locked(store);
    const one = (index: number): readonly RunEvent[] => [intended("run-1", `a-${index}`, creationIntent(`p${index}`))];
    await Promise.all(Array.from({ length: 20 }, (_, index) => session.append(one(index))));
    expect(server.versions).toHaveLength(1);
    expect(await session.close()).toMatchObject({ ok: true, value: { open: { length: 20 } } });
  });
});

describe("an answer that is lost", () => {
  test("to LOCK is asked for again under the same ID, and a lock that shows this ID is ours", async () => {
    const { server, store, clock } = await scene({ interfere: striking("LOCK", "lost-after") });
    const session = await locked(store);
    expect(shownRequests(server)).toEqual(["LOCK /state/roster", "LOCK /state/roster", "GET /state/roster"]);
    expect(clock.waits).toEqual([500]);
    await session.close();
    expect(server.lockedBy()).toBeUndefined();
  });

  test("to a write is looked for by reading, and the write is not sent again", async () => {
    const { server, store } = await scene({ interfere: striking("POST", "lost-after") });
    const session = await locked(store);
    await session.append(announced);
    expect(shownRequests(server).slice(2)).toEqual(["POST /state/roster?ID=id-1", "GET /state/roster"]);
    expect(await session.close()).toMatchObject({ ok: true, value: { serial: 1 } });
  });

  test("to a write that is not shown ends the run's writing for ever", async () => {
    const { server, store, clock } = await scene({ interfere: striking("POST", "lost-before") });
    const session = await locked(store);
    await expect(session.append(announced)).rejects.toThrow(
      "the state could not be written: the state server did not answer",
    );
    expect(clock.waits).toEqual([500, 1500, 3000]);
    await expect(session.append(announced)).rejects.toThrow("the state could not be written");
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(await session.close()).toMatchObject({ ok: false, error: { request: `POST ${server.address}` } });
    expect(server.lockedBy()).toBeUndefined();
  });

  test("to a write is not taken for ours where another version lies there", async () => {
    const other = encodeState({ ...emptyState("foreign"), serial: 1 });
    const { server, store } = await scene({ interfere: striking("POST", "lost-before") });
    const session = await locked(store);
    server.keep(other);
    await expect(session.append(announced)).rejects.toThrow("the state could not be written");
    expect(shownRequests(server).slice(2)).toEqual(["POST /state/roster?ID=id-1", "GET /state/roster"]);
  });

  test("to UNLOCK is asked for again, and closing does not fail by it", async () => {
    const { server, store } = await scene({ interfere: striking("UNLOCK", "lost-before", { status: 502 }) });
    const session = await locked(store);
    expect(await session.close()).toMatchObject({ ok: true });
    expect(server.lockedBy()).toBeUndefined();
  });

  test("to a read is asked for again, with growing pauses, as is an answer of a server in trouble", async () => {
    const strikes: readonly Interference[] = [
      "lost-before",
      { status: 500 },
      { status: 429, headers: { "retry-after": "7" } },
    ];
    const { store, clock } = await scene({ interfere: striking("GET", ...strikes) });
    expect(await store.read()).toEqual({ ok: true, value: emptyState("") });
    expect(clock.waits).toEqual([500, 1000, 7000]);
  });

  test("ends after four tries", async () => {
    const { server, store } = await scene({ interfere: () => ({ status: 503, body: "down for  maintenance" }) });
    expect(await store.read()).toEqual({
      ok: false,
      error: {
        code: "state",
        message: "the state could not be read: the state server answers with status 503",
        request: `GET ${server.address}`,
        status: 503,
        serviceSays: "down for maintenance",
        hint: "read the answer of the state server",
      },
    });
    expect(server.requests).toHaveLength(4);
  });

  test.each([
    ["soon, once the time is over", "3", AbortSignal.abort(), 4],
    ["not again, where that would take long and the time is over", "15", AbortSignal.abort(), 1],
    ["for as long as the server wants where there is time", "15", new AbortController().signal, 4],
  ])("is waited for %s", async (_, seconds, deadline, requests) => {
    const busy = { status: 503, headers: { "retry-after": seconds } };
    const { server } = await scene({ interfere: () => busy });
    expect(await storeAt(server.address, { deadline }).read()).toMatchObject({ ok: false, error: { status: 503 } });
    expect(server.requests).toHaveLength(requests);
  });
});

describe("a write", () => {
  test("that the server had no time for is sent again", async () => {
    const { server, store, clock } = await scene({ interfere: striking("POST", { status: 429 }, { status: 429 }) });
    const session = await locked(store);
    await session.append(announced);
    expect(server.versions).toHaveLength(1);
    expect(clock.waits).toEqual([500, 1000]);
  });

  test("of which not a byte left is sent again, and is refused where none ever does", async () => {
    const { server, clock } = await scene();
    const unsent = { ok: false, error: { sent: false, cause: "the connection was refused" } } as const;
    let refusals = 2;
    const refusing = (http: HttpClient): HttpClient => ({
      ...http,
      async send(request) {
        if (request.method !== "POST" || refusals === 0) return http.send(request);
        refusals -= 1;
        return unsent;
      },
    });
    const session = await locked(storeAt(server.address, { clock, around: refusing }));
    await session.append(announced);
    expect(server.versions).toHaveLength(1);
    refusals = 4;
    await expect(session.append(announced)).rejects.toThrow(
      "the state could not be written: the state server did not answer: the connection was refused",
    );
    expect(server.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  test.each<[string, Interference]>([
    ["status 500", { status: 500 }],
    ["a page of success", { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" }],
    ["a promise", { status: 202 }],
  ])("answered by %s counts only where it is shown", async (_, interference) => {
    const { store } = await scene({ interfere: striking("POST", interference) });
    const session = await locked(store);
    await expect(session.append(announced)).rejects.toThrow("the state could not be written");
  });

  test.each([
    ...[400, 403, 413].map((status) => [status, "the state could not be written"] as const),
    ...[423, 412, 409].map((status) => [status, "the lock of this run was broken"] as const),
  ])("refused with %i is the last one", async (status, says) => {
    const { server, store } = await scene({ interfere: striking("POST", { status }) });
    const session = await locked(store);
    await expect(session.append(announced)).rejects.toThrow(says);
    await expect(session.append(announced)).rejects.toThrow(says);
    expect(shownRequests(server).slice(2)).toEqual(["POST /state/roster?ID=id-1"]);
  });
});

describe("a server that is not one for states", () => {
  test.each<[string, Interference, string]>([
    ["401", { status: 401 }, "the state server requires credentials (401)"],
    ["403", { status: 403 }, "these credentials have no permission at the state server (403)"],
    [
      "a redirect",
      { status: 302, headers: { location: "https://elsewhere.example" } },
      "the state server answers with a redirect; roster does not follow it with credentials",
    ],
    [
      "a page",
      { status: 200, body: "<!doctype html>" },
      "the answer is a web page, such as a login page or an error page of a proxy",
    ],
    [
      "a page that says 404",
      { status: 404, body: "<html>" },
      "the answer is a web page, such as a login page or an error page of a proxy",
    ],
    [
      "a damaged answer",
      { status: 200, headers: { "content-md5": "AAAA" }, body: "{}" },
      "the state from the state server is damaged: its digest does not match",
    ],
    [
      "a state of Terraform",
      { status: 200, body: '{"version":4,"terraform_version":"1.11.4","serial":1,"resources":[]}' },
      "this address has a state of Terraform",
    ],
  ])("is named for %s", async (_, answer, why) => {
    const { store } = await scene({ interfere: () => answer });
    const read = await store.read();
    expect(read).toMatchObject({ ok: false, error: { code: "state", message: `the state could not be read: ${why}` } });
    const lock = await store.lock(run);
    expect(lock.ok).toBe(false);
  });

  test.each([404, 405, 501])("is refused where it takes no lock (%i)", async (status) => {
    const { server, store } = await scene({ interfere: striking("LOCK", { status }) });
    expect(await store.lock(run)).toMatchObject({
      ok: false,
      error: {
        code: "state",
        message: `the state could not be locked: the state server does not support locks with LOCK (${status}); without a lock, two applies could run at once`,
      },
    });
    expect(shownRequests(server)).toEqual(["LOCK /state/roster"]);
  });

  test("is not taken for one that gave the lock where it answers with a page of success", async () => {
    const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" };
    const { server, store } = await scene({ interfere: striking("LOCK", page) });
    expect(await store.lock(run)).toMatchObject({
      ok: false,
      error: {
        message:
          "the state could not be locked: the answer is a web page, such as a login page or an error page of a proxy",
      },
    });
    expect(shownRequests(server)).toEqual(["LOCK /state/roster"]);
  });

  test("is not taken for one that gave the lock where it shows the lock of somebody else", async () => {
    const { store } = await scene({ interfere: striking("LOCK", { status: 200, body: '{"ID":"57b0","Who":"bo"}' }) });
    expect(await store.lock(run)).toMatchObject({
      ok: false,
      error: { code: "locked", message: "the state is locked by bo" },
    });
  });

  test("keeps no lock where the state cannot be read", async () => {
    const { server, store } = await scene();
    server.keep("{}");
    expect(await store.lock(run)).toMatchObject({ ok: false, error: { code: "state" } });
    expect(server.lockedBy()).toBeUndefined();
  });
});

describe("a lock", () => {
  test("whose holder is not shown is told so, and broken only where the server takes the ID", async () => {
    const { server, store } = await scene({ shows: "nobody" });
    server.hold({ ID: "57b0" });
    expect(await store.lock(run)).toMatchObject({
      ok: false,
      error: { code: "locked", message: "the state is locked by an unknown run" },
    });
    expect(await store.holder()).toMatchObject({ ok: false, error: { code: "locked" } });
    expect(await store.unlock("57b1")).toMatchObject({ ok: false, error: { status: 423 } });
    expect(await store.unlock("57b0")).toEqual({ ok: true, value: { id: "57b0" } });
  });

  test("is broken by an empty request where the server wants none other", async () => {
    const { server, store } = await scene({ unlocksFor: "empty" });
    server.hold({ ID: "57b0", Who: "bo@build-8" });
    expect(await store.unlock("57b1")).toMatchObject({ ok: false });
    expect(server.lockedBy()).toBe("57b0");
    expect(await store.unlock("57b0")).toEqual({ ok: true, value: { id: "57b0", who: "bo@build-8" } });
    expect(server.lockedBy()).toBeUndefined();
  });

  test("is not broken by an empty request once another has it", async () => {
    const { server, store } = await scene({
      interfere: ({ method }) => {
        if (method !== "UNLOCK") return undefined;
        server.hold({ ID: "another" });
        return { status: 400 };
      },
    });
    server.hold({ ID: "57b0" });
    expect(await store.unlock("57b0")).toMatchObject({ ok: false, error: { status: 400 } });
    expect(server.requests.map(({ body }) => body)).not.toContain("");
  });

  test("shows no sign of life, so that taking over a dead one is refused before anything is asked", async () => {
    const { server, store } = await scene();
    expect(await store.lock(run, { breakStaleAfter: 900_000 })).toMatchObject({
      ok: false,
      error: { code: "state", hint: expect.stringContaining("`roster state unlock ID`") },
    });
    expect(server.requests).toEqual([]);
  });
});

test("credentials are in no failure, even where the server repeats them", async () => {
  const said = { username: "ada", password: "hunter2&" };
  const authorization = Buffer.from("ada:hunter2&").toString("base64");
  const body = `no hunter2& nor ${authorization} nor hunter2%26 nor t0ken`;
  const { server } = await scene({ interfere: () => ({ status: 400, body }) });
  const store = storeAt(`${server.address}?t=t0ken`, { said });
  const outcomes = [
    await store.read(),
    await store.lock(run),
    await store.holder(),
    await store.unlock("x"),
    await store.verify(),
  ];
  expect(outcomes.every(({ ok }) => !ok)).toBe(true);
  expect(JSON.stringify([outcomes, store.address])).not.toMatch(new RegExp(`hunter2|t0ken|${authorization}`, "u"));
});

const ours = {
  ID: "ours",
  Operation: "apply",
  Info: "roster, run 1, lock ours",
  Who: "ada@build-7",
  Version: "1.2.3",
  Created: "2026-11-20T09:00:00.000Z",
  Path: "",
};

describe("a lock's document", () => {
  test("is written with the fields that Terraform writes, in its order", () => {
    expect(encodeLock(ours)).toBe(
      '{"ID":"ours","Operation":"apply","Info":"roster, run 1, lock ours","Who":"ada@build-7","Version":"1.2.3","Created":"2026-11-20T09:00:00.000Z","Path":""}',
    );
  });

  test("tells of Terraform's own holder", () => {
    const theirs = {
      ...ours,
      ID: "57b0",
      Operation: "OperationTypeApply",
      Info: "",
      Created: "2026-11-20T08:00:00.123456789Z",
    };
    expect(holderShown(JSON.stringify(theirs), ours)).toEqual({
      id: "57b0",
      who: "ada@build-7",
      operation: "OperationTypeApply",
      since: "2026-11-20T08:00:00.123Z",
    });
  });

  test("does not tell our own operation of somebody else, where the server repeats what it was asked with", () => {
    expect(holderShown(JSON.stringify({ ...ours, ID: "57b0", Who: "bo" }), ours)).toEqual({
      id: "57b0",
      who: "bo",
      since: "2026-11-20T09:00:00.000Z",
    });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["no object", '"57b0"'],
    ["no ID", '{"Who":"bo"}'],
    ["an ID that is no text", '{"ID":7}'],
    ["an ID that cannot be repeated on a command line", '{"ID":"a b"}'],
    ["an ID without end", JSON.stringify({ ID: "x".repeat(300) })],
    ["an inherited ID", '{"__proto__":{"ID":"57b0"}}'],
  ])("names nobody where there is %s", (_, text) => {
    expect(holderShown(text, ours)).toBeUndefined();
  });
});

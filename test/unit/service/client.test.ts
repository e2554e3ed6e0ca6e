import { afterEach, describe, expect, test } from "vitest";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { isRefusal } from "../../../src/service/answer.ts";
import { ApiKey } from "../../../src/service/api-key.ts";
import { httpAccountService } from "../../../src/service/client.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { closedEndpoint, type Scripted, type ScriptedServer, scriptedServer } from "../../support/scripted-server.ts";

const key = "pre1.s3cr3tpart";
const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

function connect(endpoint: URL) {
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const lines: string[] = [];
  const trace = (line: string) => void lines.push(line);
  const service = httpAccountService({
    endpoint,
    key: new ApiKey(key),
    clock,
    randomness: countingRandomness(),
    parallelism: 4,
    trace,
  });
  cleanUp.push(() => service.close());
  return { service, clock, lines };
}

async function against(script: Parameters<typeof scriptedServer>[0], path = "") {
  const server: ScriptedServer = await scriptedServer(script);
  cleanUp.push(() => server.close());
  return { server, ...connect(new URL(path, server.endpoint)) };
}

describe("what is sent", () => {
  test("each route as the interface shows it, with the key in its header", async () => {
    const { server, service } = await against((request) => {
      if (request.method === "PUT") return { json: [] };
      if (request.url.includes("/accounts/acc-1/users")) return { status: 201, json: { identifier: "u-1" } };
      return { json: request.url.endsWith("/acc-1") ? { identifier: "acc-1" } : [] };
    });
    await service.readAccount("acc-1");
    await service.searchUsers(["ada@acme.example", "bo+x@acme.example"], "search 1");
    await service.createUser("acc-1", ada, { name: "Data", accessKeyRoles: ["TEAM_ROLE"] });
    await service.addMembers("t-1", ["u-1", "bo@acme.example"]);
    await service.replaceRoles("k1", ["DEVELOPER"]);

    expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/api/accounting/accounts/acc-1", undefined],
      ["POST", "/api/accounting/users/search?per-page=100", { identifiers: ["ada@acme.example", "bo+x@acme.example"] }],
      [
        "POST",
        "/api/accounting/accounts/acc-1/users",
        { ...ada, team: { name: "Data", accessKeyRoles: ["TEAM_ROLE"] } },
      ],
      ["POST", "/api/accounting/teams/t-1/members", [{ identifier: "u-1" }, { identifier: "bo@acme.example" }]],
      ["PUT", "/api/accounting/access-keys/k1/roles", [{ identifier: "DEVELOPER" }]],
    ]);
    for (const { headers, body } of server.seen) {
      expect(headers).toMatchObject({
        authorization: `ApiKey ${key}`,
        accept: "application/json",
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      });
    }
    expect(service.requests).toEqual({ reads: 2, writes: 3 });
  });

  test.each([
    ["", "/api/accounting/accounts/a", ""],
    ["/api", "/api/accounting/accounts/a", ""],
    ["/modzy", "/modzy/api/accounting/accounts/a", "/modzy"],
    ["/modzy/api/", "/modzy/api/accounting/accounts/a", "/modzy"],
  ])("under the base address %j", async (path, url, named) => {
    const { server, service } = await against([{ json: { identifier: "a" } }], path);
    await service.readAccount("a");
    expect(server.seen.map((request) => request.url)).toEqual([url]);
    expect(service.address).toBe(`${server.endpoint.origin}${named}`);
  });

  test("an address with capital letters in a search as it is written and folded, an identifier as it is", async () => {
    const { server, service } = await against([{ json: [] }]);
    await service.searchUsers(["Ada@B.example", "bo@b.example", "U-7"], "search 1");
    expect(server.seen.map(({ body }) => body)).toEqual([
      { identifiers: ["Ada@B.example", "ada@b.example", "bo@b.example", "U-7"] },
    ]);
  });

  test("an identifier as one segment of the path, whatever stands in it", async () => {
    const { server, service } = await against([{ json: [] }]);
    await service.replaceRoles("a/b%+é?#..", ["R"]);
    expect(server.seen.map(({ url }) => url)).toEqual(["/api/accounting/access-keys/a%2Fb%25%2B%C3%A9%3F%23../roles"]);
  });

  test.each([["."], [".."], [""], ["\ud800"]])("nothing for the identifier %j", async (identifier) => {
    const { server, service } = await against([{ json: {} }]);
    expect(await service.readAccount(identifier)).toMatchObject({ ok: false, error: { code: "refused" } });
    expect(await service.addMembers(identifier, ["u-1"])).toMatchObject({ outcome: "failed" });
    expect(await service.replaceRoles(identifier, [])).toMatchObject({ outcome: "failed" });
    expect(server.seen).toEqual([]);
    expect(service.requests).toEqual({ reads: 0, writes: 0 });
  });
});

type Call = (service: AccountService, signal?: AbortSignal) => Promise<unknown>;
const create: Call = (service, signal) => service.createUser("acc-1", ada, undefined, signal);
const add: Call = (service, signal) => service.addMembers("t-1", ["u-1"], signal);
const replace: Call = (service, signal) => service.replaceRoles("k1", ["R"], signal);
const search: Call = (service, signal) => service.searchUsers(["a@b.example"], "search 1", signal);
const account: Call = (service, signal) => service.readAccount("acc-1", signal);
const roles: Call = (service, signal) => service.listRoles(signal);

describe("what an answer that is no success means", () => {
  const status = (code: number): Scripted => ({ status: code, json: { message: `said ${code}` } });
  /** The same, with a time after which to come back. */
  const later = (code: number): Scripted => ({ status: code, json: {}, headers: { "retry-after": "7" } });
  const tooOften: Scripted = { status: 403, json: { message: "You have exceeded a rate limit" } };

  test.each([
    ["a create answered 400", create, status(400), "failed", "refused", 1],
    ["a create answered 401", create, status(401), "failed", "unauthorized", 1],
    ["a create answered 403", create, status(403), "failed", "forbidden", 1],
    ["a create answered 404", create, status(404), "failed", "not-found", 1],
    ["a create answered 405", create, status(405), "failed", "refused", 1],
    ["a create answered 409", create, status(409), "failed", "conflict", 1],
    ["a create answered 410", create, status(410), "failed", "refused", 1],
    ["a create answered 413", create, status(413), "failed", "refused", 1],
    ["a create answered 415", create, status(415), "failed", "refused", 1],
    ["a create answered 422", create, status(422), "failed", "refused", 1],
    ["a create answered 402, which proves nothing", create, status(402), "unknown", "refused", 1],
    ["a create answered 406, which proves nothing", create, status(406), "unknown", "refused", 1],
    ["a create answered 423, which proves nothing", create, status(423), "unknown", "refused", 1],
    ["a create answered 400 with a time to come back", create, later(400), "unknown", "refused", 1],
    ["a create answered 409 with a time to come back", create, later(409), "unknown", "conflict", 1],
    ["a create answered 403 for coming too often", create, tooOften, "throttled", "service-error", 1],
    ["a create answered 403 with a time to come back", create, later(403), "throttled", "service-error", 1],
    ["a create answered 425", create, status(425), "throttled", "service-error", 1],
    ["a create answered 429", create, status(429), "throttled", "service-error", 1],
    ["a create answered 503 with a time to come back", create, later(503), "throttled", "service-error", 1],
    ["a create answered 503 without one", create, status(503), "unknown", "service-error", 1],
    ["a create answered 408", create, status(408), "unknown", "service-error", 1],
    ["a create answered 500", create, status(500), "unknown", "service-error", 1],
    ["a create answered 502", create, status(502), "unknown", "service-error", 1],
    ["a create answered 202", create, status(202), "unknown", "misunderstood", 1],
    ["a create whose answer is lost", create, "reset", "unknown", "unreachable", 1],
    ["a create whose answer is cut short", create, "cut-short", "unknown", "unreachable", 1],
    [
      "a create answered by a web page",
      create,
      { text: "<html>", headers: { "content-type": "text/html" } },
      "unknown",
      "misunderstood",
      1,
    ],
    ["a create answered by half a JSON", create, { text: '{"identifier":' }, "unknown", "misunderstood", 1],
    ["a create answered by several users", create, { json: [ada, ada] }, "unknown", "misunderstood", 1],
    ["an addition answered 409", add, status(409), "failed", "conflict", 1],
    ["an addition answered 500", add, status(500), "unknown", "service-error", 1],
    ["an addition whose answer is lost", add, "reset", "unknown", "unreachable", 1],
    ["an addition answered 402, which proves nothing", add, status(402), "unknown", "refused", 1],
    ["an addition answered 429", add, status(429), "throttled", "service-error", 1],
    ["an addition answered 503 with a time to come back", add, later(503), "throttled", "service-error", 1],
    ["an addition answered 503 without one", add, status(503), "unknown", "service-error", 1],
    ["a replacement answered 423, which proves nothing", replace, status(423), "unknown", "refused", 1],
    ["a replacement answered 429", replace, status(429), "throttled", "service-error", 1],
    ["a replacement answered 503 with a time to come back", replace, later(503), "throttled", "service-error", 1],
    ["a replacement answered 503 without one, again and again", replace, status(503), "unknown", "service-error", 4],
    ["a replacement answered 408 again and again", replace, status(408), "unknown", "service-error", 4],
    ["a replacement answered 500 again and again", replace, status(500), "unknown", "service-error", 4],
    ["a replacement answered 404", replace, status(404), "failed", "not-found", 1],
    ["a replacement whose answers are lost", replace, "reset", "unknown", "unreachable", 4],
  ] satisfies [string, Call, Scripted, string, string, number][])(
    "%s",
    async (_name, call, scripted, outcome, code, requests) => {
      const { server, service } = await against([scripted]);
      expect(await call(service)).toMatchObject({ outcome, failure: { code } });
      expect(server.seen.length).toBe(requests);
      expect(service.requests).toEqual({ reads: 0, writes: requests });
    },
  );

  test.each([
    ["refused", status(403), "forbidden", 2],
    ["throttled", later(429), "service-error", 4],
    ["taken for later", status(202), "misunderstood", 2],
  ] satisfies [string, Scripted, string, number][])(
    "a replacement that may have worked before it was %s is not known to have failed",
    async (_name, scripted, code, requests) => {
      const { server, service } = await against(["reset", scripted]);
      expect(await replace(service)).toMatchObject({ outcome: "unknown", failure: { code } });
      expect(server.seen.length).toBe(requests);
    },
  );

  test.each([
    ["401", status(401), "unauthorized", 1],
    ["403", status(403), "forbidden", 1],
    ["403 for coming too often", tooOften, "service-error", 4],
    ["404", status(404), "not-found", 1],
    ["429", status(429), "service-error", 4],
    ["425", status(425), "service-error", 4],
    ["503", status(503), "service-error", 4],
    ["503 with a time to come back", later(503), "service-error", 4],
    ["500", status(500), "service-error", 4],
    ["400", status(400), "refused", 1],
    ["a lost answer", "reset", "unreachable", 4],
    ["an empty body", { status: 200, text: "" }, "misunderstood", 1],
    ["204", { status: 204, text: "" }, "misunderstood", 1],
    ["a list in place of details", { json: [] }, "misunderstood", 1],
  ] satisfies [string, Scripted, string, number][])(
    "a read answered with %s",
    async (_name, scripted, code, requests) => {
      const { server, service } = await against([scripted]);
      expect(await account(service)).toMatchObject({ ok: false, error: { code } });
      expect(server.seen.length).toBe(requests);
    },
  );

  test("where nobody listens, nothing was sent and nothing has happened", async () => {
    const { service } = connect(await closedEndpoint());
    expect(await create(service)).toEqual({
      outcome: "failed",
      failure: {
        code: "unreachable",
        message: "The service cannot be reached: the connection was refused",
        request: "POST /api/accounting/accounts/acc-1/users",
        hint: "Check the address, and check that the service is running",
      },
    });
    expect(await account(service)).toMatchObject({ ok: false, error: { code: "unreachable" } });
    expect(service.requests).toEqual({ reads: 4, writes: 1 });
  });

  test.each([
    ["a create answered 301", 301, "failed"],
    ["a create answered 308", 308, "failed"],
    ["a create answered 307", 307, "failed"],
    ["a create answered 302", 302, "unknown"],
    ["a create answered 303", 303, "unknown"],
  ])("%s is not redirected and the key is not sent on", async (_name, code, outcome) => {
    const elsewhere = await scriptedServer([{ json: {} }]);
    cleanUp.push(() => elsewhere.close());
    const { server, service } = await against([
      { status: code, text: "", headers: { location: new URL("/api/x?token=1", elsewhere.endpoint).href } },
    ]);
    expect(await create(service)).toMatchObject({
      outcome,
      failure: { code: "redirected", message: expect.stringContaining("the key was not sent on") },
    });
    expect([server.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
  });

  test("a web page in place of a list names what was asked and what came", async () => {
    const page = {
      text: `<html>\n<b>Log\u0007in</b> ${key} ${"x".repeat(300)}`,
      headers: { "content-type": "text/html; charset=utf-8" },
    };
    const { service } = await against([page]);
    const begins = `<html> <b>Login</b> [redacted] ${"x".repeat(300)}`;
    const read = await roles(service);
    expect(read).toMatchObject({
      ok: false,
      error: { code: "misunderstood", status: 200, request: "GET /api/accounting/roles" },
    });
    const message = (read as { error: { message: string } }).error.message;
    expect(message).toContain(
      "roster cannot read the answer to GET /api/accounting/roles (200, text/html; charset=utf-8): it is a web page",
    );
    expect(message).toContain(begins.slice(0, 150));
    expect(message.length).toBeLessThan(400);
  });

  test("an unknown envelope names the keys seen, not their values", async () => {
    const { service } = await against([{ json: { payload: ["hidden"], more: 1 } }]);
    expect(await search(service)).toMatchObject({
      ok: false,
      error: {
        message:
          "roster cannot read the answer to POST /api/accounting/users/search (200, application/json): expected found users, but got an object with the fields payload, more",
      },
    });
  });
});

describe("a service that is asked too often", () => {
  test.each([
    ["429", { status: 429, json: {} }],
    ["403 with a time to wait", { status: 403, json: {}, headers: { "retry-after": "1" } }],
    ["403 that speaks of a rate limit", { status: 403, json: { message: "You have exceeded a secondary rate limit" } }],
  ] satisfies [string, Scripted][])("%s is waited for by reads, and told of writes", async (_name, busy) => {
    const { service, clock } = await against([busy, { json: { identifier: "acc-1" } }]);
    expect(await account(service)).toMatchObject({ ok: true });
    expect(clock.waits.length).toBe(1);
    const again = await against([busy]);
    expect(await create(again.service)).toMatchObject({ outcome: "throttled", failure: { code: "service-error" } });
    expect(again.clock.waits).toEqual([]);
  });

  const request = "POST /api/accounting/accounts/acc-1/users";
  const told = { code: "service-error", request } as const;
  test.each([
    [
      "with a time to come back",
      { status: 503, json: { message: "busy" }, headers: { "retry-after": "7" } },
      {
        failure: {
          ...told,
          status: 503,
          message: "The service asks to retry later (503)",
          hint: "Time to wait, as the service gives it: 7",
          serviceSays: "busy",
        },
        askAfter: 7000,
      },
    ],
    [
      "without one",
      { status: 425, json: {} },
      { failure: { ...told, status: 425, message: "The service asks to retry later (425)" } },
    ],
    [
      "with one that cannot be read",
      { status: 429, json: {}, headers: { "retry-after": "soon" } },
      {
        failure: {
          ...told,
          status: 429,
          message: "The service asks to retry later (429)",
          hint: "Time to wait, as the service gives it: soon",
        },
      },
    ],
  ] satisfies [string, Scripted, object][])("a write is throttled, %s", async (_name, busy, expected) => {
    const { service } = await against([busy]);
    expect(await create(service)).toEqual({ outcome: "throttled", ...expected });
  });

  test("a refusal that names a time to come back is no throttling, and tells nothing of that time", async () => {
    const { service } = await against([{ status: 400, json: {}, headers: { "retry-after": "7" } }]);
    expect(await create(service)).toEqual({
      outcome: "unknown",
      failure: { code: "refused", request, status: 400, message: "The service refuses the request (400)" },
    });
  });
});

describe("any answer of success to a creation means that it is done, however little it tells", () => {
  const user = { ...ada, identifier: "u-1" };
  const { email, ...profile } = ada;
  const shown = { identifier: "u-1", email, profile };

  test.each([
    ["200 without a body", { status: 200, text: "" }, { profile: {} }],
    ["204", { status: 204, text: "" }, { profile: {} }],
    ["an empty object", { json: {} }, { profile: {} }],
    ["an empty list", { json: [] }, { profile: {} }],
    ["true", { json: true }, { profile: {} }],
    ["a mere word of success", { json: { success: true } }, { profile: {} }],
    ["a list of one", { json: [user] }, shown],
    ["an envelope that holds a list of one", { json: { data: [user] } }, shown],
    ["200 with the user", { status: 200, json: user }, shown],
    [
      "a place without a body",
      { status: 201, text: "", headers: { location: "/users/u-1" } },
      { identifier: "u-1", profile: {} },
    ],
    [
      "a user who is older than the call",
      { json: { ...user, createdAt: "2026-11-20T09:00:00Z" }, headers: { date: "Fri, 20 Nov 2026 10:00:00 GMT" } },
      { ...shown, age: 3_600_000 },
    ],
  ] satisfies [string, Scripted, object][])("%s", async (_name, scripted, value) => {
    const { service } = await against([scripted]);
    expect(await create(service)).toEqual({ outcome: "done", value });
  });
});

describe("what is sent again", () => {
  test("no creation: it tells for how long the service asks to wait, so that each try is announced", async () => {
    const { service, clock, server } = await against([
      { status: 429, json: {}, headers: { "retry-after": "7" } },
      { status: 429, json: {}, headers: { "retry-after": "Fri, 20 Nov 2026 10:00:10 GMT" } },
    ]);
    expect(await create(service)).toMatchObject({ outcome: "throttled", askAfter: 7000 });
    expect(await create(service)).toMatchObject({ outcome: "throttled", askAfter: 10_000 });
    expect(clock.waits).toEqual([]);
    expect(server.seen.length).toBe(2);
  });

  test("a read, with growing pauses", async () => {
    const { service, clock } = await against([
      { status: 503, text: "" },
      "reset",
      { status: 500, text: "" },
      { json: { identifier: "acc-1" } },
    ]);
    expect(await account(service)).toEqual({ ok: true, value: { identifier: "acc-1", by: "account acc-1" } });
    expect(clock.waits).toEqual([188, 375, 750]);
    expect(service.requests).toEqual({ reads: 4, writes: 0 });
  });

  test("a replacement whose answer was lost, through whatever may pass", async () => {
    const { service, server } = await against(["reset", { status: 429, json: {} }, { json: ["R"] }]);
    expect(await replace(service)).toMatchObject({ outcome: "done" });
    expect(server.seen.length).toBe(3);
  });

  test.each([
    ["a replacement", replace, { outcome: "unknown", failure: { code: "unreachable" } }],
    ["a read", account, { ok: false, error: { code: "unreachable" } }],
  ] as const)("nothing by a process that slept while it waited: %s", async (_name, call, expected) => {
    const { service, server, clock } = await against(["reset", { json: {} }]);
    const { wait } = clock;
    Object.assign(clock, {
      wait: async (milliseconds: number) => {
        await wait(milliseconds);
        clock.move(3_600_000);
      },
    });
    expect(await call(service)).toMatchObject(expected);
    expect(server.seen.length).toBe(1);
  });

  test("nothing where the service asks for more time than there is", async () => {
    const { service, clock } = await against([{ status: 429, json: {}, headers: { "retry-after": "3600" } }]);
    expect(await account(service)).toMatchObject({
      ok: false,
      error: { code: "service-error", hint: "Time to wait, as the service gives it: 3600" },
    });
    expect(clock.waits).toEqual([]);
  });
});

describe("a run that is stopped", () => {
  test("sends nothing any more", async () => {
    const { server, service } = await against([{ json: {} }]);
    const signal = AbortSignal.abort();
    expect(await create(service, signal)).toMatchObject({ outcome: "failed", failure: { code: "aborted" } });
    expect(await account(service, signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
    expect(server.seen).toEqual([]);
    expect(service.requests).toEqual({ reads: 0, writes: 0 });
  });

  test("does not wait for a read", async () => {
    const stop = new AbortController();
    const { service } = await against(() => {
      queueMicrotask(() => stop.abort());
      return "hang";
    });
    expect(await account(service, stop.signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
  });

  test("does not send a call again after the wait, and tells what a try before may have done", async () => {
    const stop = new AbortController();
    const { server, service, clock } = await against(["reset", { json: [] }]);
    const { wait } = clock;
    Object.assign(clock, {
      wait: (milliseconds: number) => {
        stop.abort();
        return wait(milliseconds);
      },
    });
    expect(await replace(service, stop.signal)).toMatchObject({
      outcome: "unknown",
      failure: { code: "aborted" },
    });
    expect(server.seen.length).toBe(1);
  });

  test("waits for the answer to a write that is on its way", async () => {
    const stop = new AbortController();
    const { service } = await against(() => {
      stop.abort();
      return { status: 201, json: { identifier: "u-1" } };
    });
    expect(await create(service, stop.signal)).toEqual({
      outcome: "done",
      value: { identifier: "u-1", profile: {} },
    });
  });
});

describe("the key", () => {
  test("is in no result, message or trace, even where the service echoes it", async () => {
    const echo = { message: `bad key ${key} (s3cr3tpart)`, reportErrorUrl: `https://h/?k=${key}` };
    const { service, lines } = await against((_request, index) => {
      const status = [400, 401, 404, 500, 200][index % 5] ?? 200;
      if (status === 200) return { text: `not JSON ${key}` };
      return { status, json: echo, headers: { location: `https://h/${key}` } };
    });
    const results: unknown[] = [];
    for (const call of [create, add, replace, search, account, roles]) {
      for (let round = 0; round < 5; round += 1) results.push(await call(service));
    }
    results.push(await service.replaceRoles(key, ["R"]), await service.readAccount(key));
    const told = JSON.stringify([results, lines]);
    expect(told).toContain("[redacted]");
    expect(told).not.toContain("s3cr3tpart");
  });

  test.each([
    [201, "k1.NEWSECRET"],
    [201, '{"apiKey":"k1.NEWSECRET"'],
    [201, "<html>k1.NEWSECRET"],
    [201, '{"apiKey":"k1.NEWSECRET"}'],
    [201, '{"message":"k1.NEWSECRET"}'],
    [202, '"jU7q.NEWSECRET"'],
    [202, "jU7q.NEWSECRET"],
    [202, '{"message":"jU7q.newsecret"}'],
    [202, '{"status":"PENDING","message":"jU7q.NEWSECRET"}'],
    [409, '{"message":"there already: jU7q.NEWSECRET"}'],
    [500, "jU7q.NEWSECRET"],
    [303, "jU7q.NEWSECRET"],
  ])("that a creation returns is never quoted: %i %s", async (status, text) => {
    const { service, lines } = await against([{ status, text }]);
    for (const call of [create, add, replace]) {
      expect(JSON.stringify([await call(service), lines])).not.toMatch(/newsecret/iu);
    }
  });
});

describe("searching", () => {
  test("404 says that nobody was found", async () => {
    const { service } = await against([{ status: 404, json: {} }]);
    expect(await search(service)).toEqual({ ok: true, value: [] });
  });

  test("a service that refuses the page size is asked without it from then on", async () => {
    const { server, service } = await against(({ url }) =>
      url.includes("?") ? { status: 400, json: {} } : { json: [] },
    );
    expect(await search(service)).toEqual({ ok: true, value: [] });
    expect(await search(service)).toEqual({ ok: true, value: [] });
    expect(server.seen.map(({ url }) => url.slice("/api/accounting/users/".length))).toEqual([
      "search?per-page=100",
      "search",
      "search",
    ]);
  });

  test("a hit without an address is an error, not a miss", async () => {
    const { service } = await against([{ json: [{ identifier: "u-1" }] }]);
    expect(await search(service)).toMatchObject({ ok: false, error: { code: "misunderstood" } });
  });
});

describe("a search whose answer names further pages", () => {
  const people = ["a", "b", "c", "d", "e"].map((name) => ({ identifier: `u-${name}`, email: `${name}@b.example` }));
  const emails = people.map(({ email }) => email);

  /** Two to a page, from page 1 on; what is asked for is found among strangers. */
  const paged =
    (envelope: (rows: readonly unknown[], page: number) => Scripted) =>
    ({ url }: { readonly url: string }): Scripted => {
      const page = Number(new URL(url, "http://h").searchParams.get("page") ?? 1);
      if (page === 0) return { status: 400, json: {} };
      return envelope(people.slice((page - 1) * 2, page * 2), page);
    };

  test.each([
    ["by a total", (rows: readonly unknown[]): Scripted => ({ json: { content: rows, totalElements: 5 } })],
    [
      "by a Link",
      (rows: readonly unknown[], page: number): Scripted => ({
        json: rows,
        headers: page < 3 ? { link: `<https://evil.example/users?page=${page + 1}>; rel="next"` } : {},
      }),
    ],
    [
      "by a total in a header",
      (rows: readonly unknown[]): Scripted => ({ json: rows, headers: { "x-total-count": "5" } }),
    ],
  ])("is read to its end where somebody is missing: %s", async (_name, envelope) => {
    const { service, server } = await against(paged(envelope));
    const found = await service.searchUsers(emails, "search 1");
    expect(found.ok && found.value.map(({ email }) => email).sort()).toEqual(emails);
    expect(server.seen.every(({ headers }) => headers["host"] === server.endpoint.host)).toBe(true);
  });

  test("is not read further where everybody was found", async () => {
    const { service, server } = await against([{ json: { items: people.slice(0, 2), total: 9 } }]);
    await service.searchUsers(emails.slice(0, 2), "search 1");
    expect(server.seen.length).toBe(1);
  });
});

describe("an answer of success that says that it failed", () => {
  test.each([
    ["a search", search, { success: false, error: { message: "no" } }, "misunderstood"],
    ["a search refused for its key", search, { statusCode: 401, message: "no key" }, "unauthorized"],
    ["account details", account, { error: "no" }, "misunderstood"],
    ["roles", roles, { success: false, data: [] }, "misunderstood"],
  ] satisfies [string, Call, object, string][])("%s is a failure, never empty", async (_name, call, json, code) => {
    const { service } = await against([{ json }]);
    expect(await call(service)).toMatchObject({
      ok: false,
      error: { code, status: 200, message: expect.stringContaining("reports a failure") },
    });
  });

  test.each([
    ["a creation, clearly refused", create, { statusCode: 409, message: "there" }, "failed"],
    ["a creation, clearly refused in an envelope", create, { data: { statusCode: 409 } }, "failed"],
    ["a creation, clearly refused in a list of one", create, [{ statusCode: 409 }], "failed"],
    ["a creation, who knows why", create, { success: false }, "unknown"],
    ["a creation, who knows why, in an envelope", create, { data: { success: false } }, "unknown"],
    ["a creation that failed in the service", create, { status: 500, error: "x" }, "unknown"],
    ["an addition", add, { success: false, error: { status: 400 } }, "failed"],
    ["a replacement", replace, { success: false }, "unknown"],
  ] satisfies [string, Call, object, string][])("%s", async (_name, call, json, outcome) => {
    const { service } = await against([{ json }]);
    expect(await call(service)).toMatchObject({ outcome });
  });
});

describe("a status that the body of an answer of success names", () => {
  const named = Array.from({ length: 200 }, (_, at) => 400 + at);

  test("proves that nothing was done where it is one of a refusal, and nothing else does", async () => {
    const { service } = await against((_request, index) => ({ status: 200, json: { statusCode: named[index] } }));
    const failed: number[] = [];
    for (const status of named) {
      const told = await service.createUser("acc-1", ada, undefined);
      if (told.outcome === "failed") failed.push(status);
      else expect(told.outcome).toBe("unknown");
    }
    expect(failed).toEqual([400, 401, 403, 404, 405, 409, 410, 413, 415, 422]);
    expect(failed).toEqual(named.filter(isRefusal));
  });
});

describe("what the service takes for later", () => {
  test.each([
    ["a creation", create],
    ["an addition", add],
    ["a replacement", replace],
  ] satisfies [string, Call][])("%s tells when to ask", async (_name, call) => {
    const { service } = await against([{ status: 202, json: { status: "PENDING" }, headers: { "retry-after": "3" } }]);
    expect(await call(service)).toMatchObject({ outcome: "unknown", accepted: { askAfter: 3000 } });
  });

  test("or does not", async () => {
    const { service } = await against([{ status: 202, text: "" }]);
    expect(await create(service)).toEqual({
      outcome: "unknown",
      failure: {
        code: "misunderstood",
        message: "The service accepted the call for later and does not report its result (202)",
        request: "POST /api/accounting/accounts/acc-1/users",
        status: 202,
      },
      accepted: {},
    });
  });

  test.each([
    ["a creation whose answer shows the user", create, { email: ada.email }, { email: ada.email, profile: {} }],
    [
      "a creation whose answer shows a key",
      create,
      { identifier: "u-1", accessKeyPrefix: "k1" },
      { identifier: "u-1", key: { prefix: "k1" }, shownKeys: [{ prefix: "k1" }], profile: {} },
    ],
    [
      "a creation whose answer shows a key that is not the new one",
      create,
      { identifier: "u-1", accessKeys: [{ prefix: "k9", team: { name: "Ops" } }] },
      { identifier: "u-1", shownKeys: [{ prefix: "k9", team: { name: "Ops" } }], profile: {} },
    ],
    [
      "a creation whose answer shows several keys",
      create,
      { accessKeys: [{ prefix: "a" }, { prefix: "b" }] },
      { ambiguousKeys: ["a", "b"], shownKeys: [{ prefix: "a" }, { prefix: "b" }], profile: {} },
    ],
    [
      "an addition whose answer shows a key",
      add,
      [{ identifier: "u-1", accessKey: { prefix: "k1" } }],
      { members: [{ identifier: "u-1", keys: { are: "named", shown: [{ prefix: "k1" }] } }] },
    ],
  ] satisfies [string, Call, object, object][])("is done all the same: %s", async (_name, call, json, value) => {
    const { service } = await against([{ status: 202, json }]);
    expect(await call(service)).toEqual({ outcome: "done", value });
  });

  test.each([
    ["a creation whose answer shows an identifier, which may be of its own record", create, { identifier: "job-1" }],
    ["a creation whose answer shows an empty object", create, {}],
    ["a creation whose answer is an empty list", create, []],
    ["an addition whose answer names people without keys", add, [{ identifier: "u-1" }]],
    ["an addition whose answer names nobody", add, []],
    [
      "an addition whose answer lists keys, which may be from before",
      add,
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }] }],
    ],
    [
      "an addition whose answer shows a key for one of two",
      add,
      [{ identifier: "u-1", accessKey: { prefix: "k1" } }, { identifier: "u-2" }],
    ],
    [
      "an addition whose answer shows a key for one and refuses another",
      add,
      {
        successes: [{ identifier: "u-1", accessKey: { prefix: "k1" } }],
        failures: [{ identifier: "u-2", status: 404 }],
      },
    ],
    ["a replacement whose answer shows roles", replace, { prefix: "k1", roles: ["R"] }],
  ] satisfies [string, Call, object][])("is not known to be done: %s", async (_name, call, json) => {
    const { service } = await against([{ status: 202, json }]);
    expect(await call(service)).toMatchObject({ outcome: "unknown", failure: { status: 202 }, accepted: {} });
  });

  const html = { "content-type": "text/html", "retry-after": "3" };
  test.each([
    [
      "a sentence in plain text",
      { text: "It will be done.", headers: { "content-type": "text/plain", "retry-after": "3" } },
    ],
    [
      "a word in plain text, which is no key",
      { text: "k1x2y3", headers: { "content-type": "text/plain", "retry-after": "3" } },
    ],
    [
      "a text that looks like a key",
      { text: "k1x2y3.abc", headers: { "content-type": "text/plain", "retry-after": "3" } },
    ],
    ["a web page", { text: "<html>later</html>", headers: html }],
    ["half a JSON", { text: '{"status":', headers: { "retry-after": "3" } }],
    ["true", { json: true, headers: { "retry-after": "3" } }],
    ["a list of several", { json: [{ job: 1 }, { job: 2 }], headers: { "retry-after": "3" } }],
    ["an unknown envelope", { json: { job: { id: 7 } }, headers: { "retry-after": "3" } }],
  ] satisfies [string, Scripted][])("may be said in any way: %s", async (_name, scripted) => {
    const [creation, addition, replacement] = [
      await against([{ status: 202, ...scripted }]),
      await against([{ status: 202, ...scripted }]),
      await against([{ status: 202, ...scripted }]),
    ];
    const later = (request: string) => ({
      outcome: "unknown",
      failure: {
        code: "misunderstood",
        message: "The service accepted the call for later and does not report its result (202)",
        request,
        status: 202,
      },
      accepted: { askAfter: 3000 },
    });
    expect(await create(creation.service)).toEqual(later("POST /api/accounting/accounts/acc-1/users"));
    expect(await add(addition.service)).toEqual(later("POST /api/accounting/teams/t-1/members"));
    expect(await replace(replacement.service)).toEqual(later("PUT /api/accounting/access-keys/k1/roles"));
  });

  test.each([200, 201])("but %i that cannot be read is not taken for later", async (status) => {
    const { service } = await against([{ status, text: "<html>", headers: { "content-type": "text/html" } }]);
    const told = await create(service);
    expect(told).toMatchObject({ outcome: "unknown", failure: { code: "misunderstood", status } });
    expect(told).not.toHaveProperty("accepted");
  });

  test.each([
    ["says", { statusCode: 409, message: "there" }],
    ["says in an envelope", { data: { statusCode: 409, message: "there" } }],
    ["says in a list of one", [{ statusCode: 409, message: "there" }]],
  ])("is not done where the answer %s that it failed", async (_name, json) => {
    const { service } = await against([{ status: 202, json }]);
    expect(await create(service)).toEqual({
      outcome: "failed",
      failure: {
        code: "conflict",
        message: "The answer to POST /api/accounting/accounts/acc-1/users (202) reports a failure, with the status 409",
        request: "POST /api/accounting/accounts/acc-1/users",
        status: 202,
      },
    });
  });
});

describe("listing", () => {
  /** A service of one-based pages that also answers page 0 with the first. */
  const paged =
    (rows: readonly unknown[]) =>
    ({ url }: { readonly url: string }): Scripted => {
      const query = new URL(url, "http://h").searchParams;
      const size = Number(query.get("per-page") ?? 10);
      const page = Math.max(1, Number(query.get("page") ?? 1));
      return { json: rows.slice((page - 1) * size, page * size) };
    };
  const people = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ identifier: `u-${at}`, email: `p${at}@b.example` }));

  test("users by larger pages where one does not hold them, one request fewer once the first page is known", async () => {
    const { server, service } = await against(paged(people(250)));
    const first = await service.listUsers();
    expect(first).toMatchObject({ ok: true, value: { complete: { yes: true } } });
    expect(first.ok && first.value.users.length).toBe(250);
    await service.listUsers();
    const pages = server.seen.map(({ url }) => url.slice("/api/accounting/users".length));
    expect(pages).toEqual([
      ...["?page=0&per-page=100", "?page=0&per-page=1000"],
      ...[1, 2, 3].map((page) => `?page=${page}&per-page=250`),
      ...["?page=1&per-page=100", "?page=1&per-page=1000"],
      ...[2, 3].map((page) => `?page=${page}&per-page=250`),
    ]);
  });

  test("tells how the service pages, and whether it counts rows", async () => {
    const { service } = await against(paged(people(250)));
    expect([service.paging, service.totals]).toEqual([{ firstPage: "unknown" }, "unknown"]);
    await service.listUsers();
    expect([service.paging, service.totals]).toEqual([{ firstPage: "0-and-1-alike" }, "hidden"]);
  });

  test.each([
    ["seven roles in one request", 7, 1],
    ["ten roles, which might be the service's page size, by walking the pages", 10, 5],
    ["a hundred and three by walking the pages", 103, 5],
  ])("%s", async (_name, count, requests) => {
    const rows = Array.from({ length: count }, (_, at) => ({ identifier: `R${at}` }));
    const { server, service } = await against(paged(rows));
    expect(await service.listRoles()).toEqual({ ok: true, value: rows });
    expect(server.seen.length).toBe(requests);
  });

  test("roles whose page size is refused by walking the pages", async () => {
    const { service } = await against(({ url }) =>
      url.includes("per-page") ? { status: 400, json: {} } : paged([{ identifier: "A" }, { identifier: "B" }])({ url }),
    );
    expect(await service.listRoles()).toEqual({ ok: true, value: [{ identifier: "A" }, { identifier: "B" }] });
  });

  test("roles that are fewer than the service counts are those that it showed", async () => {
    const { service } = await against(({ url }) => ({
      json: { items: url.includes("page=2") ? [] : [{ identifier: "A" }], total: 3 },
    }));
    expect(await service.listRoles()).toEqual({ ok: true, value: [{ identifier: "A" }] });
  });

  test("a first page that is refused in an answer of success is no failure", async () => {
    const { service } = await against(({ url }) =>
      url.includes("page=0") ? { json: { statusCode: 400, message: "from 1 on" } } : paged(people(3))({ url }),
    );
    expect(await service.listUsers()).toMatchObject({ ok: true, value: { complete: { yes: true } } });
  });

  test.each([
    {
      total: {},
      complete: { yes: false, why: "it shows no users and no total, but the key in use belongs to a user" },
    },
    { total: { total: 0 }, complete: { yes: true } },
  ])("a list of nobody is complete only where the service counts nobody: $total", async ({ total, complete }) => {
    const { service } = await against(() => ({ json: { items: [], ...total } }));
    expect(await service.listUsers()).toEqual({ ok: true, value: { users: [], complete } });
  });

  test("a list answered in an unknown shape is never an empty one", async () => {
    const { service } = await against([{ json: { users: null } }]);
    expect(await service.listUsers()).toMatchObject({ ok: false, error: { code: "misunderstood" } });
  });
});

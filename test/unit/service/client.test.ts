import { describe, expect, onTestFinished, test } from "vitest";
import type { AccountService } from "../../../src/service/port.ts";
import { closedEndpoint, type Scripted, scriptedServer } from "../../support/scripted-server.ts";
import { clientAt, scriptedService } from "../../support/scripted-service.ts";

const key = "pre1.s3cr3tpart";
const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

describe("what is sent", () => {
  test("each route as the interface shows it, with the key in its header", async () => {
    const { server, service } = await scriptedService((request) => {
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
    const { server, service } = await scriptedService([{ json: { identifier: "a" } }], {}, path);
    await service.readAccount("a");
    expect(server.seen.map((request) => request.url)).toEqual([url]);
    expect(service.address).toBe(`${server.endpoint.origin}${named}`);
  });

  test("an address with capital letters in a search as it is written and folded, an identifier as it is", async () => {
    const { server, service } = await scriptedService([{ json: [] }]);
    await service.searchUsers(["Ada@B.example", "bo@b.example", "U-7"], "search 1");
    expect(server.seen.map(({ body }) => body)).toEqual([
      { identifiers: ["Ada@B.example", "ada@b.example", "bo@b.example", "U-7"] },
    ]);
  });

  test("an identifier as one segment of the path, whatever stands in it", async () => {
    const { server, service } = await scriptedService([{ json: [] }]);
    await service.replaceRoles("a/b%+é?#..", ["R"]);
    expect(server.seen.map(({ url }) => url)).toEqual(["/api/accounting/access-keys/a%2Fb%25%2B%C3%A9%3F%23../roles"]);
  });

  test.each([["."], [".."], [""], ["\ud800"]])("nothing for the identifier %j", async (identifier) => {
    const { server, service } = await scriptedService([{ json: {} }]);
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

describe("what is not answered", () => {
  test("where nobody listens, nothing was sent and nothing has happened", async () => {
    const endpoint = await closedEndpoint();
    const { service } = clientAt(endpoint);
    expect(await create(service)).toEqual({
      outcome: "failed",
      failure: {
        code: "unreachable",
        message: `The service at ${endpoint.origin} cannot be reached: the connection was refused`,
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
    onTestFinished(() => elsewhere.close());
    const { server, service } = await scriptedService([
      { status: code, text: "", headers: { location: new URL("/api/x?token=1", elsewhere.endpoint).href } },
    ]);
    expect(await create(service)).toMatchObject({
      outcome,
      failure: { code: "redirected", message: expect.stringContaining("the key was not sent on") },
    });
    expect([server.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
  });
});

describe("what is sent again", () => {
  test("no creation: it tells for how long the service asks to wait, so that each try is announced", async () => {
    const { service, clock, server } = await scriptedService([
      { status: 429, json: {}, headers: { "retry-after": "7" } },
      { status: 429, json: {}, headers: { "retry-after": "Fri, 20 Nov 2026 10:00:10 GMT" } },
    ]);
    expect(await create(service)).toMatchObject({ outcome: "throttled", askAfter: 7000 });
    expect(await create(service)).toMatchObject({ outcome: "throttled", askAfter: 10_000 });
    expect(clock.waits).toEqual([]);
    expect(server.seen.length).toBe(2);
  });

  test.each([
    ["a replacement", replace, { outcome: "unknown", failure: { code: "unreachable" } }],
    ["a read", account, { ok: false, error: { code: "unreachable" } }],
  ] as const)("nothing by a process that slept while it waited: %s", async (_name, call, expected) => {
    const { service, server, clock } = await scriptedService(["reset", { json: {} }]);
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
});

describe("a run that is stopped", () => {
  test("sends nothing any more", async () => {
    const { server, service } = await scriptedService([{ json: {} }]);
    const signal = AbortSignal.abort();
    expect(await create(service, signal)).toMatchObject({ outcome: "failed", failure: { code: "aborted" } });
    expect(await account(service, signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
    expect(server.seen).toEqual([]);
    expect(service.requests).toEqual({ reads: 0, writes: 0 });
  });

  test("does not wait for a read", async () => {
    const stop = new AbortController();
    const { service } = await scriptedService(() => {
      queueMicrotask(() => stop.abort());
      return "hang";
    });
    expect(await account(service, stop.signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
  });

  test("does not send a call again after the wait, and tells what a try before may have done", async () => {
    const stop = new AbortController();
    const { server, service, clock } = await scriptedService(["reset", { json: [] }]);
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
    const { service } = await scriptedService(() => {
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
    const { service, lines } = await scriptedService((_request, index) => {
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
    const { service, lines } = await scriptedService([{ status, text }]);
    for (const call of [create, add, replace]) {
      expect(JSON.stringify([await call(service), lines])).not.toMatch(/newsecret/iu);
    }
  });
});

test("searching a service that refuses the page size is asked without it from then on", async () => {
  const { server, service } = await scriptedService(({ url }) =>
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
    const { service, server } = await scriptedService(paged(envelope));
    const found = await service.searchUsers(emails, "search 1");
    expect(found.ok && found.value.map(({ email }) => email).sort()).toEqual(emails);
    expect(server.seen.every(({ headers }) => headers["host"] === server.endpoint.host)).toBe(true);
  });

  test("is not read further where everybody was found", async () => {
    const { service, server } = await scriptedService([{ json: { items: people.slice(0, 2), total: 9 } }]);
    await service.searchUsers(emails.slice(0, 2), "search 1");
    expect(server.seen.length).toBe(1);
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
    const { server, service } = await scriptedService(paged(people(250)));
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
    const { service } = await scriptedService(paged(people(250)));
    expect(service.lists).toEqual({ paging: { firstPage: "unknown" }, totals: "unknown" });
    await service.listUsers();
    expect(service.lists).toEqual({ paging: { firstPage: "0-and-1-alike" }, totals: "hidden" });
    const counting = await scriptedService(() => ({ json: { items: people(3), total: 3 } }));
    await counting.service.listUsers();
    expect(counting.service.lists.totals).toBe("shown");
  });

  test.each([
    ["seven roles in one request", 7, 1],
    ["ten roles, which might be the service's page size, by walking the pages", 10, 5],
    ["a hundred and three by walking the pages", 103, 5],
  ])("%s", async (_name, count, requests) => {
    const rows = Array.from({ length: count }, (_, at) => ({ identifier: `R${at}` }));
    const { server, service } = await scriptedService(paged(rows));
    expect(await service.listRoles()).toEqual({ ok: true, value: rows });
    expect(server.seen.length).toBe(requests);
  });

  test("roles whose page size is refused by walking the pages", async () => {
    const { service } = await scriptedService(({ url }) =>
      url.includes("per-page") ? { status: 400, json: {} } : paged([{ identifier: "A" }, { identifier: "B" }])({ url }),
    );
    expect(await service.listRoles()).toEqual({ ok: true, value: [{ identifier: "A" }, { identifier: "B" }] });
  });

  test("roles that are fewer than the service counts are those that it showed", async () => {
    const { service } = await scriptedService(({ url }) => ({
      json: { items: url.includes("page=2") ? [] : [{ identifier: "A" }], total: 3 },
    }));
    expect(await service.listRoles()).toEqual({ ok: true, value: [{ identifier: "A" }] });
  });

  test("a first page that is refused in an answer of success is no failure", async () => {
    const { service } = await scriptedService(({ url }) =>
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
    const { service } = await scriptedService(() => ({ json: { items: [], ...total } }));
    expect(await service.listUsers()).toEqual({ ok: true, value: { users: [], complete } });
  });

  test("a list answered in an unknown shape is never an empty one", async () => {
    const { service } = await scriptedService([{ json: { users: null } }]);
    expect(await service.listUsers()).toMatchObject({ ok: false, error: { code: "misunderstood" } });
  });
});

async function accountsOf(script: Parameters<typeof scriptedService>[0]) {
  const { server, service } = await scriptedService(script);
  return { list: await service.listAccounts(), seen: server.seen.map(({ method, url }) => `${method} ${url}`) };
}

function pagedAccounts(accounts: readonly unknown[], size: number, headers: Readonly<Record<string, string>> = {}) {
  return (request: { readonly url: string }) => {
    const page = Number(/[?&]page=(\d+)/u.exec(request.url)?.[1]);
    return { json: accounts.slice((page - 1) * size, page * size), headers };
  };
}

test("accounts are listed over all pages", async () => {
  const { list, seen } = await accountsOf(
    pagedAccounts([{ identifier: "a" }, { identifier: "b" }, { identifier: "c" }], 2),
  );
  expect(list.ok && list.value.map(({ identifier }) => identifier)).toEqual(["a", "b", "c"]);
  expect(seen.every((request) => request.startsWith("GET /api/accounting/accounts?"))).toBe(true);
});

test("a list of accounts that is not complete is a failure, never a shorter list", async () => {
  const { list } = await accountsOf(pagedAccounts([{ identifier: "a" }], 2, { "x-total-count": "5" }));
  expect(list).toMatchObject({ ok: false, error: { code: "misunderstood" } });
});

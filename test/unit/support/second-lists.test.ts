import { expect, test } from "vitest";
import { secondStage } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

const link = (page: number, host = "http://accounts.example") => ({
  link: `<${host}/api/accounting/users?page=${page}&per-page=1>; rel="next"`,
});
const next = { links: "right" } as const;
const json = { date: "Sun, 22 Nov 2026 08:00:00 GMT", "content-type": "application/json" };
const second = expect.objectContaining({ identifier: "u-2" });
const nextUrl = "http://accounts.example/api/accounting/users?page=3&per-page=1";

const envelopes: readonly (readonly [changed: Partial<SecondWays>, body: unknown, headers: object])[] = [
  [{}, [second], {}],
  [{ totals: "header" }, [second], { "x-total-count": "3" }],
  [{ totals: "body" }, [second], {}],
  [next, [second], link(3)],
  [{ links: "relative" }, [second], link(3, "")],
  [{ links: "always" }, [second], link(3)],
  [{ links: "same-page" }, [second], link(2)],
  [{ links: "other-host" }, [second], link(3, "http://inner.example:8080")],
  [{ dateHeader: "hidden" }, [second], { date: undefined }],
  [{ clock: "an-hour-slow" }, [second], { date: "Sun, 22 Nov 2026 07:00:00 GMT" }],
  [{ envelope: "page" }, { content: [second], number: 1, size: 1, numberOfElements: 1 }, {}],
  [
    { envelope: "page", totals: "body" },
    { content: [second], number: 1, size: 1, numberOfElements: 1, totalElements: 3, totalPages: 3 },
    {},
  ],
  [
    { envelope: "paged-model", totals: "body" },
    { content: [second], page: { size: 1, number: 1, totalElements: 3, totalPages: 3 } },
    {},
  ],
  [
    { envelope: "data", totals: "body", ...next },
    { data: [second], meta: { page: 2, per_page: 1, total: 3 }, links: { next: nextUrl } },
    link(3),
  ],
  [{ envelope: "items", totals: "body" }, { items: [second], total: 3 }, {}],
  [
    { envelope: "results", totals: "body", ...next },
    { count: 3, next: nextUrl, previous: null, results: [second] },
    link(3),
  ],
  [{ envelope: "named", totals: "body" }, { start: 1, limit: 1, length: 1, total: 3, users: [second] }, {}],
  [{ envelope: "scim", totals: "body" }, { totalResults: 3, startIndex: 2, itemsPerPage: 1, Resources: [second] }, {}],
  [
    { envelope: "hal", ...next },
    { _embedded: { users: [second] }, _links: { next: { href: nextUrl } }, page: { number: 1 } },
    link(3),
  ],
  [{ envelope: "success", totals: "body" }, { success: true, data: { items: [second], total: 3 }, error: null }, {}],
];

test.each(envelopes)("with %j the second page of three is told so", (changed, body, headers) => {
  const answer = secondStage(changed).call("GET", "users?page=2&per-page=1");
  expect(answer).toEqual({ status: 200, headers: { ...json, ...headers }, body });
});

const ends: readonly (readonly [links: SecondWays["links"], expected: string | undefined])[] = [
  ["right", undefined],
  ["relative", undefined],
  ["same-page", undefined],
  ["other-host", undefined],
  ["always", link(4).link],
];

test.each(ends)("the last page has no next one, unless links are there always: %s", (links, expected) => {
  expect(secondStage({ links }).call("GET", "users?page=3&per-page=1").headers["link"]).toBe(expected);
});

const pages: readonly (readonly [changed: Partial<SecondWays>, query: string, expected: unknown])[] = [
  [{}, "", ["u-1", "u-2", "u-3"]],
  [{}, "page=0&per-page=2", ["u-1", "u-2"]],
  [{}, "page=1&per-page=2", ["u-1", "u-2"]],
  [{}, "page=2&per-page=2", ["u-3"]],
  [{ pageBase: "zero" }, "page=0&per-page=2", ["u-1", "u-2"]],
  [{ pageBase: "zero" }, "per-page=2", ["u-1", "u-2"]],
  [{ pageBase: "zero" }, "page=1&per-page=2", ["u-3"]],
  [{ pageBase: "one-refuses-zero" }, "page=0&per-page=2", 400],
  [{ pageBase: "one-empty-zero" }, "page=0&per-page=2", []],
  [{ pageBase: "one-empty-zero" }, "page=1&per-page=2", ["u-1", "u-2"]],
  [{ pageCap: "clamped-to-3" }, "per-page=100&page=2", []],
  [{ pageCap: "clamped-to-10" }, "per-page=100", ["u-1", "u-2", "u-3"]],
  [{ pageCap: "over-50-refused" }, "per-page=51", 400],
  [{ pageCap: "over-50-refused" }, "per-page=50", ["u-1", "u-2", "u-3"]],
  [{ pageCap: "over-10-refused" }, "per-page=11", 400],
  [{ pastEnd: "not-found" }, "page=3&per-page=2", 404],
  [{ pastEnd: "last-page-again" }, "page=9&per-page=2", ["u-3"]],
  [{ order: "newest-first" }, "", ["u-3", "u-2", "u-1"]],
  [{ order: "by-address" }, "", ["u-2", "u-3", "u-1"]],
  [{}, "sort-by=lastName", ["u-3", "u-2", "u-1"]],
  [{}, "sort-by=status,lastName&direction=desc", ["u-1", "u-2", "u-3"]],
  [{}, "sort-by=shoeSize", ["u-1", "u-2", "u-3"]],
  [{ unknownSort: "refused" }, "sort-by=shoeSize", 400],
  [{ unknownSort: "fails" }, "sort-by=shoeSize", 500],
];

test.each(pages)("with %j the list ?%s is", (changed, query, expected) => {
  const { status, body } = secondStage(changed).call("GET", `users?${query}`);
  expect(status === 200 ? identifiers(body) : status).toEqual(expected);
});

function identifiers(body: unknown): unknown {
  return Array.isArray(body) ? body.map(({ identifier }) => identifier) : body;
}

test("a cap below the number of users gives more pages", () => {
  const { call } = secondStage({ pageCap: "clamped-to-3" });
  call("POST", "accounts/acc-1/users", { firstName: "Cy", lastName: "Young", email: "cy@acme.example" });
  expect([1, 2].map((page) => identifiers(call("GET", `users?per-page=100&page=${page}`).body))).toEqual([
    ["u-1", "u-2", "u-3"],
    ["u-4"],
  ]);
});

test("a list without an order of its own is shuffled at each request, and sorted where that is asked for", () => {
  let drawn = 0;
  const { call } = secondStage({ order: "shuffled" }, () => {
    drawn += 7;
    return (drawn % 10) / 10;
  });
  const lists = [1, 2, 3, 4].map(() => identifiers(call("GET", "users").body));
  expect(new Set(lists.map(String)).size).toBeGreaterThan(1);
  expect(identifiers(call("GET", "users?sort-by=email").body)).toEqual(["u-2", "u-3", "u-1"]);
});

test("a row may move to the front behind the first page, so that no later page shows it", () => {
  const { call } = secondStage({ movingRows: "between-pages-of-3" });
  for (const name of ["cy", "di"]) {
    const email = `${name}@acme.example`;
    call("POST", "accounts/acc-1/users", { firstName: name, lastName: "Young", email });
  }
  expect([1, 2].map((page) => identifiers(call("GET", `users?page=${page}`).body))).toEqual([
    ["u-1", "u-2", "u-3"],
    ["u-3", "u-4"],
  ]);
  expect(identifiers(call("GET", "users?page=2&sort-by=identifier").body)).toEqual(["u-4", "u-5"]);
});

const shell = { identifier: "acc-1", name: "Acme", status: "Active" };
const developer = { identifier: "DEVELOPER", name: "developer" };
const lists: readonly (readonly [changed: Partial<SecondWays>, path: string, expected: unknown])[] = [
  [{}, "roles?page=4&per-page=1", expect.arrayContaining([developer])],
  [{ pagedRoutes: "every-list" }, "roles?page=4&per-page=1", [developer]],
  [{ pagedRoutes: "every-list", rolesShape: "names" }, "roles?page=4&per-page=1", ["DEVELOPER"]],
  [{ rolesShape: "wrapped" }, "roles", { roles: expect.arrayContaining([developer]) }],
  [
    { rolesShape: "envelope", envelope: "named" },
    "roles",
    { start: 0, limit: 7, length: 7, roles: expect.arrayContaining([developer]) },
  ],
  [
    { rolesShape: "envelope", envelope: "items", pagedRoutes: "every-list" },
    "roles?page=4&per-page=1",
    { items: [developer] },
  ],
  [{}, "accounts?page=2", [shell]],
  [{ pagedRoutes: "every-list" }, "accounts?page=2", []],
  [{ envelope: "named" }, "accounts", { start: 0, limit: 1, length: 1, accounts: [shell] }],
];

test.each(lists)("with %j, %s is", (changed, path, expected) => {
  expect(secondStage(changed).call("GET", path).body).toEqual(expected);
});

test.each([
  ["accounts/acc-9", "GET", undefined, 404, "The account acc-9 was not found"],
  ["users/search", "POST", { identifiers: [7] }, 400, "identifiers is a list of texts"],
  ["users?per-page=0", "GET", undefined, 400, "This page cannot be shown"],
  ["users?page=x", "GET", undefined, 400, "This page cannot be shown"],
])("the read %s is refused, and is no write", (path, method, body, status, message) => {
  const { call, service } = secondStage();
  expect(call(method, path, body)).toMatchObject({ status, body: { message } });
  expect(service.writes).toEqual([]);
});

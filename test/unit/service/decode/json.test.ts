import { describe, expect, test } from "vitest";
import { decodeList, lastPageInHeader, nextPageInHeader } from "../../../../src/service/decode/json.ts";

const ada = { identifier: "u-1", email: "ada@ex.example" };

describe("every known envelope of a list", () => {
  test.each([
    ["L1: a bare array", [ada], { rows: [ada] }],
    ["L1: an empty array", [], { rows: [] }],
    [
      "L2: Spring's page",
      {
        content: [ada],
        number: 0,
        size: 2,
        numberOfElements: 1,
        totalElements: 5,
        totalPages: 3,
        first: true,
        last: false,
      },
      { rows: [ada], total: 5, next: {} },
    ],
    ["L2: the last of them", { content: [ada], totalElements: 1, last: true }, { rows: [ada], total: 1 }],
    [
      "L3: Spring's paged model",
      { content: [ada], page: { size: 2, number: 0, totalElements: 5, totalPages: 3 } },
      { rows: [ada], total: 5 },
    ],
    [
      "L4: data, meta and links",
      { data: [ada], meta: { page: 1, per_page: 2, total: 5 }, links: { next: "/api/accounting/users?page=2" } },
      { rows: [ada], total: 5, next: { page: 2 } },
    ],
    ["L4: without a next link", { data: [ada], meta: { total: 1 }, links: { next: null } }, { rows: [ada], total: 1 }],
    ["L5: items and total", { items: [ada], total: 5 }, { rows: [ada], total: 5 }],
    [
      "L6: results, count and next",
      { count: 5, next: "http://inner:8080/api/accounting/users?page=2", previous: null, results: [ada] },
      { rows: [ada], total: 5, next: { page: 2 } },
    ],
    ["L7: the list's own name", { start: 0, limit: 2, length: 2, total: 5, users: [ada] }, { rows: [ada], total: 5 }],
    [
      "L8: as SCIM does",
      { totalResults: 5, startIndex: 1, itemsPerPage: 2, Resources: [ada] },
      { rows: [ada], total: 5 },
    ],
    [
      "L9: HAL",
      {
        _embedded: { userResourceList: [ada] },
        _links: { next: { href: "http://h/users?page=1&size=2" } },
        page: { number: 0 },
      },
      { rows: [ada], next: { page: 1 } },
    ],
    [
      "L9: a HAL page without rows",
      { _links: { self: { href: "http://h/users" } }, page: { size: 20, totalElements: 0, totalPages: 0, number: 0 } },
      { rows: [], total: 0 },
    ],
    ["L10: an envelope of success", { success: true, data: { items: [ada] }, error: null }, { rows: [ada] }],
    ["a list in data alone", { data: { users: [ada], total: 3 } }, { rows: [ada], total: 3 }],
    ["a list in result", { result: { records: [ada] } }, { rows: [ada] }],
    ["OData's value", { "@odata.count": 1, value: [ada] }, { rows: [ada] }],
    ["a word that there is more", { items: [ada], hasMore: true }, { rows: [ada], next: {} }],
    ["a number of the next page", { items: [ada], pagination: { next_page: 3 } }, { rows: [ada], next: { page: 3 } }],
    ["a total that is no count", { items: [1], total: -3 }, { rows: [1] }],
    ["a total as a text", { start: 0, users: [1], total: "5" }, { rows: [1] }],
    ["errors that are none", { data: [ada], errors: [], status: "success" }, { rows: [ada] }],
  ])("%s", (_name, body, expected) => {
    expect(decodeList(body)).toEqual({ ok: true, value: expected });
  });
});

describe("what is no list is never an empty one", () => {
  test.each([
    [
      "an envelope of an unknown name",
      { payload: { rows: [] } },
      "expected a list, but got an object with the fields payload",
    ],
    ["several lists", { users: [], roles: [] }, "expected one list, but got an object with the fields users, roles"],
    [
      "lists in and outside of data",
      { items: [], data: { items: [] } },
      "expected one list, but got an object with the fields items, data",
    ],
    ["an empty object", {}, "expected a list, but got an object without fields"],
    ["an empty body", undefined, "expected a list, but got nothing"],
    ["null", null, "expected a list, but got null"],
    ["a list that is null", { users: null }, "expected a list, but got an object with the fields users"],
    [
      "a list in a hostile prototype",
      JSON.parse('{"__proto__":{"items":[]}}'),
      "expected a list, but got an object with the fields __proto__",
    ],
  ])("%s", (_name, body, why) => {
    expect(decodeList(body)).toEqual({ ok: false, error: { why } });
  });

  test.each([
    ["success that is false, beside an empty list", { success: false, data: [] }, {}],
    ["an error beside an empty list", { data: [], error: { code: "x", message: "no" } }, { words: "no" }],
    ["an error as a text", { items: [], error: "Bad Gateway" }, { words: "Bad Gateway" }],
    ["errors", { items: [], errors: [{ detail: "no" }] }, { words: "no" }],
    ["a status of failure", { statusCode: 401, message: "no key" }, { status: 401, words: "no key" }],
    ["a status of failure as a text", { status: "409", detail: "there", users: [] }, { status: 409, words: "there" }],
    [
      "Spring's error",
      { timestamp: "2026", status: 400, error: "Bad Request", message: "" },
      { status: 400, words: "Bad Request" },
    ],
    ["a word of failure", { status: "ERROR", data: [] }, { words: undefined }],
  ])("nor what says that it failed: %s", (_name, body, refused) => {
    expect(decodeList(body)).toEqual({ ok: false, error: { why: "it reports a failure", refused } });
  });
});

describe("a Link header", () => {
  const all =
    '<http://h/users?page=1&per-page=2>; rel="first", <http://h/users?page=3&per-page=2>; rel="next", <http://h/users?per-page=2&page=7>; rel=last';

  test.each([
    ["names the next page and the last one", all, { page: 3 }, 7],
    ["names neither", '<http://h/users?page=1>; rel="prev"', undefined, undefined],
    ["names a last page without its number", '<http://h/users?cursor=x>; rel="last"', undefined, undefined],
    ["names a number that no list has", '<http://h/users?page=12345678901>; rel="last"', undefined, undefined],
    ["is not there", undefined, undefined, undefined],
  ])("%s", (_name, header, next, last) => {
    expect([nextPageInHeader(header), lastPageInHeader(header)]).toEqual([next, last]);
  });
});

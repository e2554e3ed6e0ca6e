import { describe, expect, test } from "vitest";
import type { Knobs } from "../../../../src/reference-server/knobs/registry.ts";
import type { Seed, SeedUser } from "../../../../src/reference-server/seed.ts";
import { refusal, runningServer } from "../running-server.ts";

/** 25 users with the administrator, who comes last. */
const people: readonly SeedUser[] = Array.from({ length: 24 }, (_, index) => ({
  email: `person${String(index + 1).padStart(2, "0")}@acme.example`,
  firstName: `F${index % 3}`,
  lastName: `L${index % 5}`,
  ...(index % 2 === 0 ? { title: `T${index % 4}` } : {}),
}));
const seed: Seed = { users: people };
const emails = [...people.map((user) => user.email), "root@reference.example"];

async function listed(query: string, knobs: Partial<Knobs> = {}, route = "users") {
  const server = await runningServer({ seed, knobs });
  const answered = await server.call("GET", `/api/accounting/${route}${query}`);
  const rows = Array.isArray(answered.body) ? answered.body : [];
  const link = answered.headers.get("link")?.replaceAll(`${server.endpoint}/api/accounting/${route}`, "");
  return { server, answered, emails: rows.map((row: { email?: string }) => row.email), link };
}

describe("paging", () => {
  test.each<[string, string, Partial<Knobs>, readonly string[]]>([
    ["ten from the first where nothing is asked", "", {}, emails.slice(0, 10)],
    ["page 1 is the first", "?page=1", {}, emails.slice(0, 10)],
    ["page 0 is the first too", "?page=0", {}, emails.slice(0, 10)],
    ["page 2 follows", "?page=2", {}, emails.slice(10, 20)],
    ["the last page is short", "?page=3", {}, emails.slice(20)],
    ["past the end there is nothing", "?page=4", {}, []],
    ["far past the end there is nothing", "?page=9007199254740991", {}, []],
    ["per-page is followed", "?per-page=7&page=2", {}, emails.slice(7, 14)],
    ["more than the largest page is cut", "?per-page=100", { maxPerPage: 20 }, emails.slice(0, 20)],
    ["counted from 0, page 0 is the first", "?page=0", { pageBase: "zero" }, emails.slice(0, 10)],
    ["counted from 0, page 1 is the second", "?page=1", { pageBase: "zero" }, emails.slice(10, 20)],
    ["counted from 0, no page is the first", "", { pageBase: "zero" }, emails.slice(0, 10)],
    ["counted strictly from 1, page 1 is the first", "?page=1", { pageBase: "one-strict" }, emails.slice(0, 10)],
    ["counted strictly from 1, no page is the first", "", { pageBase: "one-strict" }, emails.slice(0, 10)],
  ])("%s", async (_, query, knobs, expected) => {
    expect((await listed(query, knobs)).emails).toEqual(expected);
  });

  test.each<[string, string, Partial<Knobs>, string | undefined]>([
    [
      "in the middle, with the other parameters kept",
      "?page=2&direction=ASC&per-page=10",
      {},
      '<?page=1&direction=ASC&per-page=10>; rel="first", <?page=1&direction=ASC&per-page=10>; rel="prev", <?page=3&direction=ASC&per-page=10>; rel="next", <?page=3&direction=ASC&per-page=10>; rel="last"',
    ],
    [
      "on the first page",
      "",
      {},
      '<?page=1&per-page=10>; rel="first", <?page=2&per-page=10>; rel="next", <?page=3&per-page=10>; rel="last"',
    ],
    [
      "on page 0",
      "?page=0",
      {},
      '<?page=1&per-page=10>; rel="first", <?page=2&per-page=10>; rel="next", <?page=3&per-page=10>; rel="last"',
    ],
    [
      "past the end",
      "?page=9",
      {},
      '<?page=1&per-page=10>; rel="first", <?page=3&per-page=10>; rel="prev", <?page=3&per-page=10>; rel="last"',
    ],
    [
      "with a page that was cut",
      "?per-page=99",
      { maxPerPage: 20 },
      '<?per-page=20&page=1>; rel="first", <?per-page=20&page=2>; rel="next", <?per-page=20&page=2>; rel="last"',
    ],
    [
      "on a full last page",
      "?per-page=5&page=5",
      {},
      '<?per-page=5&page=1>; rel="first", <?per-page=5&page=4>; rel="prev", <?per-page=5&page=5>; rel="last"',
    ],
    [
      "counted from 0",
      "?page=1",
      { pageBase: "zero" },
      '<?page=0&per-page=10>; rel="first", <?page=0&per-page=10>; rel="prev", <?page=2&per-page=10>; rel="next", <?page=2&per-page=10>; rel="last"',
    ],
  ])("links to its neighbours %s", async (_, query, knobs, expected) => {
    expect((await listed(query, knobs)).link).toBe(expected);
  });

  test("a link leads to the page that it names", async () => {
    const { server, answered } = await listed("?per-page=12");
    const next = /<http:\/\/127\.0\.0\.1:\d+([^>]*)>; rel="next"/.exec(answered.headers.get("link") ?? "")?.[1] ?? "";
    const page = await server.call("GET", next);
    expect(page.body).toMatchObject(emails.slice(12, 24).map((email) => ({ email })));
  });
});

test.each(["one-alias", "one-strict", "zero"] as const)(
  "pages of any size hold everybody once, in order, where pages are counted as %s",
  async (pageBase) => {
    const server = await runningServer({ seed, knobs: { pageBase } });
    const whole = await server.call("GET", "/api/accounting/users?sort-by=lastName,title&per-page=100");
    for (let perPage = 1; perPage <= 26; perPage += 1) {
      const found: unknown[] = [];
      let next: string | undefined = `/api/accounting/users?sort-by=lastName,title&per-page=${perPage}`;
      while (next !== undefined) {
        const page = await server.call("GET", next);
        found.push(...(Array.isArray(page.body) ? page.body : []));
        next = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
      }
      expect(found).toEqual(whole.body);
    }
  },
);

describe("sorting", () => {
  const numbers = (found: readonly unknown[]): readonly unknown[] =>
    found.map((email) => Number(/\d+/.exec(String(email))?.[0] ?? 0));

  test.each<[string, string, readonly number[]]>([
    ["by one field, ties in the order of creation", "?sort-by=lastName&per-page=7", [0, 1, 6, 11, 16, 21, 2]],
    ["by the next field within ties", "?sort-by=lastName,firstName&per-page=7", [0, 1, 16, 11, 6, 21, 7]],
    ["by a third field", "?sort-by=lastName,firstName,email&direction=DESC&per-page=5", [15, 20, 5, 10, 24]],
    ["spaces after commas do not matter", "?sort-by=lastName,%20firstName&per-page=4", [0, 1, 16, 11]],
    [
      "nothing comes last upward",
      "?sort-by=title,email&per-page=25",
      [1, 5, 9, 13, 17, 21, 3, 7, 11, 15, 19, 23, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 0],
    ],
    [
      "nothing comes last downward too",
      "?sort-by=title&direction=desc&per-page=13",
      [3, 7, 11, 15, 19, 23, 1, 5, 9, 13, 17, 21, 2],
    ],
    ["without a field the order of creation is turned round", "?direction=DESC&per-page=3", [0, 24, 23]],
    ["pages are cut after sorting", "?sort-by=email&direction=DESC&per-page=3&page=3", [19, 18, 17]],
  ])("%s", async (_, query, expected) => {
    expect(numbers((await listed(query)).emails)).toEqual(expected);
  });

  test.each([
    ["a team's name, upward by the first of several", "accessKeys.team.name,email", "ASC", ["cy", "ada", "bo", "di"]],
    ["a team's name, downward by the last of several", "accessKeys.team.name,email", "DESC", ["cy", "bo", "ada", "di"]],
    ["the roles of keys", "accessKeys.roles.identifier,email", "ASC", ["bo", "di", "ada", "cy"]],
    ["whether a key is the default", "accessKeys.isDefault,email", "ASC", ["ada", "bo", "cy", "di"]],
  ])("dotted names lead into nested fields: %s", async (_, sortBy, direction, expected) => {
    const server = await runningServer({
      seed: {
        users: ["ada", "bo", "cy", "di"].map((name) => ({
          email: `${name}@acme.example`,
          firstName: name,
          lastName: name,
        })),
        teams: [
          {
            name: "Mango",
            admin: "bo@acme.example",
            members: [{ user: "ada@acme.example" }, { user: "bo@acme.example" }],
          },
          { name: "Apple", admin: "cy@acme.example", members: [{ user: "cy@acme.example" }] },
          { name: "Zebra", admin: "cy@acme.example", members: [{ user: "cy@acme.example" }] },
        ],
        keys: [
          { prefix: "p1", owner: "bo@acme.example", roles: ["DEVELOPER"] },
          { prefix: "admin", secret: "s", owner: "di@acme.example", kind: "user", roles: ["SYSTEM_OWNER"] },
        ],
      },
    });
    const { body } = await server.call("GET", `/api/accounting/users?sort-by=${sortBy}&direction=${direction}`);
    expect(body).toMatchObject(expected.map((firstName) => ({ firstName })));
  });

  test("the accounts and the roles are sorted and paged too", async () => {
    const server = await runningServer({
      seed: {
        accounts: ["b", "c", "a"].map((identifier) => ({ identifier })),
        roles: [{ identifier: "B" }, { identifier: "A" }],
      },
    });
    const accounts = await server.call("GET", "/api/accounting/accounts?sort-by=status,name&direction=DESC&per-page=2");
    expect(accounts.body).toMatchObject([{ identifier: "c" }, { identifier: "b" }]);
    const roles = await server.call("GET", "/api/accounting/roles?sort-by=type,identifier&per-page=2&page=2");
    expect(roles.body).toMatchObject([{ identifier: "ACCOUNT_ADMIN" }, { identifier: "B" }]);
  });
});

describe("a bad parameter is a 400 that names it", () => {
  const whole = "must be a whole number, 0 or more";
  test.each<[string, Partial<Knobs>, string]>([
    ["?page=one", {}, `page ${whole}: "one"`],
    ["?page=-1", {}, `page ${whole}: "-1"`],
    ["?page=1.5", {}, `page ${whole}: "1.5"`],
    ["?page=", {}, `page ${whole}: ""`],
    ["?page=1e3", {}, `page ${whole}: "1e3"`],
    ["?page=99999999999999999999", {}, `page ${whole}: "99999999999999999999"`],
    ["?page=0", { pageBase: "one-strict" }, 'page must be 1 or more, for pages count from 1: "0"'],
    ["?page=1&page=2", {}, 'page is given more than once: "1, 2"'],
    ["?per-page=ten", {}, `per-page ${whole}: "ten"`],
    ["?per-page=0", {}, 'per-page must be 1 or more: "0"'],
    ["?direction=UP", {}, 'direction must be ASC or DESC: "UP"'],
    ["?direction=", {}, 'direction must be ASC or DESC: ""'],
    ["?sort-by=name,nmae", {}, 'sort-by must name fields of this list (identifier, name, status): "nmae"'],
    ["?sort-by=name,", {}, 'sort-by must name fields of this list (identifier, name, status): ""'],
    ["?sort-by=__proto__", {}, 'sort-by must name fields of this list (identifier, name, status): "__proto__"'],
  ])("%s", async (query, knobs, problem) => {
    const { server, answered } = await listed(query, knobs, "accounts");
    const message = `The query parameter ${problem}`;
    expect({ status: answered.status, body: answered.body }).toEqual({
      status: 400,
      body: refusal(400, message, server),
    });
  });

  test.each(["users", "roles", "accounts"])("on the route %s", async (route) => {
    for (const query of ["?page=x", "?per-page=x", "?direction=x", "?sort-by=x"]) {
      expect((await listed(query, {}, route)).answered.status).toBe(400);
    }
  });
});

describe("searching", () => {
  const search = "/api/accounting/users/search";

  test("finds each user once, in the order of asking, and leaves out whom it does not know", async () => {
    const server = await runningServer({ seed });
    const identifiers = ["nobody@acme.example", "PERSON03@acme.example", "u-1", "person03@acme.example", "person0"];
    const found = await server.call("POST", search, { identifiers });
    expect(found.body).toMatchObject([{ email: "person03@acme.example" }, { email: "person01@acme.example" }]);
    expect(found.headers.get("link")).toBeNull();
  });

  test("finds nobody where nobody is asked for", async () => {
    const server = await runningServer({ seed });
    expect((await server.call("POST", search, { identifiers: [] })).body).toEqual([]);
  });

  test("answers everybody at once unless a page is asked for", async () => {
    const server = await runningServer({ seed });
    const all = await server.call("POST", `${search}?sort-by=email&direction=DESC`, { identifiers: emails });
    expect(all.body).toMatchObject(emails.toReversed().map((email) => ({ email })));
    const page = await server.call("POST", `${search}?page=3`, { identifiers: emails });
    expect(page.body).toMatchObject(emails.slice(20).map((email) => ({ email })));
    expect(page.headers.get("link")).toBe(
      `<${server.endpoint}${search}?page=1&per-page=10>; rel="first", <${server.endpoint}${search}?page=2&per-page=10>; rel="prev", <${server.endpoint}${search}?page=3&per-page=10>; rel="last"`,
    );
    const few = await server.call("POST", `${search}?per-page=2`, { identifiers: emails });
    expect(few.body).toMatchObject(emails.slice(0, 2).map((email) => ({ email })));
  });

  test.each(["page=x", "per-page=0", "sort-by=shoe", "direction=x"])("refuses %s", async (query) => {
    const server = await runningServer({ seed });
    expect((await server.call("POST", `${search}?${query}`, { identifiers: [] })).status).toBe(400);
  });

  test.each([
    ["without identifiers", {}, "identifiers is missing"],
    ["with one text for a list", { identifiers: "a@b.example" }, "identifiers must be of type array"],
    ["with a number", { identifiers: [7] }, "identifiers[0] must be of type string"],
    ["that is a list", [], "the body must be of type object"],
  ])("refuses a body %s", async (_, body, fault) => {
    const server = await runningServer({ seed });
    const refused = await server.call("POST", search, body);
    expect(refused.body).toEqual(refusal(400, `The body is not as described: ${fault}`, server));
  });
});

import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../../src/model/address.ts";
import type { Capabilities } from "../../../../src/model/capabilities.ts";
import { type Failure, problem, success } from "../../../../src/model/result.ts";
import { decisiveFailure, diagnose } from "../../../../src/report/doctor/diagnose.ts";
import type { DoctorObservations } from "../../../../src/report/doctor/observations.ts";

const capabilities: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "shown",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "shown",
  paging: { firstPage: "0-and-1-alike" },
};

const well: DoctorObservations = {
  endpoint: "https://h.example/modzy",
  address: "https://h.example/modzy",
  node: "v24.3.0",
  now: Date.parse("2026-11-20T10:00:00Z"),
  roles: success([{ identifier: "TEAM_ROLE" }, { identifier: "DEVELOPER" }]),
  otherAddresses: [],
  accounts: success([{ identifier: "acc-1", by: "accounts" }]),
  details: [
    {
      account: "acc-1",
      reading: success({
        identifier: "acc-1",
        status: "Active",
        members: [foldAddress("ada@x.example")],
        by: "account acc-1",
      }),
    },
  ],
  list: success({ users: 57, requests: 5, everyone: { read: "complete", by: "list" } }),
  search: { email: "ada@x.example", reading: success("found") },
  capabilities,
  answers: [
    {
      request: "GET /api/accounting/roles",
      status: 200,
      shape: "a list of 2",
      at: Date.parse("2026-11-20T10:00:00Z"),
      date: "Fri, 20 Nov 2026 10:00:00 GMT",
    },
  ],
};

function failing(code: Failure["code"], rest: Partial<Failure> = {}): { readonly ok: false; readonly error: Failure } {
  return problem({ code, message: `it is ${code}`, ...rest });
}

function checked(seen: Partial<DoctorObservations>, name: string) {
  const { mark, came, means } = diagnose({ ...well, ...seen }).checks.find(({ check }) => check === name) ?? {};
  return { mark, came, means };
}

describe("the way to a service", () => {
  test.each([
    ["is not told where it is the usual one", {}, { mark: undefined, came: undefined, means: undefined }],
    [
      "may lead through a proxy",
      { proxy: "http://proxy.example:3128" },
      {
        mark: "ok",
        came: "through the proxy http://proxy.example:3128",
        means: "The proxy is told the service's host and port, and sees no request and no key.",
      },
    ],
    [
      "may rest on a private authority",
      { authorities: "ca.pem" },
      {
        mark: "ok",
        came: "directly",
        means: "Certificates of the authorities in ca.pem are accepted too.",
      },
    ],
  ])("%s", (_name, way, expected) => {
    expect(checked({ way }, "way")).toEqual(expected);
  });
});

describe("a service of which all is known", () => {
  test("has one line for each question, and nothing stands in the way", () => {
    const { checks, service } = diagnose(well);
    expect(service).toBe("https://h.example/modzy");
    expect(checks.map(({ check, mark }) => `${mark} ${check}`)).toEqual(
      [
        "node",
        "base-address",
        "key",
        "accounts",
        "account",
        "roles",
        "users",
        "paging",
        "search",
        "keys-on-users",
        "roles-on-keys",
        "teams-on-keys",
        "titles",
        "totals",
        "shape",
        "clock",
      ].map((check) => `ok ${check}`),
    );
    expect(checks.every(({ asked, came, means }) => asked !== "" && came !== "" && means !== "")).toBe(true);
    expect(decisiveFailure(well)).toBeUndefined();
  });
});

describe("what came, and what it means", () => {
  test.each([
    ["node", { node: "v20.20.2" }, "notice", "v20.20.2", "gets no security updates since 2026-04-30"],
    ["node", { node: "v20.20.2", now: Date.parse("2026-04-30T12:00:00Z") }, "ok", "v20.20.2", "until 2026-04-30"],
    ["node", { node: "v26.0.0" }, "ok", "v26.0.0", "roster runs on it."],
    [
      "base-address",
      { endpoint: "https://h.example/api/", address: "https://h.example" },
      "ok",
      "an answer",
      "The /api at the end of the endpoint is not doubled",
    ],
    [
      "base-address",
      { roles: failing("unauthorized", { status: 401 }) },
      "ok",
      "an answer (401)",
      "calls go to https://h.example/modzy/api",
    ],
    [
      "base-address",
      { roles: failing("unreachable", { hint: "Check the network" }) },
      "problem",
      "it is unreachable",
      "Check the network.",
    ],
    [
      "key",
      { roles: failing("unauthorized", { serviceSays: "no such key" }) },
      "problem",
      "the service says: no such key",
      "does not accept the key",
    ],
    ["key", { roles: failing("forbidden") }, "problem", "it is forbidden", "The key may not do this"],
    [
      "accounts",
      { accounts: failing("forbidden") },
      "notice",
      "it is forbidden",
      "A plan needs none but those that the roster names",
    ],
    ["accounts", { accounts: success([]) }, "notice", "no accounts", "The key sees no account"],
    [
      "account",
      { details: [{ account: "acc-1", reading: failing("not-found") }] },
      "problem",
      "it is not-found",
      "does not know this",
    ],
    [
      "account",
      { details: [{ account: "a", reading: success({ identifier: "a", status: "Inactive", by: "b" }) }] },
      "notice",
      "status Inactive, its users are not shown",
      "Nothing is created in an account that is Inactive",
    ],
    [
      "account",
      { details: [{ account: "a", reading: success({ identifier: "a", members: [], membersCut: true, by: "b" }) }] },
      "ok",
      "no status, 0 users shown",
      "do not show all users",
    ],
    ["roles", { roles: success([]) }, "notice", "no roles", "check what the key may see"],
    ["users", { list: failing("misunderstood") }, "problem", "it is misunderstood", "no plan can be made"],
    [
      "users",
      {
        list: success({ users: 3, requests: 9, everyone: { read: "incomplete", why: "every page showed the same 3" } }),
      },
      "notice",
      "3 users with 9 requests",
      "every page showed the same 3",
    ],
    [
      "paging",
      { capabilities: { ...capabilities, paging: { firstPage: "0", largestPage: 20 } } },
      "ok",
      "page 0 is the first; at most 20 rows to a page",
      "a short page is not taken for the last",
    ],
    [
      "paging",
      { capabilities: { ...capabilities, paging: { firstPage: "unknown" } } },
      "ok",
      "one page",
      "finds out anew",
    ],
    [
      "search",
      { search: { email: "a@x.example", reading: success("not-found") } },
      "notice",
      "nobody",
      "nobody is created on it",
    ],
    [
      "search",
      { search: { email: "a@x.example", reading: success("found-among-others") } },
      "ok",
      "others who only resemble",
      "takes a second question",
    ],
    [
      "search",
      { search: { email: "a@x.example", reading: failing("service-error") } },
      "problem",
      "it is service-error",
      "no plan can be made",
    ],
    [
      "keys-on-users",
      { capabilities: { ...capabilities, keysOnUsers: "hidden" } },
      "notice",
      "not shown",
      "from what roster has done itself",
    ],
    [
      "roles-on-keys",
      { capabilities: { ...capabilities, rolesOnKeys: "hidden" } },
      "notice",
      "not shown",
      "what roster wrote last",
    ],
    [
      "teams-on-keys",
      { capabilities: { ...capabilities, teamsOnKeys: "hidden" } },
      "notice",
      "not shown",
      "--allow absent:team:",
    ],
    [
      "unread-fields",
      {
        capabilities: { ...capabilities, rolesOnKeys: "hidden" },
        unread: ["/perms", "/may"].map((pointer) => ({ like: "roles" as const, pointer })),
      },
      "notice",
      "perms (roles) and may (roles)",
      "service: { shapes: { key: { roles: /perms } } }",
    ],
    [
      "consistency",
      { writes: {} },
      "ok",
      "nothing yet",
      "What reads do not show 15 min after a call counts as not done.",
    ],
    [
      "consistency",
      { writes: { learned: { prompt: 50, longest: 3000 } } },
      "ok",
      "the last 50 changes within 5 s; the slowest after 3 s",
      "What reads do not show 1 min after",
    ],
    [
      "consistency",
      { writes: { learned: { prompt: 0, longest: 180_000 } } },
      "ok",
      "the slowest after 3 min",
      "What reads do not show 30 min after",
    ],
    [
      "consistency",
      { writes: { learned: { prompt: 7, longest: 0 }, set: 40_000 } },
      "ok",
      "the last 7 changes within 5 s",
      "What reads do not show 40 s after a call counts as not done, as the settings say.",
    ],
    [
      "throttling",
      { writes: { learned: { prompt: 7, longest: 0, throttling: "may-have-effect" } } },
      "notice",
      "it was",
      "is not sent again",
    ],
    [
      "throttling",
      { writes: { learned: { prompt: 7, longest: 0, throttling: "no-effect" } } },
      "ok",
      "it was not",
      "after the time that the service names",
    ],
    [
      "member-names",
      { writes: { learned: { prompt: 7, longest: 0, membersNamedBy: "email" } } },
      "ok",
      "by their addresses",
      "People are added by their addresses.",
    ],
    ["titles", { capabilities: { ...capabilities, titles: "unknown" } }, "ok", "not known", "nobody was shown"],
    ["totals", { capabilities: { ...capabilities, totals: "hidden" } }, "ok", "not shown", "a clear end"],
    [
      "shape",
      { list: failing("misunderstood", { request: "GET /api/accounting/roles" }) },
      "problem",
      "200, a list of 2",
      "`service.shapes`",
    ],
    [
      "clock",
      {
        answers: [
          {
            ...(well.answers[0] ?? { request: "", status: 200, shape: "", at: 0 }),
            at: Date.parse("2026-11-20T10:02:00Z"),
          },
        ],
      },
      "notice",
      "120 s behind",
      "One of the two clocks is wrong",
    ],
    ["clock", { answers: [{ request: "GET /x", status: 200, shape: "nothing", at: 0 }] }, "ok", "no date", "not known"],
  ] satisfies [string, Partial<DoctorObservations>, string, string, string][])(
    "%s: %j",
    (check, seen, mark, came, means) => {
      expect(checked(seen, check)).toEqual({
        mark,
        came: expect.stringContaining(came),
        means: expect.stringContaining(means),
      });
    },
  );

  test("what no state remembers of writes is not told", () => {
    const { checks } = diagnose(well);
    expect(checks.map(({ check }) => check)).not.toContain("consistency");
    expect(diagnose({ ...well, writes: {} }).checks.map(({ check }) => check)).not.toContain("throttling");
  });

  test("fields that are not read say nothing where all is shown", () => {
    const unread = [{ like: "roles" as const, pointer: "/perms" }];
    expect(checked({ unread }, "unread-fields").mark).toBeUndefined();
  });

  test("an address at which somebody else answers names the one that works", () => {
    const otherAddresses = [
      { address: "https://h.example/x", endpoint: "https://h.example/x", reading: failing("not-found") },
      { address: "https://h.example/api", endpoint: "https://h.example/api/api", reading: failing("unauthorized") },
    ];
    const roles = failing("misunderstood");
    expect(checked({ roles, otherAddresses }, "base-address").means).toBe(
      "Set the endpoint to https://h.example/api/api: there it answers.",
    );
    const { checks } = diagnose({ ...well, roles, otherAddresses });
    expect(checks.flatMap(({ check, mark }) => (check === "other-address" ? [mark] : []))).toEqual(["ok", "notice"]);
  });
});

test("the first failure without which no plan can be made decides", () => {
  const list = failing("service-error");
  expect(decisiveFailure({ ...well, list })).toEqual(list.error);
  expect(decisiveFailure({ ...well, accounts: failing("forbidden") })).toBeUndefined();
});

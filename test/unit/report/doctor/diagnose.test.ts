import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../../src/model/address.ts";
import type { Capabilities } from "../../../../src/model/capabilities.ts";
import type { Failure } from "../../../../src/model/failure.ts";
import { problem, success } from "../../../../src/model/result.ts";
import { type DoctorObservations, diagnose, readFailures } from "../../../../src/report/doctor/diagnose.ts";

const capabilities: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "shown",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "shown",
  paging: { firstPage: "0-and-1-alike" },
};

const well: DoctorObservations = {
  settings: [],
  address: "https://h.example/modzy",
  node: "v24.3.0",
  roles: success([{ identifier: "TEAM_ROLE" }, { identifier: "DEVELOPER" }]),
  otherAddresses: [],
  key: { from: "ROSTER_API_KEY", prefix: "k1", privilegedRoles: ["ACCOUNT_ADMIN"] },
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

test("a service of which all is known has one line for each question, and nothing stands in the way", () => {
  const { checks, service } = diagnose(well);
  expect(service).toBe("https://h.example/modzy");
  const names =
    "node base-address key key-owner accounts account roles users paging search keys-on-users roles-on-keys teams-on-keys titles totals shape clock";
  expect(checks.map(({ check, mark }) => `${mark} ${check}`)).toEqual(names.split(" ").map((name) => `ok ${name}`));
  expect(checks.every(({ asked, came, means }) => asked !== "" && came !== "" && means === undefined)).toBe(true);
  expect(readFailures(well)).toEqual([]);
});

const incomplete = { read: "incomplete", why: "every page showed the same 3" } as const;
const hidden = (of: keyof Capabilities) => ({ capabilities: { ...capabilities, [of]: "hidden" } });
const paging = (of: Capabilities["paging"]) => ({ capabilities: { ...capabilities, paging: of } });
const account = (reading: DoctorObservations["details"][number]["reading"]) => ({
  details: [{ account: "a", reading }],
});
const search = (reading: NonNullable<DoctorObservations["search"]>["reading"]) => {
  return { search: { email: "a@x.example", reading } };
};
const inactive = success({ identifier: "a", status: "Inactive", by: "b" });
const cut = success({ identifier: "a", members: [], membersCut: true as const, by: "b" });
const late = { request: "GET /x", status: 200, shape: "a list of 2", at: Date.parse("2026-11-20T10:02:00Z") };

const unread = ["/perms", "/may"].map((pointer) => ({ like: "roles", pointer }) as const);
const unreadList = failing("misunderstood", { request: "GET /api/accounting/roles" });
const behind = { ...late, date: "Fri, 20 Nov 2026 10:00:00 GMT" };
const rejected = failing("unauthorized", { serviceSays: "no such key" });
const listed = success({ users: 3, requests: 9, everyone: incomplete });
const patient = { throttling: "may-have-effect" } as const;

/** What is seen, and the line of one check: its mark, what came, and a part of what it means; nothing where it is fine. */
const lines: readonly (readonly [check: string, seen: Partial<DoctorObservations>, came: string, means?: string])[] = [
  ["node", { node: "v20.20.2" }, "ok v20.20.2"],
  ["way", { way: { proxy: "http://proxy.example:3128" } }, "ok through the proxy http://proxy.example:3128"],
  ["way", { way: { authorities: "ca.pem" } }, "ok directly; roster also trusts the authorities in ca.pem"],
  ["base-address", { roles: failing("unauthorized", { status: 401 }) }, "ok an answer (401)"],
  ["base-address", { roles: failing("unreachable", { hint: "Check it" }) }, "problem it is unreachable", "Check it."],
  [
    "key",
    { roles: rejected },
    "problem it is unauthorized; the service says: no such key",
    "service rejects the key. Check",
  ],
  ["key", { roles: failing("forbidden") }, "problem it is forbidden", "Use the key of a Platform Administrator"],
  ["accounts", { accounts: failing("forbidden") }, "notice it is forbidden", "A plan needs only the accounts of the"],
  ["accounts", { accounts: success([]) }, "notice no accounts", "The key sees no account"],
  ["account", account(failing("not-found")), "problem it is not-found", "Correct the account, such as with --account."],
  ["account", account(inactive), "notice Inactive, users not shown", "creates nothing in an account that is Ina"],
  ["account", account(cut), "ok no status, only 0 users shown"],
  ["roles", { roles: success([]) }, "notice no roles", "A roster can use no role here. Check what the key can see."],
  ["users", { list: failing("misunderstood") }, "problem it is misunderstood", "roster needs this to make a plan."],
  ["users", { list: listed }, "notice 3 users with 9 requests", "every page showed the same 3"],
  ["paging", paging({ firstPage: "0", largestPage: 20 }), "ok page=0 is the first page; no page has more than 20 rows"],
  ["paging", paging({ firstPage: "unknown" }), "ok unknown: one page, or all pages are the same"],
  ["search", search(success("not-found")), "notice no user", "It cannot prove that a user is absent"],
  ["search", search(success("found-among-others")), "ok this user and similar users"],
  ["search", search(failing("service-error")), "problem it is service-error", "has an error. Try again later."],
  ["keys-on-users", hidden("keysOnUsers"), "notice not shown", "takes memberships and prefixes from the state"],
  ["roles-on-keys", hidden("rolesOnKeys"), "notice not shown", "It cannot see changes of others."],
  ["teams-on-keys", hidden("teamsOnKeys"), "notice not shown", "--allow unproven-absence:"],
  ["unread-fields", { ...hidden("rolesOnKeys"), unread }, "notice perms (roles) and may", "{ key: { roles: /perms } }"],
  ["consistency", { writes: {} }, "ok 15 min (the default)"],
  ["consistency", { writes: { set: 40_000 } }, "ok 40 s (set in the settings)"],
  ["throttling", { writes: { learned: patient } }, "notice may take effect", "It reads the outcome."],
  ["throttling", { writes: { learned: { throttling: "no-effect" } } }, "ok have no effect"],
  ["member-names", { writes: { learned: { membersNamedBy: "email" } } }, "ok by their addresses"],
  ["titles", { capabilities: { ...capabilities, titles: "unknown" } }, "ok unknown: no user in the answers has it"],
  ["totals", hidden("totals"), "ok not shown"],
  ["shape", { list: unreadList }, "problem 200, a list of 2", "`service.shapes`"],
  ["clock", { answers: [behind] }, "notice 120 s behind", "clocks is wrong"],
  ["clock", { answers: [late] }, "ok no date"],
];

describe("what came, and what it means", () => {
  test.each(lines.map((line) => ({ line })))("$line", ({ line: [check, seen, came, means] }) => {
    const one = checked(seen, check);
    expect([`${one.mark} ${one.came}`, one.means]).toEqual([
      expect.stringContaining(came),
      means === undefined ? undefined : expect.stringContaining(means),
    ]);
  });

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
      "Set the endpoint to https://h.example/api/api. The service answers there.",
    );
    const { checks } = diagnose({ ...well, roles, otherAddresses });
    const others = checks.filter(({ check }) => check === "other-address");
    expect(others.map(({ mark, came }) => `${mark}: ${came}`)).toEqual([
      "notice: no account service answers",
      "notice: an account service answers",
    ]);
  });
});

test("the first failure without which no plan can be made decides", () => {
  const list = failing("service-error");
  expect(readFailures({ ...well, list })[0]).toEqual(list.error);
  expect(readFailures({ ...well, accounts: failing("forbidden") })).toEqual([]);
});

describe("the key", () => {
  const { key: known } = well;
  const admin = { ...known, owner: { email: "root@x.example", roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"] } };
  const plain = { ...known, owner: { email: "ci@x.example", roles: ["DEVELOPER"] } };
  const hidden = { ...known, owner: { email: "ci@x.example" } };

  test.each([
    ["an administrator's", admin, "root@x.example, ACCOUNT_ADMIN, TEAM_ROLE"],
    ["no administrator's", plain, "ci@x.example, DEVELOPER: no administrator role that roster knows"],
    ["of roles that are not shown", hidden, "ci@x.example, roles not shown"],
    ["not shown", known, "not shown"],
    ["without a prefix", { from: "apiKeyCommand", privilegedRoles: [] }, "unknown: the key has no prefix before a dot"],
  ])("that is %s is told with its owner", (_name, key, came) => {
    expect(checked({ key }, "key-owner")).toEqual({ mark: "ok", came, means: undefined });
  });

  const pullRequest = "GITHUB_EVENT_NAME=pull_request";

  test.each([
    ["an administrator's", admin, "notice", `yes: ACCOUNT_ADMIN (${pullRequest})`],
    ["not shown", known, "notice", `unknown (${pullRequest})`],
    ["no administrator's", plain, "ok", `no (${pullRequest})`],
  ])("in the job of a pull request is warned of where it is %s", (_name, key, mark, came) => {
    expect(checked({ key, pullRequest }, "key-in-pull-request")).toMatchObject({ mark, came });
    expect(checked({ key }, "key-in-pull-request").mark).toBeUndefined();
  });
});

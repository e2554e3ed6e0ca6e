import { expect } from "vitest";
import { type Effect, type EffectsOf, effect, people, type Seen, type Service, testEffects } from "./effects.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

const shown = ({ status, body }: Seen): unknown => [status, body];
const search =
  (...identifiers: readonly string[]) =>
  async ({ post }: Service) =>
    shown(await post("/users/search", { identifiers }));
const create =
  (more: object = {}) =>
  async ({ post }: Service) =>
    shown(await post("/accounts/acc-1/users", { ...ada, ...more }));
const add =
  (...who: readonly string[]) =>
  async ({ post }: Service) =>
    shown(
      await post(
        "/teams/t-air/members",
        who.map((identifier) => ({ identifier })),
      ),
    );
const replace = async ({ put }: Service) => shown(await put("/access-keys/own1/roles", [{ identifier: "DEVELOPER" }]));
const details = async ({ get }: Service) => (await get("/accounts/acc-1")).body;

const user = (name: string) => expect.objectContaining({ email: `${name}@acme.example` });
const [p1, p2] = [user("p1"), user("p2")];
const prefix = expect.stringMatching(/^[A-Za-z0-9]{20}$/u);
const newKey = expect.objectContaining({ prefix });
const someKeys = (...keys: readonly object[]) => keys.map((key) => expect.objectContaining({ prefix, ...key }));
const account = { identifier: "acc-1", name: "Acme", status: "Active" };
const reference = (name: string, identifier: string) => ({
  identifier,
  email: name === "root" ? "root@reference.example" : `${name}@acme.example`,
  status: "Active",
});
const everybody = [1, 2, 3, 4, 5].map((n) => reference(`p${n}`, `u-${n}`)).concat(reference("root", "u-6"));
const member = (name: string, identifier: string) => ({
  identifier,
  email: `${name}@acme.example`,
  accessKey: expect.objectContaining({ prefix }),
});
const unknownUser = 'The user "nobody" was not found';
const already = 'The user "u-1" is a member of the team "Air" already';
const refused = (message: string) => expect.objectContaining({ message });

/** The answer, and whoever is in the team then. */
const addedBy =
  (...who: readonly string[]) =>
  async (service: Service) => {
    const answer = await add(...who)(service);
    return [answer, service.server.world.teams[0]?.members.map((email) => email.split("@")[0])];
  };

/** An answer to a path that leads nowhere. */
const refusal = async ({ get }: Service) => {
  const { status, headers, body } = await get("/accounts/acc-9");
  return [status, headers.get("content-type"), body];
};
const jsonType = "application/json; charset=utf-8";
const message = 'The account "acc-9" was not found';

const conflict = (status: number): Effect =>
  effect(
    async (service) => [
      ((await create({ email: "p1@acme.example" })(service)) as unknown[])[0],
      ((await create()(service)) as unknown[])[0],
      service.server.world.users.length,
    ],
    [status, 201, 7],
  );

const effects: EffectsOf<
  "accountDetails" | "search" | "create" | "conflict" | "members" | "putRolesAnswer" | "error" | "errorStatus"
> = {
  accountDetails: {
    A1: effect(details, { ...account, users: everybody }),
    A2: effect(details, { ...account, users: everybody.map(({ email }) => email) }),
    "A2-identifiers": effect(details, { ...account, users: everybody.map(({ identifier }) => identifier) }),
    A3: effect(details, {
      ...account,
      users: expect.objectContaining({ content: everybody, totalElements: 6, last: true }),
    }),
    "A3-truncated": effect(
      async (service) => {
        const body = (await details(service)) as { userCount: number; users: unknown[] };
        return [body.userCount, people(body.users).length];
      },
      [13, 10],
      {
        seed: {
          users: Array.from({ length: 12 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
        },
      },
    ),
    A4: effect(details, [{ ...account, users: everybody }]),
    A5: effect(details, { account: { ...account, users: everybody } }),
    "A5-data": effect(details, { data: { ...account, users: everybody } }),
    "no-users": effect(details, account),
  },
  search: {
    S1: effect(search("u-2", "x", "u-1"), [200, [p2, p1]]),
    S2: effect(search("u-2", "x", "u-1"), [200, { items: [p2, p1], total: 2 }], { beside: { envelope: "L5" } }),
    S3: effect(search("u-2", "x"), [200, { "u-2": p2, x: null }]),
    S4: effect(search("u-2", "x", "u-1"), [200, [p2, null, p1]]),
    S5: effect(
      async (service) => [await search("x")(service), await search("u-1")(service)],
      [
        [404, expect.anything()],
        [200, [p1]],
      ],
    ),
    S6: effect(search("u-2", "x"), [200, { found: [p2], notFound: ["x"] }]),
    S7: effect(
      async (service) => [await search("u-1")(service), await search("u-1", "u-2")(service)],
      [
        [200, p1],
        [200, [p1, p2]],
      ],
    ),
  },
  create: {
    C1: effect(create(), [201, expect.objectContaining({ identifier: "u-7", accessKeys: [newKey] })]),
    C2: effect(create({ team: { name: "Sea" } }), [
      201,
      expect.objectContaining({
        prefix,
        kind: "team",
        team: { identifier: "t-1", name: "Sea" },
        user: reference("ada", "u-7"),
        account,
      }),
    ]),
    C3: effect(create({ team: { name: "Sea" } }), [
      201,
      expect.objectContaining({
        identifier: "u-7",
        listAccessKeys: [newKey],
        team: { identifier: "t-1", name: "Sea" },
      }),
    ]),
    C4: effect(create(), [201, { user: reference("ada", "u-7"), accessKey: { prefix } }]),
    C5: effect(create(), [201, { ...reference("ada", "u-7"), accessKeyPrefix: prefix }]),
    C6: effect(create(), [
      201,
      { user: user("ada"), apiKey: expect.stringMatching(/^[A-Za-z0-9]{20}\.[A-Za-z0-9]{32}$/u) },
    ]),
    C7: effect(create(), [201, { data: { user: user("ada"), accessKeys: [newKey] } }]),
    C8: effect(
      async ({ post }) => {
        const { status, headers, body } = await post("/accounts/acc-1/users", ada);
        return [status, body, headers.get("location"), headers.get("content-type")];
      },
      [201, "", "/api/accounting/accounts/acc-1/users/u-7", null],
    ),
    C9: effect(
      async ({ post }) => {
        const { status, headers, body } = await post("/accounts/acc-1/users", ada);
        return [status, body, headers.get("location"), headers.get("retry-after")];
      },
      [202, { status: "PENDING" }, "/api/accounting/accounts/acc-1/users/u-7", "2"],
      { beside: { retryAfterSeconds: 2 } },
    ),
    C10: effect(
      async (service) => [await create({ team: {} })(service), await create({ email: "bo@acme.example" })(service)],
      [
        [
          201,
          expect.objectContaining({
            accessKeys: someKeys({ kind: "user", isDefault: true }, { kind: "team", isDefault: false }),
          }),
        ],
        [
          201,
          expect.objectContaining({
            accessKeys: someKeys({ kind: "user", isDefault: true }, { kind: "project", isDefault: false }),
          }),
        ],
      ],
    ),
    "C10-ambiguous": effect(create({ team: {} }), [
      201,
      expect.objectContaining({
        accessKeys: Array(2).fill({ prefix, status: "Active", roles: expect.anything() }),
      }),
    ]),
    C11: effect(
      async (service) => [await create({ email: "P1@acme.example" })(service), await create()(service)],
      [
        [200, expect.objectContaining({ identifier: "u-1", accessKeys: [expect.anything(), expect.anything()] })],
        [201, expect.objectContaining({ identifier: "u-7" })],
      ],
    ),
    C12: effect(
      async ({ post }) => {
        const { status, headers, body } = await post("/accounts/acc-1/users", ada);
        return [status, body, headers.get("content-type")];
      },
      [201, prefix, "text/plain; charset=utf-8"],
    ),
  },
  conflict: {
    "409": conflict(409),
    "400": conflict(400),
    "422": conflict(422),
    "500": conflict(500),
    "200": effect(create({ email: "p1@acme.example" }), [200, expect.objectContaining({ identifier: "u-1" })]),
    "409-though-created": effect(
      async (service) => [await create()(service), await search(ada.email)(service)],
      [
        [409, refused('A user with the email "ada@acme.example" is there already')],
        [200, [user("ada")]],
      ],
    ),
  },
  members: {
    M1: effect(addedBy("u-2", "u-1"), [[409, refused(`${already}; nobody was added`)], ["p1"]]),
    M2: effect(addedBy("u-2"), [
      [200, { identifier: "t-air", name: "Air", members: [reference("p1", "u-1"), reference("p2", "u-2")] }],
      ["p1", "p2"],
    ]),
    M3: effect(addedBy("u-2"), [
      [204, ""],
      ["p1", "p2"],
    ]),
    "M3-201": effect(addedBy("u-2"), [
      [201, ""],
      ["p1", "p2"],
    ]),
    M4: effect(addedBy("u-2", "nobody", "u-1"), [
      [
        207,
        {
          successes: [member("p2", "u-2")],
          failures: [
            { identifier: "nobody", status: 404, detail: unknownUser },
            { identifier: "u-1", status: 409, detail: already },
          ],
        },
      ],
      ["p1", "p2"],
    ]),
    "M4-list": effect(addedBy("nobody", "u-2"), [
      [
        207,
        [
          { identifier: "nobody", status: 404, message: unknownUser },
          { identifier: "u-2", status: 200, message: "added" },
        ],
      ],
      ["p1", "p2"],
    ]),
    M5: effect(addedBy("nobody", "u-2"), [
      [200, { members: [member("p2", "u-2")], errors: [{ identifier: "nobody", status: 404, detail: unknownUser }] }],
      ["p1", "p2"],
    ]),
    "M5-201": effect(
      async (service) => [await add("nobody", "u-2")(service), await add("u-3")(service)],
      [
        [201, { status: "error", message: { nobody: [unknownUser] } }],
        [201, { status: "success" }],
      ],
    ),
    M6: effect(addedBy("u-2", "u-1"), [[400, refused(`${already}; nobody was added`)], ["p1"]]),
    M7: effect(addedBy("u-2"), [
      [202, { status: "QUEUED" }],
      ["p1", "p2"],
    ]),
  },
  putRolesAnswer: {
    roles: effect(replace, [200, [{ identifier: "DEVELOPER" }]]),
    key: effect(replace, [200, expect.objectContaining({ prefix: "own1", roles: [{ identifier: "DEVELOPER" }] })]),
    empty: effect(replace, [204, ""]),
    accepted: effect(replace, [202, { status: "ACCEPTED" }]),
  },
  error: {
    X1: effect(refusal, [
      404,
      jsonType,
      { statusCode: 404, status: "Not Found", message, reportErrorUrl: "http://here/reference/requests" },
    ]),
    X2: effect(refusal, [
      404,
      jsonType,
      {
        timestamp: "2026-11-20T00:00:00.000+00:00",
        status: 404,
        error: "Not Found",
        message: "",
        path: "/api/accounting/accounts/acc-9",
      },
    ]),
    X3: effect(refusal, [
      404,
      "application/problem+json",
      {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: message,
        errors: [{ pointer: "#", detail: message }],
      },
    ]),
    X4: effect(refusal, [404, jsonType, { error: { code: "not_found", message } }]),
    X5: effect(refusal, [404, jsonType, { errorMessage: message }]),
    X6: effect(create({ email: "p1@acme.example" }), [
      409,
      {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        scimType: "uniqueness",
        status: "409",
        detail: 'A user with the email "p1@acme.example" is there already',
      },
    ]),
    X7: effect(refusal, [404, "text/html; charset=utf-8", expect.stringContaining("<h1>404 Not Found</h1>")]),
    X8: effect(refusal, [404, null, ""]),
    X9: effect(refusal, [404, "text/plain; charset=utf-8", message]),
    X10: effect(refusal, [404, jsonType, { success: false, data: null, error: { code: "not_found", message } }]),
  },
  errorStatus: {
    own: effect(refusal, [404, jsonType, refused(message)]),
    "200": effect(refusal, [200, jsonType, refused(message)]),
  },
};

testEffects(effects);

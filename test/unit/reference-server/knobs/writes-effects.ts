import { expect } from "vitest";
import { account, ada, create, reference, refused, search, shown, user } from "./answered.ts";
import { type Effect, type EffectsOf, effect, type Service } from "./effect.ts";

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
const prefix = expect.stringMatching(/^[A-Za-z0-9]{20}$/u);
const newKey = expect.objectContaining({ prefix });
const someKeys = (...keys: readonly object[]) => keys.map((key) => expect.objectContaining({ prefix, ...key }));
const member = (name: string, identifier: string) => ({
  identifier,
  email: `${name}@acme.example`,
  accessKey: expect.objectContaining({ prefix }),
});
const unknownUser = 'The user "nobody" was not found';
const already = 'The user "u-1" is a member of the team "Air" already';
/** The answer, and whoever is in the team then. */
const addedBy =
  (...who: readonly string[]) =>
  async (service: Service) => {
    const answer = await add(...who)(service);
    return [answer, service.server.world.teams[0]?.members.map((email) => email.split("@")[0])];
  };

const conflict = (status: number): Effect =>
  effect(
    async (service) => [
      ((await create({ email: "p1@acme.example" })(service)) as unknown[])[0],
      ((await create()(service)) as unknown[])[0],
      service.server.world.users.length,
    ],
    [status, 201, 7],
  );

export const writesEffects: EffectsOf<
  "create" | "createStatus" | "conflict" | "members" | "membersStatus" | "putRolesAnswer" | "putRolesStatus"
> = {
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
  createStatus: {
    "200": effect(create(), [200, expect.objectContaining({ identifier: "u-7", accessKeys: [newKey] })]),
    "201": effect(create(), [201, expect.objectContaining({ identifier: "u-7", accessKeys: [newKey] })]),
    "202": effect(
      async (service) => [await create()(service), await search(ada.email)(service)],
      [
        [202, expect.objectContaining({ identifier: "u-7", accessKeys: [newKey] })],
        [200, [user("ada")]],
      ],
    ),
  },
  conflict: {
    "409": conflict(409),
    "400": conflict(400),
    "422": conflict(422),
    "500": conflict(500),
    "200": effect(create({ email: "p1@acme.example" }), [200, expect.objectContaining({ identifier: "u-1" })]),
    "second-user": effect(
      async (service) => {
        const [status] = (await create({ email: "p1@acme.example" })(service)) as unknown[];
        const found = service.server.world.users.filter(({ email }) => email === "p1@acme.example");
        return [status, found.map(({ identifier }) => identifier)];
      },
      [201, ["u-1", "u-7"]],
    ),
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
  membersStatus: {
    own: effect(
      addedBy("u-2"),
      [
        [204, ""],
        ["p1", "p2"],
      ],
      { beside: { members: "M3" } },
    ),
    "200": effect(
      addedBy("u-2"),
      [
        [200, ""],
        ["p1", "p2"],
      ],
      { beside: { members: "M3" } },
    ),
    "201": effect(addedBy("u-2"), [
      [201, [member("p2", "u-2")]],
      ["p1", "p2"],
    ]),
    "204": effect(addedBy("u-2"), [
      [204, ""],
      ["p1", "p2"],
    ]),
  },
  putRolesAnswer: {
    roles: effect(replace, [200, [{ identifier: "DEVELOPER" }]]),
    key: effect(replace, [200, expect.objectContaining({ prefix: "own1", roles: [{ identifier: "DEVELOPER" }] })]),
    empty: effect(replace, [204, ""]),
    accepted: effect(replace, [202, { status: "ACCEPTED" }]),
  },
  putRolesStatus: {
    own: effect(replace, [200, [{ identifier: "DEVELOPER" }]]),
    "200": effect(replace, [200, ""], { beside: { putRolesAnswer: "empty" } }),
    "204": effect(replace, [204, ""]),
  },
};

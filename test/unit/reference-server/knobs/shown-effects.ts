import { expect } from "vitest";
import { type EffectsOf, effect, type Service } from "./effect.ts";

/** The first user of the list: p1 with a key of their own and the team key `air1`. */
async function firstUser({ get }: Service): Promise<Readonly<Record<string, unknown>>> {
  return ((await get("/users?per-page=1")).body as Record<string, unknown>[])[0] ?? {};
}

const fields =
  (...names: readonly string[]) =>
  async (service: Service) => {
    const user = await firstUser(service);
    return names.map((name) => user[name] ?? (name in user ? null : "not shown"));
  };

/** Fields of the team key of a member who is added, and of the first key in the list. */
const keyFields =
  (...names: readonly string[]) =>
  async (service: Service) => {
    const { accessKeys = [] } = (await firstUser(service)) as { accessKeys?: Record<string, unknown>[] };
    const added = (await service.post("/teams/t-air/members", [{ identifier: "u-2" }])).body as {
      accessKey: Record<string, unknown>;
    }[];
    return [added[0]?.accessKey, accessKeys[0]].map((key) => names.map((name) => key?.[name] ?? `no ${name}`));
  };

const team = { identifier: "t-air", name: "Air" };

/** The fields that tell of a team: on a new team's creation and its key, and in the list on a team key and on an own key. */
async function teamFields(service: Service): Promise<readonly (readonly unknown[])[]> {
  const created = (await service.post("/accounts/acc-1/users", {
    email: "new@acme.example",
    firstName: "N",
    lastName: "X",
    team: { name: "Sea" },
  })) as { body: { accessKeys: object[] } };
  const { accessKeys = [] } = (await firstUser(service)) as { accessKeys?: object[] };
  const fieldsOf = (shown: object | undefined) =>
    Object.entries(shown ?? {}).filter(([name]) => name.startsWith("team"));
  return [created.body, ...created.body.accessKeys, ...accessKeys].map(fieldsOf);
}

export const shownEffects: EffectsOf<
  | "showKeys"
  | "showKeyRoles"
  | "showKeyKinds"
  | "showTeams"
  | "fields"
  | "showTitles"
  | "userWords"
  | "identifiers"
  | "statusCase"
  | "times"
  | "oddities"
> = {
  showKeys: {
    accessKeys: effect(fields("accessKeys", "listAccessKeys"), [expect.any(Array), "not shown"]),
    listAccessKeys: effect(fields("accessKeys", "listAccessKeys"), ["not shown", expect.any(Array)]),
    none: effect(fields("accessKeys", "listAccessKeys"), ["not shown", "not shown"]),
  },
  showKeyRoles: {
    objects: effect(keyFields("roles"), Array(2).fill([[{ identifier: "TEAM_ROLE" }]])),
    names: effect(keyFields("roles"), Array(2).fill([["TEAM_ROLE"]])),
    null: effect(async (service) => JSON.stringify(await firstUser(service)).includes('"roles":null'), true),
    none: effect(keyFields("roles"), Array(2).fill(["no roles"])),
  },
  showKeyKinds: {
    kind: effect(keyFields("kind", "keyType", "isDefault"), [
      ["team", "no keyType", "no isDefault"],
      ["team", "no keyType", false],
    ]),
    keyType: effect(keyFields("kind", "keyType", "isDefault"), [
      ["no kind", "team", "no isDefault"],
      ["no kind", "team", false],
    ]),
    "user-or-system": effect(
      async ({ get }) => {
        const [user] = (await get("/users?per-page=1")).body as { accessKeys: Record<string, unknown>[] }[];
        return user?.accessKeys.map(({ kind, keyType, isDefault }) => [kind, keyType, isDefault]);
      },
      [
        [undefined, "user", true],
        [undefined, "user", true],
        [undefined, "system", false],
      ],
      {
        seed: {
          users: [{ email: "p1@acme.example", firstName: "P", lastName: "X" }],
          teams: [{ name: "Air", admin: "u-1", members: ["u-1"].map((user) => ({ user })) }],
          keys: [
            { prefix: "own1", owner: "u-1", kind: "user", roles: [] },
            { prefix: "project1", owner: "u-1", roles: [] },
          ],
        },
      },
    ),
    none: effect(keyFields("kind", "keyType", "isDefault"), Array(2).fill(["no kind", "no keyType", "no isDefault"])),
  },
  showTeams: {
    full: effect(keyFields("team"), [[team], [team]]),
    identifier: effect(keyFields("team"), [[{ identifier: "t-air" }], [{ identifier: "t-air" }]]),
    name: effect(keyFields("team"), [[{ name: "Air" }], [{ name: "Air" }]]),
    text: effect(keyFields("team"), [["t-air"], ["t-air"]]),
    flat: effect(teamFields, [
      [
        ["teamIdentifier", "t-1"],
        ["teamName", "Sea"],
      ],
      [
        ["teamIdentifier", "t-1"],
        ["teamName", "Sea"],
      ],
      [
        ["teamIdentifier", "t-air"],
        ["teamName", "Air"],
      ],
      [
        ["teamIdentifier", null],
        ["teamName", null],
      ],
    ]),
    teamId: effect(teamFields, [[["teamId", "t-1"]], [["teamId", "t-1"]], [["teamId", "t-air"]], [["teamId", null]]]),
    teamName: effect(teamFields, [
      [["teamName", "Sea"]],
      [["teamName", "Sea"]],
      [["teamName", "Air"]],
      [["teamName", null]],
    ]),
    "created-only": effect(keyFields("team"), [[team], ["no team"]]),
    none: effect(keyFields("team"), [["no team"], ["no team"]]),
  },
  fields: {
    none: effect(fields("account", "visited", "activeAccessKeyCount"), ["not shown", "not shown", "not shown"]),
    public: effect(
      async (service) => {
        const user = await firstUser(service);
        const [key] = user["accessKeys"] as Record<string, unknown>[];
        const [role] = (await service.get("/roles")).body as Record<string, unknown>[];
        return [user, key, role].map((shown) => Object.keys(shown ?? {}));
      },
      [
        [
          ...["identifier", "email", "status", "firstName", "lastName", "title", "externalIdentifier", "source"],
          ...["pictureURL", "visited", "onboarded", "submittedJobs", "account", "accessKeys", "activeAccessKeyCount"],
        ],
        [
          ...["prefix", "status", "kind", "team", "name", "description", "isHighPriority", "createdAt"],
          ...["lastActiveDateTime", "submittedJobs", "retrieved", "labels", "account", "user", "roles", "isDefault"],
        ],
        ["identifier", "name", "description", "type", "longDescription", "weight", "entitlements"],
      ],
    ),
  },
  showTitles: {
    yes: effect(fields("title"), ["Tp1"]),
    no: effect(fields("title"), ["not shown"]),
  },
  userWords: {
    plain: effect(fields("identifier", "email", "status"), ["u-1", "p1@acme.example", "Active"]),
    short: effect(fields("id", "emailAddress", "state"), ["u-1", "p1@acme.example", "Active"]),
    long: effect(fields("userIdentifier", "username", "active"), ["u-1", "p1@acme.example", true]),
  },
  identifiers: {
    words: effect(fields("identifier"), ["u-1"]),
    numbers: effect(
      async (service) => {
        const [identifier] = await fields("identifier")(service);
        const found = await service.post("/users/search", { identifiers: [String(identifier)] });
        return [identifier, found.body];
      },
      [10_001, [expect.objectContaining({ identifier: 10_001 })]],
      { seed: { users: [{ email: "p@acme.example", firstName: "P", lastName: "X" }] } },
    ),
  },
  statusCase: {
    capitalised: effect(fields("status"), ["Active"]),
    lower: effect(
      async (service) => [await fields("status")(service), await keyFields("status")(service)],
      [["active"], [["active"], ["active"]]],
    ),
    upper: effect(
      async ({ get }) => (await get("/accounts")).body,
      [{ identifier: "acc-1", name: "Acme", status: "ACTIVE" }],
    ),
  },
  times: {
    hidden: effect(fields("createdAt"), ["not shown"]),
    z: effect(fields("createdAt", "lastActiveDateTime"), Array(2).fill("1970-01-01T00:00:00.000Z")),
    offset: effect(fields("updatedAt"), ["1970-01-01T00:00:00.000+00:00"]),
    "basic-offset": effect(fields("updatedAt"), ["1970-01-01T00:00:00.000+0000"]),
    mixed: effect(fields("createdAt", "updatedAt", "lastActiveDateTime"), [
      "1970-01-01T00:00:00.000+0000",
      "1970-01-01T00:00:00.000+00:00",
      null,
    ]),
    epoch: effect(
      async ({ post, get }) => {
        await post("/accounts/acc-1/users", { email: "new@acme.example", firstName: "N", lastName: "X" });
        return ((await get("/users?sort-by=email&per-page=1")).body as { createdAt: unknown }[])[0]?.createdAt;
      },
      Date.UTC(2026, 10, 20),
    ),
  },
  oddities: {
    none: effect(fields("visited", "status"), ["not shown", "Active"]),
    "extra-fields": effect(
      async (service) => Object.keys(await firstUser(service)),
      [
        "identifier",
        "email",
        "status",
        "firstName",
        "lastName",
        "title",
        "externalIdentifier",
        "source",
        "accessKeys",
        "__proto__",
        "constructor",
        "visited",
        "pictureURL",
        "submittedJobs",
      ],
    ),
    nulls: effect(fields("status", "title", "source"), [null, null, null]),
    "missing-keys": effect(
      async (service) => {
        service.server.world.removeKey("own2");
        const found = await service.post("/users/search", { identifiers: ["u-1", "u-2"] });
        return (found.body as object[]).map((user) => "accessKeys" in user);
      },
      [true, false],
    ),
  },
};

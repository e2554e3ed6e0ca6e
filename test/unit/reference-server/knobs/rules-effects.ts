import type { Seed } from "../../../../src/reference-server/seed.ts";
import { type EffectsOf, effect, people, type Service } from "./effect.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

const search =
  (identifiers: readonly string[], query = "") =>
  async ({ post }: Service) => {
    const { status, body } = await post(`/users/search${query}`, { identifiers });
    return status === 200 ? people(body) : status;
  };
const create =
  (more: object = {}) =>
  async ({ post }: Service) =>
    await post("/accounts/acc-1/users", { ...ada, ...more });
const statuses = async (...answers: readonly Promise<{ readonly status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const add = ({ post }: Service, ...who: readonly string[]) =>
  post(
    "/teams/t-air/members",
    who.map((identifier) => ({ identifier })),
  );
const put = ({ put: send }: Service, prefix: string, ...roles: readonly string[]) =>
  send(
    `/access-keys/${prefix}/roles`,
    roles.map((identifier) => ({ identifier })),
  );

/** The roles of p1's team key after a first replacement and a second one. */
const rolesAfter = async (service: Service) => {
  const first = await put(service, "air1", "TEAM_ROLE", "AUDITOR");
  const second = await put(service, "air1", "DEVELOPER");
  return [first, second].map(({ status, body }) =>
    status === 200 ? (body as { identifier: string }[]).map(({ identifier }) => identifier) : status,
  );
};

const developer: Seed = {
  users: [{ email: "dev@x.example", firstName: "D", lastName: "V" }],
  keys: [{ prefix: "dev", secret: "s3cret", owner: "dev@x.example", roles: ["DEVELOPER"] }],
};

/** Users by the fields that a creation may change. */
const kept = async (service: Service) => {
  const body = {
    email: "Ada@Acme.example",
    firstName: " Ada ",
    lastName: "L ",
    title: " ",
    externalIdentifier: "x-1",
  };
  await service.post("/accounts/acc-1/users", body);
  const user = service.server.world.users.at(-1);
  return [user?.email, user?.firstName, user?.title, user?.externalIdentifier];
};

const plain = ["Ada@Acme.example", " Ada ", " ", "x-1"];

/** What is seen of a deleted user: in the list, the account, a search, and when the address is wanted again. */
const afterDeletion = async (service: Service) => {
  service.server.world.setUserStatus("u-2", "Deleted");
  const listed = people((await service.get("/users")).body).includes("p2");
  const { users } = (await service.get("/accounts/acc-1")).body as { users: unknown };
  const found = await search(["p2@acme.example"])(service);
  const [again] = await statuses(create({ email: "p2@acme.example" })(service));
  return [listed, people(users).includes("p2"), found, again];
};

const twelve: Seed = {
  users: Array.from({ length: 12 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
};
const twelveNames = Array.from({ length: 12 }, (_, n) => `n${n}`);
const twelveAddresses = twelveNames.map((name) => `${name}@x.example`);

const externals: Seed = {
  users: [
    { email: "ann@x.example", firstName: "A", lastName: "X", externalIdentifier: "ext-1" },
    { email: "joann@x.example", firstName: "J", lastName: "X" },
  ],
};
const askedExternally = search(["ann@x.example", "ext-1"]);

const firstMember =
  (team: object) =>
  async (service: Service): Promise<unknown> => {
    const { accessKeys } = (await create({ team })(service)).body as { accessKeys: { roles: object[] }[] };
    return accessKeys[0]?.roles.map((role) => Object.values(role)[0]);
  };

/** Adding p1 once more: the status, the mails, and who is a member then. */
const addedAgain = async (service: Service) => {
  const { status } = await add(service, "u-1");
  return [status, service.server.outbox.length, service.server.world.teams[0]?.members.length];
};

export const rulesEffects: EffectsOf<
  | "searchMatch"
  | "searchPages"
  | "searchMaxIdentifiers"
  | "searchOverMax"
  | "match"
  | "emailCase"
  | "externalId"
  | "texts"
  | "maxTitle"
  | "deleted"
  | "firstMemberRoles"
  | "putRoles"
  | "roleKinds"
  | "memberIdentifiers"
  | "readd"
  | "credentialScope"
  | "authOnAccounts"
  | "readers"
> = {
  searchMatch: {
    exact: effect(askedExternally, ["ann"], { seed: externals }),
    external: effect(search(["ext-1"]), ["ann"], { seed: externals }),
    fuzzy: effect(search(["Ann@x.example"]), ["ann", "joann"], { seed: externals }),
  },
  searchPages: {
    whole: effect(search(twelveAddresses), twelveNames, { seed: twelve }),
    paged: effect(
      async (service) => [await search(twelveAddresses)(service), await search(twelveAddresses, "?page=2")(service)],
      [twelveNames.slice(0, 10), twelveNames.slice(10)],
      { seed: twelve },
    ),
    "first-ten": effect(search(twelveAddresses), twelveNames.slice(0, 10), { seed: twelve }),
  },
  searchMaxIdentifiers: { 2: effect(search(["u-1", "u-2", "u-3"]), ["p1", "p2"]) },
  searchOverMax: {
    drop: effect(search(["u-1", "u-2", "u-3"]), ["p1", "p2"], { beside: { searchMaxIdentifiers: 2 } }),
    reject: effect(search(["u-1", "u-2", "u-3"]), 400, { beside: { searchMaxIdentifiers: 2 } }),
  },
  match: {
    ci: effect(
      async (service) => [
        await search(["P1@acme.example"])(service),
        await statuses(create({ email: "P1@acme.example" })(service)),
      ],
      [["p1"], [409]],
    ),
    exact: effect(
      async (service) => {
        const before = await search(["P1@acme.example"])(service);
        const [created] = await statuses(create({ email: "P1@acme.example" })(service));
        return [before, created, await search(["P1@acme.example", "p1@acme.example"])(service)];
      },
      [[], 201, ["P1", "p1"]],
    ),
  },
  emailCase: {
    preserve: effect(kept, plain),
    lower: effect(kept, ["ada@acme.example", ...plain.slice(1)]),
  },
  externalId: {
    keep: effect(kept, plain),
    email: effect(kept, [...plain.slice(0, 3), "Ada@Acme.example"]),
  },
  texts: {
    keep: effect(kept, plain),
    trim: effect(kept, ["Ada@Acme.example", "Ada", null, "x-1"]),
    "drop-title": effect(kept, ["Ada@Acme.example", " Ada ", null, "x-1"]),
  },
  maxTitle: {
    3: effect(
      async (service) => [
        (await create({ title: "Lady" })(service)).status,
        (await create({ title: "Sir" })(service)).status,
      ],
      [400, 201],
    ),
  },
  deleted: {
    visible: effect(afterDeletion, [true, true, ["p2"], 409]),
    "hidden-but-blocks": effect(afterDeletion, [false, false, [], 409]),
    reusable: effect(
      async (service) => [await afterDeletion(service), await search(["p2@acme.example"])(service)],
      [[false, false, [], 201], ["p2"]],
    ),
  },
  firstMemberRoles: {
    TEAM_ROLE: effect(firstMember({ accessKeyRoles: ["DEVELOPER"] }), ["TEAM_ROLE", "DEVELOPER"]),
    "ACCOUNT_ADMIN+TEAM_ROLE": effect(firstMember({ accessKeyRoles: ["DEVELOPER"] }), [
      "ACCOUNT_ADMIN",
      "TEAM_ROLE",
      "DEVELOPER",
    ]),
  },
  putRoles: {
    replace: effect(rolesAfter, [["TEAM_ROLE", "AUDITOR"], ["DEVELOPER"]]),
    "keep-TEAM_ROLE": effect(rolesAfter, [
      ["TEAM_ROLE", "AUDITOR"],
      ["TEAM_ROLE", "DEVELOPER"],
    ]),
    merge: effect(rolesAfter, [
      ["TEAM_ROLE", "AUDITOR"],
      ["TEAM_ROLE", "AUDITOR", "DEVELOPER"],
    ]),
    "reject-without-TEAM_ROLE": effect(rolesAfter, [["TEAM_ROLE", "AUDITOR"], 400]),
  },
  roleKinds: {
    free: effect(
      (service) => statuses(put(service, "own1", "PROJECT"), put(service, "air1", "SYSTEM_OWNER")),
      [200, 200],
    ),
    strict: effect(
      async (service) => {
        const project = service.server.world.addProjectKey("u-1", []);
        return await statuses(
          put(service, "own1", "PROJECT"),
          put(service, "air1", "SYSTEM_OWNER"),
          put(service, project, "DEVELOPER"),
          put(service, project, "PROJECT"),
          put(service, "own1", "SYSTEM_OWNER"),
        );
      },
      [400, 400, 400, 200, 200],
    ),
  },
  memberIdentifiers: {
    both: effect((service) => statuses(add(service, "u-2"), add(service, "p3@acme.example")), [200, 200]),
    identifier: effect((service) => statuses(add(service, "u-2"), add(service, "p3@acme.example")), [200, 404]),
    email: effect((service) => statuses(add(service, "u-2"), add(service, "p3@acme.example")), [404, 200]),
  },
  readd: {
    "409": effect(addedAgain, [409, 0, 1]),
    noop: effect(addedAgain, [200, 0, 1]),
    reinvite: effect(addedAgain, [200, 1, 1]),
    remove: effect(addedAgain, [200, 0, 0]),
  },
  credentialScope: {
    all: effect(async ({ get }) => people((await get("/users")).body).length, 6),
    team: effect(
      async (service) => {
        service.server.world.addMember("Air", "root@reference.example");
        return [people((await service.get("/users")).body), await search(["u-4"])(service)];
      },
      [["p1", "root"], ["p4"]],
    ),
  },
  authOnAccounts: {
    required: effect(openLists, [401, 401, 401, 401]),
    "not-required": effect(openLists, [200, 200, 401, 401]),
  },
  readers: {
    administrators: effect(withDeveloperKey, [403, 403, 403, 401], { seed: developer }),
    all: effect(withDeveloperKey, [200, 200, 403, 401], { seed: developer }),
  },
};

/** A list, a search and a change with a key of no administrator, and a list with a wrong one. */
async function withDeveloperKey({ server }: Service): Promise<readonly number[]> {
  const ask = (route: string, method: string, body?: unknown, key = "dev.s3cret") =>
    fetch(`${server.endpoint}/api/accounting/${route}`, {
      method,
      headers: { authorization: `ApiKey ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const search = ask("users/search", "POST", { identifiers: ["dev@x.example"] });
  const change = ask("access-keys/dev/roles", "PUT", []);
  return await statuses(ask("users", "GET"), search, change, ask("users", "GET", undefined, "dev.wrong"));
}

/** The lists of accounts, roles and users without a key, and the accounts with a wrong one. */
async function openLists({ server }: Service): Promise<readonly number[]> {
  const ask = (route: string, headers: Record<string, string> = {}) =>
    fetch(`${server.endpoint}/api/accounting/${route}`, { headers });
  return await statuses(ask("accounts"), ask("roles"), ask("users"), ask("accounts", { authorization: "ApiKey a.b" }));
}

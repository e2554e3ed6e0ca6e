import { expect, test } from "vitest";
import { countingIdentifiers } from "../../../src/reference-server/identifiers.ts";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { World } from "../../../src/reference-server/world.ts";
import { people, type Service, startedService } from "./knobs/effect.ts";

const minute = 60_000;
const bo = { email: "bo@acme.example", firstName: "Bo", lastName: "D" };
const seed: Seed = {
  users: [bo],
  teams: [{ identifier: "t-air", name: "Air", admin: bo.email }],
  keys: [{ prefix: "own1", owner: bo.email, kind: "user", roles: ["TEAM_ROLE"] }],
};

interface Shown {
  readonly email: string;
  readonly accessKeys: readonly { readonly prefix: string; readonly roles: readonly { identifier: string }[] }[];
}

/** Each person with the roles of each of their keys. */
function withRoles(rows: unknown): readonly string[] {
  return (rows as readonly Shown[]).map(({ email, accessKeys }) =>
    [email.split("@")[0], ...accessKeys.map(({ roles }) => roles.map(({ identifier }) => identifier).join("+"))].join(
      " ",
    ),
  );
}

/** What the four reads show of three writes: a new person, a membership, and new roles. */
async function shown({ get, post }: Service) {
  const identifiers = ["ada@acme.example", bo.email];
  const [list, search, details] = [
    await get("/users?sort-by=email&per-page=2"),
    await post("/users/search", { identifiers }),
    await get("/accounts/acc-1"),
  ];
  return {
    list: withRoles(list.body),
    search: withRoles(search.body),
    details: people((details.body as { users: unknown }).users),
  };
}

const before = {
  list: ["bo TEAM_ROLE", "root SYSTEM_OWNER"],
  search: ["bo TEAM_ROLE"],
  details: ["bo", "root"],
};
const everything = {
  list: ["ada TEAM_ROLE", "bo AUDITOR TEAM_ROLE"],
  search: ["ada TEAM_ROLE", "bo AUDITOR TEAM_ROLE"],
  details: ["bo", "root", "ada"],
};
const withoutKeys = ["ada", "bo TEAM_ROLE"];

const lags = [0, 1, 30_000, 30 * minute];
const kinds: readonly [keyof Knobs, object][] = [
  // Roles are of the key, whatever else lags.
  ["listLagMs", { list: ["bo AUDITOR", "root SYSTEM_OWNER"] }],
  ["searchLagMs", { search: ["bo AUDITOR"] }],
  ["detailLagMs", { details: before.details }],
  ["shownKeyLagMs", { list: withoutKeys, search: withoutKeys }],
];

test.each(kinds.flatMap(([knob, hidden]) => lags.map((lag) => ({ knob, lag, hidden }))))(
  "$knob of $lag ms holds for its own reads alone",
  async ({ knob, lag, hidden }) => {
    const service = await startedService(seed, { [knob]: lag });
    expect(await shown(service)).toEqual(before);
    await service.post("/accounts/acc-1/users", { email: "ada@acme.example", firstName: "Ada", lastName: "L" });
    await service.post("/teams/t-air/members", [{ identifier: bo.email }]);
    await service.put("/access-keys/own1/roles", [{ identifier: "AUDITOR" }]);
    const meanwhile = lag === 0 ? everything : { ...everything, ...hidden };
    expect(await shown(service)).toEqual(meanwhile);
    service.pass(Math.max(0, lag - 1));
    expect(await shown(service)).toEqual(meanwhile);
    service.pass(1);
    expect(await shown(service)).toEqual(everything);
  },
);

test("a key remembers former roles no longer than reads may show them", () => {
  const world = new World(countingIdentifiers(1));
  const account = world.addAccount("acc-1", "Acme", "Active");
  const key = world.addKey({ kind: "user", owner: world.addUser({ ...bo, account }), roles: ["A"] });
  const kept = [1000, 1400, 1900, 2400].map((at) => {
    world.setRoles(key, [`of ${at}`], { at, lag: 1000 });
    return key.formerRoles.map(({ roles }) => roles.join());
  });
  expect(kept).toEqual([["A"], ["A", "of 1000"], ["A", "of 1000", "of 1400"], ["of 1400", "of 1900"]]);
  world.setRoles(key, [], { at: 2500, lag: 0 });
  expect(key.formerRoles).toEqual([]);
});

test("of several new lists of roles each shows in its turn, and what others do shows at once", async () => {
  const { get, put, pass, server } = await startedService(seed, { shownKeyLagMs: 1000 });
  const roles = async () => withRoles((await get("/users?sort-by=email&per-page=1")).body)[0];
  const seen = [await roles()];
  for (const role of ["AUDITOR", "DEVELOPER", "PROJECT"]) {
    await put("/access-keys/own1/roles", [{ identifier: role }]);
    pass(400);
    seen.push(await roles());
  }
  for (let time = 0; time < 3; time += 1) {
    pass(400);
    seen.push(await roles());
  }
  expect(seen).toEqual([
    "bo TEAM_ROLE",
    "bo TEAM_ROLE",
    "bo TEAM_ROLE",
    "bo AUDITOR",
    "bo DEVELOPER",
    "bo PROJECT",
    "bo PROJECT",
  ]);
  await put("/access-keys/own1/roles", []);
  server.world.setKeyRoles("own1", ["DEVELOPER"]);
  expect(await roles()).toBe("bo DEVELOPER");
});

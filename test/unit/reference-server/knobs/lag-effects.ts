import { type EffectsOf, effect, people, type Service } from "./effect.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };
const create = ({ post }: Service) => post("/accounts/acc-1/users", { ...ada, team: { name: "Sea" } });

/** What is seen of something new at once and five seconds later. */
const later = (see: (service: Service) => Promise<unknown>) => async (service: Service) => {
  await create(service);
  await service.post("/teams/t-air/members", [{ identifier: "u-2" }]);
  const before = await see(service);
  service.pass(4_999);
  const almost = await see(service);
  service.pass(1);
  return [before, almost, await see(service)];
};

const newKey = (service: Service) => service.server.world.users.at(-1)?.accessKeys[0]?.prefix;
const putNewKey = async (service: Service) => (await service.put(`/access-keys/${newKey(service)}/roles`, [])).status;
const addTo = (team: string, identifier: string) => async (service: Service) =>
  (await service.post(`/teams/${team}/members`, [{ identifier }])).status;

/** People and how many keys they show. */
const withKeys = (rows: unknown) =>
  people(rows).map((name, index) => `${name} ${(rows as { accessKeys: unknown[] }[])[index]?.accessKeys.length}`);

export const lagEffects: EffectsOf<
  | "searchLagMs"
  | "listLagMs"
  | "detailLagMs"
  | "shownKeyLagMs"
  | "keyLagMs"
  | "keyLagStatus"
  | "teamLagMs"
  | "memberLagMs"
> = {
  searchLagMs: {
    5000: effect(
      later(async ({ post }) => withKeys((await post("/users/search", { identifiers: [ada.email, "u-2"] })).body)),
      [["p2 1"], ["p2 1"], ["ada 1", "p2 2"]],
    ),
  },
  listLagMs: {
    5000: effect(
      later(async ({ get }) => withKeys((await get("/users?sort-by=email&per-page=3")).body)),
      [
        ["p1 2", "p2 1", "p3 1"],
        ["p1 2", "p2 1", "p3 1"],
        ["ada 1", "p1 2", "p2 2"],
      ],
    ),
  },
  detailLagMs: {
    5000: effect(
      later(async ({ get }) => ((await get("/accounts/acc-1")).body as { users: unknown[] }).users.length),
      [6, 6, 7],
    ),
  },
  shownKeyLagMs: {
    5000: effect(
      later(async ({ post }) => withKeys((await post("/users/search", { identifiers: [ada.email, "u-2"] })).body)),
      [
        ["ada 0", "p2 1"],
        ["ada 0", "p2 1"],
        ["ada 1", "p2 2"],
      ],
    ),
  },
  keyLagMs: { 5000: effect(later(putNewKey), [404, 404, 200]) },
  keyLagStatus: {
    "404": effect(later(putNewKey), [404, 404, 200], { beside: { keyLagMs: 5000 } }),
    "400": effect(later(putNewKey), [400, 400, 200], { beside: { keyLagMs: 5000 } }),
  },
  teamLagMs: { 5000: effect(later(addTo("t-1", "u-3")), [404, 404, 200]) },
  memberLagMs: { 5000: effect(later(addTo("t-air", ada.email)), [404, 404, 200]) },
};

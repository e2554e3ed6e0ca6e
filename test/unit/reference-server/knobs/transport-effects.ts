import { expect } from "vitest";
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

/** What came of some requests to a list: statuses, or how the connection ended. */
const reads =
  (times: number) =>
  async (service: Service): Promise<unknown> => {
    const outcomes: unknown[] = [];
    for (let time = 0; time < times; time += 1) outcomes.push(await outcome(service.get("/users?per-page=1")));
    return outcomes;
  };

async function outcome(answer: Promise<{ readonly status: number }>): Promise<unknown> {
  return await answer.then(
    ({ status }) => status,
    () => "no answer",
  );
}

/** What came of a creation, and how many users there are then. */
const created = async (service: Service) => [await outcome(create(service)), service.server.world.users.length];

/** What comes within a while: the status, if the headers came, and whether the body ended. */
async function slowly({ server }: Service): Promise<readonly [number | "nothing", "whole" | "cut", number]> {
  const signal = AbortSignal.timeout(60);
  const headers = { authorization: `ApiKey ${server.key}`, "content-type": "application/json" };
  const address = `${server.endpoint}/api/accounting/accounts/acc-1/users`;
  let status: number | "nothing" = "nothing";
  try {
    const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(ada), signal });
    status = response.status;
    await response.text();
    return [status, "whole", server.world.users.length];
  } catch {
    return [status, "cut", server.world.users.length];
  }
}

const flaky = async ({ get }: Service) => {
  const { status, headers } = await get("/users");
  return [status, headers.get("retry-after")];
};
const everyRead = { beside: { flaky: ["reads@all"], retryAfterSeconds: 3 } } as const;

const redirected = async (service: Service) => {
  const { status, headers } = await service.get("/users?per-page=1");
  return [status, headers.get("location")?.replace(/localhost:\d+/u, "other")];
};
const followed = async (service: Service) => {
  const there = (await service.get("/users?per-page=1")).headers.get("location") ?? "";
  const followedTo = there.replace("http://here", service.server.endpoint);
  return [people((await service.get(followedTo)).body), service.server.requests.at(-1)?.path];
};
const moved = "/moved/api/accounting/users?per-page=1";

const elevenUsers = {
  users: Array.from({ length: 11 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
};
const bothPaths = async ({ get, server }: Service) => {
  const answers = [await get("/users"), await get(`${server.endpoint}/modzy/api/accounting/users`)];
  return answers.map(({ status, headers }) => [status, headers.get("link")?.split(", ")[1] ?? null]);
};

export const transportEffects: EffectsOf<
  | "searchLagMs"
  | "listLagMs"
  | "keyLagMs"
  | "keyLagStatus"
  | "teamLagMs"
  | "memberLagMs"
  | "latencyMs"
  | "flaky"
  | "flakyStatus"
  | "retryAfter"
  | "retryAfterSeconds"
  | "dropResponse"
  | "dropResponseAs"
  | "hang"
  | "hangBody"
  | "reset"
  | "html200"
  | "redirect"
  | "redirectStatus"
  | "redirectTo"
  | "maxBodyBytes"
  | "basePath"
> = {
  searchLagMs: {
    5000: effect(
      later(async ({ post }) => withKeys((await post("/users/search", { identifiers: [ada.email, "u-2"] })).body)),
      [["p2 1"], ["p2 1"], ["ada 1", "p2 2"]],
    ),
  },
  listLagMs: {
    5000: effect(
      later(async ({ get }) => {
        const { users } = (await get("/accounts/acc-1")).body as { users: unknown[] };
        return [users.length, withKeys((await get("/users?sort-by=email&per-page=3")).body)];
      }),
      [
        [6, ["p1 2", "p2 1", "p3 1"]],
        [6, ["p1 2", "p2 1", "p3 1"]],
        [7, ["ada 1", "p1 2", "p2 2"]],
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
  latencyMs: {
    40: effect(async (service) => {
      const began = performance.now();
      await service.get("/roles");
      return performance.now() - began >= 39;
    }, true),
  },
  flaky: {
    "list@2": effect(reads(3), [200, 503, 200]),
    "list@first-2": effect(reads(3), [503, 503, 200]),
    "list@from-2": effect(reads(3), [200, 503, 503]),
    "reads@every-2,list@3": effect(reads(4), [200, 503, 503, 503]),
    "any@all": effect(reads(2), [503, 503]),
    "writes@1": effect(async (service) => [await reads(1)(service), await created(service)], [[200], [503, 6]]),
  },
  flakyStatus: {
    "503": effect(flaky, [503, "3"], everyRead),
    "429": effect(flaky, [429, "3"], everyRead),
    "403": effect(
      async ({ get }) => (await get("/users")).body,
      expect.objectContaining({
        statusCode: 403,
        message: "You have exceeded a secondary rate limit",
      }),
      everyRead,
    ),
    "401": effect(flaky, [401, "3"], everyRead),
    "400": effect(flaky, [400, "3"], everyRead),
    "408": effect(flaky, [408, "3"], everyRead),
    "500": effect(flaky, [500, "3"], everyRead),
    "502": effect(flaky, [502, "3"], everyRead),
    "504": effect(flaky, [504, "3"], everyRead),
  },
  retryAfter: {
    seconds: effect(flaky, [503, "3"], everyRead),
    date: effect(flaky, [503, "Fri, 20 Nov 2026 00:00:03 GMT"], everyRead),
    none: effect(flaky, [503, null], everyRead),
  },
  retryAfterSeconds: { 7: effect(flaky, [503, "7"], { beside: { flaky: ["list@1"] } }) },
  dropResponse: {
    "create@1": effect(created, ["no answer", 7]),
    "members@1": effect(
      async (service) => [
        await outcome(service.post("/teams/t-air/members", [{ identifier: "u-2" }])),
        service.server.outbox.length,
      ],
      ["no answer", 1],
    ),
  },
  dropResponseAs: {
    reset: effect(created, ["no answer", 7], { beside: { dropResponse: ["create@1"] } }),
    "502": effect(created, [502, 7], { beside: { dropResponse: ["create@1"] } }),
    "504": effect(created, [504, 7], { beside: { dropResponse: ["create@1"] } }),
  },
  hang: { "create@1": effect(slowly, ["nothing", "cut", 7]) },
  hangBody: { "create@1": effect(slowly, [201, "cut", 7]) },
  reset: { "create@1": effect(created, ["no answer", 6]) },
  html200: {
    "list@1": effect(
      async ({ get }) => {
        const { status, headers, body } = await get("/users");
        return [status, headers.get("content-type"), String(body).includes("Sign in")];
      },
      [200, "text/html; charset=utf-8", true],
    ),
  },
  redirect: { "list@all": effect(redirected, [301, `http://here${moved}`]) },
  redirectStatus: {
    "301": effect(redirected, [301, `http://here${moved}`], { beside: { redirect: ["list@all"] } }),
    "302": effect(redirected, [302, `http://here${moved}`], { beside: { redirect: ["list@all"] } }),
    "303": effect(redirected, [303, `http://here${moved}`], { beside: { redirect: ["list@all"] } }),
    "307": effect(redirected, [307, `http://here${moved}`], { beside: { redirect: ["list@all"] } }),
    "308": effect(redirected, [308, `http://here${moved}`], { beside: { redirect: ["list@all"] } }),
  },
  redirectTo: {
    same: effect(followed, [["p1"], "/moved/api/accounting/users"], { beside: { redirect: ["list@all"] } }),
    other: effect(
      async (service) => {
        const told = await redirected(service);
        const seen = await followed(service);
        return [
          told,
          seen,
          service.server.requests.at(-1)?.host.split(":")[0],
          service.server.requests.at(-1)?.sentKey,
        ];
      },
      [[301, `http://other${moved}`], [["p1"], "/moved/api/accounting/users"], "localhost", true],
      { beside: { redirect: ["list@all"] } },
    ),
  },
  basePath: {
    root: effect(bothPaths, [
      [200, expect.stringContaining("last")],
      [404, null],
    ]),
    modzy: effect(
      bothPaths,
      [
        [404, null],
        [200, '<http://here/modzy/api/accounting/users?page=2&per-page=10>; rel="next"'],
      ],
      { seed: elevenUsers },
    ),
  },
  maxBodyBytes: { 20: effect(created, [413, 6]) },
};

import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { type EffectsOf, effect, people, type Service } from "./effect.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };
const create = ({ post }: Service) => post("/accounts/acc-1/users", { ...ada, team: { name: "Sea" } });

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

/** What came of a creation that is given up a moment after it was served: the status, how its body ended, the users then. */
async function givenUpServed({ server }: Service): Promise<readonly [number | "nothing", "whole" | "cut", number]> {
  const { promise, giveUp } = slowCreation(server);
  const before = server.world.users.length;
  while (server.world.users.length === before) await pause(1);
  await pause(40);
  giveUp();
  return [...(await promise), server.world.users.length];
}

/** The same, given up a moment after its headers came. */
async function givenUpAnswered({ server }: Service): Promise<readonly [number | "nothing", "whole" | "cut", number]> {
  const { promise, headers, giveUp } = slowCreation(server);
  await headers;
  await pause(40);
  giveUp();
  return [...(await promise), server.world.users.length];
}

function slowCreation(server: Service["server"]) {
  const controller = new AbortController();
  const headers = fetch(`${server.endpoint}/api/accounting/accounts/acc-1/users`, {
    method: "POST",
    headers: { authorization: `ApiKey ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify(ada),
    signal: controller.signal,
  });
  const promise = headers.then(
    async (response) => {
      const end = await response.text().then(
        () => "whole" as const,
        () => "cut" as const,
      );
      return [response.status, end] as const;
    },
    () => ["nothing", "cut"] as const,
  );
  return { promise, headers, giveUp: () => controller.abort() };
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

const twoAdministrators = {
  users: [{ email: "root@x.example", firstName: "R", lastName: "T" }],
  keys: ["first", "other"].map((prefix) => ({
    prefix,
    secret: "s3cret",
    owner: "root@x.example",
    roles: ["SYSTEM_OWNER"],
  })),
};

const elevenUsers = {
  users: Array.from({ length: 11 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
};
const bothPaths = async ({ get, server }: Service) => {
  const answers = [await get("/users"), await get(`${server.endpoint}/modzy/api/accounting/users`)];
  return answers.map(({ status, headers }) => [status, headers.get("link")?.split(", ")[1] ?? null]);
};

export const transportEffects: EffectsOf<
  | "latencyMs"
  | "flaky"
  | "throttleAfterEffect"
  | "flakyStatus"
  | "retryAfter"
  | "retryAfterSeconds"
  | "revokeKey"
  | "crossedAnswer"
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
  latencyMs: {
    // So long that no busy machine takes as long by itself.
    400: effect(async (service) => {
      const began = performance.now();
      await service.get("/roles");
      return performance.now() - began >= 399;
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
  throttleAfterEffect: {
    "create@1": effect(
      async (service) => {
        const { status, headers } = await create(service);
        const done = [service.server.world.users.length, service.server.world.teams.length];
        return [status, headers.get("retry-after"), ...done, service.server.requests.at(-1)?.status];
      },
      [429, "4", 7, 2, 429],
      { beside: { flakyStatus: "429", retryAfterSeconds: 4 } },
    ),
    "create@all": effect(
      async ({ post, server }) => {
        const answers: unknown[] = [];
        for (const flakyStatus of ["503", "429", "403", "401", "400", "408", "500", "502", "504"] as const) {
          server.setKnobs({ flakyStatus, retryAfter: "none" });
          const email = `${flakyStatus}@acme.example`;
          const { status, headers } = await post("/accounts/acc-1/users", { ...ada, email });
          answers.push([status, headers.get("retry-after")]);
        }
        return [answers, server.world.users.length];
      },
      [[503, 429, 403, 429, 429, 429, 429, 429, 429].map((status) => [status, "1"]), 15],
    ),
    "writes@every-2": effect(
      async (service) => {
        const add = (identifier: string) => outcome(service.post("/teams/t-air/members", [{ identifier }]));
        const statuses = [await add("u-2"), await add("u-3"), await add("u-4"), await add("u-5")];
        return [statuses, service.server.outbox.length, await outcome(service.get("/users"))];
      },
      [[200, 503, 200, 503], 4, 200],
    ),
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
  revokeKey: {
    "any@2": effect(
      async ({ get }) => {
        const other = { authorization: "ApiKey other.s3cret" };
        const answers = [await get("/users"), await get("/roles"), await get("/users"), await get("/users", other)];
        return answers.map(({ status }) => status);
      },
      [200, 401, 401, 200],
      { seed: twoAdministrators },
    ),
  },
  crossedAnswer: {
    "create@2,create@4": effect(
      async ({ post, server }) => {
        const send = async (name: string) => {
          const { status, body } = await post("/accounts/acc-1/users", { ...ada, email: `${name}@acme.example` });
          return [status, (body as { email?: string }).email];
        };
        const answers = [await send("ada"), await send("bo"), await send("bo"), await send("cy")];
        return [answers, server.world.users.slice(-3).map(({ email }) => email)];
      },
      [
        [
          [201, "ada@acme.example"],
          [201, "ada@acme.example"],
          [409, undefined],
          [201, "bo@acme.example"],
        ],
        ["ada@acme.example", "bo@acme.example", "cy@acme.example"],
      ],
    ),
    "writes@from-1": effect(
      async ({ post, put }) => {
        const replace = async (prefix: string) => {
          const { body } = await put(`/access-keys/${prefix}/roles`, []);
          return (body as { prefix: string }).prefix;
        };
        const refused = (await post("/teams/t-nowhere/members", [{ identifier: "u-2" }])).status;
        return [await replace("own1"), await replace("own2"), await replace("own3"), refused];
      },
      ["own1", "own1", "own2", 404],
      { beside: { putRolesAnswer: "key" } },
    ),
  },
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
  hang: { "create@1": effect(givenUpServed, ["nothing", "cut", 7]) },
  hangBody: { "create@1": effect(givenUpAnswered, [201, "cut", 7]) },
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

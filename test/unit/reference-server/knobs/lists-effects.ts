import { expect } from "vitest";
import { type EffectsOf, effect, people, type Service } from "./effect.ts";

const list =
  (query: string) =>
  async ({ get }: Service) => {
    const { status, body } = await get(`/users${query}`);
    return status === 200 ? people(body) : status;
  };

const linked =
  (query: string) =>
  async ({ get }: Service) => {
    const link = (await get(`/users${query}`)).headers.get("link") ?? "no Link";
    return [...link.matchAll(/<([^>]*)>; rel="(?:next|no)"/gu)].map((match) => match[1] ?? "")[0] ?? link.slice(0, 7);
  };

const body =
  (query: string) =>
  async ({ get }: Service) =>
    (await get(`/roles${query}`)).body;

const totals =
  (query: string) =>
  async ({ get }: Service) => {
    const { headers, body: told } = await get(`/users${query}`);
    return [headers.get("x-total-count"), (told as { total?: number }).total];
  };

const [page1, page2, page3] = [
  ["p1", "p2"],
  ["p3", "p4"],
  ["p5", "root"],
];
const role = (identifier: string) => expect.objectContaining({ identifier });
const [owner, admin] = [role("SYSTEM_OWNER"), role("ACCOUNT_ADMIN")];
const path = "/api/accounting/users";
const here = `http://here${path}`;

/** What several requests see, one after the other. */
const each =
  (...sees: readonly ((service: Service) => Promise<unknown>)[]) =>
  async (service: Service) => {
    const all: unknown[] = [];
    for (const see of sees) all.push(await see(service));
    return all;
  };

/** Whether the order changes over a few requests, and who is in it. */
const orders = (query: string) => async (service: Service) => {
  const seen = new Set<string>();
  for (let times = 0; times < 8; times += 1) seen.add(JSON.stringify(await list(query)(service)));
  return { orders: seen.size > 1 ? "several" : "one", everybody: (await list(query)(service))?.toString().length };
};

export const listsEffects: EffectsOf<
  | "pageBase"
  | "maxPerPage"
  | "overMaxPerPage"
  | "pastEnd"
  | "emptyPage"
  | "repeatedRows"
  | "repeatedAs"
  | "order"
  | "sortable"
  | "sortUnknown"
  | "envelope"
  | "laterEnvelope"
  | "link"
  | "total"
  | "roleList"
> = {
  pageBase: {
    "one-alias": effect(each(list("?page=0&per-page=2"), list("?page=1&per-page=2")), [page1, page1]),
    "one-strict": effect(each(list("?page=0&per-page=2"), list("?page=1&per-page=2")), [400, page1]),
    "one-empty": effect(each(list("?page=0&per-page=2"), list("?page=1&per-page=2")), [[], page1]),
    zero: effect(each(list("?page=0&per-page=2"), list("?page=1&per-page=2")), [page1, page2]),
    ignored: effect(each(list("?page=0&per-page=2"), list("?page=2&per-page=2"), list("?page=9")), [
      page1,
      page1,
      [...page1, ...page2, ...page3],
    ]),
  },
  maxPerPage: { 4: effect(list("?per-page=5"), [...page1, ...page2]) },
  overMaxPerPage: {
    clamp: effect(list("?per-page=5"), page1, { beside: { maxPerPage: 2 } }),
    reject: effect(list("?per-page=5"), 400, { beside: { maxPerPage: 2 } }),
    ignore: effect(async ({ get }) => people((await get("/users?per-page=12")).body).length, 10, {
      beside: { maxPerPage: 11 },
      seed: {
        users: Array.from({ length: 12 }, (_, n) => ({ email: `n${n}@acme.example`, firstName: "N", lastName: "N" })),
      },
    }),
  },
  pastEnd: {
    empty: effect(list("?page=4&per-page=2"), []),
    "404": effect(list("?page=4&per-page=2"), 404),
    "400": effect(list("?page=4&per-page=2"), 400),
    "last-again": effect(list("?page=4&per-page=2"), page3),
  },
  emptyPage: {
    2: effect(
      each(
        list("?per-page=2&page=1"),
        list("?per-page=2&page=2"),
        list("?per-page=2&page=3"),
        list("?per-page=2&page=4"),
        linked("?per-page=2&page=3"),
      ),
      [page1, [], page2, page3, `${here}?per-page=2&page=4`],
    ),
  },
  repeatedRows: {
    1: effect(each(list("?per-page=2&page=1"), list("?per-page=2&page=2")), [page1, ["p2", ...page2]]),
  },
  repeatedAs: {
    same: effect(list("?per-page=2&page=2"), ["p2", ...page2], { beside: { repeatedRows: 1 } }),
    "upper-case": effect(list("?per-page=2&page=2"), ["P2", ...page2], { beside: { repeatedRows: 1 } }),
  },
  order: {
    stable: effect(orders("?sort-by=lastName"), { orders: "one", everybody: 19 }),
    "shuffle-ties": effect(each(orders("?sort-by=lastName"), orders("?sort-by=email"), orders("")), [
      { orders: "several", everybody: 19 },
      { orders: "one", everybody: 19 },
      { orders: "several", everybody: 19 },
    ]),
    shuffle: effect(orders("?sort-by=email"), { orders: "several", everybody: 19 }),
  },
  sortable: {
    all: effect(list("?sort-by=email&direction=DESC&per-page=2"), ["root", "p5"]),
    none: effect(list("?sort-by=email"), 400),
  },
  sortUnknown: {
    "400": effect(list("?sort-by=shoe"), 400),
    "500": effect(list("?sort-by=shoe"), 500),
    ignore: effect(list("?sort-by=shoe,lastName&per-page=2"), ["root", "p1"]),
  },
  envelope: {
    L1: effect(body("?per-page=2"), [owner, admin]),
    L2: effect(body("?per-page=2"), {
      content: [owner, admin],
      number: 0,
      size: 2,
      numberOfElements: 2,
      totalElements: 7,
      totalPages: 4,
      first: true,
      last: false,
    }),
    L3: effect(body("?per-page=2"), {
      content: [owner, admin],
      page: { size: 2, number: 0, totalElements: 7, totalPages: 4 },
    }),
    L4: effect(body("?per-page=2"), {
      data: [owner, admin],
      meta: { page: 1, per_page: 2, total: 7 },
      links: { next: "http://here/api/accounting/roles?per-page=2&page=2" },
    }),
    L5: effect(body("?per-page=2"), { items: [owner, admin], total: 7 }),
    L6: effect(body("?per-page=2&page=4"), {
      count: 7,
      next: null,
      previous: "http://here/api/accounting/roles?per-page=2&page=3",
      results: [role("PROJECT")],
    }),
    L7: effect(body("?per-page=2"), { start: 0, limit: 2, length: 2, total: 7, roles: [owner, admin] }),
    L8: effect(body("?per-page=2"), { totalResults: 7, startIndex: 1, itemsPerPage: 2, Resources: [owner, admin] }),
    L9: effect(body("?per-page=2"), {
      _embedded: { roles: [owner, admin] },
      _links: { next: { href: "http://here/api/accounting/roles?per-page=2&page=2" } },
      page: { size: 2, number: 0, totalElements: 7, totalPages: 4 },
    }),
    L10: effect(body("?per-page=2"), { success: true, data: { items: [owner, admin] }, error: null }),
    named: effect(body("?per-page=2"), { roles: [owner, admin] }),
    unknown: effect(body("?per-page=2"), { payload: { rows: [owner, admin] } }),
  },
  laterEnvelope: Object.fromEntries(
    [
      ["same", []],
      ["L1", []],
      ["L2", ["content", "first", "last", "number", "numberOfElements", "size", "totalElements", "totalPages"]],
      ["L3", ["content", "page"]],
      ["L4", ["data", "links", "meta"]],
      ["L5", ["items", "total"]],
      ["L6", ["count", "next", "previous", "results"]],
      ["L7", ["length", "limit", "roles", "start", "total"]],
      ["L8", ["Resources", "itemsPerPage", "startIndex", "totalResults"]],
      ["L9", ["_embedded", "_links", "page"]],
      ["L10", ["data", "error", "success"]],
      ["named", ["roles"]],
      ["unknown", ["payload"]],
    ].map(([value, keys]) => [
      value,
      effect(
        async ({ get }) => {
          const first = (await get("/roles?per-page=2")).body;
          const second = (await get("/roles?per-page=2&page=2")).body;
          return [first, second].map((told) => (Array.isArray(told) ? [] : Object.keys(Object(told)).sort()));
        },
        value === "same" ? [[], []] : [value === "L5" ? ["roles"] : ["items", "total"], keys],
        { beside: value === "same" ? {} : { envelope: value === "L5" ? "named" : "L5" } },
      ),
    ]),
  ),
  link: {
    ok: effect(linked("?per-page=2&page=2"), `${here}?per-page=2&page=3`),
    none: effect(linked("?per-page=2"), "no Link"),
    always: effect(linked("?per-page=2&page=3"), `${here}?per-page=2&page=4`),
    "self-next": effect(linked("?per-page=2&page=2"), `${here}?per-page=2&page=2`),
    "zero-next": effect(linked("?per-page=2&page=2"), `${here}?per-page=2&page=0`),
    "http-inner-host": effect(linked("?per-page=2"), `http://inner:8080${path}?per-page=2&page=2`),
    relative: effect(linked("?per-page=2"), `${path}?per-page=2&page=2`),
    "drops-query": effect(linked("?per-page=2"), `${here}?page=2`),
    "evil-host": effect(
      async (service) => (await linked("?per-page=2")(service)).replace(/:\d+/u, ""),
      `http://localhost${path}?per-page=2&page=2`,
    ),
  },
  total: {
    body: effect(totals("?per-page=2"), [null, 6], { beside: { envelope: "L5" } }),
    header: effect(totals("?per-page=2"), ["6", undefined], { beside: { envelope: "L5" } }),
    both: effect(totals("?per-page=2"), ["6", 6], { beside: { envelope: "L5" } }),
    none: effect(totals("?per-page=2"), [null, undefined], { beside: { envelope: "L5" } }),
    "wrong-high": effect(totals("?per-page=2"), ["13", 13], { beside: { envelope: "L5" } }),
    "wrong-low": effect(totals("?per-page=2"), ["3", 3], { beside: { envelope: "L5" } }),
  },
  roleList: {
    R1: effect(body("?per-page=2"), [owner, admin]),
    R2: effect(body("?per-page=2"), ["SYSTEM_OWNER", "ACCOUNT_ADMIN"]),
    R3: effect(body("?per-page=2"), { roles: [owner, admin] }),
  },
};

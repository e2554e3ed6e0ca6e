import { expect, test } from "vitest";
import type { Seed, SeedUser } from "../../../../src/reference-server/seed.ts";
import { runningServer } from "../running-server.ts";

/** 25 users with the administrator, who comes last. */
const people: readonly SeedUser[] = Array.from({ length: 24 }, (_, index) => ({
  email: `n${index}@acme.example`,
  firstName: `F${index % 3}`,
  lastName: `L${index % 5}`,
  ...(index % 2 === 0 ? { title: `T${index % 4}` } : {}),
}));
const seed: Seed = { users: people };

test.each(["one-alias", "one-strict", "zero"] as const)(
  "pages of any size hold everybody once, in order, where pages are counted as %s",
  async (pageBase) => {
    const server = await runningServer({ seed, knobs: { pageBase } });
    const whole = await server.call("GET", "/api/accounting/users?sort-by=lastName,title&per-page=100");
    for (let perPage = 1; perPage <= 26; perPage += 1) {
      const found: unknown[] = [];
      let next: string | undefined = `/api/accounting/users?sort-by=lastName,title&per-page=${perPage}`;
      while (next !== undefined) {
        const page = await server.call("GET", next);
        found.push(...(Array.isArray(page.body) ? page.body : []));
        next = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
      }
      expect(found).toEqual(whole.body);
    }
  },
);

test("a long list of users stays sorted while the service changes", async () => {
  const users = Array.from({ length: 1500 }, (_, index) => ({
    email: `u${index}@x.example`,
    firstName: `n${index % 7}`,
    lastName: "X",
  }));
  const server = await runningServer({ seed: { users } });
  const first = async (query: string): Promise<string> => {
    const { body } = await server.call("GET", `/api/accounting/users?per-page=1&${query}`);
    return (body as { email: string }[])[0]?.email ?? "nobody";
  };
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "root@reference.example",
    "u9@x.example",
  ]);
  await server.call("POST", "/api/accounting/accounts/acc-1/users", {
    email: "zoe@x.example",
    firstName: "A",
    lastName: "X",
  });
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "zoe@x.example",
    "zoe@x.example",
  ]);
  server.world.changeProfile("zoe@x.example", { firstName: "z" });
  server.world.changeEmail("u7@x.example", "zz@x.example");
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "root@reference.example",
    "zz@x.example",
  ]);
  server.world.removeUser("zz@x.example");
  expect(await first("sort-by=email&direction=DESC")).toBe("zoe@x.example");
});

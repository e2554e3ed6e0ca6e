import { expect, test } from "vitest";
import { runningServer } from "../running-server.ts";

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

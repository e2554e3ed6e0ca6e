import { expect, test } from "vitest";
import { scriptedService } from "../../support/scripted-service.ts";

async function accountsOf(script: Parameters<typeof scriptedService>[0]) {
  const { server, service } = await scriptedService(script);
  return { list: await service.listAccounts(), seen: server.seen.map(({ method, url }) => `${method} ${url}`) };
}

function paged(accounts: readonly unknown[], size: number, headers: Readonly<Record<string, string>> = {}) {
  return (request: { readonly url: string }) => {
    const page = Number(/[?&]page=(\d+)/u.exec(request.url)?.[1]);
    return { json: accounts.slice((page - 1) * size, page * size), headers };
  };
}

test("accounts are listed over all pages", async () => {
  const { list, seen } = await accountsOf(paged([{ identifier: "a" }, { identifier: "b" }, { identifier: "c" }], 2));
  expect(list.ok && list.value.map(({ identifier }) => identifier)).toEqual(["a", "b", "c"]);
  expect(seen.every((request) => request.startsWith("GET /api/accounting/accounts?"))).toBe(true);
});

test("a list of accounts that is not complete is a failure, never a shorter list", async () => {
  const { list } = await accountsOf(paged([{ identifier: "a" }], 2, { "x-total-count": "5" }));
  expect(list).toMatchObject({ ok: false, error: { code: "misunderstood" } });
});

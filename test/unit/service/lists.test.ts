import { expect, onTestFinished, test } from "vitest";
import { ApiKey } from "../../../src/service/api-key.ts";
import { httpAccountService } from "../../../src/service/client.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { scriptedServer } from "../../support/scripted-server.ts";

async function accountsOf(script: Parameters<typeof scriptedServer>[0]) {
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const ports = { clock, randomness: countingRandomness(), parallelism: 1 };
  const service = httpAccountService({ endpoint: server.endpoint, key: new ApiKey("pre1.s3cret"), ...ports });
  onTestFinished(() => service.close());
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

import { expect, test } from "vitest";
import { RequestLog } from "../../../src/reference-server/service-context.ts";
import { runningServer } from "./running-server.ts";

test("the log keeps the last requests and forgets the oldest", () => {
  const log = new RequestLog({ requests: 20, bytes: 1_000_000 });
  const request = { at: "", method: "GET", query: "", status: 200, bytes: 0, host: "", sentKey: true };
  const lengths = new Set<number>();
  for (let count = 1; count <= 100; count += 1) {
    log.add({ ...request, path: `/${count}` });
    if (count > 20) lengths.add(log.entries.length);
  }
  expect([...lengths].sort()).toEqual([18, 19, 20]);
  expect(log.entries.at(-1)?.path).toBe("/100");
  expect(log.entries.at(-18)?.path).toBe("/83");
});

test("a running server keeps its last requests within 8 MiB", async () => {
  const server = await runningServer();
  const query = "x".repeat(14_000);
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${server.endpoint}/api/accounting/roles?${query}`)));
  }
  const bytes = server.requests.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
  expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(bytes).toBeGreaterThan(7 * 1024 * 1024);
});

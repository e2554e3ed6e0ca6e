import { expect, test } from "vitest";
import { RequestLog } from "../../../src/reference-server/request-log.ts";

test("the log keeps the last requests and forgets the oldest", () => {
  const log = new RequestLog(20);
  const lengths = new Set<number>();
  for (let count = 1; count <= 100; count += 1) {
    log.add({ at: "", method: "GET", path: `/${count}`, query: "", status: 200, bytes: 0, host: "", sentKey: true });
    if (count > 20) lengths.add(log.entries.length);
  }
  expect([...lengths].sort()).toEqual([20, 21, 22]);
  expect(log.entries.at(-1)?.path).toBe("/100");
  expect(log.entries.at(-20)?.path).toBe("/81");
});

import { expect, test } from "vitest";
import { isStale } from "../../../src/log/lock-holder.ts";

test.each([
  ["silent for less", { silentFor: 899_999 }, 900_000, false],
  ["silent for as long", { silentFor: 900_000 }, 900_000, true],
  ["silent, where silence breaks nothing", { silentFor: 900_000 }, undefined, false],
  ["perhaps silent", {}, 0, false],
  ["ended", { hasEnded: true }, undefined, true],
] as const)("whether a lock is stale whose holder is %s", (_, holder, silence, stale) => {
  expect(isStale({ id: "l-1", ...holder }, silence)).toBe(stale);
});

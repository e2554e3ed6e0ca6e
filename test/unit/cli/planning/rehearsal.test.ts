import { expect, test } from "vitest";
import { readRehearsal } from "../../../../src/cli/planning/rehearsal.ts";

test.each([
  ["nothing", {}, { rehearse: false }],
  ["--rehearse", { rehearse: true }, { rehearse: true }],
  ["--latency 80ms, which asks for a rehearsal too", { latency: "80ms" }, { rehearse: true, latency: 80 }],
  ["--latency 2s", { latency: "2s" }, { rehearse: true, latency: 2000 }],
  ["--latency 0ms", { rehearse: true, latency: "0ms" }, { rehearse: true, latency: 0 }],
  ["--latency 60s", { latency: "60s" }, { rehearse: true, latency: 60_000 }],
])("%s is understood", (_, flags, wish) => {
  expect(readRehearsal(flags)).toEqual({ ok: true, value: wish });
});

test.each(["", "80", "80 ms", "1m", "-1ms", "1.5s", "61s", "0x1ms"])(
  "--latency '%s' is no time of a call",
  (latency) => {
    const read = readRehearsal({ latency });
    expect(read.ok ? [] : read.error.diagnostics?.map(({ code }) => code)).toEqual(["bad-latency"]);
  },
);

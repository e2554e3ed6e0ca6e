import { expect, test } from "vitest";
import { readRehearsal } from "../../../../src/cli/planning/rehearsal.ts";

test.each([
  ["nothing", {}, { rehearse: false }],
  ["--rehearse", { rehearse: "" }, { rehearse: true }],
  ["--rehearse=80ms, with the time of one call", { rehearse: "80ms" }, { rehearse: true, latency: 80 }],
  ["--rehearse=2s", { rehearse: "2s" }, { rehearse: true, latency: 2000 }],
  ["--rehearse=0ms", { rehearse: "0ms" }, { rehearse: true, latency: 0 }],
  ["--rehearse=60s", { rehearse: "60s" }, { rehearse: true, latency: 60_000 }],
])("%s is understood", (_, flags, wish) => {
  expect(readRehearsal(flags)).toEqual({ ok: true, value: wish });
});

test.each(["80", "80 ms", "1m", "-1ms", "1.5s", "61s", "0x1ms"])(
  "--rehearse='%s' is not a time of one call",
  (rehearse) => {
    const read = readRehearsal({ rehearse });
    expect(read.ok ? [] : read.error.diagnostics?.map(({ code }) => code)).toEqual(["bad-latency"]);
  },
);

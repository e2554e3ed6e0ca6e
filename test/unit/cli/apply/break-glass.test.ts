import { describe, expect, test } from "vitest";
import { type BreakGlassFlags, readBreakGlass } from "../../../../src/cli/apply/break-glass.ts";
import type { RunWords } from "../../../../src/library/planning/policy.ts";
import { systemClock } from "../../../../src/library/system.ts";
import { insideHost } from "../../../support/inside.ts";

const clock = { ...systemClock, now: () => Date.parse("2026-11-20T09:00:00.000Z") };
const allow = ["privileged-roles@3f2a90c1d4e5b678"];

function read(flags: BreakGlassFlags & RunWords) {
  return readBreakGlass(flags, insideHost({ cwd: ".", clock }));
}

describe("an emergency", () => {
  test.each([
    ["4h", "2026-11-20T13:00:00.000Z"],
    ["24h", "2026-11-21T09:00:00.000Z"],
    ["2026-11-20T18:00Z", "2026-11-20T18:00:00.000Z"],
    ["2026-11-20T18:00:30+02:00", "2026-11-20T16:00:30.000Z"],
  ])("that lasts until %s ends at %s", async (until, end) => {
    expect(await read({ breakGlass: " INC-42 ", until, allow })).toEqual({
      ok: true,
      value: { request: { reason: "INC-42", until: end }, webhook: undefined },
    });
  });

  test.each<[string, BreakGlassFlags & RunWords, string]>([
    ["without an end", { breakGlass: "INC-42", allow }, "bad-break-glass"],
    ["that ends at once", { breakGlass: "INC-42", until: "0", allow }, "bad-break-glass"],
    ["that has ended", { breakGlass: "INC-42", until: "2026-11-20T08:00Z", allow }, "bad-break-glass"],
    ["that lasts too long", { breakGlass: "INC-42", until: "24h1s", allow }, "bad-break-glass"],
    ["that ends on a day", { breakGlass: "INC-42", until: "2026-11-20", allow }, "bad-break-glass"],
    ["whose end has no time zone", { breakGlass: "INC-42", until: "2026-11-20T18:00", allow }, "bad-break-glass"],
    ["whose end is no day", { breakGlass: "INC-42", until: "2026-11-31T18:00Z", allow }, "bad-break-glass"],
    ["without a reason", { breakGlass: " ", until: "4h", allow }, "bad-break-glass"],
    ["with a reason of signs", { breakGlass: "...", until: "4h", allow }, "bad-break-glass"],
    ["with a reason that nobody sees", { breakGlass: "\u3164\u200b", until: "4h", allow }, "bad-break-glass"],
    ["with a long reason", { breakGlass: "x".repeat(201), until: "4h", allow }, "bad-break-glass"],
    ["with a reason of two lines", { breakGlass: "INC-42\nnothing", until: "4h", allow }, "bad-break-glass"],
    ["that names no guard", { breakGlass: "INC-42", until: "4h" }, "break-glass-guards"],
    ...["own-key", "protected", "near-duplicate", "incomplete-snapshot", "absent:teams", "release:ada@x"].map(
      (what): [string, BreakGlassFlags & RunWords, string] => [
        `that names ${what}`,
        { breakGlass: "INC-42", until: "4h", allow: [...allow, `${what}@3f2a90c1d4e5b678`] },
        "break-glass-guards",
      ],
    ),
    ["whose webhook is no address", { breakGlass: "INC-42", until: "4h", allow, webhook: "chat" }, "bad-webhook"],
  ])("%s is refused", async (_, flags, code) => {
    expect(await read(flags)).toMatchObject({ ok: false, error: { reason: "invalid", diagnostics: [{ code }] } });
  });

  test("is what --until and --webhook are about", async () => {
    expect(await read({ allow })).toEqual({ ok: true, value: undefined });
    for (const flags of [{ until: "4h" }, { webhook: "https://hooks.example.com/x" }]) {
      expect(await read(flags)).toMatchObject({ error: { diagnostics: [{ code: "needs-break-glass" }] } });
    }
  });
});

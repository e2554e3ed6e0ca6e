import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { EventOf } from "../../../src/model/event.ts";
import type { SeenFinding } from "../../../src/model/recorded.ts";
import { emptyState } from "../../../src/model/state.ts";
import { noon } from "../../support/event-builders.ts";

const later = "2026-11-21T12:00:00.000Z";
const service = "https://simulated.example";

function seenAt(at: string, seen: readonly SeenFinding[], gone: readonly string[] = []): EventOf<"findings-seen"> {
  return { type: "findings-seen", at, service, seen, gone };
}

const vanished: SeenFinding = { fingerprint: "f1", code: "user-missing", subject: "user ada@acme.example" };
const privilege: SeenFinding = { fingerprint: "f2", code: "unmanaged-privilege", subject: "key k" };

describe("what runs saw to differ", () => {
  test("is remembered with the first time, whatever is seen again, until it is gone", () => {
    const first = applyEvents(emptyState("l"), [seenAt(noon, [vanished])]);
    const second = applyEvents(first, [seenAt(later, [vanished, privilege])]);
    const third = applyEvents(second, [seenAt(later, [], ["f1"])]);
    const both = new Map([
      ["f1", { fingerprint: "f1", since: noon, code: "user-missing", subject: "user ada@acme.example" }],
      ["f2", { fingerprint: "f2", since: later, code: "unmanaged-privilege", subject: "key k" }],
    ]);
    expect([second.openFindings, third.openFindings]).toEqual([both, new Map([...both].slice(1))]);
    expect(second.service).toBe(service);
  });

  test("that came back after it was gone is new again", () => {
    const events = [seenAt(noon, [vanished]), seenAt(noon, [], ["f1"]), seenAt(later, [vanished])];
    expect(applyEvents(emptyState("l"), events).openFindings?.get("f1")?.since).toBe(later);
  });

  test("leaves nothing behind once all of it is gone", () => {
    const state = applyEvents(emptyState("l"), [seenAt(noon, [vanished]), seenAt(later, [], ["f1"])]);
    expect("openFindings" in state).toBe(false);
  });

  test("is bounded: of ten thousand and one, the first ten thousand", () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({
      fingerprint: `f${n}`,
      code: "user-missing",
      subject: `s${n}`,
    }));
    const { openFindings } = applyEvents(emptyState("l"), [seenAt(noon, many)]);
    expect([openFindings?.size, openFindings?.has("f9999"), openFindings?.has("f10000")]).toEqual([
      10_000,
      true,
      false,
    ]);
  });
});

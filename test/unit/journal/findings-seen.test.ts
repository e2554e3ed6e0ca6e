import { describe, expect, test } from "vitest";
import { type DriftObservation, findingsSeen } from "../../../src/journal/findings-seen.ts";
import { applyEvents } from "../../../src/journal/fold-state.ts";
import type { Drift, DriftItem } from "../../../src/model/drift.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { noon } from "../../support/event-builders.ts";

const look: DriftObservation = { at: noon, service: "https://s.example", lookedAt: "everything" };

function item(fingerprint: string, parts: Partial<DriftItem> = {}): DriftItem {
  const about = { class: "to-apply", code: "create-user", subject: `user ${fingerprint}`, counts: "change" } as const;
  return { fingerprint, ...about, guarded: false, of: { is: "action", action: fingerprint }, ...parts };
}

function seenWith(items: readonly DriftItem[], state: State, parts: Partial<DriftObservation> = {}) {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] };
  const event = findingsSeen(drift, state, { ...look, ...parts });
  return event === undefined ? undefined : { seen: event.seen.map(({ fingerprint }) => fingerprint), gone: event.gone };
}

function stateAfter(...items: readonly DriftItem[]): State {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] };
  const event = findingsSeen(drift, emptyState("l"), look);
  return event === undefined ? emptyState("l") : applyEvents(emptyState("l"), [event]);
}

describe("what a look records", () => {
  test("is nothing where it saw just what was known", () => {
    expect(seenWith([item("a"), item("b")], stateAfter(item("a"), item("b")))).toBe(undefined);
  });

  test("is what is new and what is gone", () => {
    expect(seenWith([item("b"), item("c")], stateAfter(item("a"), item("b")))).toEqual({ seen: ["c"], gone: ["a"] });
  });

  test("calls nothing gone that it may not have looked at", () => {
    const known = stateAfter(item("a"), item("b"));
    expect(seenWith([item("c")], known, { lookedAt: "a-part" })).toEqual({ seen: ["c"], gone: [] });
  });

  test("leaves out what the run itself has put right", () => {
    const known = stateAfter(item("a"));
    const settled = new Set(["a", "b"]);
    expect(seenWith([item("a"), item("b"), item("c")], known, { lookedAt: "a-part", settled })).toEqual({
      seen: ["c"],
      gone: ["a"],
    });
  });

  test("leaves out what another run has in hand, and does not call it gone either", () => {
    const inWork = { class: "pending", counts: "nothing" } as const;
    expect(seenWith([item("a", inWork), item("b", inWork)], stateAfter(item("a")))).toBe(undefined);
  });

  test("puts first what counts, tampering before all, so that it is what is remembered of too many", () => {
    const notice = item("notice", { class: "unmanaged", counts: "nothing" });
    const event = seenWith([notice, item("change"), item("tampered", { class: "tampered" })], emptyState("l"));
    expect(event?.seen).toEqual(["tampered", "change", "notice"]);
  });
});

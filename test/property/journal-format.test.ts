import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJournal, encodeJournalLine, encodeJournalStart } from "../../src/codec/journal.ts";
import { decodeState, encodeState } from "../../src/codec/state.ts";
import { arbitraryEvent, arbitraryState } from "../support/arbitrary-state.ts";
import { runs } from "../support/property-runs.ts";

const settings = { seed: 20261120, numRuns: runs(1200) };

describe("persisted formats", () => {
  test("a state is read back as it was written, whatever the names in it", () => {
    fc.assert(
      fc.property(arbitraryState, (state) => {
        const text = encodeState(state);
        const decoded = decodeState(text, "state.json");
        expect(decoded).toEqual({ ok: true, value: state });
        expect(decoded.ok && encodeState(decoded.value)).toBe(text);
      }),
      settings,
    );
  });

  test("a state cut short anywhere is refused, never read as less than it was", () => {
    fc.assert(
      fc.property(arbitraryState, fc.double({ min: 0, max: 0.999, noNaN: true }), (state, part) => {
        const text = encodeState(state).trimEnd();
        expect(decodeState(text.slice(0, Math.floor(text.length * part)), "state.json").ok).toBe(false);
      }),
      settings,
    );
  });

  test("a journal cut short anywhere is the events of its whole lines", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEvent, { maxLength: 5 }), fc.nat(), async (events, at) => {
        const lines = [encodeJournalStart({ lineage: "l", serial: 1 }), ...events.map(encodeJournalLine)];
        const text = lines.join("");
        const cut = text.slice(0, at % (text.length + 1));
        const whole = Math.max(0, cut.split("\n").length - 2);
        const decoded = await decodeJournal(cut, "j");
        expect(decoded.ok && decoded.value.events).toEqual(events.slice(0, whole));
      }),
      settings,
    );
  });

  test("one changed byte in a journal is found, wherever it is", async () => {
    const some = fc.array(arbitraryEvent, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(some, fc.nat(), fc.nat(), async (events, at, by) => {
        const lines = [encodeJournalStart({ lineage: "l", serial: 1 }), ...events.map(encodeJournalLine)];
        const text = lines.join("");
        const index = at % (text.length - 1);
        const other = String.fromCharCode(32 + ((text.charCodeAt(index) + 1 + (by % 93)) % 95));
        fc.pre(other !== text[index]);
        const decoded = await decodeJournal(`${text.slice(0, index)}${other}${text.slice(index + 1)}`, "j");
        expect(decoded.ok && decoded.value.events.length === events.length).toBe(false);
      }),
      settings,
    );
  });
});

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeState, encodeState } from "../../src/codec/state.ts";
import { emptyLog, encodeLines } from "../../src/log/line.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { runs } from "../support/property-runs.ts";
import { anyEvent, anyState } from "../support/schema-values.ts";
import { decodeText } from "../support/whole-log.ts";

const settings = { seed: 20261120, numRuns: runs(1200) };

describe("persisted formats", () => {
  test("a state cut short anywhere is refused, never read as less than it was", () => {
    always(settings, anyState, fc.double({ min: 0, max: 0.999, noNaN: true }), (state, part) => {
      const text = encodeState(state).trimEnd();
      expect(decodeState(text.slice(0, Math.floor(text.length * part)), "log.jsonl").ok).toBe(false);
    });
  });

  const some = fc.array(anyEvent, { minLength: 1, maxLength: 4 });

  test("one changed byte in lines is found, wherever it is: by what follows, and in the last line by the head", async () => {
    await alwaysAsync(settings, some, fc.nat(), fc.nat(), async (events, at, by) => {
      const { lines, head } = encodeLines(events, emptyLog);
      const index = at % (lines.length - 1);
      const other = String.fromCharCode(32 + ((lines.charCodeAt(index) + 1 + (by % 93)) % 95));
      fc.pre(other !== lines[index]);
      const read = await decodeText(`${lines.slice(0, index)}${other}${lines.slice(index + 1)}`, emptyLog, "memory:");
      expect(read.ok && isDeepStrictEqual(read.value.head, head)).toBe(false);
      const isInLast = index >= lines.lastIndexOf("\n", lines.length - 2) + 1;
      expect(isInLast || !read.ok).toBe(true);
    });
  });
});

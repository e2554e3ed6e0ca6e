import { describe, expect, test } from "vitest";
import {
  describeAllowedValues,
  formatKnobValue,
  parseKnobValue,
} from "../../../../src/reference-server/knobs/read-knobs.ts";
import { defaultKnobs, knobRegistry } from "../../../../src/reference-server/knobs/registry.ts";

test("each default can be written and read back", () => {
  for (const [name, knob] of knobRegistry) {
    expect(parseKnobValue(knob, formatKnobValue(knob.otherwise)), name).toEqual(knob.otherwise);
  }
  expect(Object.keys(defaultKnobs)).toEqual([...knobRegistry.keys()]);
});

describe("a value that a knob does not have is none", () => {
  test.each([
    ["pageBase", ["two", "", "toString", "ZERO"], "one of one-alias, one-strict, one-empty, zero, ignored"],
    ["maxPerPage", ["0", "-1", "1.5", "1e3", "", "ten", "9999999999999999"], "a whole number, 1 or more"],
    [
      "flaky",
      ["", "list", "list@", "list@0", "list@first-0", "users@1", "list@1;roles@1", "list@last-1"],
      "never, or requests such as create@1, list@first-2, reads@every-3 or any@all, separated by commas",
    ],
  ])("%s", (name, texts, allowed) => {
    const knob = knobRegistry.get(name);
    if (knob === undefined) throw new Error(`there is no knob ${name}`);
    expect(texts.map((text) => parseKnobValue(knob, text))).toEqual(texts.map(() => undefined));
    expect(describeAllowedValues(knob)).toBe(allowed);
  });
});

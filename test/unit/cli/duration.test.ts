import { describe, expect, test } from "vitest";
import { readDuration, showDuration } from "../../../src/cli/duration.ts";

describe("a duration", () => {
  test.each([
    ["90s", 90_000],
    ["20m", 1_200_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["1d2h3m4s", 93_784_000],
    ["0", 0],
    ["0s", 0],
    ["24d", 2_073_600_000],
  ])("%s is %i milliseconds", (written, milliseconds) => {
    expect(readDuration(written)).toEqual({ ok: true, value: milliseconds });
  });

  const whole =
    "a duration is whole numbers with the units d, h, m and s, from the longest to the shortest, such as 90s, 20m, 1h30m or 2d";
  test.each([
    ["20", "a duration has a unit, such as 20s or 20m"],
    ["-5m", "a duration cannot be negative"],
    ["1.5h", "a duration is made of whole numbers: write 1h30m for one and a half hours"],
    ["25d", "a duration is at most 24d"],
    ["99999999999999999999d", "a duration is at most 24d"],
    ["", whole],
    ["m", whole],
    ["30m1h", whole],
    ["1h1h", whole],
    ["5 m", whole],
    ["5M", whole],
    ["5ms", whole],
    ["PT5M", whole],
  ])("%j is none", (written, why) => {
    expect(readDuration(written)).toEqual({ ok: false, error: why });
  });

  test.each([
    [5_400_000, "1h30m"],
    [45_400, "45s"],
    [120_000, "2m"],
    [400, "0s"],
    [86_400_000, "1d"],
  ])("of %i milliseconds is shown as %s", (milliseconds, shown) => {
    expect(showDuration(milliseconds)).toBe(shown);
  });
});

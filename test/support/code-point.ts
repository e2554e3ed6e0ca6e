import fc from "fast-check";

const between = (min: number, max: number) => fc.integer({ min, max }).map((number) => String.fromCodePoint(number));

/**
 * Any character of Unicode, those that people write more often, as a unit of `fc.string`. Its own unit `binary` lists all
 * characters first, which takes seconds in each worker.
 */
export const codePoint: fc.Arbitrary<string> = fc.oneof(
  between(0, 0x7f),
  between(0x80, 0xd7ff),
  between(0xe000, 0xffff),
  between(0x1_0000, 0x10_ffff),
);

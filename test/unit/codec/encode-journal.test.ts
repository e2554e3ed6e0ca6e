import { describe, expect, test } from "vitest";
import { crc32 } from "../../../src/codec/encode-journal.ts";

describe("checksum", () => {
  test.each([
    ["the empty text", "", "00000000"],
    ["the check value of CRC-32", "123456789", "cbf43926"],
    ["a text beyond ASCII, in UTF-8", "Zoë", "67ac422a"],
  ])("of %s", (_, text, sum) => {
    expect(crc32(text)).toBe(sum);
  });
});

import { expect, test } from "vitest";
import { encodeDocument } from "../../../src/codec/document.ts";

test.each([
  ["##[error]forged", '"name": "\\u0023#[error]forged"'],
  ["a ##vso[task.setvariable variable=x]y", '"name": "a \\u0023#vso[task.setvariable variable=x]y"'],
  ["# 1, ## 2, ü and 🎉", '"name": "# 1, ## 2, \\u00fc and \\ud83c\\udf89"'],
])("%s, laid out, is nothing that the log of a pipeline obeys, and means the same", (name, line) => {
  const text = encodeDocument({ document: "d" }, { name });
  expect(text.split("\n")).toEqual(["{", '"document": "d",', expect.stringContaining("checksum"), line, "}", ""]);
  expect(JSON.parse(text)).toMatchObject({ document: "d", name });
});

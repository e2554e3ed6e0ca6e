import { expect, test } from "vitest";
import { formatDocument } from "../../../src/codec/document.ts";

test.each([
  ["##[error]forged", '{\n"document": "d",\n"name": "\\u0023#[error]forged"\n}\n'],
  [
    "a ##vso[task.setvariable variable=x]y",
    '{\n"document": "d",\n"name": "a \\u0023#vso[task.setvariable variable=x]y"\n}\n',
  ],
  ["# 1, ## 2 and ü", '{\n"document": "d",\n"name": "# 1, ## 2 and \\u00fc"\n}\n'],
])("%s, laid out, is nothing that the log of a pipeline obeys, and means the same", (name, text) => {
  expect(formatDocument({ document: "d", name })).toBe(text);
  expect(JSON.parse(text)).toEqual({ document: "d", name });
});

import { describe, expect, test } from "vitest";
import { safe, safeJson } from "../../../src/report/safe.ts";

describe("safe shows", () => {
  test.each([
    ["an escape sequence", "\u001b[31mred", "\\u{1b}[31mred"],
    ["an escape sequence of one C1 control", "\u009b31m", "\\u{9b}31m"],
    ["a line feed, which could forge a line", "a\nb", "a\\u{a}b"],
    ["a carriage return and a backspace", "\r\b", "\\u{d}\\u{8}"],
    ["a tab, a null and a delete", "\t\u0000\u007f", "\\u{9}\\u{0}\\u{7f}"],
    ["an override of the direction", "\u202Eadb\u202C", "\\u{202e}adb\\u{202c}"],
    ["an isolate and a mark of the direction", "\u2066\u200F\u061C", "\\u{2066}\\u{200f}\\u{61c}"],
    ["characters without width", "a\u200Bb\u2060\uFEFF", "a\\u{200b}b\\u{2060}\\u{feff}"],
    ["separators of lines and paragraphs", "\u2028\u2029", "\\u{2028}\\u{2029}"],
    ["a lone half of a pair", "\uD83D and \uDE00", "\\u{d83d} and \\u{de00}"],
    ["tags, which spell invisible words", "\u{E0041}", "\\u{e0041}"],
    ["fillers that look like nothing", "\u3164\u034F", "\\u{3164}\\u{34f}"],
    ["a joiner between letters", "a\u200Db", "a\\u{200d}b"],
    ["a joiner after an emoji that joins nothing", "👩\u200D!", "👩\\u{200d}!"],
    ["a command of Azure's runner", "Ada ##vso[task.setvariable]x", "Ada \\u{23}#vso[task.setvariable]x"],
    ["an old command of GitHub's runner", "x##[add-path]/tmp", "x\\u{23}#[add-path]/tmp"],
    ["a command of TeamCity's", "##TeamCity[x", "\\u{23}#TeamCity[x"],
    ["a command of GitHub's runner at its start", "::add-mask::x", "\\u{3a}:add-mask::x"],
    ["a command of GitHub's runner where a line may begin", "Ada ::Error::x", "Ada \\u{3a}:Error::x"],
    ["one behind another", "###[ ##[", "#\\u{23}#[ \\u{23}#["],
  ])("%s", (_sentence, text, shown) => {
    expect(safe(text)).toBe(shown);
  });
});

test.each([
  ["plain words", "Ada Lovelace <ada@acme.example>"],
  ["letters of any script", "Ærøskøbing, Ελένη, 田中, محمد, שרה"],
  ["combining accents", "e\u0301"],
  ["emoji with joiners, skin tones and presentation", "👩‍💻 👩🏽‍🚀 ❤️ 👍🏽"],
  ["backslashes", "C:\\u{1b}"],
  ["colons within words, addresses and signs that are no commands", "a::b http://[::1]/ ::1 # [x] ##x"],
])("safe leaves alone %s", (_sentence, text) => {
  expect(safe(text)).toBe(text);
});

test("safe JSON means the same and holds nothing that a terminal obeys", () => {
  const value = { text: "##vso[x] ::error:: \u009b \u202E \u2028 \u{E0041} 👩‍💻 é" };
  const json = safeJson(JSON.stringify(value));
  expect(json).toBe('{"text":"\\u0023#vso[x] ::error:: \\u009b \\u202e \\u2028 \\udb40\\udc41 👩\\u200d💻 é"}');
  expect(JSON.parse(json)).toEqual(value);
});

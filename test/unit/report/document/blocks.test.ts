import { expect, test } from "vitest";
import { joinInline, phrase, strong, values, words } from "../../../../src/report/document/blocks.ts";

test("a phrase keeps our own words and values apart, so that each output can make the values safe", () => {
  expect(phrase`${"Ops"} in ${"acc-1"}: ${2} and ${values(["a"], 1)}${words("!")}`).toEqual([
    { is: "value", text: "Ops" },
    { is: "words", text: " in " },
    { is: "value", text: "acc-1" },
    { is: "words", text: ": " },
    { is: "words", text: "2" },
    { is: "words", text: " and " },
    { is: "values", texts: ["a"], max: 1 },
    { is: "words", text: "!" },
  ]);
});

test("a sentence that may hold values is no words of our own", () => {
  expect(phrase`${strong(words("failed"))}: ${["said by a service"]}`).toEqual([
    { is: "strong", spans: [{ is: "words", text: "failed" }] },
    { is: "words", text: ": " },
    "said by a service",
  ]);
});

test("words stand between phrases, not around them", () => {
  expect(joinInline([["a"], [], ["b"]], ", ")).toEqual([
    "a",
    { is: "words", text: ", " },
    { is: "words", text: ", " },
    "b",
  ]);
  expect(joinInline([], ", ")).toEqual([]);
});

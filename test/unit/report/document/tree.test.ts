import { expect, test } from "vitest";
import { joinInline, phrase, strong, values, words } from "../../../../src/report/document/tree.ts";

test("a phrase keeps our own words and values apart, so that each output can make the values safe", () => {
  expect(phrase`${"Ops"} in ${strong(words("all"))}: ${2} and ${values(["a"])}${["said by a service"]}`).toEqual([
    { is: "value", text: "Ops" },
    { is: "words", text: " in " },
    { is: "strong", spans: [{ is: "words", text: "all" }] },
    { is: "words", text: ": " },
    { is: "words", text: "2" },
    { is: "words", text: " and " },
    { is: "value", text: "a" },
    "said by a service",
  ]);
});

test("words stand between phrases that say something", () => {
  expect(joinInline([["a"], [], ["b"]], ", ")).toEqual(["a", { is: "words", text: ", " }, "b"]);
});

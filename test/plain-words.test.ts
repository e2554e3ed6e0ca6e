import { describe, expect, test } from "vitest";
import { catalogue } from "../src/report/codes/catalogue.ts";
import { hardToRead } from "./support/plain-words.ts";

describe("what people read is in plain words:", () => {
  test("the catalogue of codes", () => {
    const faults = catalogue.flatMap(({ code, title, means, next }) =>
      [title, means, next].flatMap((text) => hardToRead(text).map((fault) => `${code}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  test("no title of a code is longer than 12 words", () => {
    expect(catalogue.filter(({ title }) => title.split(" ").length > 12).map(({ title }) => title)).toEqual([]);
  });
});

describe("hard to read are", () => {
  test.each([
    ["Nobody is there, to whom a mail could go.", ["“whom” in: Nobody is there, to whom a mail could go."]],
    ["Stop. Say --allow with it.", ["“Say --” in: Stop. Say --allow with it."]],
    [`Look: ${"a ".repeat(20)}b. Then stop.`, [`22 words: Look: ${"a ".repeat(20)}b.`]],
  ])("banned words and long sentences: %j", (text, faults) => {
    expect(hardToRead(text)).toEqual(faults);
  });

  test.each([
    "Pass `--allow a b c d e f g h i j k l m n o p q r s t u v w x y z`.",
    "Read plan.json. It is in roster.example.",
  ])("not code, and not stops inside of names: %j", (text) => {
    expect(hardToRead(text)).toEqual([]);
  });
});

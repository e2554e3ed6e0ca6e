import { expect, test } from "vitest";
import { rememberLast, TextCache } from "../../../src/reference-server/caching.ts";

const way = {};

/** Asks for the text of a thing of so many MiB. Returns how often it was written. */
function counted(cache: TextCache<string>, thing: string, mebibytes = 1): (how?: object) => number {
  let times = 0;
  return (how = way) => {
    cache.text(thing, how, () => {
      times += 1;
      return "x".repeat(mebibytes * 1024 * 1024);
    });
    return times;
  };
}

test("a text is written once, until its thing has changed or is shown in another way", () => {
  const cache = new TextCache<string>();
  const [ada, bo] = [counted(cache, "ada"), counted(cache, "bo")];
  expect([ada(), ada(), bo(), bo()]).toEqual([1, 1, 1, 1]);
  cache.forget("ada");
  expect([ada(), ada(), bo()]).toEqual([2, 2, 1]);
  cache.clear();
  expect([ada(), bo()]).toEqual([3, 2]);
  expect([ada({}), bo()]).toEqual([4, 3]);
});

test("what is over 64 MiB is not kept, until something else is forgotten", () => {
  const cache = new TextCache<string>();
  const [ada, bo] = [counted(cache, "ada", 40), counted(cache, "bo", 40)];
  expect([ada(), bo(), bo(), ada()]).toEqual([1, 1, 2, 1]);
  cache.forget("ada");
  expect([bo(), bo(), ada(), ada()]).toEqual([3, 3, 2, 3]);
});

test("the last result is remembered, and no other", () => {
  const seen: number[] = [];
  const double = rememberLast((number: number) => {
    seen.push(number);
    return number * 2;
  });
  expect([double(1), double(1), double(2), double(1)]).toEqual([2, 2, 4, 2]);
  expect(seen).toEqual([1, 2, 1]);
});

import { expect, test } from "vitest";
import { type Key, keyDecoder } from "../../../src/screen/keys.ts";

const named = (key: Exclude<Key["key"], "character" | "pasted">) => ({ key });
const typed = (text: string) => ({ key: "character", text });

test.each<[string, string, readonly unknown[]]>([
  ["letters are keys of their own", "aé日", [typed("a"), typed("é"), typed("日")]],
  [
    "arrows, however the terminal writes them",
    "\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}\u{1B}[D",
    ["up", "down", "right", "left"].map((key) => ({ key })),
  ],
  [
    "pages and ends",
    "\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~",
    ["page-up", "page-down", "home", "end"].map((key) => ({ key })),
  ],
  ["Enter and Backspace", "\r\n\u{7F}\b", ["enter", "enter", "backspace", "backspace"].map((key) => ({ key }))],
  ["Ctrl-C and Ctrl-Z", "\u{3}\u{1A}", [named("interrupt"), named("suspend")]],
  ["keys that mean nothing here are passed over", "\u{1B}[15~\u{1B}x\u{0}\u{1B}[I", []],
  [
    "pasted text is one piece, whatever it holds",
    "\u{1B}[200~a\ryes\r\u{1B}[201~q",
    [{ key: "pasted", text: "a\ryes\r" }, typed("q")],
  ],
])("%s", (_, text, keys) => {
  expect(keyDecoder().push(text)).toEqual(keys);
});

test("a key that comes in pieces is one key", () => {
  const decoder = keyDecoder();
  expect([...decoder.push("\u{1B}"), ...decoder.push("["), ...decoder.push("5"), ...decoder.push("~j")]).toEqual([
    named("page-up"),
    typed("j"),
  ]);
  expect(decoder.flush()).toEqual([]);
});

test("an escape that nothing follows is the key of that name, once", () => {
  const decoder = keyDecoder();
  expect(decoder.push("\u{1B}")).toEqual([]);
  expect(decoder.flush()).toEqual([named("escape")]);
  expect(decoder.flush()).toEqual([]);
});

test("a paste that has not ended is no key yet", () => {
  const decoder = keyDecoder();
  expect(decoder.push("\u{1B}[200~yes\r")).toEqual([]);
  expect(decoder.push("\u{1B}[201~")).toEqual([{ key: "pasted", text: "yes\r" }]);
});

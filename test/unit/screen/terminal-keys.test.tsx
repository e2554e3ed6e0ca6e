import { useInput } from "ink";
import { useState } from "react";
import { expect, test } from "vitest";
import { type Key, keyReader } from "../../../src/screen/terminal.ts";
import { onScreen, small } from "../../support/screens.tsx";

function Keys({ onKeys }: { readonly onKeys: (keys: readonly Key[]) => void }) {
  const [readKeys] = useState(keyReader);
  useInput((typed, key) => onKeys(readKeys(typed, key)));
  return null;
}

async function keysOf(...texts: readonly string[]): Promise<readonly Key[]> {
  const keys: Key[] = [];
  const shown = onScreen(<Keys onKeys={(some) => keys.push(...some)} />, small);
  await shown.type(...texts);
  shown.unmount();
  return keys;
}

const named = (...keys: readonly string[]) => keys.map((key) => ({ key }));
const typed = (text: string) => ({ key: "character", text });

test.each<[string, string, readonly unknown[]]>([
  ["letters are keys of their own", "aé日", [typed("a"), typed("é"), typed("日")]],
  [
    "arrows, however the terminal writes them",
    "\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}\u{1B}[D",
    named("up", "down", "right", "left"),
  ],
  ["pages and ends", "\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~", named("page-up", "page-down", "home", "end")],
  ["Enter among characters", "ab\r", [typed("a"), typed("b"), ...named("enter")]],
  ["Backspace among characters", "a\u{7F}\b", [typed("a"), ...named("backspace", "backspace")]],
  ["Escape", "\u{1B}", named("escape")],
  ["Ctrl-C and Ctrl-Z are not for the screen", "a\u{3}\u{1A}", [typed("a")]],
  ["keys without a meaning are ignored", "\u{1B}[15~\u{1B}x\u{0}\u{1B}[I", []],
  [
    "pasted text is one piece, whatever is in it",
    "\u{1B}[200~a\ryes\r\u{1B}[201~q",
    [{ key: "pasted", text: "a\ryes\r" }, typed("q")],
  ],
])("%s", async (_, text, keys) => {
  expect(await keysOf(text)).toEqual(keys);
});

test.each([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u{7F}", "backspace"],
  ["\b", "backspace"],
  ["\u{15}", "clear"],
])("%j alone is %s", async (text, key) => {
  expect(await keysOf(text)).toEqual(named(key));
});

test("a paste that has not ended is no key yet", async () => {
  expect(await keysOf("\u{1B}[200~yes\r", "y")).toEqual([]);
  expect(await keysOf("\u{1B}[200~yes", "\r", "\u{1B}[201~")).toEqual([{ key: "pasted", text: "yes\r" }]);
});

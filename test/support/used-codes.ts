import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files that tell of codes, and so use none. */
const catalogues = [join("src", "report", "codes"), join("src", "codes")];

/** What looks like a code: words joined by hyphens, or one word. */
const word = '"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:/[a-z-]+)?"';

/** Calls whose first text of such a kind is a code. */
const calls = ["say", "invalidSetting", "error", "warning", "errorAboutSecret", "stale", "refuse"];

/** What a driver of others calls its own codes. */
const noCodes = new Set(["code"]);

/** Every code that some place in `src` gives to something that it tells. */
export function usedCodes(): readonly { readonly code: string; readonly file: string }[] {
  return sources().flatMap(({ file, text }) => codesIn(text).map((code) => ({ code, file })));
}

export function sources(): readonly { readonly file: string; readonly text: string }[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => join("src", name));
  return files
    .filter(
      (file) =>
        /\.tsx?$/u.test(file) && !file.includes("generated") && !catalogues.some((folder) => file.startsWith(folder)),
    )
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function codesIn(text: string): readonly string[] {
  const fields = [...text.matchAll(/\bcode(?:: \w+ = |: | = )([^;\n]*)/gu)].flatMap(([, rest = ""]) =>
    firstValue(rest),
  );
  const named = new RegExp(`\\b(?:${calls.join("|")})\\(\\s*(?:[\\w.?() ]+,\\s*)*${word}`, "gu");
  const called = [...text.matchAll(named)].flatMap(([, code]) => (code === undefined ? [] : [code]));
  return [...new Set([...fields, ...called])].filter((code) => !noCodes.has(code));
}

/** The words of the value of a field: of both sides, where it is a choice. */
function firstValue(rest: string): readonly string[] {
  const value = /^(?:[^"]*\? )?"[^"]*"(?: : (?:[^"]*\? )?"[^"]*")*/u.exec(rest)?.[0] ?? "";
  const choice = value.replace(/^[^"]*=== "[^"]*"/u, "").replace(/=== "[^"]*"/gu, "");
  return [...choice.matchAll(new RegExp(word, "gu"))].flatMap(([, code]) => (code === undefined ? [] : [code]));
}

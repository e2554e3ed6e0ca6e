import { safe, visibleEscape } from "../safe.ts";

/**
 * The one place where a value enters Markdown. A value becomes a code span, or prose in which each word that could be more than
 * a word does: so that nothing of it links, mentions, refers, formats, breaks a table or is HTML, on any forge.
 */

export function code(text: string, limit = maxValueLength): string {
  const shown = cut(safe(cut(text, limit)).replace(/[`|]/gu, visibleEscape), limit);
  const isVisible = shown.trim() !== "" && shown.trim() === shown;
  return `\`${isVisible ? shown : JSON.stringify(shown)}\``;
}

/** Plain words stay, everything else becomes code spans. Long ones are cut. */
export function prose(text: string, limit = maxProseLength): string {
  const tokens = tokensOf(cut(text.replace(/\s+/gu, " ").trim(), limit));
  return mergeTokens(tokens);
}

/** Nothing in it is interpreted. */
export function fenced(lines: readonly string[], { language }: { readonly language: string }): string {
  const [maxLines, maxLineLength] = language === "diff" ? [200, 240] : [40, language === "shell" ? 8000 : 200];
  const shown = lines.slice(0, maxLines).map((line) => safe(cut(line, maxLineLength)));
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more lines`);
  const runs = shown.flatMap((line) => [...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return [`${fence}${language}`, ...shown, fence].map((line) => line.trimEnd()).join("\n");
}

/** By it a comment on a pull request is found again. */
export function marker(command: string, title: string | undefined): string {
  const name = (title ?? "").replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^-|-$/gu, "");
  return `<!-- roster:${command}${name === "" ? "" : ` ${cut(name, maxNameLength)}`} -->`;
}

const maxValueLength = 160;
const maxProseLength = 1200;
const maxNameLength = 60;

interface Token {
  readonly is: "words" | "code";
  readonly text: string;
}

/** What stands between backticks is code already. */
function tokensOf(text: string): readonly Token[] {
  const isPaired = text.split("`").length % 2 === 1;
  const parts = (isPaired ? text : text.replaceAll("`", visibleEscape("`"))).split("`");
  return parts.flatMap((part, index): readonly Token[] => {
    if (index % 2 === 1) return part === "" ? [] : [{ is: "code", text: part }];
    return part.split(" ").flatMap((word, at) => [...(at === 0 ? [] : [space]), ...wordTokens(word)]);
  });
}

const space: Token = { is: "words", text: " " };

function wordTokens(word: string): readonly Token[] {
  if (word === "") return [];
  const [, before = "", core = "", after = ""] = /^([("“]*)(.*?)((?:['’]s)?[)"”.,:;?]*)$/u.exec(word) ?? [];
  if (core === "") return [{ is: /^[()"“”.,:;?]+$/u.test(word) ? "words" : "code", text: word }];
  const couldNumberAList = /^\d+$/u.test(core) && /^[.)]/u.test(after);
  const inside: Token = { is: isPlain(core) && !couldNumberAList ? "words" : "code", text: core };
  const around = (text: string): readonly Token[] => (text === "" ? [] : [{ is: "words", text }]);
  return [...around(before), inside, ...around(after)];
}

/** Letters, or a short number: neither a role nor a key nor a file, neither a commit nor an issue. */
function isPlain(core: string): boolean {
  if (core === "–" || core === "—" || core === "…") return true;
  if (/^\d{1,6}(?:–\d{1,6}|%)?$/u.test(core)) return true;
  if (/\p{Ll}\p{Lu}|^\p{Lu}{5,}$/u.test(core)) return false;
  if (!/^[\p{L}\p{M}]+(?:[-'’][\p{L}\p{M}]+)*$/u.test(core)) return false;
  return safe(core) === core && !/^[a-f]{7,}$/iu.test(core);
}

/** Adjacent code spans become one, except after an address. */
function mergeTokens(tokens: readonly Token[]): string {
  const merged: Token[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    const before = merged.at(-2);
    const isAfterAddress = before !== undefined && /^[^\s@]+@[^\s@]+$/u.test(before.text);
    if (token.is === "code" && last?.is === "code")
      merged.splice(-1, 1, { is: "code", text: `${last.text}${token.text}` });
    else if (token.is === "code" && last === space && before?.is === "code" && !isAfterAddress)
      merged.splice(-2, 2, { is: "code", text: `${before.text} ${token.text}` });
    else merged.push(token);
  }
  return merged.map(({ is, text }) => (is === "code" ? code(text, maxProseLength) : text)).join("");
}

/** Whole characters, with a mark where something is left out. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]$/u.test(text.slice(0, limit)) ? limit - 1 : limit;
  return `${text.slice(0, end)}…`;
}

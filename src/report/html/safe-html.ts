import { safe } from "../safe.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The one place where a text enters HTML, as text or in an attribute with quotes: it is never markup, and nothing of it is hidden. */
export function escapeHtml(text: string): string {
  return safe(text).replace(/[&<>"']/gu, (character) => entities[character] ?? "");
}

/** A sentence: what stands between backticks is code. */
export function prose(text: string): string {
  const parts = text.split("`").map(escapeHtml);
  if (parts.length % 2 === 0) return parts.join("`");
  return parts.map((part, index) => (index % 2 === 1 ? `<code>${part}</code>` : part)).join("");
}

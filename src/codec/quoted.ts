const longest = 100;

/** A value as it is to be shown in a sentence, of a bearable length. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(cut(value)) : cut(JSON.stringify(value) ?? "missing");
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

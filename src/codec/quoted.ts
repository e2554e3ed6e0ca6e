const maxQuotedLength = 100;

/** A value as it is to be shown in a sentence, of a bearable length. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(truncate(value)) : truncate(JSON.stringify(value) ?? "missing");
}

function truncate(text: string): string {
  return text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text;
}

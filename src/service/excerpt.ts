/** The beginning of a text on one line, without characters that a reader cannot see. */
export function excerpt(text: string, length: number): string {
  const visible = text
    .slice(0, length * 4)
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, "")
    .trim();
  return visible.length > length ? `${visible.slice(0, length)}…` : visible;
}

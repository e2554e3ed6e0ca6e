/** A value as one line of YAML, without the quotes that it does not need; `-` is what is not there. */
export function plainText(value: unknown): string {
  if (value === undefined) return "-";
  if (Array.isArray(value)) return `[${value.map(plainText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{${fields.map(([name, inner]) => `${word(name)}: ${plainText(inner)}`).join(", ")}}`;
  }
  return typeof value === "string" ? word(value) : JSON.stringify(value);
}

function word(text: string): string {
  const isPlain = /^(?![-+.\d][\d.eE_+-]*$|true$|false$|null$|[\s@`?*&!|>%#'-])[^"{}[\],\n]*[^"{}[\],\n\s:]$/u.test(
    text,
  );
  return isPlain && !text.includes(": ") && !text.includes(" #") ? text : JSON.stringify(text);
}

import type { Json } from "./arbitrary-documents.ts";

/** Writes a document as people do: in blocks and braces, in any order and indentation, with comments and empty lines anywhere. */
export function untidy(document: { readonly [name: string]: Json }, pick: (choices: number) => number): string {
  let comments = 0;
  const remark = () => {
    comments += 1;
    return `# remark ${comments}`;
  };
  const maybe = (odds: number) => pick(odds) === 0;
  const around = (margin: number): string => {
    let text = "";
    while (maybe(5)) text += maybe(2) ? "\n" : `${" ".repeat(margin + (maybe(3) ? pick(4) : 0))}${remark()}\n`;
    return text;
  };
  const beside = () => (maybe(6) ? ` ${remark()}` : "");

  const text = (value: string): string => {
    const isPlain =
      /^[A-Za-z][A-Za-z0-9@._-]*$/u.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(value);
    if (isPlain && !maybe(4)) return value;
    return maybe(2) && !/[\p{Cc}\p{Cf}\u2028\u2029\ufeff]/u.test(value)
      ? `'${value.replaceAll("'", "''")}'`
      : JSON.stringify(value);
  };
  const scalar = (value: Json) => (typeof value === "string" ? text(value) : String(value));

  const inFlow = (value: Json, margin: number): string => {
    if (typeof value !== "object" || value === null) return scalar(value);
    if (Array.isArray(value))
      return bracketed(
        "[]",
        value.map((item: Json) => inFlow(item, margin)),
        margin,
      );
    const pairs = Object.entries(value).map(([key, item]) => `${text(key)}: ${inFlow(item, margin)}`);
    return bracketed("{}", pairs, margin);
  };
  const bracketed = ([open, close]: string, parts: readonly string[], margin: number): string => {
    if (!maybe(4)) {
      const space = maybe(2) ? " " : "";
      return `${open}${space}${parts.join(", ")}${maybe(2) && parts.length > 0 ? "," : ""}${close}`;
    }
    const inner = " ".repeat(margin + 2);
    const lines = parts.map((part) => `${around(margin + 2)}${inner}${part},${beside()}\n`);
    return `${open}${beside()}\n${lines.join("")}${around(margin + 2)}${inner}${close}`;
  };

  /** The value with what stands before it: behind a key or a dash. */
  const behind = (value: Json, margin: number, kind: "key" | "dash"): string => {
    const isEmpty = typeof value !== "object" || value === null || Object.keys(value).length === 0;
    if (isEmpty || maybe(3)) return ` ${inFlow(value, margin)}${beside()}\n`;
    const isList = Array.isArray(value);
    const inner = margin + (isList && kind === "key" && maybe(3) ? 0 : 2);
    if (kind === "dash" && !maybe(5)) return ` ${block(value, inner).trimStart()}`;
    return `${beside()}\n${block(value, inner)}`;
  };
  const block = (value: Json, margin: number, isFirst = true): string => {
    const space = " ".repeat(margin);
    if (Array.isArray(value)) {
      return value
        .map((item: Json, at) => `${at === 0 ? "" : around(margin)}${space}-${behind(item, margin, "dash")}`)
        .join("");
    }
    const entries = Object.entries(value ?? {});
    return entries
      .map(
        ([key, item], at) =>
          `${at === 0 && isFirst ? "" : around(margin)}${space}${text(key)}:${behind(item, margin, "key")}`,
      )
      .join("");
  };
  if (maybe(8)) return `${around(0)}${inFlow(document, 0)}${beside()}\n${around(0)}`;
  return `${around(0)}${block(document, 0, false)}${around(0)}`;
}

import { marked, type Token, type Tokens } from "marked";

/**
 * A Markdown document as a forge would read it, with `kinds` of every token. `words`: whatever is neither code nor HTML, which a forge looks at for
 * mentions. `tables` and `items`: under each heading or summary, as plain text.
 */
export function readMarkdown(text: string) {
  const read = { kinds: new Set<string>(), html: [] as string[], words: [] as string[] };
  const tables = new Map<string, readonly (readonly string[])[]>();
  const items = new Map<string, readonly string[]>();
  let title = "";
  for (const token of marked.lexer(text, { gfm: true })) {
    walk(token, read);
    title = titleIn(token) ?? title;
    if (isTable(token))
      tables.set(
        title,
        token.rows.map((row) => row.map(({ tokens }) => plainText(tokens))),
      );
    if (token.type === "list")
      items.set(
        title,
        (token as Tokens.List).items.map(({ tokens }) =>
          tokens
            .map((one) => plainText([one]))
            .join(" ")
            .trim(),
        ),
      );
  }
  return { ...read, tables, items };
}

function walk(
  token: Token,
  read: { readonly kinds: Set<string>; readonly html: string[]; readonly words: string[] },
): void {
  read.kinds.add(token.type);
  if (token.type === "html") read.html.push(token.raw.trim());
  const inside = childrenOf(token);
  if (inside.length === 0 && token.type === "text") read.words.push(token.raw);
  for (const child of inside) walk(child, read);
}

function childrenOf(token: Token): readonly Token[] {
  if (isTable(token)) return [...token.header, ...token.rows.flat()].flatMap(({ tokens }) => tokens);
  if (token.type === "list") return (token as Tokens.List).items;
  return "tokens" in token && token.tokens !== undefined ? token.tokens : [];
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}

function titleIn(token: Token): string | undefined {
  if (token.type === "heading") return plainText((token as Tokens.Heading).tokens);
  return token.type === "html" ? /<summary>([^<]*)<\/summary>/u.exec(token.raw)?.[1] : undefined;
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map((token) => ("tokens" in token && token.tokens ? plainText(token.tokens) : textOf(token))).join("");
}

function textOf(token: Token): string {
  return "text" in token ? unescaped(String(token.text)) : "";
}

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/gu, (_, name: string) => characters.get(name) ?? "");
}

const characters = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["#39", "'"],
  ["amp", "&"],
]);

/**
 * What a report shows: one tree, which text, Markdown, HTML and the review screen draw. Order, folding, cutting and widths are the
 * renderers'. Texts from outside stand here unchanged: a renderer makes them safe where it draws a span, and nowhere else.
 */
export interface Document {
  readonly heading: Inline;
  readonly summary: readonly Paragraph[];
  readonly about: readonly Paragraph[];
  /** When it was read, and of whom. A page that folds `about` shows it. */
  readonly read: readonly Paragraph[];
  /** What matters first. A section without content is left out. */
  readonly sections: readonly Section[];
  readonly next: readonly Block[];
  /** Where the log ends, and the exit code unless it is 0 or an error says why. */
  readonly end: readonly Paragraph[];
  /** The command whose text shows all of it. */
  readonly whole: string;
}

export type Content = Partial<Pick<Document, "heading" | "about" | "read" | "summary" | "sections" | "next">>;

export function toDocument(content: Content, whole: string): Document {
  const { sections = [] } = content;
  const shown = sections.filter(({ blocks }) => blocks.length > 0);
  return { heading: [], about: [], read: [], summary: [], next: [], end: [], ...content, sections: shown, whole };
}

export interface Section {
  readonly title?: Inline;
  /** `folded` where an output can fold; `extra`: left out where it cannot. */
  readonly is: "open" | "folded" | "extra";
  readonly blocks: readonly Block[];
  /** Where all of it is shown, if not where the document is. */
  readonly whole?: string;
}

export type Block = Paragraph | Table | Lines | Code | Entries;

export type Paragraph = { readonly kind: "paragraph"; readonly spans: Inline };

export interface Table {
  readonly kind: "table";
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Inline[])[];
  /** Of people x teams, where each row can be filtered by its labels. A grid has many columns, and most of its cells are empty. */
  readonly map?: { readonly as: "grid" | "list"; readonly labels: readonly (readonly string[])[] };
}

export type Lines = { readonly kind: "lines"; readonly lines: readonly Line[] };

export interface Line {
  readonly indent: number;
  readonly spans: Inline;
  readonly place?: string | undefined;
  /** Never broken, such as a command or a source line. */
  readonly fixed?: true;
}

type Code = { readonly kind: "code"; readonly language: "yaml" | "shell"; readonly text: string };

/** Things under one title. `changes`: what a plan does, to be compared at a glance; `tasks`: what is to be read one by one. */
export interface Entries {
  readonly kind: "entries";
  readonly as: "changes" | "tasks";
  readonly title?: Inline;
  readonly notes: readonly Paragraph[];
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly mark?: Mark | undefined;
  /** `alarm` where a person must look at it. */
  readonly ink?: Ink | undefined;
  /** The user or thing that it is about; empty where `what` says so. */
  readonly about: Inline;
  readonly what: Inline;
  readonly place?: string | undefined;
  readonly notes: readonly Block[];
  readonly labels: readonly string[];
  /** Why it is there; made where somebody opens it. */
  readonly details?: (() => readonly Block[]) | undefined;
  readonly actions: readonly string[];
}

/** `+` adds, `-` removes, `~` changes in both ways or in one that is not known, `!` needs attention. */
export type Mark = "+" | "-" | "~" | "!";

export const markInks: Readonly<Record<Mark, Ink>> = { "+": "add", "-": "remove", "~": "change", "!": "change" };

export type Inline = readonly Span[];

/** A text without a kind is untrusted as a whole. */
export type Span =
  | Piece
  /** Our own words. */
  | { readonly is: "words"; readonly text: string }
  /** One value; `max`: so many characters are shown at most. `quoted`: a text of others, in quotes where nothing else sets it apart. */
  | { readonly is: "value"; readonly text: string; readonly max?: number; readonly quoted?: true; readonly ink?: Ink }
  /** The name of something that has a file of its own, next to this report; `file` is one of our own paths. */
  | { readonly is: "link"; readonly text: string; readonly file: string };

export type Piece = string | { readonly ink: Ink; readonly text: string };

export type Ink = "add" | "change" | "remove" | "alarm" | "dim" | "strong" | "marked";

/** Colours a text that has already been made safe; returns it as it is where colours are off. */
export type Paint = (ink: Ink, text: string) => string;

export const plain: Paint = (_ink, text) => text;

/** Our own words around values: phrase`joins ${team}`. A text among the values is one value; numbers and spans are taken as they are. */
export function phrase(
  literals: TemplateStringsArray,
  ...parts: readonly (string | number | Exclude<Span, string> | Inline)[]
): Inline {
  const spans: Span[] = [];
  literals.forEach((text, index) => {
    const part = parts[index];
    if (text !== "") spans.push({ is: "words", text });
    if (typeof part === "string") spans.push(value(part));
    else if (typeof part === "number") spans.push({ is: "words", text: `${part}` });
    else if (part !== undefined) spans.push(...("length" in part ? part : [part]));
  });
  return spans;
}

/** Our own words; never a text from outside. */
export function words(text: string): Inline {
  return [{ is: "words", text }];
}

export function value(text: string, max?: number): Exclude<Span, string> {
  return max === undefined ? { is: "value", text } : { is: "value", text, max };
}

export function values(texts: readonly string[]): Inline {
  const all = texts.map((text) => [value(text)]);
  return joinInline(all, ", ");
}

export function inked(ink: Ink | undefined, text: string): Piece {
  return ink === undefined ? text : { ink, text };
}

export function joinInline(parts: readonly Inline[], between: string): Inline {
  return parts
    .filter(({ length }) => length > 0)
    .flatMap((part, index) => (index === 0 ? part : [...words(between), ...part]));
}

export function listInline(parts: readonly Inline[]): Inline {
  const last = parts.at(-1) ?? [];
  return parts.length < 2 ? last : [...joinInline(parts.slice(0, -1), ", "), ...words(" and "), ...last];
}

export function plainText(spans: Inline): string {
  return spans.map(spanText).join("");
}

export function spanText(span: Span): string {
  if (typeof span === "string") return span;
  if (!("quoted" in span)) return span.text;
  const { text, max = text.length } = span;
  return `"${text.length <= max ? text : `${text.slice(0, max)}…`}"`;
}

export function paragraph(spans: Inline): Paragraph {
  return { kind: "paragraph", spans };
}

export function sentence(text: string, ink?: Ink): Paragraph {
  return { kind: "paragraph", spans: [inked(ink, text)] };
}

/** With the names of privileged roles in their colour. What an output makes safe as a whole, such as code or an address, stays whole. */
export function inkRoles(spans: Inline, privileged: readonly string[] = []): Inline {
  return spans.flatMap((span): Inline => {
    if (typeof span !== "string")
      return ["is" in span && privileged.includes(span.text) ? { ...span, ink: "alarm" } : span];
    const words = [...span.matchAll(/`[^`]*`|(?<=^|[\s(])[\w-]+(?=[\s,.;:)]|$)/gu)];
    const roles = words.filter(([word]) => privileged.includes(word));
    const ends = [0, ...roles.map(({ 0: role, index }) => index + role.length)];
    const parts = roles.flatMap(({ 0: role, index }, at) => [span.slice(ends[at], index), inked("alarm", role)]);
    return [...parts, span.slice(ends.at(-1))];
  });
}

export function line(indent: number, spans: Inline, place?: string): Line {
  return place === undefined ? { indent, spans } : { indent, spans, place };
}

export function lines(all: readonly Line[]): readonly Lines[] {
  return all.length === 0 ? [] : [{ kind: "lines", lines: all }];
}

export function entry(what: Inline, more: Partial<Omit<Entry, "what">> = {}): Entry {
  return { about: [], what, notes: [], labels: [], actions: [], ...more };
}

export function entriesOf(entries: readonly Entry[], notes: Entries["notes"] = []): readonly Entries[] {
  return entries.length === 0 ? [] : [{ kind: "entries", as: "tasks", notes, entries }];
}

export function table(columns: readonly string[], rows: Table["rows"]): readonly Table[] {
  return rows.length === 0 ? [] : [{ kind: "table", columns, rows }];
}

export function part(title: Inline | undefined, blocks: readonly Block[]): Section {
  return { ...(title === undefined ? {} : { title }), is: "open", blocks };
}

export function code(language: Code["language"], text: string): Code {
  return { kind: "code", language, text: text.replace(/\n+$/u, "") };
}

export function section(
  title: string,
  entries: readonly Entry[],
  more: Partial<Pick<Section, "is"> & Pick<Entries, "notes"> & { readonly count: number }> = {},
): Section {
  const { is = "open", notes, count = entries.length } = more;
  return { title: words(`${title} (${count})`), is, blocks: entriesOf(entries, notes) };
}

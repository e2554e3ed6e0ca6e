import { formatCount } from "../phrases.ts";

/**
 * What a report shows, in every format. Texts from outside are kept unchanged: a renderer makes them safe where it draws
 * a span, and nowhere else. A section without a lead, rows, items and entries is left out.
 */
export interface Section {
  /** Our own words, never a value. */
  readonly title?: string;
  /** Folded sections are opened by a click, where a format supports that. */
  readonly is: "open" | "folded";
  /** Always shown before the body, however little room there is. */
  readonly lead?: readonly Block[];
  /** The most important first: where there is no room for all, the end is left out. */
  readonly body: Table | List | Stack | Changes;
  /** Where room is short, the section with the lowest rank is filled first. */
  readonly rank: number;
  /** Shown in place of so many rows, items or entries. */
  readonly leftOut: (count: number) => Inline;
}

/** What a reviewer of a pull request or of a pipeline needs to know. */
export interface Review {
  readonly heading: Inline;
  /** What it is about and how it ended, in few lines. */
  readonly facts: readonly Inline[];
  /** What matters first; in sections for those who read on. */
  readonly sections: readonly Section[];
}

export interface Table {
  readonly kind: "table";
  /** What applies to every row. */
  readonly note?: Inline;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Inline[])[];
  /** One for each row. */
  readonly asides?: readonly Aside[];
}

/** For outputs in which a row can be filtered and opened. */
export interface Aside {
  /** Our own words. */
  readonly labels: readonly string[];
  /** Why: called only where a row can be opened. */
  readonly details: () => readonly Block[];
}

interface List {
  readonly kind: "list";
  readonly items: readonly Inline[];
  /** The items are about the last item of the lead. */
  readonly nested?: true;
}

/** Entries of several blocks each. */
interface Stack {
  readonly kind: "stack";
  readonly entries: readonly (readonly Block[])[];
}

/** Who changes, group by group. */
interface Changes {
  readonly kind: "changes";
  readonly groups: readonly ChangeGroup[];
}

export interface ChangeGroup {
  /** With how many people it is about. */
  readonly title: string;
  /** Whose all of them are. */
  readonly note?: string;
  readonly rows: readonly ChangeRow[];
}

export interface ChangeRow extends Aside {
  /** `+` adds only, `-` removes only, `!` does both, or the roles before are unknown. */
  readonly mark: "+" | "-" | "!";
  readonly pieces: readonly Piece[];
  /** Where the roster asks for it. */
  readonly place?: string;
}

export type Block = Paragraph | Item | Code;

interface Paragraph {
  readonly kind: "paragraph";
  readonly spans: Inline;
}

/** An item of a list, with its details. */
interface Item {
  readonly kind: "item";
  readonly spans: Inline;
  readonly details: readonly Block[];
}

/** Lines in which nothing is interpreted: YAML to paste, lines of a report, or a diff. */
interface Code {
  readonly kind: "code";
  readonly lines: string | readonly Line[];
  readonly language: "yaml" | "text" | "diff";
}

export type Inline = readonly Span[];

/** A text without a kind is untrusted as a whole. */
export type Span =
  | Piece
  /** Our own words. */
  | { readonly is: "words"; readonly text: string }
  /** One value; `max`: so many characters are shown at most. `quoted`: a text of others, in quotes where nothing else sets it apart. */
  | { readonly is: "value"; readonly text: string; readonly max?: number; readonly quoted?: true }
  | { readonly is: "strong"; readonly spans: Inline }
  /** The name of something that has a file of its own, next to this report; `file` is one of our own paths. */
  | { readonly is: "link"; readonly text: string; readonly file: string }
  /** Values with something between them: where an output has little room, so many are shown. */
  | { readonly is: "values"; readonly texts: readonly string[]; readonly max?: number };

/** Our own words around values: phrase`joins ${team}`. A text among the values is one value; numbers and spans are taken as they are. */
export function phrase(
  literals: TemplateStringsArray,
  ...parts: readonly (string | number | Exclude<Span, string> | Inline)[]
): Inline {
  const spans: Span[] = [];
  literals.forEach((text, index) => {
    const part = parts[index];
    if (text !== "") spans.push({ is: "words", text });
    if (part !== undefined) spans.push(...spansOf(part));
  });
  return spans;
}

function spansOf(part: string | number | Exclude<Span, string> | Inline): Inline {
  if (typeof part === "string") return [value(part)];
  if (typeof part === "number") return words(`${part}`);
  return "length" in part ? part : [part];
}

/** Our own words; never a text from outside. */
export function words(text: string): Inline {
  return [{ is: "words", text }];
}

export function value(text: string, max?: number): Exclude<Span, string> {
  return max === undefined ? { is: "value", text } : { is: "value", text, max };
}

/** What somebody else says, such as the service; cut where it is long. */
export function quote(text: string): Exclude<Span, string> {
  return { is: "value", text, max: maxQuote, quoted: true };
}

const maxQuote = 300;

export function values(texts: readonly string[], max?: number): Exclude<Span, string> {
  return max === undefined ? { is: "values", texts } : { is: "values", texts, max };
}

export function strong(spans: Inline): Exclude<Span, string> {
  return { is: "strong", spans };
}

/** Phrases with the same words between them. */
export function joinInline(parts: readonly Inline[], between: string): Inline {
  return parts.flatMap((part, index) => (index === 0 ? part : [...words(between), ...part]));
}

/** `a, b and c`. */
export function listInline(parts: readonly Inline[]): Inline {
  const last = parts.at(-1) ?? [];
  return parts.length < 2 ? last : [...joinInline(parts.slice(0, -1), ", "), ...words(" and "), ...last];
}

/** The text of spans, as it came. */
export function plainText(spans: Inline): string {
  return spans.map(spanText).join("");
}

function spanText(span: Span): string {
  if (typeof span === "string") return span;
  if (!("is" in span)) return span.text;
  switch (span.is) {
    case "words":
      return span.text;
    case "value":
      return span.quoted === true ? `"${cut(span.text, span.max)}"` : span.text;
    case "strong":
      return plainText(span.spans);
    case "link":
      return span.text;
    case "values":
      return span.texts.join(", ");
  }
}

function cut(text: string, max = text.length): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

export function paragraph(spans: Inline): Block {
  return { kind: "paragraph", spans };
}

export function item(spans: Inline, details: readonly Block[] = []): Block {
  return { kind: "item", spans, details };
}

/** A body of lines in which nothing is interpreted. */
export function codeBody(lines: Code["lines"]): Stack {
  return { kind: "stack", entries: [[{ kind: "code", language: "text", lines }]] };
}

/** A line for people: one that is broken at a narrow terminal only where it has a place, or sentences that are broken at spaces. */
export type Line = Row | Prose;

/** One line. Only one with a place is ever broken, on a terminal that is too narrow for both. */
export interface Row {
  readonly kind: "row";
  readonly indent: number;
  readonly pieces: readonly Piece[];
  /** Shown dim at the right, aligned over the whole report, or below where there is no room. */
  readonly place?: string;
}

/** Sentences, broken at spaces. */
export interface Prose {
  readonly kind: "prose";
  readonly indent: number;
  readonly text: string;
  readonly ink?: Ink;
}

/** What a piece of a line is, where a renderer shows it by a colour. */
export type Ink = "add" | "change" | "remove" | "alarm" | "dim" | "strong" | "marked";

export type Piece = string | { readonly ink: Ink; readonly text: string };

const blank: Row = { kind: "row", indent: 0, pieces: [] };

/** In place of rows or items for which there is no room: `… and 3 more keys: ` and where all of them are shown. */
export function andMore(whole: Inline, one = "more", many = one === "more" ? one : `${one}s`): Section["leftOut"] {
  return (count) => phrase`… and ${words(formatCount(count, one, many))}: ${whole}`;
}

export function row(indent: number, pieces: readonly Piece[], place?: string): Row {
  return place === undefined ? { kind: "row", indent, pieces } : { kind: "row", indent, pieces, place };
}

export function prose(indent: number, text: string, ink?: Ink): Prose {
  return ink === undefined ? { kind: "prose", indent, text } : { kind: "prose", indent, text, ink };
}

export function heading(text: string, ink: Ink = "strong"): Row {
  return row(0, [{ ink, text }]);
}

/** Lines under a heading; nothing where there are none. */
export function headed<One extends Line | Table>(
  text: string,
  lines: readonly One[],
  ink?: Ink,
): readonly (One | Row)[] {
  return lines.length === 0 ? [] : [heading(text, ink), ...lines];
}

/** Sections one below the other, with a blank line between those that are not empty. */
export function joinSections<One = Line>(sections: readonly (readonly (One | Line)[])[]): readonly (One | Line)[] {
  const full = sections.filter((section) => section.length > 0);
  return full.flatMap((section, index) => (index === 0 ? section : [blank, ...section]));
}

/** A document as it is laid out for people: its values as they are written, and every comment at what it is about. */
export interface LayoutTree {
  /** Comments, and perhaps the mark of its start, above everything; an empty text is an empty line. */
  readonly head: readonly string[];
  /** Whether an empty line follows the head. */
  readonly isHeadApart: boolean;
  readonly root: LayoutMap;
  /** Comments below everything. */
  readonly foot: readonly string[];
}

export type LayoutNode = LayoutScalar | LayoutList | LayoutMap;

export interface LayoutScalar {
  readonly kind: "scalar";
  /** What it says. */
  readonly text: string;
  /** How it is written: its first line, and the further ones of a block of text, as far in as their key. */
  readonly written: readonly [string, ...string[]];
}

interface LayoutCollection {
  /** Within brackets or braces. */
  readonly flow: boolean;
  readonly entries: readonly LayoutEntry[];
  /** Comments below its last entry, as far in as its entries. */
  readonly foot: readonly string[];
  /** An empty line before, and in a map after, each entry that takes several lines. */
  readonly spaced?: true;
}

export interface LayoutList extends LayoutCollection {
  readonly kind: "list";
}

export interface LayoutMap extends LayoutCollection {
  readonly kind: "map";
}

/** An item of a list, or a key of a map with its value; and the comments about it. */
export interface LayoutEntry {
  readonly key?: LayoutScalar;
  readonly value: LayoutNode;
  /** Comments above it and apart from it, by an empty line. */
  readonly heading: readonly string[];
  /** Whether an empty line is before it, and before the comments directly above it. */
  readonly isApart: boolean;
  /** Comments directly above it. */
  readonly above: readonly string[];
  /** Comments at the end of its first line, or of its only one. */
  readonly beside: readonly string[];
  /** Comments below it, further in than itself. */
  readonly below: readonly string[];
}

/** What a map says under a key, where that is a scalar; of a scalar by itself, what it says. */
export function layoutTextAt(laid: LayoutNode, key: string): string | undefined {
  if (laid.kind !== "map") return undefined;
  const value = laid.entries.find((entry) => entry.key?.text === key)?.value;
  return value?.kind === "scalar" ? value.text : undefined;
}

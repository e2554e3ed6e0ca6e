import type { Place } from "../model/place.ts";
import type { SourceText } from "./source-text.ts";

/** A located part of a YAML document. User-chosen names are only ever the text of a key, never a property of an object. */
export type Node = ScalarNode | ListNode | MapNode;

/** Where something stands, and how many columns of its first line it covers: at least one. */
export interface SourceRange {
  readonly source: SourceText;
  readonly place: Place;
  readonly length: number;
}

export interface ScalarNode extends SourceRange {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** The value of a string; anything else as it is written, so that `012` and big numbers lose nothing. */
  readonly text: string;
}

/** What YAML 1.2 makes of a scalar. Everything quoted is a string; so are `yes`, `no`, `on`, `off` and dates. */
export type ScalarType = "string" | "number" | "boolean" | "null";

interface ListNode extends SourceRange {
  readonly kind: "list";
  readonly items: readonly Node[];
}

export interface MapNode extends SourceRange {
  readonly kind: "map";
  /** In the order of the file; no two keys have one text. */
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
}

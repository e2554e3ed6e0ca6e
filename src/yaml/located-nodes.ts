import {
  type ListNode,
  type MapEntry,
  type MapNode,
  type Node,
  type ScalarNode,
  type ScalarType,
  type SourceText,
  TextRange,
} from "./source-text.ts";

export class LocatedScalar extends TextRange implements ScalarNode {
  readonly kind = "scalar";
  readonly type: ScalarType;
  readonly text: string;

  constructor(source: SourceText, start: number, end: number, text: string, type: ScalarType) {
    super(source, start, end);
    this.text = text;
    this.type = type;
  }
}

export class LocatedList extends TextRange implements ListNode {
  readonly kind = "list";
  readonly items: readonly Node[];

  constructor(source: SourceText, start: number, end: number, items: readonly Node[]) {
    super(source, start, end);
    this.items = items;
  }
}

export class LocatedMap extends TextRange implements MapNode {
  readonly kind = "map";
  readonly entries: readonly MapEntry[];

  constructor(source: SourceText, start: number, end: number, entries: readonly MapEntry[]) {
    super(source, start, end);
    this.entries = entries;
  }
}

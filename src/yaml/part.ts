/** What a YAML text is to hold, in the order in which it is to stand there. */
export type YamlValue = string | number | boolean | YamlList | YamlMap;

/** `line`: within brackets in one line where there is room, else as `block`: each item on lines of its own. */
type YamlLayout = "line" | "block";

export interface YamlList {
  readonly kind: "list";
  readonly layout: YamlLayout;
  readonly items: readonly (YamlValue | YamlComment)[];
  /** An empty line before each item that takes several lines. */
  readonly spaced?: true;
}

export interface YamlMap {
  readonly kind: "map";
  readonly layout: YamlLayout;
  readonly entries: readonly (YamlEntry | YamlComment)[];
}

export interface YamlEntry {
  readonly kind: "entry";
  /** A name of the format, which needs no quotes. */
  readonly key: string;
  readonly value: YamlValue;
}

/** Lines for people. Whatever stands in them, they stay comments. */
export interface YamlComment {
  readonly kind: "comment";
  readonly text: string;
}

export function isComment(part: YamlValue | YamlEntry | YamlComment): part is YamlComment {
  return typeof part === "object" && part.kind === "comment";
}

export function comment(text: string): YamlComment {
  return { kind: "comment", text };
}

export function entry(key: string, value: YamlValue): YamlEntry {
  return { kind: "entry", key, value };
}

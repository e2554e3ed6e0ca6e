import type { Fault } from "./spot.ts";

/** What a tag, an anchor, an alias or a directive causes further on; each of these is reported as itself. */
const reportedElsewhere = new Set([
  "ALIAS_PROPS",
  "BAD_ALIAS",
  "BAD_COLLECTION_TYPE",
  "BAD_DIRECTIVE",
  "BAD_PROP_ORDER",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAG_RESOLVE_FAILED",
]);

const unclosedQuote = syntax("A quotation mark is never closed.", "Close the quotes, or remove the one that opens.");
const unclosedBracket = syntax("A bracket or brace is never closed.", "Close it, and indent what stands between.");

/** True for a fault that is best shown where something opens. */
export function isAboutClosing(fault: Fault): boolean {
  return fault === unclosedQuote || fault === unclosedBracket;
}

const byDetail: readonly (readonly [RegExp, Fault])[] = [
  [/closing/, unclosedQuote],
  [/^Implicit map keys/, syntax("A key has no colon after it.", "Write `key: value`.")],
  [/^Missing space after :/, syntax("The colon has no space after it.", "Write `key: value`.")],
  [/^Missing , /, syntax("A comma is missing between two entries.", "Separate them by a comma.")],
  [/^Comments must/, syntax("A comment needs a space before its #.", "Add a space, or quote a value that holds a #.")],
  [/^Sequence item without/, indentation("A line of this list does not begin with a dash.")],
  [/ end with /, unclosedBracket],
  [/^A block sequence may not/, indentation("A list item does not fit the indentation of the lines around it.")],
  [/^Unexpected map-value-ind/, indentation("A key does not belong to the map or list that has begun before it.")],
  [/^Block collection cannot start/, syntax("Nothing but a comment may follow --- in its line.")],
  [/^Block scalar header/, syntax("Nothing may follow | or > in its line.", "Start the text in the next line.")],
  [/^Unexpected (?:, |empty item)/, syntax("A comma has nothing before it.", "Remove the comma.")],
  [/^Unexpected flow-(?:map|seq)-end/, syntax("A bracket or brace is closed that was never opened.", "Remove it.")],
  [
    /^Unexpected block-seq-ind/,
    syntax("A list starts in the line of its key.", "Start each item on a line of its own."),
  ],
  [/^Unexpected scalar at node end/, syntax("Text follows a value that has already ended.", "Quote the whole value.")],
];

const byCode = new Map<string, Fault>([
  ["BAD_INDENT", indentation("The indentation does not fit the lines around it.")],
  [
    "TAB_AS_INDENT",
    { code: "yaml-tab", message: "A tab is used as indentation; YAML knows only spaces there.", hint: "Use spaces." },
  ],
  [
    "BAD_DQ_ESCAPE",
    syntax("There is no such escape sequence in double quotes.", "Write a backslash twice, or use single quotes."),
  ],
  ["BAD_SCALAR_START", syntax("A value cannot start with this character.", "Put the value in quotes.")],
  [
    "BLOCK_AS_IMPLICIT_KEY",
    syntax(
      "A second key or list starts where only a value can stand.",
      "Give it a line of its own, or quote a value that holds a colon.",
    ),
  ],
  ["BLOCK_IN_FLOW", syntax("Within brackets or braces, maps and lists need brackets or braces too.")],
  ["KEY_OVER_1024_CHARS", syntax("A key is longer than 1024 characters.")],
  [
    "MULTILINE_IMPLICIT_KEY",
    syntax(
      "What should be a key goes over several lines, or is none.",
      "Write `key: value`, and align the keys of one map.",
    ),
  ],
]);

/** Our words for a fault that the parser found; nothing where the fault is reported as something else. */
export function faultFor(parserCode: string, detail: string): Fault | undefined {
  if (reportedElsewhere.has(parserCode)) return undefined;
  const particular = byDetail.find(([pattern]) => pattern.test(detail));
  return particular?.[1] ?? byCode.get(parserCode) ?? unclear;
}

const unclear = syntax(
  "This is not valid YAML.",
  "Look for a missing quote, colon or space in this line or before it.",
);

export const tagFault: Fault = {
  code: "yaml-tag",
  message: "Tags are not accepted.",
  hint: "Remove it; to make a value a string, put it in quotes.",
};

export const directiveFault: Fault = {
  code: "yaml-directive",
  message: "Directives are not accepted: every file is read as YAML 1.2.",
  hint: "Remove the line.",
};

export const documentsFault: Fault = {
  code: "yaml-several-documents",
  message: "A second document starts here; a file holds one.",
  hint: "Give it a file of its own.",
};

export const tokensFault: Fault = {
  code: "yaml-too-large",
  message: "The file holds too many parts to be read as one.",
  hint: "Split it into several files.",
};

export function tooDeep(limit: number): Fault {
  return {
    code: "yaml-too-deep",
    message: `Maps and lists are nested more than ${limit} levels deep.`,
    hint: "Look for a bracket, brace or dash that is repeated by mistake.",
  };
}

const shared = "Write it out; in a roster, `groups` share people and `roleSets` share roles.";

export function anchorFault(what: "anchor" | "alias"): Fault {
  return {
    code: `yaml-${what}`,
    message: `${what === "anchor" ? "Anchors" : "Aliases"} are not accepted.`,
    hint: shared,
  };
}

export const mergeKeyFault: Fault = { code: "yaml-merge-key", message: "Merge keys are not accepted.", hint: shared };

function syntax(message: string, hint?: string): Fault {
  return { code: "yaml-syntax", message, ...(hint === undefined ? {} : { hint }) };
}

function indentation(message: string): Fault {
  const hint = "Entries of one map or list start in the same column.";
  return { code: "yaml-indentation", message, hint };
}

import type { CST } from "yaml";

/** A comment on a line of its own, and how far in it stands; or an empty line. */
type CommentLine = { readonly text: string; readonly column: number } | "gap";

/** Something that has ended, below which comments may stand that are still about it. */
interface CommentOwner {
  readonly column: number;
  readonly foot: string[];
}

/** Comments above an entry, which go to what follows or stand apart from it. */
export interface LeadingComments {
  readonly heading: readonly string[];
  readonly isApart: boolean;
  readonly above: string[];
}

/** Gathers comments and empty lines, token by token, until it is known what they are about. */
export interface CommentCollector {
  /** What stands between values. A comment behind something in its line goes to `beside`. */
  note(tokens: readonly CST.SourceToken[] | undefined, beside: string[]): void;
  /** A value has been passed. */
  pass(source: string): void;
  /** Something has ended that was this far in: comments further in than what follows may be about it. */
  close(footed: CommentOwner): void;
  /** The comments above what begins this far in, once those that are about what ended are given to it. */
  leadTo(column: number): LeadingComments;
  /** All comments since the last entry, whatever is between them. */
  take(): readonly string[];
}

export function collectComments(text: string): CommentCollector {
  let pending: CommentLine[] = [];
  let closed: CommentOwner[] = [];
  let isLineFresh = true;
  const endLine = () => {
    if (isLineFresh && pending.at(-1) !== "gap") pending.push("gap");
    isLineFresh = true;
  };
  const noteComment = ({ source, offset }: CST.SourceToken, beside: string[]) => {
    if (isLineFresh) pending.push({ text: source.trimEnd(), column: columnOf(offset, text) });
    else beside.push(source.trimEnd());
    isLineFresh = false;
  };
  return {
    note(tokens = [], beside) {
      for (const token of tokens) {
        if (token.type === "newline") endLine();
        else if (token.type === "comment") noteComment(token, beside);
        else if (token.type !== "space") isLineFresh = false;
      }
    },
    pass(source) {
      isLineFresh = source.endsWith("\n");
      if (/\n[ \t]*\n$/u.test(source)) pending.push("gap");
    },
    close(footed) {
      closed.push(footed);
    },
    leadTo(column) {
      const rest = attachTrailingComments(pending, closed, column);
      pending = [];
      closed = [];
      return leadingComments(rest);
    },
    take() {
      const taken = pending.flatMap((remark) => (remark === "gap" ? [] : [remark.text]));
      pending = [];
      return taken;
    },
  };
}

export function columnOf(offset: number, text: string): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

/** Gives comments that are further in than what follows to the innermost thing that is not further in than they. */
function attachTrailingComments(
  pending: readonly CommentLine[],
  closed: readonly CommentOwner[],
  column: number,
): readonly CommentLine[] {
  let open = closed;
  let at = 0;
  while (open.length > 0) {
    const isApart = pending[at] === "gap";
    const remark = pending[isApart ? at + 1 : at];
    if (remark === undefined || remark === "gap" || remark.column <= column) break;
    const found = open.findIndex((one) => one.column <= remark.column);
    open = open.slice(found < 0 ? open.length - 1 : found);
    open[0]?.foot.push(...(isApart ? [""] : []), remark.text);
    at += isApart ? 2 : 1;
  }
  return pending.slice(at);
}

function leadingComments(remarks: readonly CommentLine[]): LeadingComments {
  const lines = remarks.map((remark) => (remark === "gap" ? "" : remark.text));
  const gap = lines.lastIndexOf("");
  const heading = lines.slice(0, Math.max(gap, 0));
  return {
    heading: heading.some((line) => line !== "") ? heading : [],
    isApart: gap >= 0,
    above: lines.slice(gap + 1),
  };
}

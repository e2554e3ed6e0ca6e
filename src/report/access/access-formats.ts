import { accessDocument, accessNotes } from "../document/access.ts";
import { renderMarkdownDocument } from "../markdown/markdown.ts";
import { plain, type TerminalStyle } from "../outcome.ts";
import { csvTable, jsonDocument } from "../safe.ts";
import { renderDocument } from "../text/text.ts";
import { type AccessReview, noAccess } from "./access-review.ts";
import { accessSvg } from "./svg.ts";

/** The formats of an access review. */
export type AccessFormat = "text" | "csv" | "json" | "markdown" | "svg";

/** `style`: how the text is to look. */
export function formatAccess(
  review: AccessReview,
  format: AccessFormat,
  style: TerminalStyle = { paint: plain },
): string {
  switch (format) {
    case "text":
      return renderDocument(accessDocument(review), style);
    case "csv":
      return csvTable(
        Object.keys(noAccess),
        review.rows.map((row) => ({ ...row })),
      );
    case "json":
      return jsonDocument({ as_of: review.asOf, from: review.from, notes: accessNotes(review), access: review.rows });
    case "markdown":
      return renderMarkdownDocument(accessDocument(review));
    case "svg":
      return accessSvg(review);
  }
}

import { formatHead } from "../../model/state.ts";
import { accessDocument, accessNotes } from "../document/access.ts";
import { formatCoverage } from "../document/drift.ts";
import { renderHtml } from "../html/html.ts";
import { renderMarkdownDocument } from "../markdown/markdown.ts";
import { plain, type TerminalStyle } from "../outcome.ts";
import { csvTable, jsonDocument } from "../safe.ts";
import { renderDocument } from "../text/text.ts";
import { type AccessMap, accessColumns, isHeld } from "./access-map.ts";
import { accessSvg } from "./svg.ts";

/** The formats of an access map. */
export type AccessFormat = "text" | "html" | "svg" | "csv" | "json" | "markdown";

/** `style`: how the text is to look. */
export function formatAccess(map: AccessMap, format: AccessFormat, style: TerminalStyle = { paint: plain }): string {
  switch (format) {
    case "text":
      return renderDocument(accessDocument(map), style);
    case "html":
      return renderHtml(accessDocument(map, "page"));
    case "csv":
      return csvTable(accessColumns, map.rows.filter(isHeld));
    case "json": {
      const { asOf: as_of, from, coverage, head, rows } = map;
      return jsonDocument({
        as_of,
        from,
        coverage: coverage && formatCoverage(coverage),
        head: head && formatHead(head),
        notes: accessNotes(map),
        access: rows.filter(isHeld),
        not_held: rows.filter((row) => !isHeld(row)),
      });
    }
    case "markdown":
      return renderMarkdownDocument(accessDocument(map));
    case "svg":
      return accessSvg(map);
  }
}

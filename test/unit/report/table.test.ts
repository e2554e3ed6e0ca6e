import { expect, test } from "vitest";
import { plain } from "../../../src/report/outcome.ts";
import { table } from "../../../src/report/table.ts";
import { renderLines } from "../../../src/report/text/lines.ts";

test("columns stay aligned beside wide characters and visible escapes", () => {
  const rows = [
    ["田中", "team\u0007", "p1"],
    ["ada", "own key", "p2"],
  ];
  expect(renderLines(table(["person", "key of", "prefix"], rows), plain)).toBe(
    "  person  key of     prefix\n  田中    team\\u{7}  p1\n  ada     own key    p2\n",
  );
});

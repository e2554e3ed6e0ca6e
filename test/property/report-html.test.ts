import fc from "fast-check";
import { expect, test } from "vitest";
import { script, style } from "../../src/report/html/assets.ts";
import { htmlFormat } from "../../src/report/html/html.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { always } from "../support/always.ts";
import { anyOutcome } from "../support/arbitrary-outcome.ts";
import { anyText } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";

const htmlOf = (outcome: CommandOutcome) => htmlFormat(outcome).stdout;

/** Markup that may come with a name, besides texts of every kind. */
const markup = fc.constantFrom(
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "</style>",
  "\" onload='alert(1)'",
  "<!--",
  "]]>",
  "&lt;b&gt;&amp;&#60;",
  "`<b>`",
  "\u202E\u0000<\u0007",
);

const ownTag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="(?:[^"<>&]|&(?:amp|lt|gt|quot|#39);)*")?)*)>/gu;
const ownEntity = /&(?:amp|lt|gt|quot|#39);/gu;
const ownElements = new Set(
  "html head meta title link style body header h1 h2 h3 ul li nav a div noscript label input span select option button output main section details summary p table thead tbody tr th td strong code pre script".split(
    " ",
  ),
);
const voidElements = new Set(["meta", "link", "input"]);
const ownAttributes = new Set(
  "aria-label aria-labelledby aria-live autocomplete charset class content data-column data-labels for hidden href http-equiv id lang name open rel role scope spellcheck type value".split(
    " ",
  ),
);

/** Elements that are not closed in their order, and attributes that the report does not write. */
function faultsOf(page: string): readonly string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const [tag, end = "", name = "", attributes = ""] of page.matchAll(ownTag)) {
    const names = attributes
      .replace(/="[^"]*"/gu, "")
      .split(" ")
      .slice(1);
    if (!ownElements.has(name) || names.some((one) => !ownAttributes.has(one))) faults.push(tag);
    if (end === "/" && open.pop() !== name) faults.push(tag);
    if (end === "" && !voidElements.has(name)) open.push(name);
  }
  return [...faults, ...open];
}

test("nothing of a text is markup, an attribute, a reference or hidden, whatever it holds", () => {
  const outcome = fc
    .tuple(anyOutcome, fc.oneof(anyText, markup))
    .map(([one, title]): CommandOutcome => ({ ...one, title }));
  always({ numRuns: runs(150) }, outcome, (one) => {
    const page = htmlOf(one).replace("<!doctype html>", "").replace(style, "").replace(script, "");
    expect(faultsOf(page)).toEqual([]);
    expect(page.replace(ownTag, "").replace(ownEntity, "")).not.toMatch(/[<>&"']/u);
    expect(page.replaceAll("\n", "")).not.toMatch(/(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u);
  });
});

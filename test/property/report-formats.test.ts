import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import { publishedName } from "../../src/codec/publish.ts";
import { newSecrets } from "../../src/library/redaction.ts";
import { decodePlanDocument } from "../../src/plan/plan-file.ts";
import { documentOf } from "../../src/report/document/document.ts";
import { planNames } from "../../src/report/document/names.ts";
import { type Block, type Document, type Entry, type Inline, plain } from "../../src/report/document/tree.ts";
import { type FormatName, formats } from "../../src/report/formats.ts";
import { script, style } from "../../src/report/html/assets.ts";
import { htmlFormat } from "../../src/report/html/html.ts";
import { otherParts } from "../../src/report/json/document-format.ts";
import { jsonFormat } from "../../src/report/json/json.ts";
import { eventPart } from "../../src/report/json/ndjson.ts";
import { renderMarkdown } from "../../src/report/markdown/markdown.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { jsonLine, safe } from "../../src/report/safe.ts";
import { progressLine } from "../../src/report/text/lines.ts";
import { renderProblems } from "../../src/report/text/text.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { anyFailure, anyOutcome } from "../support/arbitrary-outcome.ts";
import { anyPlan, anyText, leakedSecret } from "../support/arbitrary-plan.ts";
import { anyToldOutcome } from "../support/arbitrary-told.ts";
import { eventLines, isEventLine, lineTypes } from "../support/event-lines.ts";
import { runs } from "../support/property-runs.ts";
import { readExposition } from "../support/read-exposition.ts";
import { readMarkdown } from "../support/read-markdown.ts";
import { anyEvent } from "../support/schema-values.ts";

const settings = { seed: 6, numRuns: runs(360) };

test("every event of a run is a line that its schema describes", () => {
  always(settings, anyEvent, anyPlan, (event, plan) => {
    const lines = eventLines(jsonLine(eventPart(event, planNames(plan))));
    expect(lines.map((line) => isEventLine(line))).toEqual([true]);
  });
});

test("every part of the JSON document beside its plan has a line of its own", () => {
  const parts = Object.keys(otherParts).map(publishedName);
  expect(parts.filter((type) => !lineTypes.includes(type))).toEqual([]);
});

/** Whatever a terminal obeys, hides or reorders, but for the line ends of the layout; emoji keep their joiners. */
const obeyed = /(?!\r\n)[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u;

const command = /##\[|##vso\[|^[^\S\n]*::[a-z-]+[^\n]*::/imu;
const annotation = /^::(?:error|warning|notice) (?:file=[^,:\n]*,line=\d+,col=\d+,)?title=[^,:\n]*::[^\n]*$/u;

const spelled = [leakedSecret, encodeURIComponent(leakedSecret), JSON.stringify(leakedSecret).slice(1, -1)];

/** How a program reads a format; fails where it cannot. */
const grammars: Partial<Record<FormatName, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  ndjson: eventLines,
  sarif: (text) => JSON.parse(text),
  gitlab(text) {
    const prints = JSON.parse(text).map(({ fingerprint }: { readonly fingerprint: string }) => fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  },
  "gitlab-terraform": (text) => JSON.parse(text),
  prometheus: readExposition,
};

/** A text without the annotations that are the format's own. */
function withoutAnnotations(text: string): string {
  const lines = text.split("\n");
  const own = lines.filter((line) => annotation.test(line));
  for (const level of ["error", "warning", "notice"]) {
    expect(own.filter((line) => line.startsWith(`::${level} `)).length).toBeLessThanOrEqual(10);
  }
  return lines.filter((line) => !annotation.test(line)).join("\n");
}

describe.each(Object.keys(formats) as FormatName[])("whatever the texts hold, %s", (name) => {
  test("can be read, holds nothing that is obeyed, and no secret", async () => {
    const secrets = newSecrets();
    secrets.keep(leakedSecret);
    const render = await formats[name].load();
    await alwaysAsync(settings, anyToldOutcome, async (outcome: CommandOutcome) => {
      const told = secrets.redactAll(outcome);
      const rendered = await render(told, { paint: plain });
      const texts = [
        rendered.stdout,
        renderProblems(told, { paint: plain }),
        rendered.stepSummary ?? "",
        ...(rendered.outputs?.values() ?? []),
      ];
      for (const text of texts) {
        // A tab parts the columns of what a page looks through.
        expect(name === "html" ? text.replaceAll("\t", " ") : text).not.toMatch(obeyed);
        expect(name === "github" ? withoutAnnotations(text) : text).not.toMatch(command);
        for (const secret of spelled) expect(secrets.redact(text)).not.toContain(secret);
      }
      grammars[name]?.(secrets.redact(rendered.stdout));
    });
  });
});

/** What a renderer draws as it is: our own words. */
function ownWords({ heading, summary, about, sections, next, end }: Document): readonly string[] {
  return [
    ...wordsIn(heading),
    ...[...summary, ...about, ...end, ...next].flatMap(wordsOfBlock),
    ...sections.flatMap(({ title = [], blocks }) => [...wordsIn(title), ...blocks.flatMap(wordsOfBlock)]),
  ];
}

function wordsOfBlock(block: Block): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return wordsIn(block.spans);
    case "lines":
      return block.lines.flatMap(({ spans }) => wordsIn(spans));
    case "table":
      return [...block.columns, ...block.rows.flat().flatMap(wordsIn)];
    case "code":
      return [];
    case "entries":
      return [
        ...wordsIn(block.title ?? []),
        ...block.notes.flatMap(wordsOfBlock),
        ...block.entries.flatMap(wordsOfEntry),
      ];
  }
}

function wordsOfEntry({ about, what, notes, labels, details }: Entry): readonly string[] {
  return [...wordsIn([...about, ...what]), ...labels, ...[...notes, ...(details?.() ?? [])].flatMap(wordsOfBlock)];
}

function wordsIn(spans: Inline): readonly string[] {
  return spans.flatMap((span) => (typeof span === "object" && "is" in span && span.is === "words" ? [span.text] : []));
}

test("no text from outside is taken for words of our own, which a renderer draws as they are", () => {
  always({ numRuns: runs(150) }, anyOutcome, (outcome) => {
    const words = ownWords(documentOf(outcome));
    expect(words.filter((text) => !/^[A-Za-z0-9 .,:;()%…–`/'-]*$/u.test(text))).toEqual([]);
  });
});

const textSettings = { seed: 2, numRuns: runs(1600) };

/** Whatever a terminal obeys, hides or reorders, or what could forge a line; emoji keep their joiners. */
const dangerous = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u;

test("the number of lines does not depend on what the texts hold, only on how many there are", () => {
  always(textSettings, anyText, anyText, (one, other) => {
    const lines = [one, other].map((message) =>
      renderProblems(
        { command: "plan", exitCode: 1, diagnostics: [], problem: { code: "x", message } },
        { paint: plain },
      ),
    );
    expect(lines.map((text) => text.split("\n").length)).toEqual([3, 3]);
  });
});

test("making a text safe twice changes nothing, and ordinary text is left alone", () => {
  always(textSettings, anyText, (text) => {
    expect(safe(safe(text))).toBe(safe(text));
  });
  always(
    textSettings,
    fc.string({ unit: fc.constantFrom("a", "Z", "0", " ", "@", "é", "ß", "田", "ñ", "😀") }),
    (text) => {
      expect(safe(text)).toBe(text);
    },
  );
});

test("a line of progress is one safe line, whatever the event tells", () => {
  always(textSettings, anyPlan, anyText, anyFailure, (plan, why, failure) => {
    const at = "2026-11-20T06:00:00.000Z";
    const action = plan.actions[0]?.id ?? why;
    const lines = [
      progressLine({ type: "failed", at, action, failure }, plan),
      progressLine({ type: "waiting", at, milliseconds: 50, why }, plan),
    ];
    for (const line of lines) expect(line).not.toMatch(dangerous);
  });
});

const jsonSettings = { seed: 2, numRuns: runs(1200) };

/** Whatever a terminal obeys, hides or reorders, but for the line feeds of the layout. */
const shownOtherwise = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

test("every outcome is one document that its schema describes and that a terminal shows as it is", () => {
  always(jsonSettings, anyOutcome, (outcome) => {
    const { stdout } = jsonFormat(outcome);
    expect(stdout).not.toMatch(shownOtherwise);
    const document: unknown = JSON.parse(stdout);
    expect(validPlanDocument(document), JSON.stringify(validPlanDocument.errors)).toBe(true);
    expect(document).toMatchObject({ command: outcome.command, exit_code: outcome.exitCode });
  });
});

test("a plan read back from its document is the same plan", () => {
  always(jsonSettings, anyPlan, (plan) => {
    const { stdout } = jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan });
    expect(decodePlanDocument(stdout, validPlanDocument)).toEqual({ ok: true, value: plan });
  });
});

test("a damaged document is refused or read, and never crashes", () => {
  always(jsonSettings, anyPlan, fc.nat(), fc.string({ maxLength: 4 }), (plan, at, garbage) => {
    const { stdout } = jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan });
    const cut = at % stdout.length;
    expect(
      decodePlanDocument(stdout.slice(0, cut) + garbage + stdout.slice(cut + 3), validPlanDocument),
    ).toHaveProperty("ok");
  });
});

test("any JSON value is refused with a sentence", () => {
  always(jsonSettings, fc.jsonValue(), (value) => {
    const format = { format_version: "1.0", plan_id: "p" };
    for (const text of [JSON.stringify(value), JSON.stringify({ ...format, actions: value })]) {
      expect(decodePlanDocument(text, validPlanDocument)).toEqual({ ok: false, error: expect.stringMatching(/\w/) });
    }
  });
});

/** Kinds of tokens that the format itself writes. */
const ownKinds = new Set([
  "html",
  "heading",
  "space",
  "list",
  "list_item",
  "text",
  "strong",
  "codespan",
  "paragraph",
  // Between sentences that follow each other in one item.
  "br",
  "table",
  "code",
]);

const ownHtml =
  /^(?:<!-- roster:[a-z]+(?: [\p{L}\p{N}._…-]+)? -->|<details><summary>[A-Za-z :,()\d'-]*<\/summary>|<\/details>)$/u;

/** What a forge makes more of than a word, outside of code. */
const live =
  /@|#\d|!\d|GH-\d|https?:|www\.|(?=[0-9]*[a-f])[0-9a-f]{7,}|[<>[\]*_|$\\]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/iu;

test("no text from outside links, mentions, refers, formats or is HTML, and no comment is too long", () => {
  const outcome = fc
    .tuple(anyOutcome, fc.option(anyText))
    .map(([one, title]): CommandOutcome => (title === null ? one : { ...one, title }));
  always({ numRuns: runs(150) }, outcome, (one: CommandOutcome) => {
    const text = renderMarkdown(one);
    const { kinds, html, words } = readMarkdown(text);
    expect([...kinds].filter((kind) => !ownKinds.has(kind))).toEqual([]);
    expect(html.filter((tag) => !ownHtml.test(tag))).toEqual([]);
    expect(words.filter((word) => live.test(word))).toEqual([]);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u);
    expect(brokenRows(text)).toEqual([]);
    expect(new TextEncoder().encode(text).length).toBeLessThan(60_001);
  });
});

/** Rows of tables that have more or fewer cells than their heads. */
function brokenRows(text: string): readonly string[] {
  let cells = 0;
  return text.split("\n").filter((line) => {
    if (!line.startsWith("| ")) {
      if (!line.startsWith("|---")) cells = 0;
      return false;
    }
    const here = line.split("|").length;
    if (cells === 0) cells = here;
    return here !== cells;
  });
}

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

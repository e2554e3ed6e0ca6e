import { describe, expect, test } from "vitest";
import { newSecrets } from "../../src/library/environment.ts";
import { publishedName } from "../../src/model/declare.ts";
import { planNames } from "../../src/report/document/names.ts";
import { type FormatName, formats } from "../../src/report/formats.ts";
import { otherParts } from "../../src/report/json/document-format.ts";
import { eventPart } from "../../src/report/json/ndjson.ts";
import { type CommandOutcome, plain } from "../../src/report/outcome.ts";
import { jsonLine } from "../../src/report/safe.ts";
import { renderProblems } from "../../src/report/text/text.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { anyPlan, leakedSecret } from "../support/arbitrary-plan.ts";
import { anyToldOutcome } from "../support/arbitrary-told.ts";
import { eventLines, isEventLine, lineTypes } from "../support/event-lines.ts";
import { runs } from "../support/property-runs.ts";
import { readExposition } from "../support/read-exposition.ts";
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

/** Whatever a terminal obeys, hides or reorders, but for the line feeds of the layout; emoji keep their joiners. */
const obeyed = /[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u;

/** What a runner of pipelines obeys. */
const command = /##\[|##vso\[|^[^\S\n]*::[a-z-]+[^\n]*::/imu;
const annotation = /^::(?:error|warning|notice) (?:file=[^,:\n]*,line=\d+,col=\d+,)?title=[^,:\n]*::[^\n]*$/u;

const spelled = [leakedSecret, encodeURIComponent(leakedSecret), JSON.stringify(leakedSecret).slice(1, -1)];

/** How a program reads a format; fails where it cannot. */
const grammars: Partial<Record<FormatName, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  ndjson: eventLines,
  sarif: (text) => JSON.parse(text),
  gitlab: (text) => distinctFingerprints(JSON.parse(text)),
  "gitlab-terraform": (text) => JSON.parse(text),
  prometheus: readExposition,
};

function distinctFingerprints(report: readonly { readonly fingerprint: string }[]): void {
  expect(new Set(report.map(({ fingerprint }) => fingerprint)).size).toBe(report.length);
}

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

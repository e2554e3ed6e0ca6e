import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { script, scriptHash, style, styleHash } from "../../../../src/report/html/assets.ts";
import { htmlFormat } from "../../../../src/report/html/html.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { aCreation, aPlan } from "../../../support/action-builders.ts";
import { outcome, samplePlan, sampleReading, sampleRun } from "../../../support/report-samples.ts";

const htmlOf = (outcome: CommandOutcome) => htmlFormat(outcome).stdout;

/** What is shown, without the head of the page and the script. */
function bodyOf(more: Partial<CommandOutcome>): string {
  const text = htmlOf(outcome(more));
  return text.slice(text.indexOf("<body"), text.lastIndexOf("<script>"));
}

test("the policy allows the style and the script of the report, by their digests, and nothing else", () => {
  const digest = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
  expect([scriptHash, styleHash]).toEqual([digest(script), digest(style)]);
  expect(
    htmlOf(outcome({ plan: aPlan([]) }))
      .split("\n")
      .slice(0, 5),
  ).toEqual([
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${styleHash}'; script-src '${scriptHash}'; img-src data:; base-uri 'none'; form-action 'none'">`,
  ]);
});

test("the script makes no markup but the reasons that the page itself has", () => {
  expect(script.match(/innerHTML|outerHTML.*|insertAdjacent|document\.write|eval|setAttribute|Function\(/gu)).toEqual([
    "outerHTML = reasons.textContent;",
  ]);
});

test("a plan of one user is this page, and the same plan is the same bytes", () => {
  const plan = aPlan([aCreation("ada")]);
  expect(bodyOf({ plan, title: "<Acme> & Söhne" })).toMatchInlineSnapshot(`
    "<body>
    <header>
    <h1>Plan for <code>https://simulated.example</code> (&lt;Acme&gt; &amp; Söhne): 1 new user</h1>
    <ul class="summary">
    <li><span class="strong">Plan: create 1 user.</span></li>
    <li><span class="strong">No mails, 1 call. Plan ID plan-1.</span></li>
    </ul>

    </header>
    <nav aria-label="Sections">
    <ul>
    <li><a href="#part-1">Changes</a></li>
    </ul>
    </nav>
    <div id="tools" role="search" hidden>
    <label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false">
    <span><label for="only">Show</label> <select id="only"><option value="">everything</option></select></span>
    <button type="button" id="expand">Open all</button>
    <button type="button" id="collapse">Close all</button>
    <output id="count" aria-live="polite"></output>
    </div>
    <main>
    <section id="part-1" aria-labelledby="part-1-title"><details class="part" open><summary><h2 id="part-1-title">Changes</h2></summary>
    <details class="group" open>
    <summary><h3><span class="strong">Users and keys outside teams</span>: changes for 1 person</h3></summary>
    <ul class="rows">
    <li class="row" data-labels="+ adds"><details><summary><span class="mark add" role="img" aria-label="adds">+</span> <span class="line"><code>ada@acme.example</code> (<code>Ada Test</code>): new in acc-1</span> <span class="place">roster.yaml:1:3</span></summary><noscript><pre class="lines"><span class="dim">in the roster:</span>
      the entry under <code>users</code>  <span class="place">roster.yaml:1:3</span></pre></noscript></details></li>
    </ul>
    </details>
    </details></section>
    </main>
    "
  `);
  expect(htmlOf(outcome({ plan }))).toBe(htmlOf(outcome({ plan: structuredClone(plan) })));
});

test("when it was read stands open on the page, and the head of the log below it", () => {
  const head = { position: 7, hash: "a".repeat(64) };
  const access = { asOf: "2026-11-20", from: "service", rows: [], columns: [], people: [], gaps: [], head } as const;
  const body = bodyOf({ plan: aPlan([]), reading: sampleReading, access });
  const [, known] = /<ul class="read">\n(.*<\/details>)\n<\/header>/su.exec(body) ?? [];
  expect(
    known
      ?.replace(/<[^>]*>/gu, "")
      .split("\n")
      .filter((line) => line !== ""),
  ).toEqual([
    "roster read the service at 2026-11-20T06:00:00.000Z. It did not read users outside the roster.",
    "The service does not show the roles of keys.",
    "About this run",
    `To check later that the log is complete, run roster audit verify --expect-head 7:${head.hash}.`,
  ]);
});

/** The labels of each person in the changes, by which they can be filtered. */
function labels(text: string): readonly string[] {
  const changes = /<h2 [^>]*>Changes(?! of).*?<\/section>/su.exec(text)?.[0] ?? "";
  return [...changes.matchAll(/data-labels="([^"]*)"/gu)].map(([, labels = ""]) => labels);
}

test("after a run each person says how their part of it ended", () => {
  const planned = labels(bodyOf({ plan: samplePlan, reading: sampleReading }));
  const applied = labels(bodyOf({ command: "apply", plan: samplePlan, reading: sampleReading, run: sampleRun }));
  expect({ planned, applied }).toMatchInlineSnapshot(`
    {
      "applied": [
        "+ adds|privileged|skipped|retried",
        "+ adds|failed",
        "~ changes|privileged|unknown outcome",
        "- removes|stale",
      ],
      "planned": [
        "+ adds|privileged",
        "+ adds",
        "~ changes|privileged",
        "- removes",
      ],
    }
  `);
});

test("a task has its label, its place and the YAML that corrects it", () => {
  const body = bodyOf({ plan: { ...aPlan([]), findings: samplePlan.findings } });
  expect(body).toContain(
    '<span class="alarm">cannot be created</span> (<code>cannot-create-team</code>) <span class="label alarm">task</span></span> <span class="place">teams.yaml:20:5</span>',
  );
  expect(body).toContain(
    '<pre class="paste"><code>users:\n  - email: new@acme.example\n    firstName: First</code></pre>',
  );
});

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { script, scriptHash, style, styleHash } from "../../../../src/report/html/assets.ts";
import { htmlFormat } from "../../../../src/report/html/html.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { aCreation, aPlan } from "../../../support/action-builders.ts";
import { samplePlan, sampleReading, sampleRun } from "../../../support/report-samples.ts";

const htmlOf = (outcome: CommandOutcome) => htmlFormat(outcome).stdout;

const outcome = (more: Partial<CommandOutcome>): CommandOutcome => ({
  command: "plan",
  exitCode: 0,
  diagnostics: [],
  ...more,
});

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
    <h1>Plan for <code>https://simulated.example</code> (&lt;Acme&gt; &amp; Söhne): 1 call</h1>
    <ul class="summary">
    <li><span class="strong">Plan: create 1 user.</span></li>
    <li><span class="strong">No mails. 1 call. Plan ID plan-1.</span></li>
    </ul>
    </header>
    <nav aria-label="Sections">
    <ul>
    <li><a href="#part-1">Changes</a></li>
    </ul>
    </nav>
    <div id="tools" role="search" hidden>
    <label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false">
    <span><label for="only">Show</label> <select id="only"><option value="">everything</option><option>adds</option></select></span>
    <button type="button" id="expand">Open all</button>
    <button type="button" id="collapse">Close all</button>
    <output id="count" aria-live="polite"></output>
    </div>
    <main>
    <section id="part-1" aria-labelledby="part-1-title"><details class="part" open><summary><h2 id="part-1-title">Changes</h2></summary>
    <details class="group" open>
    <summary><h3><span class="strong">New users</span>: 1 person, 1 call</h3></summary>
    <ul class="rows">
    <li class="row" data-labels="adds"><details><summary><span class="mark add" role="img" aria-label="adds">+</span> <span class="line"><code>ada@acme.example</code> (<code>Ada Test</code>): new in acc-1</span> <span class="place">roster.yaml:1:3</span></summary><noscript><ul class="inside">
    <li class="inner"><div class="head"><span class="mark add" role="img" aria-label="adds">+</span> <span class="line">create user ada@acme.example (Ada Test) in acc-1</span> <span class="place">roster.yaml:1:3</span></div><div class="notes"><p><span class="dim">action create-user:ada@acme.example</span></p>
    <pre class="lines"><span class="dim">reason</span>
      an entry of <code>users</code>  <span class="place">roster.yaml:1:3</span>
    <span class="dim">rule </span>a user of the roster does not exist yet</pre></div></li>
    </ul></noscript></details></li>
    </ul>
    </details>
    </details></section>
    </main>
    "
  `);
  expect(htmlOf(outcome({ plan }))).toBe(htmlOf(outcome({ plan: structuredClone(plan) })));
});

/** Headings, in the order of the page. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/<h([1-3])[^>]*>(.*?)<\/h\1>/gu)].map(([, level, title]) => `${level} ${title}`);
}

/** The labels of each person in the changes, by which they can be filtered. */
function labels(text: string): readonly string[] {
  const changes = /<h2 [^>]*>Changes.*?<\/section>/su.exec(text)?.[0] ?? "";
  return [...changes.matchAll(/data-labels="([^"]*)"/gu)].map(([, labels = ""]) => labels);
}

test("privileged roles come first, then what changes, then tasks", () => {
  expect(headings(bodyOf({ exitCode: 2, plan: samplePlan, reading: sampleReading }))).toMatchInlineSnapshot(`
    [
      "1 Plan for <code>https://accounts.acme.example</code>: 5–6 calls",
      "2 Privileged roles (2)",
      "2 Changes",
      "3 <span class="strong">Team Data Science</span> (new, admin Ada@acme.example): 1 person, 1–2 calls",
      "3 <span class="strong">Team Platform</span> (t-42): 2 people, 3 calls, 2 mails",
      "3 <span class="strong">Keys outside these teams</span>: 1 key, 1 call",
      "2 Tasks (1)",
      "2 Notices (1)",
    ]
  `);
});

test("after a run each person says how their part of it ended", () => {
  const planned = labels(bodyOf({ plan: samplePlan, reading: sampleReading }));
  const applied = labels(bodyOf({ command: "apply", plan: samplePlan, reading: sampleReading, run: sampleRun }));
  expect({ planned, applied }).toMatchInlineSnapshot(`
    {
      "applied": [
        "adds|privileged|skipped|retried",
        "adds|failed",
        "changes|privileged|unknown outcome",
        "removes|stale",
      ],
      "planned": [
        "adds|privileged",
        "adds",
        "changes|privileged",
        "removes",
      ],
    }
  `);
});

test("a task shows what to do and the YAML that corrects it, and opens to its reasons", () => {
  const [finding] = samplePlan.findings.filter(({ kind }) => kind === "task");
  const plan = {
    ...aPlan([]),
    findings: finding === undefined ? [] : [{ ...finding, allow: ["near-duplicate@3f2a90c1d4e5b678"] }],
  };
  expect(bodyOf({ plan }).match(/<li class="row" .*?<\/li>/gsu)).toMatchInlineSnapshot(`
    [
      "<li class="row" data-labels="task"><details><summary><span class="mark alarm" role="img" aria-label="attention">!</span> <span class="line"><code>team acc-1/sales</code>: <code class="alarm">cannot-create-team</code> <span class="label alarm">task</span></span> <span class="place">teams.yaml:20:5</span></summary><noscript><pre class="lines"><span class="dim">reason</span>
      the team Sales  <span class="place">teams.yaml:20:5</span>
      the team Ops  <span class="place">teams.yaml:31:5</span>
    <span class="dim">code </span>cannot-create-team: roster cannot create a new team</pre>
    <p><span class="dim">fingerprint f00d</span></p></noscript></details><div class="notes"><p>Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example, and each team needs a new user of its own; make the team by hand and give its identifier, or add a new user</p>
    <p><span class="dim">see also teams.yaml:31:5</span></p>
    <pre class="paste"><code>users:
      - email: new@acme.example
        firstName: First</code></pre></div></li>",
    ]
  `);
});

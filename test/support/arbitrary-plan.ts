import fc from "fast-check";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import type { FindingCode } from "../../src/codes/findings.ts";
import {
  declared,
  decodeSubject,
  type Fact,
  formatSubject,
  observed,
  type Place,
  recorded,
  type Subject,
  unknown,
} from "../../src/model/fact.ts";
import { type Finding, findingClass } from "../../src/model/finding.ts";
import { type Action, type NamesInCalls, type Plan, peopleOf, teamOf } from "../../src/model/plan.ts";
import { decodePlanDocument } from "../../src/plan/plan-file.ts";
import { codePoint } from "./code-point.ts";
import { valuesOf } from "./schema-values.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** What nobody may read, wherever it stands. */
export const leakedSecret = 's3cr&t|<b>*x*_%:,"y z';

/** Texts that try to take over a terminal or a runner of pipelines, hide in one, or break a format. */
const hostileTexts = [
  leakedSecret,
  `key=${leakedSecret};`,
  "::stop-commands::x",
  "a\n::add-mask::x",
  "%0A::error file=x::forged",
  " ::set-output name=plan_id::forged",
  "##vso[task.setvariable variable=x]y",
  "##[error]forged",
  "x\nEOF\nplan_id=forged",
  "</details><script>x</script>",
  "@everyone #1 [x](http://evil.example) ![x](x)",
  "a|b\\|c",
  "`code` ```",
  "a,b:c=d%e",
  "\u001b]8;;http://evil.example\u001b\\x\u001b]8;;\u001b\\",
  "\u001b]52;c;x\u0007",
  "",
  "__proto__",
  "a\nb",
  "a\r+ create user eve@evil.example",
  "\u001b[2J\u001b]0;title\u0007",
  "\u009b31m",
  "\b\b\bgone",
  "\u202Eelpmaxe.emca@ada",
  "a\u2066b\u2069",
  "zero\u200Bwidth\u2060\uFEFF",
  "line\u2028paragraph\u2029",
  "high \uD83D low \uDE00",
  "\u{E0041}\u{E007F}",
  "👩‍💻 👍🏽 ❤️",
  "田中 ada",
  "tab\there",
  "null\u0000",
  '"quoted" \\u{1b}',
  // What Markdown, HTML and forges take for something else.
  "@ada and @acme/owners",
  "#12 GH-1 acme/roster#3 !4 deadbeef0",
  "https://evil.example www.evil.example eve@evil.example",
  "[x](javascript:alert(1)) ![i](x) <https://evil.example>",
  "a | b \\| c",
  "`tick` ``` *bold* _em_ ~~gone~~ $x$",
  "</details><script>alert(1)</script><!-- roster:plan -->",
  "&lt;b&gt; &#64;ada",
  "1. one",
  "- two\n| a | b |\n|---|---|",
];

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("Ada", "Data Science", "acc-1", "12pref1x121"),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
);

export const anyPlace: fc.Arbitrary<Place> = fc.record({
  file: anyText,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 999 }),
});

/** Of every kind, and of the worst of texts. */
export const anySubject: fc.Arbitrary<Subject> = fc
  .tuple(
    fc.constantFrom("", "user ", "team ", "roles of key ", "member a@b.example of team ", "role R on key "),
    anyText,
  )
  .map(([words, text]) => decodeSubject(`${words}${text}`));

/** Texts that a plan may have anywhere: of some, the schema wants that they are not empty. */
const planWords = fc
  .oneof({ weight: 5, arbitrary: anyText }, { weight: 1, arbitrary: anySubject.map(formatSubject) })
  .filter((text) => text !== "");

/** The parts of a document that are read back as a plan: every field that its schema describes, now there and now not. */
export function planParts(words?: fc.Arbitrary<string>) {
  const part = (name: string) => valuesOf(`plan.schema.json#/properties/${name}`, words);
  const list = (name: string) => part(name) as fc.Arbitrary<readonly JsonObject[]>;
  return fc.record(
    {
      plan_id: part("plan_id"),
      service: part("service"),
      // In an order that can be kept.
      actions: list("actions").map((actions) =>
        actions.map((action, index) => ({ ...action, id: `a${index}`, depends_on: index === 0 ? [] : ["a0"] })),
      ),
      users: part("users"),
      teams: part("teams"),
      findings: list("findings").map((findings) => findings.map(withOwnClass)),
      summary: part("summary") as fc.Arbitrary<JsonObject>,
      forbids: part("forbids"),
    },
    { requiredKeys: ["plan_id", "service", "actions", "users", "teams", "findings", "summary"] },
  );
}

/** The class follows from the code and the kind, and is not read back. */
function withOwnClass(finding: JsonObject, index: number): JsonObject {
  const code = findingCodes[index % findingCodes.length] ?? "unmanaged";
  const kind = finding["blocking"] === true ? "task" : "notice";
  return { ...finding, code, class: findingClass({ code, kind }) };
}

export function planDocument(parts: JsonObject): JsonObject {
  return { format_version: "1.0", command: "plan", diagnostics: [], error: null, exit_code: 0, ...parts };
}

/** Plans of every shape, with texts from the worst of worlds; their actions are in an order that can be kept. */
export const anyPlan: fc.Arbitrary<Plan> = planParts(planWords).chain((parts) => {
  const decoded = decodePlanDocument(JSON.stringify(planDocument(parts)), validPlanDocument);
  if (!decoded.ok) throw new Error(decoded.error);
  const plan = decoded.value;
  return names(plan.actions).map((named) => ({ ...plan, ...named }));
});

export const anyFinding: fc.Arbitrary<Finding> = anyPlan
  .map(({ findings }) => findings[0])
  .filter((finding) => finding !== undefined);

const findingCodes: readonly FindingCode[] = ["cannot-create-team", "write-pending", "unmanaged"];

function anyFact(value: fc.Arbitrary<string>): fc.Arbitrary<Fact<string>> {
  return fc.oneof(
    fc.tuple(value, anyText).map(([known, by]) => observed(known, by)),
    fc.tuple(value, anyText).map(([known, at]) => recorded(known, at)),
    fc.tuple(value, anyPlace).map(([known, place]) => declared(known, place)),
    anyText.map((why) => unknown<string>(why)),
  );
}

/** Of everybody and of every team that the actions name. */
function names(of: readonly Action[]): fc.Arbitrary<NamesInCalls> {
  const people = of.flatMap(peopleOf);
  const teams = of.flatMap((action) => teamOf(action) ?? []);
  const facts = fc.array(anyFact(anyText), {
    minLength: people.length + teams.length,
    maxLength: people.length + teams.length,
  });
  return facts.map((drawn) => {
    const identifier = (index: number) => drawn[index] ?? unknown<string>("");
    return {
      users: new Map(people.map((one, index) => [one, { email: one, identifier: identifier(index) }])),
      teams: new Map(
        teams.map((one, index) => {
          const [account = "", ...name] = one.split("/");
          return [one, { name: name.join("/"), account, identifier: identifier(people.length + index) }];
        }),
      ),
    };
  });
}

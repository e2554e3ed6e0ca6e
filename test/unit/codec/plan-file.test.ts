import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { claimsToBePlan, planFileHeader } from "../../../src/codec/document.ts";
import { decodePlanDocument, decodePlanFile, encodePlanFile } from "../../../src/codec/plan-file.ts";
import type { PlanFile } from "../../../src/codec/plan-file-format.ts";
import { foldAddress } from "../../../src/model/address.ts";
import { canonicalJson, sha256 } from "../../../src/model/json.ts";
import { jsonFormat } from "../../../src/report/json/json.ts";
import type { CommandOutcome } from "../../../src/report/outcome.ts";
import { aCreation, aPlan } from "../../support/action-builders.ts";
import { noon } from "../../support/event-builders.ts";
import { size } from "../../support/property-runs.ts";
import { samplePlan, sampleReading, sampleRun } from "../../support/report-samples.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const ada = { address: addressOf("ada"), email: emailOf("ada") };

const sample: PlanFile = {
  file: "f-1",
  madeAt: noon,
  madeBy: "1.2.3",
  expiresAt: "2026-11-21T12:00:00.000Z",
  basis: {
    roster: { digest: "r", files: 1, users: 3, leavers: 0, teams: 1, keys: 0 },
    state: { lineage: "l", serial: 4, digest: "s" },
    readAt: noon,
    everyone: sampleReading.everyone,
    capabilities: sampleReading.capabilities,
  },
  records: [{ about: "creation ada@acme.example", digest: "m" }],
  witnesses: [ada],
  policy: { words: ["--exclude user:bo@acme.example"], privilegedRoles: ["ACCOUNT_ADMIN"], guards: "g" },
  lessons: [{ type: "service-learned", at: noon, service: "s", capabilities: sampleReading.capabilities }],
  plan: samplePlan,
};
const text = encodePlanFile(sample);

const decode = (changed: string) => decodePlanFile(changed);

/** Changed by somebody who has put the checksum right again. */
function forged(change: (content: Record<string, unknown>) => void): string {
  const { checksum: _, ...content } = JSON.parse(text) as Record<string, unknown>;
  change(content);
  const forgery = text.replace(/"checksum": "[0-9a-f]+"/u, `"checksum": "${sha256(canonicalJson(content))}"`);
  const fields = Object.entries({ ...(JSON.parse(forgery) as object), ...content });
  return `{\n${fields.map(([name, value]) => `${JSON.stringify(name)}: ${canonicalJson(value)}`).join(",\n")}\n}\n`;
}

test("a plan file is read back as it was written", () => {
  expect(text.startsWith(planFileHeader)).toBe(true);
  expect(decode(text)).toEqual({ ok: true, value: sample });
  const { state: _, ...basis } = sample.basis;
  const fresh: PlanFile = { ...sample, basis };
  expect(decode(encodePlanFile(fresh))).toEqual({ ok: true, value: fresh });
});

describe("a text is refused, because", () => {
  const edited = "its checksum does not match: it was damaged or edited";
  const otherwise =
    /^it was changed after roster 1\.2\.3 wrote it: something was added, repeated or formatted in line \d+$/u;
  const lines = text.trimEnd().split("\n");
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  test.each([
    ["it is empty", "", "it is not complete JSON: it was cut off or edited"],
    ["it is cut short", text.slice(0, -3), "it is not complete JSON: it was cut off or edited"],
    ["it is a list", "[]", "it is not a JSON object"],
    [
      "it is a plan that was printed",
      '{"format_version": "1.0", "plan_id": "p"}',
      "it is not the output of `roster plan --out FILE`. The output of `--format json` cannot be applied",
    ],
    [
      "it is newer",
      text.replace('"format_version": "2.0"', '"format_version": "2.1"'),
      'its format_version is "2.1", but this version of roster reads 2.0',
    ],
    ["a value was edited", text.replace("ACCOUNT_ADMIN", "PLATFORM_ADMIN"), edited],
    [
      "it nests without end",
      text.replace('"witnesses": ', `"more": ${deep},\n"witnesses": `),
      /is nested too deep|checksum/u,
    ],
    [
      "its line ends were changed",
      text.replaceAll("\n", "\r\n"),
      "it was changed after roster 1.2.3 wrote it: something was added, repeated or formatted in line 1",
    ],
    [
      "its last line has no end",
      text.slice(0, -1),
      `it was changed after roster 1.2.3 wrote it: something was added, repeated or formatted in line ${lines.length}`,
    ],
    ["a byte order mark stands before it", `\uFEFF${text}`, "it is not complete JSON: it was cut off or edited"],
    ["a field is there twice", text.replace('"file": "f-1",', '"file": "f-0",\n"file": "f-1",'), otherwise],
    [
      "somebody has added a field",
      forged((content) => Object.assign(content, { more: 1 })),
      'its top level must not have "more"',
    ],
    [
      "somebody has added a field to an action",
      forged(({ actions }) => Object.assign((actions as object[])[0] ?? {}, { force: true })),
      otherwise,
    ],
    [
      "somebody has added a name that means something to a program",
      forged((content) => Object.defineProperty(content, "__proto__", { value: { a: 1 }, enumerable: true })),
      'its top level must not have "__proto__"',
    ],
    [
      "somebody has made a lesson of a call",
      forged((content) => Object.assign(content, { lessons: [{ type: "stale", at: noon, action: "a", why: "w" }] })),
      /^\/lessons\/0 /u,
    ],
    [
      "it names a witness in another spelling",
      forged((content) => Object.assign(content, { witnesses: [{ ...ada, address: "Ada@acme.example" }] })),
      otherwise,
    ],
    [
      "a lesson names somebody in another spelling",
      forged((content) => {
        const people = [{ ...ada, address: "Ada@acme.example", account: "acc-1" }];
        Object.assign(content, { lessons: [{ type: "users-observed", at: noon, service: "s", people, teams: [] }] });
      }),
      otherwise,
    ],
    [
      "its actions are in no order",
      forged((content) => Object.assign(content, { actions: (content["actions"] as unknown[]).toReversed() })),
      /depends on .* which is not before it$/u,
    ],
    [
      "a count of its summary is not that of its actions",
      forged(({ summary }) => Object.assign(summary as object, { mails: 0 })),
      otherwise,
    ],
  ])("%s", (_, changed, error) => {
    expect(decode(changed)).toEqual({
      ok: false,
      error: error instanceof RegExp ? expect.stringMatching(error) : error,
    });
  });
});

test("a plan of many actions is read back", () => {
  const actions = Array.from({ length: size(10_000) }, (_, index) => aCreation(`p${index}`));
  const large: PlanFile = { ...sample, plan: aPlan(actions) };
  expect(decode(encodePlanFile(large))).toEqual({ ok: true, value: large });
});

describe("what claims to be a plan", () => {
  test.each([
    ["a plan file", text, true],
    ["one that was cut short", text.slice(0, 40), true],
    ["one behind a byte order mark and blanks", `\uFEFF \n${text}`, true],
    ["a plan that was printed", '{\n  "format_version": "1.0"', true],
    ["a roster", "version: 1\nusers: []\n", false],
    ["a roster in JSON", '{"version": 1, "users": []}', false],
    ["a roster that speaks of one", 'version: 1\n# {"document": "roster plan file"}\n', false],
    ["nothing", "", false],
  ])("%s: %#", (_, beginning, claims) => {
    expect(claimsToBePlan(beginning)).toBe(claims);
  });
});

function written(outcome: Partial<CommandOutcome>): string {
  return jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], ...outcome }).stdout;
}

/** The document of the sample plan with one text replaced. */
function damaged(text: string, by: string): string {
  const whole = written({ plan: samplePlan });
  expect(whole).toContain(text);
  return whole.replace(text, by);
}

describe("the plan is read back", () => {
  test.each([
    ["from the document of a plan", written({ plan: samplePlan, reading: sampleReading })],
    ["from the document of an apply", written({ command: "apply", plan: samplePlan, run: sampleRun })],
    ["from a file with a byte order mark", `\uFEFF${written({ plan: samplePlan })}`],
    ["from a newer minor version", damaged('"1.0"', '"1.12", "added_later": [1]')],
  ])("%s", (_sentence, text) => {
    expect(decodePlanDocument(text)).toEqual({ ok: true, value: samplePlan });
  });
});

test("roles in another order are the same roles", () => {
  const text = damaged('"DEVELOPER",\n          "TEAM_ROLE"', '"TEAM_ROLE", "DEVELOPER"');
  expect(decodePlanDocument(text)).toEqual({ ok: true, value: samplePlan });
});

describe("what the guards of a plan forbid is read back with it", () => {
  const forbids = { keys: ["k1", "k2"], people: [foldAddress("root@acme.example")] };
  test.each([
    ["keys and people", forbids],
    ["keys alone", { ...forbids, people: [] }],
    ["nobody and no key", { keys: [], people: [] }],
  ])("%s", (_sentence, forbidden) => {
    const plan = { ...samplePlan, forbids: forbidden };
    expect(decodePlanDocument(written({ plan }))).toEqual({ ok: true, value: plan });
  });

  test("and a document that lacks a part of it is refused", () => {
    const whole = written({ plan: { ...samplePlan, forbids } });
    expect(decodePlanDocument(whole.replace('"people": [', '"lost": ['))).toEqual({
      ok: false,
      error: "/forbids must have required property 'people'",
    });
    expect(decodePlanDocument(whole.replace('"root@acme.example"', '""'))).toEqual({
      ok: false,
      error: "/forbids/people/0 must NOT have fewer than 1 characters",
    });
  });
});

describe("a text that is no plan is refused, because", () => {
  const problem = { code: "unauthorized", message: "the key is refused" };
  test.each([
    ["it is not JSON", "users: []", "it is not JSON"],
    ["it is empty", "", "it is not JSON"],
    ["it nests without end", "[".repeat(200_000), "it is not JSON"],
    ["it is a list", "[]", "it is not a JSON object"],
    ["it is null", "null", "it is not a JSON object"],
    ["it is another document", "{}", "it has no format_version. Write the plan with `--format json`"],
    ["its version is no version", '{"format_version":"one"}', 'its format_version "one" is not a version'],
    [
      "it is of another major version",
      damaged('"1.0"', '"2.0"'),
      'its format_version is "2.0", and this version of roster reads 1.x',
    ],
    [
      "the command failed before there was a plan",
      written({ exitCode: 4, problem }),
      "it holds no plan, because the command that wrote it made none: the key is refused",
    ],
    [
      "the command makes no plans",
      written({ command: "validate" }),
      "it holds no plan, because the command that wrote it made none",
    ],
    [
      "a part is missing",
      damaged('"findings": [', '"lost": ['),
      "its top level must have properties service, summary, actions, users, teams, findings when property plan_id is present",
    ],
    [
      "an action lacks a field",
      damaged('"first_name": "Ada",', ""),
      "/actions/0/user must have required property 'first_name'",
    ],
    [
      "an action is of no known kind",
      damaged('"kind": "create-user"', '"kind": "delete-user"'),
      "/actions/0 is not of a known shape",
    ],
    [
      "a fact is not known in a known way",
      damaged('"known": "observed"', '"known": "guessed"'),
      "/actions/0/rests_on/0 is not of a known shape",
    ],
    [
      "nobody knows the prefix of the key whose roles it replaces",
      written({ plan: samplePlan }).replace(
        /"known": "observed",\s+"value": "12pref1x121",\s+"by": "search 1"/u,
        '"known": "unknown", "why": "hidden"',
      ),
      "/actions/3/key/prefix is not of a known shape",
    ],
    ["a place is none", damaged('"line": 3', '"line": 0'), "/actions/0/because/0/line must be >= 1"],
    [
      "two actions have one id",
      damaged('"id": "create-user:cy@acme.example"', '"id": "create-user:ada@acme.example"'),
      'it has two actions with the id "create-user:ada@acme.example"',
    ],
    [
      "an action stands before what it depends on",
      damaged('"depends_on": []', '"depends_on": ["create-user:cy@acme.example"]'),
      'its action "create-user:ada@acme.example" depends on "create-user:cy@acme.example", which is not before it',
    ],
  ])("%s", (_sentence, text, error) => {
    expect(decodePlanDocument(text)).toEqual({ ok: false, error });
  });
});

test("names such as __proto__ in a document change nothing", () => {
  const text = damaged('"format_version"', '"__proto__": {"plan_id": "evil"}, "constructor": 1, "format_version"');
  expect(decodePlanDocument(text)).toEqual({ ok: true, value: samplePlan });
  expect(Object.hasOwn(Object.prototype, "plan_id")).toBe(false);
});

describe("the published schema", () => {
  test("is strict, and closes no object to fields that come later", async () => {
    const schema: unknown = JSON.parse(await readFile("schemas/plan.schema.json", "utf8"));
    expect(() => new Ajv({ strict: true }).compile(schema as object)).not.toThrow();
    expect(JSON.stringify(schema)).not.toContain("additionalProperties");
  });
});

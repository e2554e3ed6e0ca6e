import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { claimsToBePlan, planFileHeader } from "../../../src/codec/document.ts";
import { validPlanDocument } from "../../../src/codec/generated/plan.js";
import { validPlanFile } from "../../../src/codec/generated/plan-file.js";
import type { PlanFile } from "../../../src/codec/plan-file-format.ts";
import { foldAddress } from "../../../src/model/address.ts";
import { canonicalJson, sha256 } from "../../../src/model/json.ts";
import { decodePlanDocument, decodePlanFile, encodePlanFile } from "../../../src/plan/plan-file.ts";
import { jsonFormat } from "../../../src/report/json/json.ts";
import type { CommandOutcome } from "../../../src/report/outcome.ts";
import { aCreation, aPlan } from "../../support/action-builders.ts";
import { noon } from "../../support/event-builders.ts";
import { size } from "../../support/property-runs.ts";
import { samplePlan, sampleReading, sampleRun } from "../../support/report-samples.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { repeated, testTextCases } from "../../support/text-cases.ts";

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

const decode = (changed: string) => decodePlanFile(changed, validPlanFile);

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

const deep = "[".repeat(50_000) + "]".repeat(50_000);
const changedInLine = (line: number) =>
  `it was changed after roster 1.2.3 wrote it: something was added, repeated or formatted in line ${line}`;
const otherwise = new RegExp(changedInLine(0).replace(/0$/u, "\\d+$"), "u");

test.each([
  ["it is cut short", text.slice(0, -3), "it is not complete JSON: it was cut off or edited"],
  [
    "it nests without end",
    text.replace('"witnesses": ', `"more": ${deep},\n"witnesses": `),
    /is nested too deep|checksum/u,
  ],
  ["its line ends were changed", text.replaceAll("\n", "\r\n"), changedInLine(1)],
  ["its last line has no end", text.slice(0, -1), changedInLine(text.trimEnd().split("\n").length)],
  ["a byte order mark stands before it", `\uFEFF${text}`, "it is not complete JSON: it was cut off or edited"],
  [
    "somebody has added a name that means something to a program",
    forged((content) => Object.defineProperty(content, "__proto__", { value: { a: 1 }, enumerable: true })),
    'its top level must not have "__proto__"',
  ],
  [
    "somebody has added a field to an action",
    forged(({ actions }) => Object.assign((actions as object[])[0] ?? {}, { force: true })),
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
])("a plan file is refused, because %s", (_, changed, error) => {
  expect(decode(changed)).toEqual({ ok: false, error: error instanceof RegExp ? expect.stringMatching(error) : error });
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

function damaged(text: string, by: string): string {
  return replaced(written({ plan: samplePlan }), text, by);
}

function replaced(whole: string, text: string, by: string): string {
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
    expect(decodePlanDocument(text, validPlanDocument)).toEqual({ ok: true, value: samplePlan });
  });
});

test("roles in another order are the same roles", () => {
  const text = damaged('"DEVELOPER",\n          "TEAM_ROLE"', '"TEAM_ROLE", "DEVELOPER"');
  expect(decodePlanDocument(text, validPlanDocument)).toEqual({ ok: true, value: samplePlan });
});

describe("what the guards of a plan forbid is read back with it", () => {
  const forbids = { keys: ["k1", "k2"], people: [foldAddress("root@acme.example")] };
  test.each([
    ["keys and people", forbids],
    ["keys alone", { ...forbids, people: [] }],
    ["nobody and no key", { keys: [], people: [] }],
  ])("%s", (_sentence, forbidden) => {
    const plan = { ...samplePlan, forbids: forbidden };
    expect(decodePlanDocument(written({ plan }), validPlanDocument)).toEqual({ ok: true, value: plan });
  });

  test("and a document that lacks a part of it is refused", () => {
    const whole = written({ plan: { ...samplePlan, forbids } });
    expect(decodePlanDocument(whole.replace('"people": [', '"lost": ['), validPlanDocument)).toEqual({
      ok: false,
      error: "/forbids must have required property 'people'",
    });
    expect(decodePlanDocument(whole.replace('"root@acme.example"', '""'), validPlanDocument)).toEqual({
      ok: false,
      error: "/forbids/people/0 must NOT have fewer than 1 characters",
    });
  });
});

testTextCases(new URL("./plan-file.txt", import.meta.url), (section, [given = "", other = ""]) => {
  const [verb, what] = [given.replace(/ .*/su, ""), given.slice(given.indexOf(" ") + 1)];
  const changed = {
    text: () => (what === verb ? "" : repeated(what)),
    edited: () => replaced(text, what, other),
    forged: () => forged((content) => Object.assign(content, JSON.parse(what))),
    damaged: () => damaged(what, other),
    written: () => written(JSON.parse(what)),
  }[verb as "text" | "edited" | "forged" | "damaged" | "written"]();
  const decoded = section.includes("file") ? decode(changed) : decodePlanDocument(changed, validPlanDocument);
  return decoded.ok ? "read" : decoded.error;
});

test("names such as __proto__ in a document change nothing", () => {
  const text = damaged('"format_version"', '"__proto__": {"plan_id": "evil"}, "constructor": 1, "format_version"');
  expect(decodePlanDocument(text, validPlanDocument)).toEqual({ ok: true, value: samplePlan });
  expect(Object.hasOwn(Object.prototype, "plan_id")).toBe(false);
});

test("the published schema is strict, and closes no object to fields that come later", async () => {
  const schema: unknown = JSON.parse(await readFile("schemas/plan.schema.json", "utf8"));
  expect(() => new Ajv({ strict: true }).compile(schema as object)).not.toThrow();
  expect(JSON.stringify(schema)).not.toContain("additionalProperties");
});

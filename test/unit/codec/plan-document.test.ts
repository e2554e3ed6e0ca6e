import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { decodePlanDocument } from "../../../src/codec/plan-document.ts";
import { foldAddress } from "../../../src/model/address.ts";
import { jsonFormat } from "../../../src/report/json/json.ts";
import type { CommandOutcome } from "../../../src/report/outcome.ts";
import { samplePlan, sampleReading, sampleRun } from "../../support/report-samples.ts";

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
    ["from the document of a plan", written({ plan: samplePlan, reading: sampleReading }), "plan"],
    ["from the document of an apply", written({ command: "apply", plan: samplePlan, run: sampleRun }), "apply"],
    ["from a file with a byte order mark", `\uFEFF${written({ plan: samplePlan })}`, "plan"],
    ["from a newer minor version", damaged('"1.0"', '"1.12", "added_later": [1]'), "plan"],
  ])("%s", (_sentence, text, command) => {
    expect(decodePlanDocument(text)).toEqual({ ok: true, value: { plan: samplePlan, command } });
  });
});

test("roles in another order are the same roles", () => {
  const text = damaged('"DEVELOPER",\n          "TEAM_ROLE"', '"TEAM_ROLE", "DEVELOPER"');
  expect(decodePlanDocument(text)).toEqual({ ok: true, value: { plan: samplePlan, command: "plan" } });
});

describe("what the guards of a plan forbid is read back with it", () => {
  const forbids = { keys: ["k1", "k2"], people: [foldAddress("root@acme.example")] };
  test.each([
    ["keys and people", forbids],
    ["keys alone", { ...forbids, people: [] }],
    ["nobody and no key", { keys: [], people: [] }],
  ])("%s", (_sentence, forbidden) => {
    const plan = { ...samplePlan, forbids: forbidden };
    expect(decodePlanDocument(written({ plan }))).toEqual({ ok: true, value: { plan, command: "plan" } });
  });

  test("and a document that lacks a part of it is refused", () => {
    const whole = written({ plan: { ...samplePlan, forbids } });
    expect(decodePlanDocument(whole.replace('"people": [', '"lost": ['))).toEqual({
      ok: false,
      error: "/forbids must have required property 'people'",
    });
  });
});

describe("a text that is no plan is refused, because", () => {
  const problem = { code: "unauthorized", message: "the key is refused" };
  test.each([
    ["it is not JSON", "users: []", "it is not a JSON document"],
    ["it is empty", "", "it is not a JSON document"],
    ["it nests without end", "[".repeat(200_000), "it is not a JSON document"],
    ["it is a list", "[]", "it is not a JSON object"],
    ["it is null", "null", "it is not a JSON object"],
    ["it is another document", "{}", "it has no format_version; a plan is written with `--format json`"],
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
      "the document must have properties service, actions, findings, summary when property plan_id is present",
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
  expect(decodePlanDocument(text)).toEqual({ ok: true, value: { plan: samplePlan, command: "plan" } });
  expect(Object.hasOwn(Object.prototype, "plan_id")).toBe(false);
});

describe("the published schema", () => {
  test("is strict, describes each of its fields, and closes no object to fields that come later", async () => {
    const schema: unknown = JSON.parse(await readFile("schemas/plan.schema.json", "utf8"));
    expect(() => new Ajv({ strict: true }).compile(schema as object)).not.toThrow();
    expect(undescribed(schema, "#")).toEqual([]);
    expect(JSON.stringify(schema)).not.toContain("additionalProperties");
  });
});

/** Where a property has neither a description nor a definition that has one. */
function undescribed(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, part]) => {
    const here = `${path}/${name}`;
    const lacking = path.endsWith("/properties") && !("description" in part || "$ref" in part) ? [here] : [];
    return [...lacking, ...undescribed(part, here)];
  });
}

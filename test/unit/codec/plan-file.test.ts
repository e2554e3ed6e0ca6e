import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { canonicalJson, claimsToBePlan, planFileHeader } from "../../../src/codec/document.ts";
import { decodePlanFile, encodePlanFile } from "../../../src/codec/plan-file.ts";
import type { PlanFile } from "../../../src/model/saved-files.ts";
import { aCreation, aPlan } from "../../support/action-builders.ts";
import { noon } from "../../support/event-builders.ts";
import { sha256 } from "../../support/fixed-ports.ts";
import { size } from "../../support/property-runs.ts";
import { samplePlan, sampleReading } from "../../support/report-samples.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const ada = { address: addressOf("ada"), email: emailOf("ada") };

const sample: PlanFile = {
  id: "f-1",
  madeAt: noon,
  madeBy: "1.2.3",
  expiresAt: "2026-11-21T12:00:00.000Z",
  basis: {
    roster: { digest: "r", files: 1, users: 3, leavers: 0, teams: 1, keys: 0 },
    state: { lineage: "l", serial: 4, digest: "s" },
    records: [{ about: "creation ada@acme.example", digest: "m" }],
    readAt: noon,
    everyone: sampleReading.everyone,
    capabilities: sampleReading.capabilities,
    witnesses: [ada],
  },
  policy: { words: ["--exclude user:bo@acme.example"], privilegedRoles: ["ACCOUNT_ADMIN"] },
  lessons: [{ type: "service-learned", at: noon, service: "s", capabilities: sampleReading.capabilities }],
  plan: samplePlan,
};
const text = encodePlanFile(sample, sha256);

const decode = (changed: string) => decodePlanFile(changed, sha256);

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
  const fresh: PlanFile = { ...sample, basis: { ...sample.basis, state: "none" } };
  expect(decode(encodePlanFile(fresh, sha256))).toEqual({ ok: true, value: fresh });
});

test("each single byte that is changed is found", () => {
  const bytes = Buffer.from(encodePlanFile({ ...sample, plan: aPlan([]) }, sha256));
  for (const [index, byte] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[index] = byte === 0x20 ? 0x0a : 0x20;
    expect(decode(changed.toString("utf8")).ok, `byte ${index}`).toBe(false);
  }
});

describe("a text is refused, because", () => {
  const edited = "it does not agree with its checksum: it was damaged or edited";
  const otherwise =
    "it is not as roster writes it, with something added or laid out otherwise; it says that roster 1.2.3 made it";
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  test.each([
    ["it is empty", "", "it is not complete JSON: it was cut short or edited"],
    ["it is cut short", text.slice(0, -3), "it is not complete JSON: it was cut short or edited"],
    ["it is a list", "[]", "it is not a JSON object"],
    [
      "it is a plan that was printed",
      '{"format_version": "1.0", "plan_id": "p"}',
      "it is no plan file: what `roster plan --format json` prints shows what would be done, and is not applied",
    ],
    [
      "it is newer",
      text.replace('"format_version": "2.0"', '"format_version": "2.1"'),
      'its format_version is "2.1", and this version of roster reads 2.0',
    ],
    ["a value was edited", text.replace("ACCOUNT_ADMIN", "PLATFORM_ADMIN"), edited],
    [
      "it nests without end",
      text.replace('"witnesses": ', `"more": ${deep},\n"witnesses": `),
      /nests too deep|checksum/u,
    ],
    ["its line ends were changed", text.replaceAll("\n", "\r\n"), otherwise],
    ["a byte order mark stands before it", `\uFEFF${text}`, "it is not complete JSON: it was cut short or edited"],
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
  expect(decode(encodePlanFile(large, sha256))).toEqual({ ok: true, value: large });
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

test("the published schema describes each field of its own", async () => {
  const schema = JSON.parse(await readFile("schemas/plan-file.schema.json", "utf8")) as {
    properties: Record<string, { description?: string; $ref?: string }>;
  };
  const bare = Object.entries(schema.properties).filter(
    ([, { description, $ref }]) => (description ?? $ref) === undefined,
  );
  expect(bare).toEqual([]);
});

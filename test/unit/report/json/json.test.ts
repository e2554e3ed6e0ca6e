import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { outcome, samplePlan, sampleReading, sampleRun } from "../../../support/report-samples.ts";

function documentOf(outcome: CommandOutcome): unknown {
  return JSON.parse(jsonFormat(outcome).stdout);
}

const expected: Readonly<Record<string, unknown>> = parse(readFileSync(new URL("json.yaml", import.meta.url), "utf8"));

const planned = outcome({ plan: samplePlan, reading: sampleReading });

test("a plan is one document with two spaces of indentation and a line feed at its end, the same every time", () => {
  const { stdout } = jsonFormat(planned);
  expect(stdout.startsWith('{\n  "format_version": "1.0",\n  "command": "plan",\n  "plan_id": "9f8e",\n')).toBe(true);
  expect(stdout.endsWith('"exit_code": 0\n}\n')).toBe(true);
  expect(jsonFormat(structuredClone(planned)).stdout).toBe(stdout);
});

test("the document of a plan, its actions, its findings and a run are as promised: json.yaml", () => {
  const { actions, findings, ...plan } = documentOf(planned) as {
    readonly actions: readonly unknown[];
    readonly findings: readonly unknown[];
  };
  const { run } = documentOf({ ...planned, command: "apply", exitCode: 7, run: sampleRun }) as { run: unknown };
  const actionsOfEachKind = [actions[0], actions[2], actions[4]];
  expect({ plan, actions: actionsOfEachKind, finding: findings[1], run }).toStrictEqual(expected);
});

describe("a command that made no plan has no fields of a plan", () => {
  test("but its diagnostics, and the same for people on standard error", () => {
    const outcome: CommandOutcome = {
      command: "validate",
      exitCode: 3,
      diagnostics: [
        {
          code: "unknown-key",
          severity: "error",
          message: "no such key",
          hint: "Did you mean email?",
          place: { file: "a.yaml", line: 1, column: 2 },
          excerpt: { line: " x", length: 1 },
        },
      ],
    };
    expect(documentOf(outcome)).toStrictEqual({
      format_version: "1.0",
      command: "validate",
      diagnostics: outcome.diagnostics,
      error: null,
      exit_code: 3,
    });
  });

  test("but its error", () => {
    const problem = { code: "unauthorized", message: "no", status: 401, serviceSays: "who?", allow: ["g@p"] };
    const roster = { files: 1, users: 2, leavers: 5, teams: 3, keys: 4 };
    expect(documentOf({ command: "plan", exitCode: 4, diagnostics: [], roster, problem })).toStrictEqual({
      format_version: "1.0",
      command: "plan",
      roster,
      diagnostics: [],
      error: { code: "unauthorized", message: "no", status: 401, service_says: "who?", allow: ["g@p"] },
      exit_code: 4,
    });
  });
});

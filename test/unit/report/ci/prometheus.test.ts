import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exposition, prometheusFormat } from "../../../../src/report/ci/prometheus.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { insideScene } from "../../../support/inside-scene.ts";
import { readExposition } from "../../../support/read-exposition.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const at = Date.parse("2026-11-20T06:00:00.500Z");

/** `NAME{LABEL=VALUE}` and the number of each sample; the labels that all of them have are left out. */
function metricsOf(outcome: CommandOutcome): Readonly<Record<string, number>> {
  const read = readExposition(prometheusFormat(outcome, { paint: plain, at }).stdout);
  return Object.fromEntries(
    read.map(({ name, labels: { command, roster: _, ...labels }, value }) => {
      expect(command).toBe(outcome.command);
      const [[label, text] = []] = Object.entries(labels);
      return [label === undefined ? name : `${name}{${label}=${text}}`, value] as const;
    }),
  );
}

describe("metrics", () => {
  test("of a plan count its actions, mails and findings", () => {
    const metrics = metricsOf({ command: "plan", exitCode: 0, diagnostics: [], plan: samplePlan });
    expect(metrics).toEqual({
      roster_last_run_timestamp_seconds: at / 1000,
      roster_last_run_success: 1,
      roster_last_run_exit_code: 0,
      "roster_plan_actions{kind=create-user}": 2,
      "roster_plan_actions{kind=add-members}": 1,
      "roster_plan_actions{kind=replace-roles}": 3,
      roster_plan_mails: 2,
      "roster_plan_findings{class=blocked}": 1,
      "roster_plan_findings{class=pending}": 0,
      "roster_plan_findings{class=unmanaged}": 0,
      "roster_plan_findings{class=information}": 1,
      roster_plan_blocking_findings: 1,
    });
  });

  test("of what failed before it had a plan tell nothing that could be taken for nothing found", () => {
    expect(Object.keys(metricsOf({ command: "drift", exitCode: 4, diagnostics: [] }))).toEqual([
      "roster_last_run_timestamp_seconds",
      "roster_last_run_success",
      "roster_last_run_exit_code",
    ]);
  });

  test.each([0, 2, 9, 1, 3, 8, 130])("of exit code %i say whether it did its work", (exitCode) => {
    const didWork = [0, 2, 9].includes(exitCode) ? 1 : 0;
    expect(metricsOf({ command: "drift", exitCode, diagnostics: [] })["roster_last_run_success"]).toBe(didWork);
  });

  test("carry the title as a label, whatever it holds", () => {
    const title = 'EU "west"\\\nroster_last_run_success 1';
    const { stdout } = prometheusFormat({ command: "plan", exitCode: 1, diagnostics: [], title }, { paint: plain, at });
    expect(readExposition(stdout)).toContainEqual({
      name: "roster_last_run_success",
      labels: { command: "plan", roster: 'EU "west"\\\\u{a}roster_last_run_success 1' },
      value: 0,
    });
  });
});

test("help and labels escape what the format gives a meaning, and a metric without samples is left out", () => {
  const samples = [
    { labels: { b: '"\\' }, value: 1.5 },
    { labels: {}, value: 2 },
  ];
  const text = exposition(
    [
      ["a", 'x\\y\nz "q"', samples],
      ["none", "nothing", []],
    ],
    { c: undefined },
  );
  expect(text).toBe('# HELP a x\\\\y\\nz "q"\n# TYPE a gauge\na{b="\\"\\\\"} 1.5\na 2\n');
});

describe("a drift job that writes a textfile", () => {
  test("counts what differs by class, all of it also where only what is new is told", async () => {
    const { run, cwd } = await insideScene({ place: tmpdir() });
    const drift = ["drift", "--report", "prometheus=roster.prom"];
    const read = () => readExposition(readFileSync(join(cwd, "roster.prom"), "utf8"));
    const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
      read().find(
        (one) => one.name === name && Object.entries(labels).every(([label, text]) => one.labels[label] === text),
      )?.value;
    expect((await run(drift)).code).toBe(2);
    expect(read().every(({ labels }) => labels["command"] === "drift")).toBe(true);
    const counts = () => [
      value("roster_drift_findings", { class: "unapplied" }),
      value("roster_drift_new_findings", { class: "unapplied" }),
      value("roster_drift_changes"),
    ];
    const first = counts();
    expect((await run([...drift, "--only-new"])).code).toBe(0);
    const second = counts();
    expect([first, second]).toEqual([
      [5, 5, 5],
      [5, 0, 5],
    ]);
  });
});

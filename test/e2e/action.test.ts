import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { stepOutputs } from "../../src/report/ci/github.ts";
import { action, actionText as text } from "../support/action.ts";
import { samplePlan } from "../support/report-samples.ts";

describe("the action", () => {
  test("takes each input that it names, and hands none to a shell as text of a script", () => {
    const { steps, using } = action.runs;
    expect(using).toBe("composite");
    const taken = [...text.matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/gu)].map(([, name]) => name);
    expect(new Set(taken)).toEqual(new Set(Object.keys(action.inputs)));
    const scripts = steps.filter(({ run }) => run !== undefined);
    expect(scripts.map(({ name, shell }) => [name, shell])).toEqual([
      ["Install", "bash"],
      ["Run", "bash"],
    ]);
    expect(scripts.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
    expect(steps.flatMap(({ uses = [] }) => uses)).toEqual([expect.stringMatching(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u)]);
  });

  test("gives outputs that roster writes", () => {
    const written = [
      ...stepOutputs({ command: "plan", exitCode: 0, plan: samplePlan, diagnostics: [] }).keys(),
      "privileged_gains",
    ];
    expect(Object.entries(action.outputs).filter(([name]) => !written.includes(name))).toEqual([]);
    expect(Object.values(action.outputs).map(({ value }) => value)).toEqual(
      Object.keys(action.outputs).map((name) => `\${{ steps.roster.outputs.${name} }}`),
    );
  });
});

describe("the hooks for pre-commit", () => {
  interface Hook {
    readonly id: string;
    readonly language: string;
    readonly additional_dependencies?: readonly string[];
  }

  test("are those of the example, run by the roster that is installed", () => {
    const hooks = parse(readFileSync(".pre-commit-hooks.yaml", "utf8")) as readonly Hook[];
    const example = parse(readFileSync("examples/integrations/pre-commit/pre-commit-config.yaml", "utf8")) as {
      readonly repos: readonly [{ readonly hooks: readonly Hook[] }];
    };
    const common = ({ additional_dependencies: _, language: __, ...hook }: Hook) => ({
      ...hook,
      description: undefined,
    });
    expect(hooks.map(common)).toEqual(example.repos[0].hooks.map(common));
    expect(hooks.map(({ language }) => language)).toEqual(["system"]);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { integrationText, integrationYaml, type Workflow, workflows } from "../support/integrations.ts";

describe.each(workflows)("%s", (file) => {
  const workflow = integrationYaml(file) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test("has only the permissions that each job names, and ends in time", () => {
    expect(workflow.permissions).toEqual({});
    for (const job of jobs)
      expect(job).toMatchObject({ permissions: expect.any(Object), "timeout-minutes": expect.any(Number) });
  });

  test("takes only official actions, by the commit and with its version beside it", () => {
    const used = integrationText(file).match(/uses:.*$/gmu) ?? [];
    expect(used.length).toBe(steps.filter(({ uses }) => uses !== undefined).length);
    for (const line of used) expect(line).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
    const ours = readFileSync(".github/workflows/ci.yml", "utf8");
    for (const line of used.filter((one) => /checkout|setup-node/u.test(one))) expect(ours).toContain(line);
  });

  test("puts nothing into a script but by variables, and keeps no credentials in a checkout", () => {
    for (const { run } of steps) expect(run ?? "").not.toContain("${{");
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    for (const { with: how } of checkouts) expect(how).toMatchObject({ "persist-credentials": false });
    expect(Object.keys(workflow.on)).not.toContain("pull_request_target");
  });

  test("keeps people's names for days at the most, and can run again", () => {
    for (const { with: how } of steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"))) {
      expect(how).toMatchObject({ "if-no-files-found": "error", overwrite: true });
      expect(how?.["retention-days"]).toBeLessThanOrEqual(2);
    }
  });

  test("gives no secret that may write to a job that a branch can change", () => {
    const open = JSON.stringify(jobs.filter(({ environment }) => environment === undefined));
    const secrets = [...open.matchAll(/secrets\.(\w+)/gu)].map(([, name = ""]) => name);
    expect(secrets.filter((name) => !/_READ_/u.test(name))).toEqual([]);
  });

  test("gives no secret to what a fork can change", () => {
    const secrets = [...integrationText(file).matchAll(/\$\{\{ secrets\.(\w+) \}\}/gu)].map(([, name]) => name);
    if (file.startsWith("github/roster-fork-")) expect(secrets).toEqual([]);
    if (file === "github/roster-fork-comment.yml") {
      const plan = steps.find(({ name }) => name === "Plan")?.run ?? "";
      const within = plan.slice(plan.indexOf("\ncd pull-request\n")).trim().split("\n").slice(1);
      // Where the pull request's files are, nothing runs but this.
      expect(within.filter((line) => !/^(?:#|roster plan --from )/u.test(line))).toEqual([]);
    }
    const writes = jobs.map(({ permissions }) =>
      Object.entries(permissions ?? {}).filter(([, may]) => may === "write"),
    );
    if ("pull_request" in workflow.on && secrets.length === 0) expect(writes.flat()).toEqual([]);
  });
});

test("the jobs of a fleet get no secret before the job that needs it", () => {
  const { jobs } = integrationYaml("github/roster-fleet.yml") as Workflow;
  const withSecrets = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes("secrets"));
  expect(withSecrets.map(([name, { environment }]) => [name, environment])).toEqual([["drift", "roster-fleet"]]);
});

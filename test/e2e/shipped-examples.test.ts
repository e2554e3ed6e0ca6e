import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { integrationFiles, integrationText, integrationYaml } from "../support/integrations.ts";

const workflows = integrationFiles.filter((file) => file.startsWith("github/"));

describe("the shipped examples", () => {
  test("are all in the page about CI", () => {
    const section = readFileSync("docs/ci.md", "utf8");
    const named = [...section.matchAll(/`([\w./-]+)`/gu)].map(([, name = ""]) => name);
    const folders = new Set(integrationFiles.map((file) => file.split("/")[0] ?? ""));
    expect([...folders].filter((folder) => !named.some((name) => name.startsWith(`${folder}/`)))).toEqual([]);
    const missing = workflows.filter((file) => !named.some((name) => file.endsWith(name)));
    expect(missing).toEqual([]);
  });

  test.each([
    ["docs/ci.md", workflows, /\b(?:secrets|vars)\.(\w+)/gu],
    ["docs/ci.md", ["gitlab/gitlab-ci.yml"], /\$((?:ACCOUNTS|STATE)_\w+)|\b(ROSTER_(?:ENDPOINT|STATE|WEBHOOK\w*))/gu],
    ["docs/ci.md", ["kubernetes/base/cronjob.yaml"], /\bkey: ([a-z-]+)/gu],
  ])("%s names everything that has to be set", (page, files, names) => {
    const text = readFileSync(page, "utf8");
    const needed = files.flatMap((file) =>
      [...integrationText(file).matchAll(names)].map(([, one, other]) => one ?? other),
    );
    expect(needed.length).toBeGreaterThan(3);
    expect([...new Set(needed)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test("take this version of roster", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    const named = integrationFiles.flatMap((file) =>
      [...integrationText(file).matchAll(/\b(?:rosterctl-|roster:)(\d+\.\d+\.\d+)/gu)].map(([, taken]) => taken),
    );
    expect(named.length).toBe(13);
    expect(new Set(named)).toEqual(new Set([version]));
  });

  test("install one package that each names once, at its top, and nothing by its name in a registry", () => {
    const installing = integrationFiles.filter((file) =>
      /npm install|additional_dependencies/u.test(integrationText(file)),
    );
    expect(installing.length).toBe(11);
    for (const file of installing) {
      const text = integrationText(file);
      const specs = text.match(/\S*rosterctl\S*/gu) ?? [];
      expect({ file, specs }).toEqual({ file, specs: [expect.stringMatching(/^\[?https:\S+\.tgz\]?$/u)] });
      const installed = [
        ...text.matchAll(/(?:npm install --global --ignore-scripts|additional_dependencies:) (\S+)/gu),
      ];
      expect(
        installed.map(([, what]) => what).filter((what) => !/^(?:"\$PACKAGE"|\[https:\S+\.tgz\])$/u.test(what ?? "")),
      ).toEqual([]);
    }
  });

  test("GitLab applies by hand, one at a time, without interruption, with a key that plans do not get", () => {
    const { apply, plan, drift, validate } = integrationYaml("gitlab/gitlab-ci.yml") as Readonly<
      Record<string, object>
    >;
    expect(apply).toMatchObject({
      rules: [{ when: "manual" }],
      resource_group: "roster",
      interruptible: false,
      variables: { ROSTER_API_KEY: "$ACCOUNTS_WRITE_KEY" },
      allow_failure: { exit_codes: [9] },
    });
    expect(plan).toMatchObject({ variables: { ROSTER_API_KEY: "$ACCOUNTS_READ_KEY" } });
    // A merge request's report is compared with one of the branch that it is for.
    expect(validate).toMatchObject({
      rules: [{ if: expect.stringContaining("merge_request") }, { if: expect.any(String) }],
    });
    expect(drift).toMatchObject({ allow_failure: { exit_codes: [2, 9] } });
  });

  test("Kubernetes runs it as nobody who may anything, one at a time, once", () => {
    const job = integrationYaml("kubernetes/base/cronjob.yaml") as {
      readonly spec: { readonly jobTemplate: { readonly spec: object } };
    };
    expect(job.spec).toMatchObject({ concurrencyPolicy: "Forbid", startingDeadlineSeconds: expect.any(Number) });
    expect(job.spec.jobTemplate.spec).toMatchObject({
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
      },
      activeDeadlineSeconds: expect.any(Number),
      template: {
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    });
  });

  test("the container runs as nobody, and is made of what its list lets through", () => {
    const text = integrationText("container/Containerfile");
    expect(text).toMatch(/^USER 65532:65532$/mu);
    expect(text).not.toMatch(/^(?:ENV|ARG) .*(?:KEY|SECRET|PASSWORD|TOKEN)/imu);
    const listed = integrationText("container/containerignore").split("\n");
    expect(listed).toContain("*");
    const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gmu)].flatMap(([, from = ""]) => from.split(" "));
    expect(copied).toEqual(listed.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : [])));
    expect(text.match(/^(?:ADD|MAINTAINER|RUN .*\b(?:sudo|curl|wget|apt-get|cd)\b).*$/gmu)).toBe(null);
    expect(text).toMatch(/^ARG NODE=\S+:\d+-slim$/mu);
  });
});

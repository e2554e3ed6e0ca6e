import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { nameSign } from "../../src/fleet/decode-fleet.ts";
import { emptyDirectory } from "../support/command.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { type FleetScene, fleetScene } from "../support/fleet-scene.ts";
import { inside } from "../support/inside.ts";
import {
  filled,
  integrations,
  integrationText,
  integrationYaml,
  rosterLines,
  valuesOf,
} from "../support/integrations.ts";
import { smallS3 } from "../support/small-s3.ts";

/** The one line of an example that begins so. */
function lineOf(file: string, begins: string, env: Readonly<Record<string, string>>): readonly string[] {
  const line = rosterLines(file).find((one) => one.join(" ").startsWith(begins));
  if (line === undefined) throw new Error(`${file} has no \`${begins}\``);
  return filled(line, env).slice(1);
}

function escalate(scene: FleetScene, name: string): void {
  scene.servers.get(name)?.world.setKeyRoles("red-key", ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"]);
}

const withGain = (text: string) => /^roster_fleet_target_privileged_gains[{].*[}] [1-9]/mu.test(text);

/** Three targets that agree with their services but one, of which a key has gained a privileged role. */
async function driftingFleet(): Promise<FleetScene> {
  const scene = await fleetScene(["a", "b", "c"].map((name) => ({ name })));
  await scene.fleet("apply --auto-approve");
  escalate(scene, "b");
  // As a pipeline would have it: a checkout.
  mkdirSync(join(scene.cwd, ".git"));
  return scene;
}

test("GitHub: a job for each target with its key alone, and one summary", async () => {
  const file = "github/roster-fleet.yml";
  const scene = await driftingFleet();
  const temp = emptyDirectory();
  const common = { cwd: scene.cwd, env: { CI: "true" } };
  expect((await inside(lineOf(file, "roster fleet validate", {}), common)).code).toBe(0);
  const { stdout } = await inside(lineOf(file, "roster fleet matrix", {}), common);
  const { include } = JSON.parse(stdout) as { readonly include: readonly Readonly<Record<string, string>>[] };
  const codes: (readonly [string | undefined, number])[] = [];
  for (const { name = "", flags = "", key = "" } of include) {
    const out = join(temp, "reports", `fleet-${name}`);
    const line = lineOf(file, "roster fleet drift", { FLAGS: flags, RUNNER_TEMP: "TEMP" });
    const env = { CI: "true", ROSTER_TRUST_SETTINGS: "1", [key]: scene.env[key] ?? "" };
    const ended = await inside(
      line.map((word) => word.replace("TEMP/out", out)),
      { cwd: scene.cwd, env },
    );
    codes.push([name, ended.code]);
  }
  expect(codes).toEqual([
    ["a", 0],
    ["b", 2],
    ["c", 0],
  ]);
  const summary = lineOf(file, "roster fleet summarize", { RUNNER_TEMP: temp });
  const ended = await inside(summary, { cwd: temp, env: { CI: "true" } });
  expect([ended.code, ended.stdout.split("\n").filter((line) => /^(?:##|\*\*)/u.test(line))]).toEqual([
    2,
    [
      "## roster fleet drift: 1 privileged gain, 1 with changes, 2 clean",
      "**1 key has a privileged role that the roster does not give: b.**",
      "### Targets (1)",
    ],
  ]);
  expect(readFileSync(join(temp, "reports/index.html"), "utf8")).toContain('href="fleet-b/targets/b.html"');
  expect(withGain(readFileSync(join(temp, "reports/summary.prom"), "utf8"))).toBe(true);
}, 300_000);

test("GitLab: the jobs of a child pipeline, and one summary", async () => {
  const scene = await driftingFleet();
  const { stdout } = await inside(lineOf("gitlab/gitlab-fleet-ci.yml", "roster fleet matrix", {}), { cwd: scene.cwd });
  const jobs = "gitlab/gitlab-fleet-jobs.yml";
  const template = integrationYaml(jobs) as Readonly<Record<string, unknown>>;
  const child = { ...template, ...(parse(stdout) as Readonly<Record<string, unknown>>) } as Readonly<
    Record<
      string,
      {
        readonly extends?: string;
        readonly parallel?: { readonly matrix: readonly Readonly<Record<string, string>>[] };
      }
    >
  >;
  const { extends: extended = "", parallel } = child["fleet"] ?? {};
  expect(Object.keys(template)).toContain(extended);
  const codes: number[] = [];
  for (const variables of parallel?.matrix ?? []) {
    const line = lineOf(jobs, "roster fleet drift", variables);
    codes.push(
      (await inside(line, { cwd: scene.cwd, env: { ...scene.env, CI: "true", ROSTER_TRUST_SETTINGS: "1" } })).code,
    );
  }
  expect(codes).toEqual([0, 2, 0]);
  expect((await inside(lineOf(jobs, "roster fleet summarize", {}), { cwd: scene.cwd, env: { CI: "true" } })).code).toBe(
    2,
  );
  const check = (valuesOf("script", template).flat() as readonly string[]).find((line) =>
    line.includes("privileged_gains"),
  );
  expect(spawnSync("sh", ["-c", check ?? ""], { cwd: scene.cwd }).status).toBe(1);
  expect(readFileSync(join(scene.cwd, "reports/index.html"), "utf8")).toContain('href="b/targets/b.html"');
}, 300_000);

const base = `${integrations}/kubernetes/fleet`;

interface CronJob {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: Readonly<Record<string, unknown>> & {
        readonly completions?: number;
        readonly template: { readonly spec: PodSpec };
      };
    };
  };
}

interface PodSpec extends Readonly<Record<string, unknown>> {
  readonly containers: readonly (Readonly<Record<string, unknown>> & { readonly args: readonly string[] })[];
  readonly volumes?: readonly object[];
}

/** What a pod may do is what the base for one target has settled. */
function expectBoundedPod({ containers: [container], ...pod }: PodSpec): void {
  const { spec } = (integrationYaml("kubernetes/base/cronjob.yaml") as CronJob).spec.jobTemplate.spec.template;
  expect(pod).toMatchObject({
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: spec["securityContext"],
  });
  expect(container).toMatchObject({ securityContext: spec.containers[0]?.["securityContext"] });
}

describe("Kubernetes: shards as an Indexed CronJob", () => {
  const shards = integrationYaml("kubernetes/fleet/shards.yaml") as CronJob;
  const summary = integrationYaml("kubernetes/fleet/summary.yaml") as CronJob;
  const podOf = ({ spec }: CronJob) => spec.jobTemplate.spec.template.spec;
  const argsOf = (job: CronJob) => podOf(job).containers[0]?.args ?? [];

  test("have as many completions as parts, try a part that died again, and never run twice at once", () => {
    const { concurrencyPolicy, jobTemplate } = shards.spec;
    const { completionMode, completions, parallelism, backoffLimitPerIndex } = jobTemplate.spec;
    expect({ concurrencyPolicy, completionMode, parallelism, backoffLimitPerIndex }).toEqual({
      concurrencyPolicy: "Forbid",
      completionMode: "Indexed",
      parallelism: completions,
      backoffLimitPerIndex: 2,
    });
    expect(argsOf(shards)).toContain(`--shard=auto/${completions}`);
    for (const job of [shards, summary]) expectBoundedPod(podOf(job));
    expect(podOf(summary).volumes).toEqual([
      { name: "reports", persistentVolumeClaim: { claimName: "roster-fleet-reports" } },
    ]);
  });

  test("check each target once, and the summary has all of them", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const bucket = await smallS3({ clock: clockAt(noon) });
    onTestFinished(() => bucket.close());
    const scene = await fleetScene(names.map((name) => ({ name })));
    const at = join(emptyDirectory(), "roster");
    cpSync(base, at, { recursive: true });
    rmSync(join(at, "rosters/acme"), { recursive: true });
    cpSync(join(scene.cwd, "rosters"), join(at, "rosters"), { recursive: true });
    mkdirSync(join(at, "keys"));
    for (const name of names)
      writeFileSync(join(at, "keys", name), scene.env[`ROSTER_KEY_${name.toUpperCase()}`] ?? "");
    // Each service has a port of its own here, which no pattern can name.
    const [written = ""] = / {2}- pattern:[\s\S]*/u.exec(integrationText("kubernetes/fleet/fleet.yaml")) ?? [];
    const targets = names.map((name) =>
      written
        .replace("pattern: rosters/*", `name: ${name}\n    roster: rosters/${name}`)
        .replace(/endpoint: .*/u, `endpoint: ${scene.servers.get(name)?.endpoint}`)
        .replace("/run/secrets/roster", join(at, "keys"))
        .replaceAll(nameSign, name),
    );
    writeFileSync(join(at, "fleet.yaml"), `version: 1\ntargets:\n${targets.join("")}`);
    const env = {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "s3cret-s3cret",
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
    };
    const cwd = emptyDirectory();
    const reports = emptyDirectory();
    const run = (args: readonly string[], index?: number) =>
      inside(
        args.map((word) => word.replace("/etc/roster", at).replace("/var/lib/reports", reports)),
        { cwd, env: index === undefined ? env : { ...env, JOB_COMPLETION_INDEX: `${index}` } },
      );
    writeFileSync(
      join(at, "fleet.yaml"),
      readFileSync(join(at, "fleet.yaml"), "utf8").replaceAll("s3://acme-roster/", "s3://acme/"),
    );
    for (let index = 0; index < 3; index += 1) expect((await run(argsOf(shards), index)).code).toBe(2);
    expect((await run(argsOf(summary))).code).toBe(7);
    expect((await run(argsOf(shards), 3)).code).toBe(2);
    const { code, stdout } = await run(argsOf(summary));
    expect([code, stdout]).toEqual([2, expect.stringContaining("5 targets: 5 with changes.")]);
    const paths = readdirSync(reports, { recursive: true, encoding: "utf8" });
    expect(paths.filter((path) => /^targets\/.*\.json$/u.test(path))).toHaveLength(names.length);
    expect(paths).toContain("index.html");
    expect(bucket.paths().filter((path) => /^logs\/[a-e]\/00000001$/u.test(path))).toHaveLength(names.length);
  }, 300_000);

  test("have a fleet file that is valid", async () => {
    const { code, stderr } = await inside(["fleet", "validate", "--fleet", join(base, "fleet.yaml")], {
      cwd: process.cwd(),
    });
    expect([code, stderr]).toEqual([0, ""]);
  });

  const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
  if (!hasKubectl) console.warn("There is no `kubectl` here: the kustomize overlay of a fleet is not rendered.");

  test.skipIf(!hasKubectl)("are rendered by kustomize", () => {
    const at = emptyDirectory();
    cpSync(`${integrations}/kubernetes`, at, { recursive: true });
    const files = ["secret/bucket-key-id", "secret/bucket-secret", "keys/acme"];
    for (const file of files) {
      mkdirSync(join(at, "fleet-overlay", file.split("/")[0] ?? ""), { recursive: true });
      writeFileSync(join(at, "fleet-overlay", file), "x");
    }
    const { stdout, stderr } = spawnSync("kubectl", ["kustomize", "fleet-overlay"], { cwd: at, encoding: "utf8" });
    expect(stderr).toBe("");
    const documents = parseAllDocuments(stdout).map((one) => one.toJS() as CronJob & { readonly kind: string });
    expect(documents.map(({ kind, metadata }) => [kind, metadata.namespace]).sort()).toEqual([
      ["CronJob", "roster"],
      ["CronJob", "roster"],
      ["PersistentVolumeClaim", "roster"],
      ["Secret", "roster"],
      ["Secret", "roster"],
      ["ServiceAccount", "roster"],
    ]);
    const named = new Set(documents.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name));
    const jobs = documents.filter(({ kind }) => kind === "CronJob");
    for (const job of jobs) {
      expect(podOf(job).containers[0]).toMatchObject({ image: "registry.acme.example/roster-fleet:0.1.0" });
      const used = [
        ...JSON.stringify(podOf(job)).matchAll(
          /"(?:secretName|name)":"(roster-fleet(?:-keys)?-(?!reports")[0-9a-z]+)"/gu,
        ),
      ];
      expect(used.map(([, name]) => name).filter((name) => !named.has(name ?? ""))).toEqual([]);
      // The summary needs no secret.
      expect(used.length > 0).toBe(job.metadata.name === "roster-fleet");
    }
  });
});

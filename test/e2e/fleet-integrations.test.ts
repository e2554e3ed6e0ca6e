import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { type FleetScene, fleetScene } from "../support/fleet-scene.ts";
import { inside } from "../support/inside.ts";
import { filled, integrations, integrationYaml, rosterLines, valuesOf } from "../support/integrations.ts";

function lineOf(file: string, begins: string, env: Readonly<Record<string, string>>): readonly string[] {
  const line = rosterLines(file).find((one) => one.join(" ").startsWith(begins));
  if (line === undefined) throw new Error(`${file} has no \`${begins}\``);
  return filled(line, env).slice(1);
}

const withGain = (text: string) => /^roster_fleet_target_privileged_gains[{].*[}] [1-9]/mu.test(text);

/** Three targets that agree with their services but one, of which a key has gained a privileged role. */
async function driftingFleet(): Promise<FleetScene> {
  const scene = await fleetScene(["a", "b", "c"].map((name) => ({ name })));
  await scene.fleet("apply --auto-approve");
  scene.servers.get("b")?.world.setKeyRoles("red-key", ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"]);
  // As a pipeline would have it: a checkout.
  mkdirSync(join(scene.cwd, ".git"));
  return scene;
}

test("GitHub: a job for each target with its key alone, which fails where a key has a privileged gain", async () => {
  const file = "github/roster-fleet.yml";
  const scene = await driftingFleet();
  const temp = emptyDirectory();
  const [CI, ROSTER_TRUST_SETTINGS] = ["true", "1"];
  const common = { cwd: scene.cwd, env: { CI, ROSTER_TRUST_SETTINGS } };
  expect((await inside(lineOf(file, "roster fleet validate", {}), common)).code).toBe(0);
  const { stdout } = await inside(lineOf(file, "roster fleet list", {}), { cwd: scene.cwd, env: { CI } });
  const targets: readonly { readonly name: string; readonly key: string }[] = JSON.parse(stdout);
  const ends: (readonly [name: string, code: number, gain: boolean])[] = [];
  for (const { name, key } of targets) {
    const line = lineOf(file, "roster fleet drift", { NAME: name, RUNNER_TEMP: join(temp, name) });
    const env = { CI, ROSTER_TRUST_SETTINGS, [key]: scene.env[key] ?? "" };
    const { code } = await inside(line, { cwd: scene.cwd, env });
    ends.push([name, code, withGain(readFileSync(join(temp, name, "out/summary.prom"), "utf8"))]);
  }
  expect(ends).toEqual([
    ["a", 0, false],
    ["b", 2, true],
    ["c", 0, false],
  ]);
  expect(readFileSync(join(temp, "b/out/targets/b.md"), "utf8")).toContain("ACCOUNT_ADMIN");
}, 300_000);

test("GitLab: one job for all targets", async () => {
  const file = "gitlab/gitlab-fleet-ci.yml";
  const scene = await driftingFleet();
  const env = { ...scene.env, CI: "true", ROSTER_TRUST_SETTINGS: "1" };
  expect((await inside(lineOf(file, "roster fleet drift", {}), { cwd: scene.cwd, env })).code).toBe(2);
  const check = (valuesOf("script", integrationYaml(file)).flat() as readonly string[]).find((line) =>
    line.includes("privileged_gains"),
  );
  expect(spawnSync("sh", ["-c", check ?? ""], { cwd: scene.cwd }).status).toBe(1);
  expect(readFileSync(join(scene.cwd, "reports/index.html"), "utf8")).toContain('href="targets/b.html"');
}, 300_000);

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly template: { readonly spec: Readonly<Record<string, unknown>> } };
}

describe("Kubernetes: workers", () => {
  test("may do what the job of the base for one target may do", () => {
    const { spec: worker } = (integrationYaml("kubernetes/fleet/workers.yaml") as Rendered).spec.template;
    const [job] = valuesOf(
      "template",
      integrationYaml("kubernetes/base/cronjob.yaml"),
    ) as readonly Rendered["spec"]["template"][];
    const bounds = ({ containers, ...pod }: Readonly<Record<string, unknown>>) => {
      const { automountServiceAccountToken, enableServiceLinks, securityContext } = pod;
      const all = [securityContext, ...valuesOf("securityContext", containers)];
      return { automountServiceAccountToken, enableServiceLinks, all };
    };
    expect(bounds(worker)).toEqual(bounds(job?.spec ?? {}));
  });

  test("have a fleet file that is valid", async () => {
    const file = `${integrations}/kubernetes/fleet/fleet.yaml`;
    const { code, stderr } = await inside(["fleet", "validate", "--fleet", file], { cwd: process.cwd() });
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("are scaled by the queue that they take from, with their password", () => {
    const env = valuesOf("env", integrationYaml("kubernetes/fleet/workers.yaml")).flat();
    const [trigger] = valuesOf("triggers", integrationYaml("kubernetes/fleet-autoscaler/scaled-object.yaml")).flat();
    const { metadata: from = {} } = trigger as { readonly metadata?: Readonly<Record<string, string>> };
    const value = `postgres://${from["userName"]}@${from["host"]}/${from["dbName"]}?sslmode=${from["sslmode"]}`;
    expect(env).toMatchObject([{ name: "ROSTER_QUEUE", value }, { name: from["passwordFromEnv"] }]);
  });
});

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { emptyDirectory } from "../support/command.ts";
import { type FleetScene, fleetScene } from "../support/fleet-scene.ts";
import { inside } from "../support/inside.ts";
import { filled, integrations, integrationYaml, rosterLines, valuesOf } from "../support/integrations.ts";

/** The one line of an example that begins so. */
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

  const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
  if (!hasKubectl) console.warn("There is no `kubectl` here: the kustomize overlay of a fleet is not rendered.");

  test("are scaled by the queue that they take from, with their password", () => {
    const env = valuesOf("env", integrationYaml("kubernetes/fleet/workers.yaml")).flat();
    const [trigger] = valuesOf("triggers", integrationYaml("kubernetes/fleet-autoscaler/scaled-object.yaml")).flat();
    const { metadata: from = {} } = trigger as { readonly metadata?: Readonly<Record<string, string>> };
    const value = `postgres://${from["userName"]}@${from["host"]}/${from["dbName"]}?sslmode=${from["sslmode"]}`;
    expect(env).toMatchObject([{ name: "ROSTER_QUEUE", value }, { name: from["passwordFromEnv"] }]);
  });

  test.skipIf(!hasKubectl)("are rendered by kustomize, with their secrets", () => {
    const at = emptyDirectory();
    cpSync(`${integrations}/kubernetes`, at, { recursive: true });
    for (const file of ["secret/database-password", "keys/acme"]) {
      mkdirSync(join(at, "fleet-overlay", file.split("/")[0] ?? ""), { recursive: true });
      writeFileSync(join(at, "fleet-overlay", file), "x");
    }
    const render = () => {
      const { stdout, stderr } = spawnSync("kubectl", ["kustomize", "fleet-overlay"], { cwd: at, encoding: "utf8" });
      expect(stderr).toBe("");
      return parseAllDocuments(stdout).map((one) => one.toJS() as Rendered);
    };
    const documents = render();
    expect(documents.map(({ kind, metadata }) => [kind, metadata.namespace]).sort()).toEqual(
      ["Deployment", "PodDisruptionBudget", "Secret", "Secret", "ServiceAccount"].map((kind) => [kind, "roster"]),
    );
    const secrets = documents.flatMap(({ kind, metadata }) => (kind === "Secret" ? [metadata.name] : []));
    const worker = JSON.stringify(documents.find(({ kind }) => kind === "Deployment"));
    expect(secrets.filter((name) => !worker.includes(`"${name}"`))).toEqual([]);
    expect(worker).toContain('"registry.acme.example/roster-fleet:0.1.0"');
    const overlay = join(at, "fleet-overlay/kustomization.yaml");
    writeFileSync(overlay, readFileSync(overlay, "utf8").replace("# components:", "components:"));
    const scaled = render();
    expect(scaled.map(({ kind }) => kind).sort()).toEqual(
      [...documents.map(({ kind }) => kind), "ScaledObject"].sort(),
    );
    // A number of the overlay would undo that of the autoscaler.
    expect(worker.replace('"replicas":2,', "")).toBe(JSON.stringify(scaled.find(({ kind }) => kind === "Deployment")));
  });
});

test("the list has the targets of which a roster file has changed since a commit", async () => {
  const scene = await fleetScene(["a", "b", "b2"].map((name) => ({ name, endpoint: "https://x.example" })));
  const author = ["-c", "user.name=a", "-c", "user.email=a@x.example"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...author, ...args], { cwd: scene.cwd, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "one");
  git("switch", "-qc", "change");
  const changed = async (ref = "main") => {
    const { code, stdout } = await inside(["fleet", "list", "--changed-since", ref], { cwd: scene.cwd });
    return code === 0 ? stdout.split("\n").slice(0, -1) : code;
  };
  expect(await changed()).toEqual([]);
  rmSync(join(scene.cwd, "rosters/b/roster.yaml"));
  writeFileSync(join(scene.cwd, "rosters/b/other.yaml"), "version: 1\n");
  git("add", "-A");
  git("commit", "-qm", "two");
  expect(await changed()).toEqual(["b"]);
  // What has happened on the other branch since is no change of this one.
  git("switch", "-q", "main");
  writeFileSync(join(scene.cwd, "rosters/a/more.yaml"), "version: 1\n");
  git("add", "-A");
  git("commit", "-qm", "three");
  git("switch", "-q", "change");
  expect(await changed()).toEqual(["b"]);
  writeFileSync(join(scene.cwd, "fleet.yaml"), `${readFileSync(join(scene.cwd, "fleet.yaml"), "utf8")}# more\n`);
  git("commit", "-qam", "four");
  expect(await changed()).toEqual(["a", "b", "b2"]);
  // A variable of a pipeline that is not set is no commit.
  for (const ref of ["nowhere", "--output=x", ""]) expect(await changed(ref)).toBe(3);
  expect(readdirSync(scene.cwd)).not.toContain("x");
});

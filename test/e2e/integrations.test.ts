import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { variables } from "../../src/cli/settings/environment.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { commandTree } from "../support/command-tree.ts";
import { inside } from "../support/inside.ts";
import {
  filled,
  integrationFiles,
  integrationText,
  integrationYaml,
  rosterLines,
  valuesOf,
} from "../support/integrations.ts";

const sets = {
  CI_PIPELINE_IID: "7",
  GITHUB_RUN_NUMBER: "7",
  EXPECTED: "0123456789abcdef",
  APPROVED: "0123456789abcdef",
  FLAGS: "--include acme",
  NAME: "acme",
};

/** A company's checkout with its roster, a service where nobody is yet, and a machine for jobs. */
async function scene() {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const at = emptyDirectory();
  const cwd = join(at, "checkout");
  const temp = join(at, "temp");
  for (const directory of [join(cwd, ".git"), temp]) mkdirSync(directory, { recursive: true });
  cpSync("examples/quickstart", join(cwd, "roster"), { recursive: true });
  const common = { ROSTER_ENDPOINT: server.endpoint, ROSTER_STATE: `file:${join(at, "log.jsonl")}`, CI: "true" };
  const filling = { ...sets, RUNNER_TEMP: temp, PLANFILE: join(cwd, "roster/default.tfplan") };
  /** Runs each command line of roster that an example has and that begins so, and gives their exit codes. */
  const runs = async (file: string, begins: string, { env = {}, in: directory = cwd, approved }: Running = {}) => {
    const lines = rosterLines(file).filter((line) => line.join(" ").startsWith(begins));
    expect(lines.length, `${file} has no \`${begins}\``).toBeGreaterThan(0);
    const codes: number[] = [];
    for (const line of lines) {
      const [, ...args] = filled(line, { ...filling, ...(approved && { EXPECTED: approved, APPROVED: approved }) });
      const { code, stderr } = await inside(args, { cwd: directory, env: { ...common, ...env } });
      if (code === 1 || code === 3) throw new Error(`\`${line.join(" ")}\` of ${file}: ${stderr}`);
      codes.push(code);
    }
    return codes;
  };
  const key = { ROSTER_API_KEY: server.key };
  return { server, at, cwd, temp, key, runs };
}

/** Gives the key of a member an administrator's role, as somebody with access to the service could. */
function escalate({ world }: Awaited<ReturnType<typeof startReferenceServer>>): void {
  const key = world.users.flatMap(({ accessKeys }) => accessKeys).find(({ team }) => team?.name === "Platform");
  world.setKeyRoles(key?.prefix ?? "", ["ACCOUNT_ADMIN"]);
}

function statusOf(line: string, cwd: string): number | null {
  return spawnSync("sh", ["-c", line], { cwd }).status;
}

interface Running {
  readonly env?: Readonly<Record<string, string>>;
  readonly in?: string;
  readonly approved?: string;
}

const withoutLines = [
  "atlantis/atlantis.yaml",
  "container/containerignore",
  "github/approved-plan.mjs",
  "gitlab/merge-request-plan.mjs",
  "kubernetes/base/kustomization.yaml",
  "kubernetes/base/roster.config.yaml",
  "kubernetes/base/roster.yaml",
  "kubernetes/base/service-account.yaml",
  "kubernetes/fleet-autoscaler/kustomization.yaml",
  "kubernetes/fleet-autoscaler/scaled-object.yaml",
  "kubernetes/fleet-overlay/kustomization.yaml",
  "kubernetes/fleet/Containerfile",
  "kubernetes/fleet/disruption-budget.yaml",
  "kubernetes/fleet/fleet.yaml",
  "kubernetes/fleet/kustomization.yaml",
  "kubernetes/fleet/rosters/acme/roster.yaml",
  "kubernetes/fleet/service-account.yaml",
  "kubernetes/overlay/kustomization.yaml",
  "systemd/roster-drift.timer",
  "systemd/roster.env",
  "webhook/verify.mjs",
];

describe("every command line of roster in an example is understood", () => {
  test.each(integrationFiles.filter((file) => !withoutLines.includes(file)))("%s", async (file) => {
    const lines = rosterLines(file);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [, ...args] = filled(line, { ...sets, RUNNER_TEMP: "/tmp", PLANFILE: "default.tfplan" });
      const { program, told } = commandTree();
      if (args[0] !== "--help") await program.parseAsync([...args], { from: "user" });
      expect(told, line.join(" ")).toEqual([]);
    }
  });

  test("and the others have none", () => {
    expect(withoutLines.flatMap(rosterLines)).toEqual([]);
  });

  test("nothing sets a variable that roster does not know", () => {
    const named = /^[\s-]*(?:Environment=|\{ name: |name: )?(ROSTER_\w+)(?=[:=,]|$)/gmu;
    const set = integrationFiles.flatMap((file) => [...integrationText(file).matchAll(named)].map(([, name]) => name));
    expect(set.length).toBeGreaterThan(20);
    expect(set.filter((name) => !Object.keys(variables).includes(name ?? ""))).toEqual([]);
  });
});

describe("what an example runs does what it says", () => {
  test("GitHub: a plan on a pull request, an apply of the approved plan on merge, a drift", async () => {
    const { runs, key, temp, cwd } = await scene();
    const env = { ...key, GITHUB_OUTPUT: join(temp, "outputs") };
    expect(await runs("github/roster-plan.yml", "roster plan", { env })).toEqual([2]);
    expect(readFileSync(join(temp, "plan.md"), "utf8")).toMatch(/^<!-- roster:plan -->\n/u);
    const [, , approved = ""] =
      /^plan_id<<(\S+)\n([0-9a-f]{16})\n\1$/mu.exec(readFileSync(join(temp, "outputs"), "utf8")) ?? [];
    const apply = (by: string) => runs("github/roster-apply.yml", "roster apply --auto-approve", { env, approved: by });
    // Somebody merges something else meanwhile: nothing is applied.
    const roster = join(cwd, "roster/roster.yaml");
    const reviewed = readFileSync(roster, "utf8");
    writeFileSync(roster, reviewed.replace("DEVELOPER", "ACCOUNT_ADMIN"));
    expect(await apply(approved)).toEqual([6]);
    writeFileSync(roster, reviewed);
    expect(await apply(approved)).toEqual([0]);
    expect(await runs("github/roster-drift.yml", "roster drift", { env })).toEqual([0]);
    expect(readFileSync(join(temp, "drift.md"), "utf8")).toMatch(/^<!-- roster:drift -->\n/u);
    expect(JSON.parse(readFileSync(join(temp, "drift.sarif"), "utf8"))).toMatchObject({ version: "2.1.0" });
  });

  test("GitHub: an apply that is started by hand takes the saved plan", async () => {
    const { runs, key, temp } = await scene();
    const env = { ...key, GITHUB_OUTPUT: join(temp, "outputs") };
    expect(await runs("github/roster-apply.yml", "roster plan", { env })).toEqual([2]);
    expect(readFileSync(join(temp, "outputs"), "utf8")).toMatch(/^changes<<(\S+)\n7\n\1$/mu);
    mkdirSync(join(temp, "plan"));
    copyFileSync(join(temp, "plan.json"), join(temp, "plan/plan.json"));
    expect(await runs("github/roster-apply.yml", "roster apply $RUNNER_TEMP", { env, in: temp })).toEqual([0]);
  });

  test("GitHub: an HR export is brought into the roster, once, without a key", async () => {
    const { runs, temp, cwd } = await scene();
    writeFileSync(join(temp, "people.csv"), "email,first name,last name\nnia@acme.example,Nia,Wu\n");
    expect(await runs("github/roster-people.yml", "roster")).toEqual([0, 0]);
    const file = join(cwd, "roster/people/hr.yaml");
    const written = readFileSync(file, "utf8");
    expect(written).toMatch(/^users:\n {2}- \{ email: nia@acme\.example, /mu);
    expect(await runs("github/roster-people.yml", "roster import")).toEqual([0]);
    expect(readFileSync(file, "utf8")).toBe(written);
  });

  test("GitHub: a fork's pull request is planned with what a trusted job has read, without a key", async () => {
    const { runs, key, temp, cwd, at } = await scene();
    expect(await runs("github/roster-snapshot.yml", "roster snapshot", { env: key })).toEqual([0]);
    mkdirSync(join(temp, "snapshot"));
    copyFileSync(join(temp, "snapshot.json"), join(temp, "snapshot/snapshot.json"));
    const none = { env: { ROSTER_ENDPOINT: "", ROSTER_STATE: "" } };
    expect(await runs("github/roster-fork-plan.yml", "roster", none)).toEqual([0, 2]);
    const [, into = "."] = /^ *cd (\S+)$/mu.exec(integrationText("github/roster-fork-comment.yml")) ?? [];
    const workspace = join(at, "workspace");
    const there = join(workspace, "pull-request");
    cpSync(cwd, there, { recursive: true });
    // As `roster init` leaves it: the account stands in the settings alone.
    const roster = join(there, "roster/roster.yaml");
    writeFileSync(roster, readFileSync(roster, "utf8").replace("account: acc-1\n", ""));
    writeFileSync(join(there, "roster.config.yaml"), "account: acc-1\n");
    const env = { ...none.env, GITHUB_WORKSPACE: workspace };
    expect(await runs("github/roster-fork-comment.yml", "roster plan", { env, in: join(workspace, into) })).toEqual([
      0,
    ]);
    const comment = readFileSync(join(temp, "plan.md"), "utf8");
    expect(comment).toContain("ada@acme.example");
  });

  test("GitLab: a plan in a merge request, an apply of the approved one, an apply of the saved one, a drift", async () => {
    const { server, runs, key, cwd } = await scene();
    const file = "gitlab/gitlab-ci.yml";
    expect(await runs(file, "roster drift", { env: key })).toEqual([2]);
    expect(await runs(file, "roster validate")).toEqual([0]);
    expect(await runs(file, "roster plan", { env: key })).toEqual([2, 2]);
    expect(JSON.parse(readFileSync(join(cwd, "changes.json"), "utf8"))).toEqual({ create: 6, update: 3, delete: 0 });
    expect(await runs(file, "roster drift", { env: key })).toEqual([0]);
    const { plan_id: approved } = JSON.parse(readFileSync(join(cwd, "approved.json"), "utf8")) as {
      readonly plan_id: string;
    };
    expect(await runs(file, "roster apply --auto-approve", { env: key })).toEqual([6]);
    expect(await runs(file, "roster apply --auto-approve", { env: key, approved })).toEqual([0]);
    expect(await runs(file, "roster drift", { env: key })).toEqual([0]);
    escalate(server);
    expect(await runs(file, "roster plan", { env: key })).toEqual([2, 2]);
    expect(await runs(file, "roster apply plan.json", { env: key })).toEqual([0]);
    const check = (valuesOf("script", integrationYaml(file)).flat() as readonly string[]).find((line) =>
      line.includes("roster_drift_privileged_gains"),
    );
    expect(statusOf(check ?? "", cwd)).toBe(0);
    escalate(server);
    expect(await runs(file, "roster drift", { env: key })).toEqual([2]);
    expect(statusOf(check ?? "", cwd)).toBe(1);
  });

  test("Atlantis: plan and apply in the directory of the project", async () => {
    const { runs, key, cwd } = await scene();
    const directory = join(cwd, "roster");
    expect(await runs("atlantis/repos.yaml", "roster plan", { env: key, in: directory })).toEqual([2]);
    expect(await runs("atlantis/repos.yaml", "roster apply", { env: key, in: directory })).toEqual([0]);
  });

  test("pre-commit: a valid roster passes the hook, and another one does not", async () => {
    const { runs, cwd } = await scene();
    const file = "pre-commit/pre-commit-config.yaml";
    await runs(file, "roster validate");
    const before = readFileSync(join(cwd, "roster/roster.yaml"), "utf8");
    writeFileSync(join(cwd, "roster/roster.yaml"), before.replace("version: 1", "version: 2"));
    await expect(runs(file, "roster validate")).rejects.toThrow("unsupported-version");
  });

  test("Kubernetes: a drift with the settings of the base", async () => {
    const { server, at, key } = await scene();
    const [line = []] = rosterLines("kubernetes/base/cronjob.yaml");
    const config = join(at, "roster.config.yaml");
    const settings = integrationText("kubernetes/base/roster.config.yaml")
      .replace(/^endpoint: .*$/mu, `endpoint: ${server.endpoint}`)
      .replace(/^state: .*$/mu, "state: file:log.jsonl")
      .replaceAll("/etc/roster", join(process.cwd(), "examples/integrations/kubernetes/base"));
    writeFileSync(config, settings);
    writeFileSync(join(at, "api-key"), `${key.ROSTER_API_KEY}\n`);
    const env = { ROSTER_CONFIG: config, ROSTER_API_KEY_FILE: join(at, "api-key") };
    const cwd = join(at, "work");
    mkdirSync(cwd);
    expect((await inside(line.slice(1), { cwd, env })).code).toBe(2);
    expect((await inside(line.slice(1), { cwd, env })).code).toBe(0);
  });

  test("systemd: a drift that writes metrics", async () => {
    const { server, at, key, cwd } = await scene();
    const [[, ...args] = []] = rosterLines("systemd/roster-drift.service");
    const there = args.map((word) =>
      word.replace("/var/lib/node_exporter", at).replace("/etc/roster/roster", join(cwd, "roster")),
    );
    const env = { ...key, ROSTER_ENDPOINT: server.endpoint, ROSTER_STATE: `file:${join(at, "log.jsonl")}` };
    expect((await inside(there, { cwd: at, env })).code).toBe(2);
    expect(readFileSync(join(at, "roster.prom"), "utf8")).toContain('roster_last_run_exit_code{command="drift"} 2');
    expect(integrationText("systemd/roster-drift.service")).toContain("SuccessExitStatus=2 9");
    const [, script = ""] =
      /^ExecStartPost=\/bin\/sh -c '(.*)'$/mu.exec(integrationText("systemd/roster-drift.service")) ?? [];
    const check = script.replace("/var/lib/node_exporter", at);
    expect(statusOf(check, at)).toBe(0);
    const apply = ["apply", "--auto-approve", join(cwd, "roster")];
    expect((await inside(apply, { cwd: at, env })).code).toBe(0);
    escalate(server);
    expect([(await inside(there, { cwd: at, env })).code, statusOf(check, at)]).toEqual([2, 1]);
  });
});

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { emptyDirectory } from "../support/command.ts";
import { fleetScene } from "../support/fleet-scene.ts";
import { inside } from "../support/inside.ts";
import { integrations } from "../support/integrations.ts";
import { outsideProgram } from "../support/outside-program.ts";

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

test.skipIf(outsideProgram("kubectl") === undefined)(
  "Kubernetes: workers are rendered by kustomize, with their secrets",
  () => {
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
  },
);

test.skipIf(outsideProgram("git") === undefined)(
  "the list has the targets of which a roster file has changed since a commit",
  async () => {
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
  },
);

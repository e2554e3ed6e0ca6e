import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { emptyDirectory } from "../support/command.ts";
import { integrationFiles, integrations, integrationText, scriptsIn } from "../support/integrations.ts";
import { outsideProgram, runOutside } from "../support/outside-program.ts";

const shellcheck = outsideProgram("shellcheck");

/** Flags in a variable are split on purpose, a failed cd ends the job, and of GitLab's lines each is a script here, which sees no other. */
const allowed = "--exclude=SC2034,SC2086,SC2153,SC2154,SC2164";

describe.skipIf(shellcheck === undefined)("shellcheck has no objection to the scripts of", () => {
  test.each(integrationFiles.filter((file) => /^(?:github|gitlab|atlantis)\/.*\.ya?ml$/u.test(file)))("%s", (file) => {
    for (const script of scriptsIn(file)) {
      const filledIn = script.replaceAll(/\$\{\{.*?\}\}/gu, "value");
      const checked = runOutside(shellcheck ?? "", ["--shell=bash", allowed, "-"], filledIn);
      expect(checked).toEqual({ code: 0, told: "" });
    }
  });
});

const kubectl = outsideProgram("kubectl");

test.skipIf(kubectl === undefined)("kustomize builds the base, with the settings under a name of their own", () => {
  const { code, told } = runOutside(kubectl ?? "", ["kustomize", `${integrations}/kubernetes/base`]);
  expect(code, told).toBe(0);
  const objects = parseAllDocuments(told).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string } },
  );
  expect(objects.map(({ kind }) => kind).sort()).toEqual(["ConfigMap", "CronJob", "ServiceAccount"]);
  const name = objects.find(({ kind }) => kind === "ConfigMap")?.metadata.name ?? "";
  expect(name).toMatch(/^roster-drift-\w+$/u);
  expect(told.split(name).length - 1).toBe(2);
});

test.skipIf(kubectl === undefined)("kustomize builds the overlay, with files and an image of its own", () => {
  const at = emptyDirectory();
  cpSync(`${integrations}/kubernetes`, at, { recursive: true });
  const overlay = join(at, "overlay");
  mkdirSync(join(overlay, "secret"));
  const secrets = ["api-key", "webhook", "webhook-secret", "state-key-id", "state-secret"];
  for (const name of secrets) writeFileSync(join(overlay, "secret", name), `value of ${name}`);
  writeFileSync(join(overlay, "roster.config.yaml"), "endpoint: https://accounts.acme.example\n");
  writeFileSync(join(overlay, "roster.yaml"), "version: 1\naccount: acc-7\n");
  const { code, told } = runOutside(kubectl ?? "", ["kustomize", overlay]);
  expect(code, told).toBe(0);
  const objects = parseAllDocuments(told).map((document) => document.toJS() as KubernetesObject);
  const found = (kind: string) => objects.find((object) => object.kind === kind);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace]).sort()).toEqual(
    ["ConfigMap", "CronJob", "Secret", "ServiceAccount"].map((kind) => [kind, "roster"]),
  );
  expect(found("ConfigMap")?.data).toEqual({
    "roster.config.yaml": "endpoint: https://accounts.acme.example\n",
    "roster.yaml": "version: 1\naccount: acc-7\n",
  });
  expect(Object.keys(found("Secret")?.data ?? {}).sort()).toEqual([...secrets].sort());
  expect(told).toContain("image: registry.acme.example/roster:0.1.0\n");
  for (const kind of ["ConfigMap", "Secret"])
    expect(told.split(found(kind)?.metadata.name ?? "").length).toBeGreaterThan(2);
});

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

const analyze = outsideProgram("systemd-analyze");

test.skipIf(analyze === undefined)("systemd takes the units, and finds them well hardened", () => {
  const at = emptyDirectory();
  for (const file of ["roster-drift.service", "roster-drift.timer"]) {
    // Roster is not installed where this is looked at.
    const unit = integrationText(`systemd/${file}`).replace("/usr/local/bin/roster", process.execPath);
    writeFileSync(join(at, file), unit);
  }
  const service = join(at, "roster-drift.service");
  expect(runOutside(analyze ?? "", ["verify", service, join(at, "roster-drift.timer")])).toEqual({ code: 0, told: "" });
  const security = runOutside(analyze ?? "", ["security", "--offline=true", "--threshold=25", service]);
  expect(security.code, security.told).toBe(0);
});

const hadolint = outsideProgram("hadolint");

test.skipIf(hadolint === undefined)("hadolint has no objection to the container file", () => {
  expect(runOutside(hadolint ?? "", [`${integrations}/container/Containerfile`])).toEqual({ code: 0, told: "" });
});

const podman = outsideProgram("podman");

test.skipIf(podman === undefined)("podman builds the image, in which roster works", { timeout: 600_000 }, () => {
  const here = `${integrations}/container`;
  const context = emptyDirectory();
  spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", context]);
  const built = runOutside(podman ?? "", [
    ...["build", "--file", `${here}/Containerfile`, "--ignorefile", `${here}/containerignore`],
    ...["--tag", "roster-test", context],
  ]);
  expect(built.code, built.told).toBe(0);
  const ran = runOutside(podman ?? "", ["run", "--rm", "--read-only", "--network=none", "roster-test", "--version"]);
  expect(ran).toEqual({ code: 0, told: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

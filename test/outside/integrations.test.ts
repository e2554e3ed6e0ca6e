import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { emptyDirectory } from "../support/command.ts";
import { integrationFiles, integrations, integrationText, scriptsIn } from "../support/integrations.ts";
import { outsideProgram, runOutside } from "../support/outside-program.ts";

const shellcheck = outsideProgram("shellcheck");

describe.skipIf(shellcheck === undefined)("shellcheck has no objection to the scripts of", () => {
  test.each(integrationFiles.filter((file) => /^(?:github|gitlab|atlantis)\//u.test(file)))("%s", (file) => {
    for (const script of scriptsIn(file)) {
      expect(runOutside(shellcheck ?? "", ["--shell=bash", "-"], script)).toEqual({ code: 0, told: "" });
    }
  });
});

const kubectl = outsideProgram("kubectl");

test.skipIf(kubectl === undefined)("kustomize builds the base, with the settings under a name of their own", () => {
  const { code, told } = runOutside(kubectl ?? "", ["kustomize", `${integrations}/kubernetes`]);
  expect(code, told).toBe(0);
  const objects = parseAllDocuments(told).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string } },
  );
  expect(objects.map(({ kind }) => kind).sort()).toEqual(["ConfigMap", "CronJob", "ServiceAccount"]);
  const name = objects.find(({ kind }) => kind === "ConfigMap")?.metadata.name ?? "";
  expect(name).toMatch(/^roster-drift-\w+$/u);
  expect(told.split(name).length - 1).toBe(2);
});

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
  const built = runOutside(podman ?? "", [
    ...["build", "--file", `${here}/Containerfile`, "--ignorefile", `${here}/containerignore`],
    ...["--tag", "roster-test", "."],
  ]);
  expect(built.code, built.told).toBe(0);
  const ran = runOutside(podman ?? "", ["run", "--rm", "--read-only", "--network=none", "roster-test", "--version"]);
  expect(ran).toEqual({ code: 0, told: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test("the steps of the container file make a roster that works, of nothing but what its list lets through", () => {
  const build = emptyDirectory();
  const image = join(emptyDirectory(), "roster");
  mkdirSync(image);
  const [first = "", second = ""] = integrationText("container/Containerfile")
    .split(/^(?=FROM)/mu)
    .slice(1);
  const copy = (stage: string, into: (to: string) => string) => {
    for (const [, from = "", to = ""] of stage.matchAll(/^COPY (?:--from=build )?(.*) (\S+)$/gmu)) {
      for (const path of from.split(" ")) spawnSync("cp", ["-r", path.replace(/^\/build/u, build), into(to)]);
    }
  };
  copy(first, (to) => join(build, to));
  spawnSync("ln", ["-s", resolve("node_modules"), join(build, "node_modules")]);
  const built = spawnSync("npm", ["run", "--silent", "build"], { cwd: build, encoding: "utf8" });
  expect(built.status, built.stderr).toBe(0);
  copy(second, (to) => to.replace(/^\/opt\/roster/u, image));
  const run = runOutside(process.execPath, [join(image, "dist/main.js"), "demo"]);
  expect(run.code, run.told).toBe(0);
});

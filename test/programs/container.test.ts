import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { integrationText } from "../support/integrations.ts";
import { outsideProgram } from "../support/outside-program.ts";

/** Of each stage its name, and each instruction with what follows it. */
function stagesOf(text: string) {
  const [, ...stages] = text.split(/^(?=FROM )/mu);
  return stages.map((stage) => {
    const lines = stage.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const steps = lines.map((line) => /^(\S+) (.*)$/u.exec(line) ?? []);
    return {
      name: / AS (\w+)$/u.exec(lines[0] ?? "")?.[1] ?? "",
      steps: steps.map(([, instruction = "", rest = ""]) => [instruction, rest] as const),
    };
  });
}

/** Does what a builder would, each stage in a directory in place of its root. Gives the directory of the last stage. */
function build(context: string): string {
  const roots = new Map<string, string>();
  let root = "";
  for (const { name, steps } of stagesOf(integrationText("container/Containerfile"))) {
    root = emptyDirectory();
    roots.set(name, root);
    for (const folder of ["opt", "usr/local/bin", "usr/local/lib"]) mkdirSync(join(root, folder), { recursive: true });
    for (const [instruction, rest] of steps) perform(instruction, rest, { root, roots, context });
  }
  return root;
}

interface Place {
  readonly root: string;
  readonly roots: ReadonlyMap<string, string>;
  readonly context: string;
}

function perform(instruction: string, rest: string, { root, roots, context }: Place): void {
  if (instruction === "COPY") {
    const [, stage = "", from = "", to = ""] = /^(?:--from=(\w+) )?(\S+) (\S+)$/u.exec(rest) ?? [];
    const source = stage === "" ? context : roots.get(stage);
    execFileSync("sh", ["-c", `cp -r ${source}/${from} ${root}${to}`]);
  } else if (instruction === "RUN") {
    const script = rest.replaceAll(/(?<=[\s=])\/(?=[a-z])/gu, `${root}/`);
    execFileSync("sh", ["-ec", script], { env: { PATH: process.env["PATH"], HOME: root } });
  }
}

const isMissing = ["sh", "npm", "tar"].some((program) => outsideProgram(program) === undefined);

describe.skipIf(isMissing)("the container file", () => {
  test("makes a roster that works, of nothing but the package", () => {
    const context = emptyDirectory();
    // As npm packs it; that those are its files is held by the test of the package.
    const files = [
      "package.json",
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "SECURITY.md",
      "dist",
      "docs",
      "examples",
      "schemas",
    ];
    const name = "rosterctl-0.0.0.tgz";
    execFileSync("tar", ["-czf", join(context, name), "--transform", "s,^,package/,", ...files]);
    const image = build(context);
    const link = readlinkSync(join(image, "usr/local/bin/roster"));
    expect(link).toBe(join(image, "opt/roster/dist/main.js"));
    const ran = spawnSync(process.execPath, [link, "demo"], { encoding: "utf8", env: { HOME: image } });
    expect(ran.status, ran.stderr).toBe(0);
    expect(existsSync(join(image, "opt/roster/SECURITY.md"))).toBe(true);
    expect(readFileSync(join(image, "opt/roster/dist/sbom.cdx.json"), "utf8")).toContain('"CycloneDX"');
  });
});

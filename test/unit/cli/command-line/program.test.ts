import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { normalizeArguments, runCommandLine } from "../../../../src/cli/command-line/program.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { commandTree } from "../../../support/command-tree.ts";
import { eventLines } from "../../../support/event-lines.ts";
import { type InsideHost, inside, insideHost } from "../../../support/inside.ts";
import { insideScene, twoPeople } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

/** A host whose environment breaks whoever reads it. */
function brokenHost(): InsideHost {
  const env = new Proxy<Record<string, string>>(
    {},
    {
      ownKeys() {
        throw new Error("the environment is broken");
      },
    },
  );
  return { ...insideHost({ cwd: "/" }), env };
}

test("a defect is told in the document, and where it happened on standard error", async () => {
  const host = brokenHost();
  expect(await runCommandLine(["validate", "--format", "json"], host)).toBe(1);
  expect(JSON.parse(host.told.stdout)).toMatchObject({
    exit_code: 1,
    error: { code: "internal", message: "a defect of roster ended the command: Error: the environment is broken" },
  });
  expect(host.told.stderr).toContain("program.test.ts");
  expect(await runCommandLine(["validate"], host)).toBe(1);
  expect(host.told.stderr).toContain("error[internal]: a defect of roster ended the command");
});

test("a defect in the middle of a command that tells in lines ends them with a problem and the summary", async () => {
  const scene = await insideScene();
  const host = scene.host();
  const randomness = {
    ...host.randomness,
    identifier() {
      throw new Error("no identifiers are left");
    },
  };
  const code = await runCommandLine(["apply", "--auto-approve", "--format", "ndjson"], { ...host, randomness });
  const lines = eventLines(host.told.stdout);
  expect({ code, types: lines.map(({ type }) => type) }).toEqual({ code: 1, types: ["version", "problem", "summary"] });
  expect(lines.at(-1)).toMatchObject({ command: "apply", exit_code: 1, problem: "internal" });
});

test("whatever a command prints by itself goes without what its environment keeps secret", async () => {
  const host = insideHost({ cwd: emptyDirectory(), env: { PGPASSWORD: "sesame-open" } });
  expect(await runCommandLine(["init", "sesame-open"], host)).toBe(0);
  expect(host.told.stdout).toContain("in `[redacted]`");
  expect(`${host.told.stdout}${host.told.stderr}`).not.toContain("sesame-open");
});

test("what is printed on a terminal keeps to its width, and elsewhere to lines", async () => {
  const scene = await insideScene();
  const told = async (columns?: number) =>
    (await scene.run(["plan"], columns === undefined ? {} : { columns })).stdout.split("\n");
  const narrow = await told(60);
  const first = narrow.findIndex((line) => line.startsWith("  + ada"));
  expect(narrow.slice(first, first + 2)).toEqual([
    "  + ada@acme.example (Ada Lovelace): new, created with",
    "      the team (no mail), gets DEVELOPER  roster.yaml:4:5",
  ]);
  expect(narrow.filter((line) => line.length > 60 && line.includes("roster.yaml"))).toEqual([]);
  expect((await told()).filter((line) => line.startsWith("  + ada"))).toEqual([
    expect.stringMatching(/: new, created with the team \(no mail\), gets DEVELOPER {2,}roster\.yaml:4:5$/u),
  ]);
});

test.each([[["--help"]], [["apply", "--help"]], [["state", "--help"]], [["state", "show", "-h"]], [["help", "apply"]]])(
  "help is an answer: %j",
  async (argv) => {
    const host = brokenHost();
    expect(await runCommandLine(argv, host)).toBe(0);
    expect(host.told).toEqual({ stdout: expect.stringContaining("Usage: roster"), stderr: "" });
  },
);

const { program } = commandTree();

describe("what people type who know other programs", () => {
  test.each([
    ["apply -auto-approve", "apply --auto-approve"],
    ["plan -out plan.json -detailed-exitcode", "plan --out plan.json --detailed-exitcode"],
    ["apply -lock-timeout=5m", "apply --lock-timeout=5m"],
    ["plan -include=team:Red", "plan --include=team:Red"],
    ["plan -h", "plan -h"],
    ["-V", "-V"],
    ["-help", "--help"],
    ["apply --reason -later", "apply --reason -later"],
    ["plan -o json", "plan -o json"],
    ["plan -ojson", "plan -ojson"],
  ])("%s is parsed as %s", (typed, parsed) => {
    expect(normalizeArguments(typed.split(" "), program)).toEqual(parsed.split(" "));
  });
});

describe("a command line of somebody who knows Terraform", () => {
  test("plans in another directory, a part of the roster", async () => {
    const at = await insideScene();
    const cwd = emptyDirectory();
    const [parent, name] = [dirname(at.cwd), basename(at.cwd)];
    for (const words of [["-C", at.cwd], [`-C${at.cwd}`], [`-chdir=${at.cwd}`], ["-C", parent, "-C", name]]) {
      const plan = await inside([...words, "plan", "-include=user:nobody@x.y"], { cwd, env: at.env });
      expect([plan.code, plan.stderr]).toEqual([3, expect.stringContaining("user:nobody@x.y")]);
    }
    const saved = await inside(["-C", name, "plan", "--out", "p"], { cwd: parent, env: at.env });
    expect(saved.stdout).toContain(`\`roster -C ${name} apply p\``);
    await at.run(["apply", "-auto-approve"]);
    const config = "guards: { max-new-users: 0 }\n";
    const cyToo = twoPeople.replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Ito }\nteams:");
    await writeRoster(at.cwd, { "new/roster.yaml": cyToo, "roster.config.yaml": config });
    const refused = await inside(["-C", name, "plan", "new"], { cwd: parent, env: at.env });
    expect(refused.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `run \`roster -C ${name} apply new --allow max-new-users#`,
    );
  });
});

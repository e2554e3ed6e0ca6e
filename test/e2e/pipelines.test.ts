import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inside } from "../support/inside.ts";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** The outputs that a runner reads from a file of `NAME<<END`, value, `END`. */
function outputsIn(text: string): Readonly<Record<string, string>> {
  const entries = [...text.matchAll(/^(\w+)<<(\S+)\n([\s\S]*?)\n\2\n/gmu)].map(([, name = "", , value = ""]) => [
    name,
    value,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

const bad = `version: 1
account: acc-1
users: [{ email: ada@acme.example, firstNam: Ada, lastName: Lovelace }]
`;

describe("in GitHub Actions", () => {
  test("an apply gives later steps its numbers, and annotates nothing where all is well", async () => {
    const { run, cwd } = await insideScene();
    const env = { GITHUB_OUTPUT: join(cwd, "outputs"), GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    writeFileSync(join(cwd, "outputs"), "before=1\n");
    const { code, stdout } = await run(["apply", "--auto-approve", "--format", "github"], { env });
    const outputs = readFileSync(join(cwd, "outputs"), "utf8");
    expect(outputs.startsWith("before=1\n")).toBe(true);
    expect({ code, ...outputsIn(outputs) }).toMatchObject({
      code: 0,
      exit_code: "0",
      changes: "5",
      create_users: "2",
      mails: "1",
      succeeded: "5",
      failed: "0",
    });
    expect(readFileSync(join(cwd, "summary.md"), "utf8")).toMatch(/^## Apply to /mu);
    expect(stdout).toContain("Done: created 2 users and 1 team");
    expect(stdout).not.toMatch(/^::/mu);
  });

  test("what is appended to the runner's files stands apart from what an earlier command of the step wrote", async () => {
    const { run, cwd } = await insideScene();
    const env = { GITHUB_OUTPUT: join(cwd, "outputs"), GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    writeFileSync(join(cwd, "outputs"), "before=1");
    writeFileSync(join(cwd, "summary.md"), "<details><summary>before</summary>\n\n</details>");
    await run(["plan", "--format", "github"], { env });
    expect(outputsIn(readFileSync(join(cwd, "outputs"), "utf8"))).toMatchObject({ exit_code: "0", changes: "5" });
    expect(readFileSync(join(cwd, "summary.md"), "utf8")).toMatch(/<\/details>\n\n<!-- roster:plan -->\n## Plan for /u);
  });

  test("outputs are written where github is a report beside the text", async () => {
    const { run, cwd } = await insideScene();
    const env = { GITHUB_OUTPUT: join(cwd, "outputs") };
    const { stdout } = await run(["plan", "--report", "github=annotations.txt"], { env });
    expect(outputsIn(readFileSync(join(cwd, "outputs"), "utf8"))).toMatchObject({ exit_code: "0", changes: "5" });
    expect(stdout).toContain("Plan: create 2 users");
  });

  test("outputs that cannot be written are told, and are no success", async () => {
    const { run, cwd } = await insideScene();
    const env = { GITHUB_OUTPUT: join(cwd, "nowhere/outputs") };
    const { code, stdout } = await run(["plan", "--format", "github", "--report", "json=plan.json"], { env });
    const { exit_code } = JSON.parse(readFileSync(join(cwd, "plan.json"), "utf8")) as { exit_code: number };
    expect({ code, exit_code }).toEqual({ code: 1, exit_code: 1 });
    expect(stdout).toMatch(/^::error title=unwritable::The file .* cannot be written: ENOENT/mu);
  });

  test("lines are named as the repository names them, wherever the command runs", async () => {
    const { cwd, env } = await insideScene();
    mkdirSync(join(cwd, ".git"));
    await writeRoster(cwd, { "people/bad.yaml": bad });
    const { code, stdout } = await inside(["validate", "bad.yaml", "--format", "github"], {
      cwd: join(cwd, "people"),
      env,
    });
    expect({ code, first: stdout.split("\n")[0] }).toEqual({
      code: 3,
      first: "::error file=people/bad.yaml,line=3,col=9,title=missing-key::A user needs `firstName`.",
    });
  });

  test("lines are named from the workspace, where there is no repository", async () => {
    const { cwd, env } = await insideScene();
    await writeRoster(cwd, { "people/bad.yaml": bad });
    const { stdout } = await inside(["validate", "bad.yaml", "--format", "gitlab"], {
      cwd: join(cwd, "people"),
      env: { ...env, CI: "true", CI_PROJECT_DIR: cwd },
    });
    const report = JSON.parse(stdout) as { location: { path: string } }[];
    expect(report.map(({ location }) => location.path)).toEqual(["people/bad.yaml", "people/bad.yaml"]);
  });
});

test.each(["sarif", "gitlab", "gitlab-terraform", "github"])(
  "%s has nothing to tell of a service's ways (3)",
  async (format) => {
    const { run } = await insideScene();
    const { code, stderr } = await run(["doctor", "--format", format]);
    expect(code).toBe(3);
    expect(stderr).toContain("Allowed choices are text, json, ndjson");
  },
);

test("a state is shown as itself, and has no lines", async () => {
  const { run } = await insideScene();
  await run(["apply", "--auto-approve"]);
  const { stdout } = await run(["state", "show"]);
  const shown = await run(["state", "show", "--format", "json"]);
  expect([stdout.includes("Users (2)"), JSON.parse(shown.stdout)]).toMatchObject([true, { users: [{}, {}] }]);
  const lines = await run(["state", "show", "--format", "ndjson"]);
  expect([lines.code, lines.stderr.includes("Allowed choices are text, json, yaml.")]).toEqual([3, true]);
});

test("no output shows the key or the password of a state, whatever repeats them", async () => {
  const { run, cwd, env, server } = await insideScene();
  const secret = server.key.split(".")[1] ?? "";
  const name = `${secret} ${Buffer.from(`x:${secret}`).toString("base64")} ${encodeURIComponent(`${secret}&`)}`;
  const named = { "roster.yaml": bad.replace("firstNam: Ada", `firstName: ${JSON.stringify(name)}`) };
  await writeRoster(cwd, named);
  const formats = ["json", "ndjson", "sarif", "gitlab", "github"];
  const reports = formats.flatMap((format) => ["--report", `${format}=out.${format}`]);
  const { stdout, stderr } = await run(["plan", ...reports], { env });
  const texts = [stdout, stderr, ...formats.map((format) => readFileSync(join(cwd, `out.${format}`), "utf8"))];
  expect(texts[0]).toContain("[redacted]");
  for (const text of texts) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(`x:${secret}`).toString("base64").slice(4, 30));
  }
});

test("a secret that a format would spell in its own way is taken out before that", async () => {
  const { run, cwd, env } = await insideScene();
  await writeRoster(cwd, { "bad.yaml": bad.replace("firstNam: Ada", '"a%b:c,d&<e>|f": Ada') });
  const secret = { ...env, PGPASSWORD: "a%b:c,d&<e>|f" };
  const { stdout } = await run(["validate", "bad.yaml", "--format", "github"], { env: secret });
  expect(stdout).toContain("A user has no key `[redacted]`.");
});

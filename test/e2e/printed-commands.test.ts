import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { inside } from "../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

const boIsAdmin = twoPeople.replace(
  "{ user: bo@acme.example }",
  "{ user: bo@acme.example, roles: [DEVELOPER, ACCOUNT_ADMIN] }",
);

/** Runs a line that somebody has copied, with the words that a shell makes of it. */
async function pasted(line: string, { cwd, env }: Pick<InsideScene, "cwd" | "env">) {
  const script = `roster() { printf '%s\\0' "$@"; }; ${line.replace("TEXT", "INC-42")}`;
  const words = execFileSync("bash", ["-c", script], { cwd, encoding: "utf8" }).split("\0").slice(0, -1);
  return inside([...words, "--auto-approve"], { cwd, env });
}

const toGive = /To\s+give\s+[*`]*ACCOUNT_ADMIN[*`]*\s+to\s+`?bo@acme\.example`?\s+this\s+time,\s+run\s+`([^`]+)`/u;

test.each([
  ["text", "privileged-roles", (out: string) => toGive.exec(out)?.[1]],
  ["markdown", "privileged-roles", (out: string) => toGive.exec(out)?.[1]],
  ["json", "privileged-roles", (out: string) => toGive.exec(JSON.parse(out).findings[0].message)?.[1]],
  ["text", "max-new-users", (out: string) => /want\s+it\s+as\s+it\s+is,\s+run\s+`([^`]+)`/u.exec(out)?.[1]],
  ["json", "max-new-users", (out: string) => /want it as it is, run `([^`]+)`/u.exec(JSON.parse(out).error.hint)?.[1]],
] as const)("the command that %s prints for %s works in a shell as it is", async (format, guard, commandIn) => {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve", "--state", "file:my log.jsonl"]);
  const isStop = guard === "max-new-users";
  const cyToo = twoPeople.replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Ito }\nteams:");
  await writeRoster(at.cwd, {
    "it's new/roster.yaml": isStop ? cyToo : boIsAdmin,
    "roster.config.yaml": isStop ? "guards: { max-new-users: 0 }\n" : "guards: { max-new-users: 9 }\n",
  });
  const { ROSTER_ENDPOINT: endpoint = "", ...env } = at.env;
  const settings = ["--endpoint", endpoint, "--state", "file:my log.jsonl"];
  const printed = await inside(["plan", "it's new", ...settings, "--format", format], { cwd: at.cwd, env });
  const command = commandIn(format === "text" ? printed.stdout + printed.stderr : printed.stdout) ?? "";
  expect(command).toContain("roster apply 'it'\\''s new' --endpoint");
  const done = await pasted(command, { cwd: at.cwd, env });
  expect([done.code, done.stdout.includes("Verified: all changes are in place.")], done.stdout).toEqual([0, true]);
});

test("the command that an unfinished apply prints passes on what was allowed, which holds for the rest", async () => {
  const at = await insideScene({ knobs: { flaky: ["create@2"], flakyStatus: "400" } });
  await writeRoster(at.cwd, { "roster.config.yaml": "guards: { max-new-users: 0 }\n" });
  const { stdout } = await at.run(["plan", "--format", "json"]);
  const [, code = ""] = /run `roster apply --allow (\S+) /u.exec(JSON.parse(stdout).error.hint) ?? [];
  const partly = await at.run(["apply", "--auto-approve", "--allow", code, "--reason", "new year"]);
  const [, command = ""] = /Next:[^`]* run `([^`]+)` again/u.exec(partly.stdout.replaceAll(/\s+/gu, " ")) ?? [];
  expect([partly.code, command]).toEqual([7, `roster apply --reason 'new year' --auto-approve --allow ${code}`]);
  expect((await pasted(command, at)).code).toBe(0);
});

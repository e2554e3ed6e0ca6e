import { describe, expect, test } from "vitest";
import { normalizeArguments } from "../../../../src/cli/command-line/normalize-arguments.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { commandTree } from "../../../support/command-tree.ts";
import { inside } from "../../../support/inside.ts";
import { insideScene } from "../../../support/inside-scene.ts";

const { program } = commandTree();

describe("--rehearse", () => {
  test.each([
    ["plan --rehearse roster.yaml", "plan --rehearse= roster.yaml"],
    ["plan --rehearse", "plan --rehearse="],
    ["plan --rehearse=80ms roster.yaml", "plan --rehearse=80ms roster.yaml"],
    ["plan --rehearse 80ms roster.yaml", "plan --rehearse=80ms roster.yaml"],
    ["plan --title --rehearse", "plan --title --rehearse"],
    ["plan -- --rehearse", "plan -- --rehearse"],
  ])("%s is parsed as %s", (typed, parsed) => {
    expect(normalizeArguments(typed.split(" "), program).argv).toEqual(parsed.split(" "));
  });
});

describe("what people type who know other programs", () => {
  test.each([
    ["apply -auto-approve", "apply --auto-approve"],
    ["plan -out plan.json -detailed-exitcode", "plan --out plan.json --detailed-exitcode"],
    ["plan -out=plan.json -lock-timeout=5m", "plan --out=plan.json --lock-timeout=5m"],
    ["plan -target=team:Red --target user:ada@x.y", "plan --include=team:Red --include user:ada@x.y"],
    ["plan -h", "plan -h"],
    ["-V", "-V"],
    ["-help", "--help"],
    [
      "drift acknowledge f --reason -later --until 2026-12-31",
      "drift acknowledge f --reason -later --until 2026-12-31",
    ],
    ["completion candidates zsh -- roster plan -out", "completion candidates zsh -- roster plan -out"],
    ["force-unlock 7d1f4c52", "state unlock 7d1f4c52"],
    ["state force-unlock 7d1f4c52", "state force-unlock 7d1f4c52"],
    ["plan -o json", "plan -o json"],
    ["plan -ojson", "plan -ojson"],
  ])("%s is parsed as %s", (typed, parsed) => {
    const read = normalizeArguments(typed.split(" "), program);
    expect(read).toEqual({ argv: parsed.split(" "), directories: [] });
  });

  test.each([
    ["-C there plan -out p", ["there"], "plan --out p"],
    ["plan -C there -C below", ["there", "below"], "plan"],
    ["-Cthere plan", ["there"], "plan"],
    ["-chdir=there plan", ["there"], "plan"],
    ["--chdir there plan", ["there"], "plan"],
    ["plan -C", [], "plan -C"],
  ])("%s runs in %j", (typed, directories, parsed) => {
    expect(normalizeArguments(typed.split(" "), program)).toEqual({ argv: parsed.split(" "), directories });
  });
});

describe("a command line of somebody who knows Terraform", () => {
  test("plans in another directory, a part of the roster, with a time to wait for a lock", async () => {
    const at = await insideScene();
    const cwd = emptyDirectory();
    const there = await at.run(["-chdir=r", "plan", "-target=team:Red", "-lock-timeout=1m", "-detailed-exitcode"]);
    expect([there.code, there.stderr]).toEqual([3, expect.stringContaining("There is no directory r.")]);
    const plan = await inside(["-C", at.cwd, "plan", "-target=user:nobody@x.y", "-lock-timeout=1m"], {
      cwd,
      env: at.env,
    });
    expect([plan.code, plan.stderr]).toEqual([3, expect.stringContaining("user:nobody@x.y")]);
    expect((await at.run(["plan", "--lock-timeout", "soon"])).stderr).toContain(
      "--lock-timeout soon is not understood",
    );
  });

  test("lists and unlocks the state", async () => {
    const at = await insideScene();
    expect((await at.run(["apply", "-auto-approve"])).code).toBe(0);
    const listed = await at.run(["state", "list"]);
    expect([listed.code, listed.stdout]).toEqual([0, (await at.run(["state", "show"])).stdout]);
    const unlocked = await at.run(["force-unlock"]);
    expect([unlocked.code, unlocked.stdout]).toEqual([0, (await at.run(["state", "unlock"])).stdout]);
  });
});

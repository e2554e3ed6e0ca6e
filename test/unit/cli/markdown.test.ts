import { describe, expect, test } from "vitest";
import { insideScene } from "../../support/inside-scene.ts";
import { readMarkdown } from "../../support/read-markdown.ts";
import { writeRoster } from "../../support/roster-directory.ts";

describe("as Markdown", () => {
  test("a run says what was done, and drift in what the service differs from then on", async () => {
    const at = await insideScene();
    const applied = await at.run(["apply", "--auto-approve", "--format", "markdown"]);
    expect(applied.stdout.split("\n").slice(1, 4)).toEqual([
      "## roster apply: 5 changed",
      "",
      "- **Exit code 0**: done, or nothing to do",
    ]);
    expect(applied.stdout).toContain("\n- Verified: all changes are in place.\n");
    const [prefix = ""] =
      readMarkdown(applied.stdout)
        .tables.get("New keys (3)")
        ?.map((row) => row[2]) ?? [];
    at.server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN"]);
    const drift = await at.run(["drift", "--format", "markdown"]);
    const { tables } = readMarkdown(drift.stdout);
    expect(drift.stdout.split("\n")[1]).toBe("## roster drift: 1 privileged gain among 1 change");
    expect(tables.get("Privileged roles not in the roster (1)")?.map((row) => row.slice(0, 2))).toEqual([
      [`key ${prefix}`, expect.stringContaining("privileged: ada@acme.example gained ACCOUNT_ADMIN")],
    ]);
    expect(tables.get("Privileged roles, changed by apply (1)")?.map((row) => row.slice(0, 2))).toEqual([
      ["ada@acme.example", "loses ACCOUNT_ADMIN"],
    ]);
  });

  test("a roster that is none shows each place with its line, however hostile", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.yaml": "version: 1\nusers:\n  - { email: '@ada <b>|`x`' , nope: 1 }\n" });
    const { code, stdout } = await at.run(["validate", "--format", "markdown"]);
    expect(code).toBe(3);
    expect(stdout).toContain("    3 |   - { email: '@ada <b>|`x`' , nope: 1 }\n");
    expect(readMarkdown(stdout).words.join("")).not.toMatch(/[@<|`]/u);
  });
});

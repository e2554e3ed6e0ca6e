import { realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkPlanFileTrust } from "../../../../src/cli/plan-file/plan-file-trust.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { gitRepository } from "../../../support/git-repository.ts";
import { insideHost } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

interface Scene {
  readonly path: string;
  readonly kept?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

async function troubleOf({ path, kept = ["roster.yaml"], links = {}, env = {} }: Scene): Promise<string> {
  const at = await realpath(emptyDirectory());
  await writeRoster(at, { "co/plan.json": "{}", "out/plan.json": "{}" });
  gitRepository(join(at, "co"), ...kept);
  for (const [link, target] of Object.entries(links)) await symlink(target, join(at, link));
  const trouble = await checkPlanFileTrust(path, insideHost({ cwd: join(at, "co"), env }));
  const [told] = trouble?.diagnostics ?? [];
  return told === undefined ? "none" : `${told.code}: ${/symbolic link|kept in git/u.exec(told.message)?.[0]}`;
}

test.each<[string, Scene, string]>([
  ["a plan outside the checkout", { path: "../out/plan.json" }, "none"],
  ["a plan that a job put into the checkout", { path: "plan.json", env: { CI: "1" } }, "none"],
  ["a plan beside whose name git keeps another", { path: "plan.json", kept: ["plan.json.md"] }, "none"],
  ["standard input", { path: "-", kept: ["-"] }, "none"],
  ["a plan that git keeps", { path: "plan.json", kept: ["plan.json"] }, "untrusted-plan-file: kept in git"],
  [
    "a plan in the place of the roster's directory",
    { path: "roster", kept: ["roster"] },
    "untrusted-plan-file: kept in git",
  ],
  [
    "a plan behind a link of the checkout",
    { path: "p", links: { "co/p": "../out/plan.json" } },
    "untrusted-plan-file: symbolic link",
  ],
  [
    "a plan that git keeps, where the checkout is trusted",
    { path: "plan.json", kept: ["plan.json"], env: { ROSTER_TRUST_SETTINGS: "1" } },
    "none",
  ],
])("%s", async (_, scene, expected) => {
  expect(await troubleOf(scene)).toBe(expected);
});

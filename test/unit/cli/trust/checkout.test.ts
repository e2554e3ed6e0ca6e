import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkoutAround, isInside, placementOf, repositoryRoot } from "../../../../src/cli/trust.ts";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { insideHost } from "../../../support/inside.ts";
import { onPlatform } from "../../../support/on-platform.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

/** A checkout `co`, a directory `out` beside it, and a repository `other`. */
function places(links: Readonly<Record<string, string>> = {}): Promise<string> {
  const files = ["co/.git/HEAD", "co/deep/a.yaml", "co/a.yaml", "out/b.yaml", "other/.git/HEAD", "other/c.yaml"];
  return layOut(Object.fromEntries(files.map((file) => [file, ""])), links);
}

async function standing(at: string, path: string, env: Readonly<Record<string, string>> = {}) {
  const checkout = await checkoutAround(insideHost({ cwd: join(at, "co/deep"), env }));
  const { isInside, isEditable, leadsOut } = await placementOf(join(at, path), checkout);
  return [isInside ? "inside" : "outside", ...(isEditable ? ["editable"] : []), ...(leadsOut ? ["leads out"] : [])];
}

describe("a path", () => {
  test.each(
    casesOf([
      "in the checkout | | co/a.yaml | inside, editable",
      "that is not there, in the checkout | | co/none/a.yaml | inside, editable",
      "beside the checkout | | out/b.yaml | outside",
      "whose name begins as the checkout's | | cox/b.yaml | outside",
      "in another repository | | other/c.yaml | outside, editable",
      "of a link out of the checkout | co/l=../out/b.yaml | co/l | outside, editable, leads out",
      "behind a linked directory | co/l=../out | co/l/b.yaml | outside, editable, leads out",
      "of a link within the checkout | co/l=deep/a.yaml | co/l | inside, editable",
      "of a link into the checkout | out/l=../co/a.yaml | out/l | inside, editable",
      "of a link into the checkout, and out of it again | out/l=../co/back co/back=../out/b.yaml | out/l | outside, editable, leads out",
      "of a link by way of another repository | out/l=../other/m other/m=../out/b.yaml | out/l | outside, editable",
      "of a link to nothing | co/l=../none | co/l | outside, editable, leads out",
      "of a link to itself | co/l=l | co/l | inside, editable",
      "of a link beside the checkout | out/l=b.yaml | out/l | outside",
    ]),
  )("%s", async (_, links = "", path = "", told = "") => {
    expect((await standing(await places(pairsOf(links)), path)).join(", ")).toBe(told);
  });

  test("of a link with an absolute target", async () => {
    const at = await places();
    await symlink(join(at, "out/b.yaml"), join(at, "co/l"));
    expect(await standing(at, "co/l")).toEqual(["outside", "editable", "leads out"]);
  });

  test.each(["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE", "BUILD_SOURCESDIRECTORY"])(
    "in what a pipeline calls its workspace (%s) is in the checkout, in a pipeline",
    async (name) => {
      const at = await places();
      expect(await standing(at, "out/b.yaml", { [name]: join(at, "out"), CI: "true" })).toEqual(["inside", "editable"]);
      expect(await standing(at, "out/b.yaml", { [name]: join(at, "out") })).toEqual(["outside"]);
    },
  );
});

describe("the checkout", () => {
  test("is the directory itself where there is no repository around it", async () => {
    const at = await realpath(emptyDirectory());
    expect(await checkoutAround(insideHost({ cwd: at }))).toEqual({ root: at, roots: [at] });
  });

  test("begins where `.git` is a file, as in a worktree or a submodule", async () => {
    const at = await places();
    await writeRoster(at, { "co/sub/.git": "gitdir: ../.git/modules/sub\n" });
    await mkdir(join(at, "co/sub/deep"));
    expect([repositoryRoot(join(at, "co/sub/deep")), repositoryRoot(join(at, "co/deep"))]).toEqual([
      join(at, "co/sub"),
      join(at, "co"),
    ]);
  });

  test("is told without links", async () => {
    const at = await places({ link: "co" });
    expect(await checkoutAround(insideHost({ cwd: join(at, "link/deep") }))).toEqual({
      root: join(at, "co"),
      roots: [join(at, "co")],
    });
  });
});

test.each<[NodeJS.Platform, boolean]>([
  ["win32", true],
  ["linux", false],
])("on %s, a path in other letters is in the same directory: %s", (platform, same) => {
  onPlatform(platform);
  expect([isInside("/Srv/Roster/a.yaml", "/srv/roster"), isInside("/srv/rosters", "/srv/roster")]).toEqual([
    same,
    false,
  ]);
});

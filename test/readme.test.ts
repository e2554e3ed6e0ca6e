import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { helpExamples } from "../src/cli/command-line/commands.ts";
import { commandTree } from "./support/command-tree.ts";
import { hardToRead } from "./support/plain-words.ts";

const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "test/README.md", ...pagesIn("docs")];

function pagesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((file) =>
    file.endsWith(".md") ? [join(folder, file)] : [],
  );
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): readonly string[] {
  const prose = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```$/gmu, "");
  return [...prose.matchAll(/^#+ (.*)$/gmu)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/gu, "-"),
  );
}

/** The paragraphs, list items and table cells of a page; code, comments and generated parts are not prose. */
function proseOf(page: string): readonly string[] {
  const text = readFileSync(page, "utf8")
    .replace(/<!-- generated: [\s\S]*?<!-- end generated -->/gu, "")
    .replace(/^```[\s\S]*?^```$/gmu, "")
    .replace(/<!--.*?-->/gu, "")
    .replace(/\]\([^)]*\)/gu, "]");
  const blocks = text.split(/\n{2,}|\n(?=\s*(?:[-|#]|\d+\. ))/u);
  return blocks.flatMap((block) =>
    block.trimStart().startsWith("|") ? block.split("|") : [block.replace(/[*]/gu, "")],
  );
}

/** The links of a page that lead to nothing. */
function brokenLinks(page: string): readonly string[] {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```$/gmu, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^https?:/u.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
}

describe("README and docs", () => {
  test.each(pages)("every link of %s leads to a file and a heading", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test.each(["README.md", "CHANGELOG.md", "SECURITY.md", ...pagesIn("docs")])("%s is in plain words", (page) => {
    expect(proseOf(page).flatMap(hardToRead)).toEqual([]);
  });

  test("no page and no help installs the package from a registry, where it is not", () => {
    const help = commandTree().commands.flatMap(({ path }) => (helpExamples.get(path) ?? []).map(([line]) => line));
    const lines = [...pages.flatMap((page) => readFileSync(page, "utf8").split("\n")), ...help];
    expect(
      lines.filter((line) => /npx (?:--yes )?rosterctl|npm (?:i|install) (?:-\S+ )*rosterctl/u.test(line)),
    ).toEqual([]);
  });

  test("README is short, and links to every page", () => {
    const text = readFileSync("README.md", "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(150);
    expect(pagesIn("docs").filter((page) => !text.includes(`](${page})`))).toEqual([]);
  });

  test("README shows the quickstart as it is", () => {
    const example = readFileSync("examples/quickstart/roster.yaml", "utf8");
    expect(readFileSync("README.md", "utf8")).toContain(example.slice(example.indexOf("version: 1")));
  });
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { helpExamples } from "../src/cli/command-line/commands.ts";
import { faults, services } from "./bench/faults/fault-list.ts";
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

  test("README counts what the tables of faults have", () => {
    const [, tables = ""] = readFileSync("docs/compared.md", "utf8").split("<!-- measured: faults -->");
    const rows = [...tables.matchAll(/^\| (.*) \|$/gmu)].map(([, row = ""]) => row.split(" | "));
    const [names = []] = rows;
    expect(names.slice(1)).toEqual(["roster", "Terraform", "Ansible", "curl and jq"]);
    const count = (start: string) =>
      [1, 4, 2].map((column) => rows.filter((row) => row[column]?.startsWith(start)).length);
    const text = readFileSync("README.md", "utf8");
    expect(text).toContain(`| wrong, of 26 runs | ${count("**wrong**").join(" | ")} |`);
    expect(text).toContain(`| not finished, of 26 runs | ${count("not finished").join(" | ")} |`);
    expect(text).toContain("[13 faults]");
    expect((faults.length - 1) * services.length).toBe(26);
  });

  test("the page about roster files has every key of the schema", () => {
    const page = readFileSync("docs/roster-file.md", "utf8");
    const schema = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8")) as {
      readonly properties: object;
      readonly definitions: Readonly<Record<string, { readonly properties?: object }>>;
    };
    const { accept, ...definitions } = schema.definitions;
    const keys = [schema, ...Object.values(definitions)].flatMap(({ properties = {} }) => Object.keys(properties));
    expect(keys.length).toBeGreaterThan(40);
    expect(keys.filter((key) => !new RegExp(`\\b${key}:`, "u").test(page))).toEqual([]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

/** The first major version of each action that runs on Node 24. Runners have no older Node. */
const onNode24: Readonly<Record<string, number>> = {
  attest: 4,
  checkout: 5,
  "download-artifact": 7,
  "setup-node": 5,
  "upload-artifact": 6,
};

const folders = [".github", "docs", "examples"];
const files = ["README.md", "action.yml", ...folders.flatMap(filesBelow)].filter((file) =>
  /\.(?:md|ya?ml)$/u.test(file),
);

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`);
}

test("every action runs on a Node that runners have, and has one pin everywhere", () => {
  const uses = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/uses: actions\/([\w-]+)@(?:v(\d+)$|([0-9a-f]{40}) # v(\d+)\.)/gmu)].map(
      ([text, name = "", tag, commit, version]) => ({ file, text, name, commit, major: Number(tag ?? version) }),
    ),
  );
  expect(uses.length).toBeGreaterThan(20);
  expect(uses.filter(({ name, major }) => !(major >= (onNode24[name] ?? Number.POSITIVE_INFINITY)))).toEqual([]);
  const pins = uses.flatMap(({ name, commit }) => (commit === undefined ? [] : [`${name}@${commit}`]));
  expect(new Set(pins).size).toBe(Object.keys(onNode24).length);
});

test("Dependabot looks after the packages and after each folder that pins actions", () => {
  const { updates } = parse(readFileSync(".github/dependabot.yml", "utf8"));
  expect(updates).toMatchObject([
    { "package-ecosystem": "npm", directory: "/" },
    { "package-ecosystem": "github-actions", directories: ["/", "/examples/integrations/github"] },
  ]);
});

import { readFileSync } from "node:fs";
import { realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type SettingName, settingNames, settingTable } from "../../../../src/cli/settings/setting-table.ts";
import { readSettings } from "../../../../src/cli/settings/settings.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { insideHost } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";
import { errorOf, settled } from "../../../support/settled.ts";

/** A line that says something, for each setting. */
const lines: Readonly<Record<SettingName, string>> = {
  endpoint: "endpoint: https://accounts.acme.example",
  apiKeyCommand: "apiKeyCommand: [cat, key]",
  state: "state: file:log.jsonl",
  roster: "roster: [roster]",
  account: "account: acc-1",
  accounts: "accounts: { prod: acc-1 }",
  parallelism: "parallelism: 3",
  service: "service: { throttling: no-effect }",
  proxy: "proxy: http://proxy.acme.example:3128",
  ca: "ca: authority.pem",
  guards: "guards: { max-new-users: off }",
  protect: "protect: { users: [] }",
  sections: "sections: []",
  feed: "feed: { source: hr }",
};

const taken = ["endpoint", "roster", "account", "accounts", "parallelism", "feed"];

interface Scene {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** Where the command runs. */
  readonly in?: string;
}

/** What is said of the settings: nothing where they are taken. */
async function said({ env = {}, files = {}, links = {}, in: place = "co" }: Scene): Promise<readonly string[]> {
  const at = await realpath(emptyDirectory());
  await writeRoster(at, { "co/keep": "", "out/keep": "", ...files });
  for (const [link, target] of Object.entries(links)) await symlink(target, join(at, link));
  const settings = await settled(() => readSettings({}, insideHost({ cwd: join(at, place), env })));
  if (settings.ok) return [];
  return settings.error.diagnostics.map(({ code, message, place: spot }) => {
    const where = spot === undefined ? "" : ` ${spot.file}:${spot.line}:${spot.column}`;
    return `${code}${where} ${/ sets ([a-z]+)/iu.exec(message)?.[1] ?? ""}`.trim();
  });
}

const pipeline = { CI: "true" };
const repository = { "co/.git/HEAD": "x" };

describe("every setting", () => {
  test("is decided: harmless in the hands of whoever can change the checkout, or not", () => {
    expect(settingNames.filter((name) => settingTable[name].inPipelines === "taken")).toEqual(taken);
    expect(Object.values(settingTable).every(({ because }) => because !== "")).toBe(true);
  });

  test("is in the page about security as it is decided", () => {
    const page = readFileSync("docs/security.md", "utf8");
    const [, part = ""] = /<!-- generated: trust -->([\s\S]*?)<!-- end generated -->/u.exec(page) ?? [];
    const refused = [...part.matchAll(/^- `([a-zA-Z]+)`: /gmu)].map(([, name]) => name);
    const [, accepted = ""] = /^Accepted are (.*?):/mu.exec(part) ?? [];
    expect(accepted.replaceAll("`", "").split(", ").sort()).toEqual([...taken].sort());
    expect(refused.sort()).toEqual(settingNames.filter((name) => !taken.includes(name)).sort());
  });

  test.each(settingNames)("%s of a checkout counts as decided", async (name) => {
    const text = `${lines[name]}\n`;
    const files = { ...repository, "co/roster.config.yaml": `# settings\n${text}` };
    const refusal = taken.includes(name) ? [] : [`untrusted roster.config.yaml:2:1 ${name}`];
    expect(await said({ env: pipeline, files })).toEqual(refusal);
    expect(await said({ env: {}, files })).toEqual([]);
    expect(await said({ env: { ...pipeline, ROSTER_TRUST_SETTINGS: "1" }, files })).toEqual([]);
    const outside = { ...repository, "out/roster.config.yaml": text };
    expect(await said({ env: { ...pipeline, ROSTER_CONFIG: "../out/roster.config.yaml" }, files: outside })).toEqual(
      [],
    );
  });

  test("is refused where ROSTER_CONFIG is to name them and is empty: no other file takes their place", async () => {
    const files = { ...repository, "co/roster.config.yaml": "roster: [.]\n" };
    expect(await said({ env: { ...pipeline, ROSTER_CONFIG: "" }, files })).toEqual([
      expect.stringMatching(/^missing-setting/u),
    ]);
    expect(await said({ env: { ROSTER_CONFIG: "" }, files })).toEqual([]);
  });

  test("that is refused is told, with its place and its reason", async () => {
    const text = Object.values(lines).join("\n");
    const told = await said({ env: pipeline, files: { ...repository, "co/roster.config.yaml": text } });
    expect(told.map((one) => one.split(" ").at(-1))).toEqual(settingNames.filter((name) => !taken.includes(name)));
  });
});

test.each<[SettingName, RegExp]>([
  ["guards", /^Move the settings out of the checkout /u],
  ["state", /^Use --state or ROSTER_STATE, move the settings out of the checkout /u],
])("the way out for %s names a flag or a variable only where there is one", async (name, hint) => {
  const at = await realpath(emptyDirectory());
  await writeRoster(at, { "roster.config.yaml": `${lines[name]}\n` });
  const { diagnostics } = await errorOf(() => readSettings({}, insideHost({ cwd: at, env: pipeline })));
  expect(diagnostics.map((one) => one.hint)).toEqual([expect.stringMatching(hint)]);
});

const guards = "guards: { max-new-users: off }\n";
const refused = (path: string) => [`untrusted ${path}:1:1 guards`];

describe("in a pipeline, settings", () => {
  test.each<[string, Scene, readonly string[]]>([
    [
      "in the working directory, without a repository",
      { files: { "co/roster.config.yaml": guards } },
      refused("roster.config.yaml"),
    ],
    [
      "above the working directory, up to the repository's root",
      { files: { ...repository, "co/roster.config.yaml": guards, "co/deep/keep": "" }, in: "co/deep" },
      refused("../roster.config.yaml"),
    ],
    [
      "in a worktree, whose .git is a file",
      {
        files: { "co/.git": "gitdir: /elsewhere\n", "co/roster.config.yaml": guards, "co/deep/keep": "" },
        in: "co/deep",
      },
      refused("../roster.config.yaml"),
    ],
    [
      "of the repository around a nested one, named by ROSTER_CONFIG",
      {
        env: { ROSTER_CONFIG: "../roster.config.yaml" },
        files: { ...repository, "co/sub/.git": "gitdir: x\n", "co/roster.config.yaml": guards },
        in: "co/sub",
      },
      refused("../roster.config.yaml"),
    ],
    [
      "in the checkout, named by ROSTER_CONFIG",
      { env: { ROSTER_CONFIG: "conf/mine.yaml" }, files: { ...repository, "co/conf/mine.yaml": guards } },
      refused("conf/mine.yaml"),
    ],
    [
      "outside, through a link that leads into the checkout",
      {
        env: { ROSTER_CONFIG: "../out/mine.yaml" },
        files: { ...repository, "co/mine.yaml": guards },
        links: { "out/mine.yaml": "../co/mine.yaml" },
      },
      refused("../out/mine.yaml"),
    ],
    [
      "behind a link of the checkout to a file elsewhere: not even read",
      { files: { ...repository, "out/key": "not: [yaml" }, links: { "co/roster.config.yaml": "../out/key" } },
      ["untrusted"],
    ],
    [
      "behind a linked directory of the checkout, named by ROSTER_CONFIG",
      {
        env: { ROSTER_CONFIG: "conf/mine.yaml" },
        files: { ...repository, "out/mine.yaml": guards },
        links: { "co/conf": "../out" },
      },
      ["untrusted"],
    ],
    [
      "outside the checkout",
      { env: { ROSTER_CONFIG: "../out/a.yaml" }, files: { ...repository, "out/a.yaml": guards } },
      [],
    ],
    [
      "that lead to roster files outside the checkout",
      { files: { ...repository, "co/roster.config.yaml": "roster: [ok, ../out]\n" } },
      ["untrusted roster.config.yaml:1:1 roster"],
    ],
    [
      "that lead to roster files through a link out of the checkout",
      { files: { ...repository, "co/roster.config.yaml": "roster: [mine]\n" }, links: { "co/mine": "../out" } },
      ["untrusted roster.config.yaml:1:1 roster"],
    ],
    [
      "outside that lead to roster files anywhere",
      { env: { ROSTER_CONFIG: "../out/a.yaml" }, files: { ...repository, "out/a.yaml": "roster: [/srv/roster]\n" } },
      [],
    ],
  ])("%s", async (_, scene, expected) => {
    expect(await said({ ...scene, env: { ...pipeline, ...scene.env } })).toEqual(expected);
  });

  test("in its workspace above the working directory are of the checkout", async () => {
    const at = await realpath(emptyDirectory());
    await writeRoster(at, { "deep/keep": "", "mine.yaml": guards });
    const env = { ...pipeline, ROSTER_CONFIG: "../mine.yaml", GITHUB_WORKSPACE: at };
    expect((await errorOf(() => readSettings({}, insideHost({ cwd: join(at, "deep"), env })))).code).toBe("untrusted");
  });

  test("everything that is wrong is told at once", async () => {
    const files = { ...repository, "co/roster.config.yaml": `${guards}${lines.state}\n` };
    const env = { ...pipeline, ROSTER_PARALLELISM: "1000", ROSTER_STAET: "x" };
    expect(await said({ env, files })).toEqual([
      "unknown-variable",
      "untrusted roster.config.yaml:1:1 guards",
      "untrusted roster.config.yaml:2:1 state",
      "bad-value",
    ]);
  });
});

test("a proxy and an authority together are refused on a person's machine too", async () => {
  const files = { ...repository, "co/roster.config.yaml": `${lines.proxy}\n${lines.ca}\n` };
  expect(await said({ files })).toEqual(["untrusted roster.config.yaml:2:1 both"]);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type SettingName, settingNames, settingTable } from "../../../../src/cli/settings/setting-table.ts";
import { readSettings } from "../../../../src/cli/settings/settings.ts";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { insideHost } from "../../../support/inside.ts";
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
  readonly in?: string;
}

/** What is said of the settings: nothing where they are taken. */
async function said({ env = {}, files = {}, links = {}, in: place = "co" }: Scene): Promise<readonly string[]> {
  const at = await layOut({ "co/keep": "", "out/keep": "", ...files }, links);
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
});

test.each<[SettingName, RegExp]>([
  ["guards", /^Move the settings out of the checkout /u],
  ["state", /^Use --state or ROSTER_STATE, move the settings out of the checkout /u],
])("the way out for %s names a flag or a variable only where there is one", async (name, hint) => {
  const at = await layOut({ "roster.config.yaml": `${lines[name]}\n` });
  const { diagnostics } = await errorOf(() => readSettings({}, insideHost({ cwd: at, env: pipeline })));
  expect(diagnostics.map((one) => one.hint)).toEqual([expect.stringMatching(hint)]);
});

const guards = "guards: { max-new-users: off }\n";

describe("in a pipeline, settings", () => {
  // ROSTER_CONFIG and where the command runs; files, with guards where they say nothing else; links; what is refused.
  test.each(
    casesOf([
      "in the working directory, without a repository | | co/roster.config.yaml | | untrusted roster.config.yaml:1:1 guards",
      "above the working directory, up to the repository's root | in=co/deep | co/.git/HEAD co/roster.config.yaml co/deep/keep | | untrusted ../roster.config.yaml:1:1 guards",
      "in a worktree, whose .git is a file | in=co/deep | co/.git co/roster.config.yaml co/deep/keep | | untrusted ../roster.config.yaml:1:1 guards",
      "of the repository around a nested one, named by ROSTER_CONFIG | in=co/sub config=../roster.config.yaml | co/.git/HEAD co/sub/.git co/roster.config.yaml | | untrusted ../roster.config.yaml:1:1 guards",
      "under another name, where their guards would not count | | co/.git/HEAD co/roster.config.yml | | unreadable-file",
      "under another name, nearer than the right one | in=co/deep | co/.git/HEAD co/roster.config.yaml co/deep/roster.config.json | | unreadable-file",
      "in the checkout, named by ROSTER_CONFIG | config=conf/mine.yaml | co/.git/HEAD co/conf/mine.yaml | | untrusted conf/mine.yaml:1:1 guards",
      "outside, through a link that leads into the checkout | config=../out/mine.yaml | co/.git/HEAD co/mine.yaml | out/mine.yaml=../co/mine.yaml | untrusted ../out/mine.yaml:1:1 guards",
      "behind a link of the checkout to a file elsewhere: not even read | | co/.git/HEAD out/key=[yaml | co/roster.config.yaml=../out/key | untrusted",
      "behind a linked directory of the checkout, named by ROSTER_CONFIG | config=conf/mine.yaml | co/.git/HEAD out/mine.yaml | co/conf=../out | untrusted",
      "outside the checkout | config=../out/a.yaml | co/.git/HEAD out/a.yaml | | ",
      "that lead to roster files outside the checkout | | co/.git/HEAD co/roster.config.yaml={roster:[ok,../out]} | | untrusted roster.config.yaml:1:2 roster",
      "that lead to roster files through a link out of the checkout | | co/.git/HEAD co/roster.config.yaml={roster:[mine]} | co/mine=../out | untrusted roster.config.yaml:1:2 roster",
      "outside that lead to roster files anywhere | config=../out/a.yaml | co/.git/HEAD out/a.yaml={roster:[/srv/roster]} | | ",
    ]),
  )("%s", async (_, where = "", files = "", links = "", told = "") => {
    const { in: place = "co", config } = pairsOf(where);
    const env = { ...pipeline, ...(config === undefined ? {} : { ROSTER_CONFIG: config }) };
    const scene = { env, files: pairsOf(files, guards), links: pairsOf(links), in: place };
    expect(await said(scene)).toEqual(told === "" ? [] : [told]);
  });

  test("in its workspace above the working directory are of the checkout", async () => {
    const at = await layOut({ "deep/keep": "", "mine.yaml": guards });
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
      "bad-flag-value",
    ]);
  });
});

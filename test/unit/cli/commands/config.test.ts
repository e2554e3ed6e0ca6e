import { existsSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { configRows } from "../../../../src/cli/settings/config-rows.ts";
import { settingNames } from "../../../../src/cli/settings/decode-settings.ts";
import { variables } from "../../../../src/cli/settings/environment.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

type Files = Readonly<Record<string, string>>;

const isDocument = new Ajv({ strict: false }).compile(JSON.parse(readFileSync("schemas/plan.schema.json", "utf8")));

interface Asked {
  readonly env?: Files;
  readonly files?: Files;
  readonly args?: readonly string[];
  readonly links?: Files;
}

async function shown({ env = {}, files = {}, args = [], links = {} }: Asked) {
  const at = emptyDirectory();
  await writeRoster(at, { "co/.git/HEAD": "x", "out/keep": "", ...files });
  for (const [link, target] of Object.entries(links)) await symlink(target, join(at, link));
  const options = { cwd: join(at, "co"), env };
  const text = await inside(["config", ...args], options);
  const json = await inside(["config", "--format", "json", ...args], options);
  const document = JSON.parse(json.stdout);
  expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
  expect([json.code, document.exit_code]).toEqual([text.code, text.code]);
  return { at, ...text, document, everything: `${text.stdout}${text.stderr}${json.stdout}${json.stderr}` };
}

/** The rows of the settings of these names, as a person sees them. */
function rows(stdout: string, ...names: readonly string[]): readonly string[] {
  const all = stdout.split("\n").map((line) => line.trim().replace(/ {2,}/gu, " | "));
  return all.flatMap((line, index) => {
    if (!names.includes(line.split(" | ")[0] ?? "")) return [];
    const next = all.slice(index + 1).findIndex((other) => !/, (?:overridden|refused)$/u.test(other));
    return all.slice(index, index + 1 + Math.max(0, next));
  });
}

const settings = `endpoint: https://accounts.acme.example
state: file:kept/state.json
account: prod
guards: { max-new-users: 3 }
ca: authority.pem
`;

describe("`roster config`", () => {
  test("has a row for every setting and every variable", () => {
    const told = configRows.flatMap(({ setting, variables: names = [] }) => [setting, ...names]);
    expect([...settingNames, ...Object.keys(variables)].filter((name) => !told.includes(name))).toEqual([
      "apiKeyCommand",
      "ROSTER_API_KEY",
      "ROSTER_API_KEY_FILE",
      "ROSTER_YAML",
      "ROSTER_CONFIG",
      "ROSTER_TRUST_SETTINGS",
    ]);
  });

  test("shows the defaults where nothing is said", async () => {
    const { code, stdout, stderr } = await shown({});
    expect({ code, stderr, rows: rows(stdout, "endpoint", "apiKey", "state", "parallelism", "roster") }).toEqual({
      code: 0,
      stderr: "",
      rows: [
        "endpoint | not set",
        "apiKey | not set",
        "state | file:.roster/state.json | default",
        "roster | [.] | default",
        "parallelism | 10 | default",
      ],
    });
    expect(stdout).toMatch(/^No settings file\.\n/u);
  });

  test("shows what counts, where it stands, and what it passes over", async () => {
    const { code, stdout } = await shown({
      env: { ROSTER_CONFIG: "../out/conf.yaml", ROSTER_ENDPOINT: "https://other.acme.example", ROSTER_STATE: "file:a" },
      files: { "out/conf.yaml": settings, "out/authority.pem": readFileSync("test/support/tls/authority.pem", "utf8") },
      args: ["--state", "file:b", "--parallelism", "4", "teams"],
    });
    const asked = [
      "endpoint",
      "state",
      "account",
      "ca",
      "roster",
      "parallelism",
      "guards.max-new-users",
      "guards.max-invitations",
    ];
    expect({ code, rows: rows(stdout, ...asked) }).toEqual({
      code: 0,
      rows: [
        "endpoint | https://other.acme.example | ROSTER_ENDPOINT",
        "https://accounts.acme.example | ../out/conf.yaml:1:1, overridden",
        "state | file:b | --state",
        "file:a | ROSTER_STATE, overridden",
        "file:kept/state.json | ../out/conf.yaml:2:1, overridden",
        "roster | [teams] | PATH",
        "account | prod | ../out/conf.yaml:3:1",
        "parallelism | 4 | --parallelism",
        "ca | ../out/authority.pem | ../out/conf.yaml:5:1",
        "guards.max-new-users | 3 | ../out/conf.yaml:4:11",
        "guards.max-invitations | 100 | default",
      ],
    });
    expect(stdout).toMatch(/^Settings \.\.\/out\/conf\.yaml, named by ROSTER_CONFIG, outside the checkout\.\n/u);
  });

  test("shows what is refused in a pipeline, and ends with 3", async () => {
    const { code, stdout, stderr, document } = await shown({
      env: { CI: "true" },
      files: { "co/roster.config.yaml": settings },
    });
    expect({ code, rows: rows(stdout, "state", "account", "guards.max-new-users") }).toEqual({
      code: 3,
      rows: [
        "state | not set: with CI set it must be given",
        "file:kept/state.json | roster.config.yaml:2:1, refused",
        "account | prod | roster.config.yaml:3:1",
        "guards.max-new-users | 100 | default",
        "3 | roster.config.yaml:4:11, refused",
      ],
    });
    expect([...stderr.matchAll(/^\S+: error\[untrusted\].* sets ([a-z]+): /gmu)].map(([, name]) => name)).toEqual([
      "state",
      "guards",
      "ca",
    ]);
    expect(document.config.settings.find(({ name }: { name: string }) => name === "state").unused).toEqual([
      {
        value: "file:kept/state.json",
        from: { kind: "settings", place: { file: "roster.config.yaml", line: 2, column: 1 } },
        why: "refused",
        because: "it could change what roster has recorded",
      },
    ]);
    expect(document.config.file).toEqual({ path: "roster.config.yaml", found_by: "search", inside_checkout: true });
  });

  test("takes them where the checkout is trusted", async () => {
    const env = { CI: "true", ROSTER_TRUST_SETTINGS: "1" };
    const { code, stdout } = await shown({ env, files: { "co/roster.config.yaml": "state: file:kept/state.json\n" } });
    expect([code, rows(stdout, "state")]).toEqual([0, ["state | file:kept/state.json | roster.config.yaml:1:1"]]);
  });

  test.each<[string, Asked, readonly string[], string]>([
    [
      "a setting of the wrong kind",
      { files: { "co/roster.config.yaml": "account: prod\nparallelism: many\n" } },
      ["bad-value"],
      "account | prod | roster.config.yaml:1:1",
    ],
    ["no YAML", { files: { "co/roster.config.yaml": "account: [\n" } }, ["yaml-syntax"], "account | not set"],
    ["a file that is not there", { env: { ROSTER_CONFIG: "none.yaml" } }, ["unreadable-file"], "account | not set"],
    [
      "variables that do not fit",
      { env: { ROSTER_PARALLELISM: "0", ROSTER_ACOUNT: "x", ROSTER_ACCOUNT: "prod" } },
      ["unknown-variable", "bad-value"],
      "account | prod | ROSTER_ACCOUNT",
    ],
    [
      "an endpoint that would leak the key",
      { args: ["--endpoint", "http://accounts.acme.example", "--account", "a"] },
      ["bad-value"],
      "account | a | --account",
    ],
    ["a state of no kind", { args: ["--state", "ftp://x"] }, ["bad-value"], "account | not set"],
    [
      "durations and allowances",
      { env: { ROSTER_LOCK_TIMEOUT: "5", ROSTER_DEADLINE: "soon", ROSTER_ALLOW: "all" } },
      ["bad-flag-value", "bad-flag-value", "bad-flag-value"],
      "account | not set",
    ],
    [
      "a proxy that is none",
      { env: { ROSTER_ENDPOINT: "https://a.example", HTTPS_PROXY: "ftp://u:hush@p" } },
      ["bad-value"],
      "proxy | ftp://…@p | HTTPS_PROXY",
    ],
    [
      "a file of authorities that is none",
      { env: { ROSTER_ENDPOINT: "https://a.example", ROSTER_CA_FILE: "none" } },
      ["bad-value"],
      "ca | none | ROSTER_CA_FILE",
    ],
    [
      "settings behind a link out of the checkout",
      {
        env: { CI: "1" },
        files: { "out/key": "prefix1.s3cretpart" },
        links: { "co/roster.config.yaml": "../out/key" },
      },
      ["untrusted"],
      "account | not set",
    ],
  ])("shows what can be shown beside %s", async (_, asked, codes, row) => {
    const { code, stdout, stderr, everything } = await shown(asked);
    expect({
      code,
      codes: [...stderr.matchAll(/error\[([a-z-]+)\]/gu)].map(([, one]) => one),
      row: rows(stdout, row.split(" | ")[0] ?? "")[0],
    }).toEqual({ code: 3, codes, row });
    expect(everything).not.toMatch(/hush|s3cret/u);
  });
});

describe("the key", () => {
  const key = "prefix1.s3cretpart";

  test.each<[string, Asked, readonly string[]]>([
    ["in a variable", { env: { ROSTER_API_KEY: key } }, ["apiKey | set, with the prefix prefix1 | ROSTER_API_KEY"]],
    ["without a prefix", { env: { ROSTER_API_KEY: "s3cretpart" } }, ["apiKey | set | ROSTER_API_KEY"]],
    [
      "in a file",
      { env: { ROSTER_API_KEY_FILE: "../out/key" }, files: { "out/key": `ApiKey ${key}\n` } },
      ["apiKey | set, with the prefix prefix1, in ../out/key | ROSTER_API_KEY_FILE"],
    ],
    [
      "of a command, which is not run",
      {
        files: {
          "co/roster.config.yaml": `apiKeyCommand: [touch, marker, ${key.replace("part", "part1234567890")}]\n`,
        },
      },
      ["apiKey | [touch, marker, prefix1.[redacted]], not run here | roster.config.yaml:1:1"],
    ],
    [
      "in a variable, before a command",
      { env: { ROSTER_API_KEY: key }, files: { "co/roster.config.yaml": "apiKeyCommand: [cat, key]\n" } },
      [
        "apiKey | set, with the prefix prefix1 | ROSTER_API_KEY",
        "[cat, key], not run here | roster.config.yaml:1:1, overridden",
      ],
    ],
    [
      "in another variable by mistake",
      { env: { ROSTER_API_KEY: key, ROSTER_ACCOUNT: key, ROSTER_WEBHOOK_SECRET: "s3cret" } },
      ["account | [redacted] | ROSTER_ACCOUNT", "webhookSecret | set | ROSTER_WEBHOOK_SECRET"],
    ],
  ])("%s is told without its secret", async (_, asked, expected) => {
    const { at, code, stdout, everything } = await shown(asked);
    const names = ["apiKey", "account", "webhookSecret"].filter((name) => expected.join("").includes(name));
    expect({ code, rows: [...rows(stdout, ...names)].sort() }).toEqual({ code: 0, rows: [...expected].sort() });
    expect(everything).not.toContain("s3cret");
    expect(existsSync(join(at, "co/marker"))).toBe(false);
  });

  test.each<[string, Asked, string, readonly string[]]>([
    [
      "does not go to an endpoint of the checkout",
      { env: { ROSTER_API_KEY: key }, files: { "co/roster.config.yaml": "endpoint: https://evil.example\n" } },
      "untrusted",
      ["apiKey | not set", "set, with the prefix prefix1 | ROSTER_API_KEY, refused"],
    ],
    [
      "is not said twice",
      { env: { ROSTER_API_KEY: key, ROSTER_API_KEY_FILE: "../out/key" } },
      "bad-key",
      ["apiKey | set, with the prefix prefix1 | ROSTER_API_KEY"],
    ],
    ["is one line", { env: { ROSTER_API_KEY: "s3cret\npart" } }, "bad-key", ["apiKey | set | ROSTER_API_KEY"]],
    [
      "is in a file that is there",
      { env: { ROSTER_API_KEY_FILE: "none" } },
      "unreadable-file",
      ["apiKey | in none | ROSTER_API_KEY_FILE"],
    ],
  ])("%s", async (_, asked, code, expected) => {
    const run = await shown(asked);
    expect({ code: run.code, told: run.stderr.includes(`error[${code}]`), rows: rows(run.stdout, "apiKey") }).toEqual({
      code: 3,
      told: true,
      rows: expected,
    });
    expect(run.everything).not.toContain("s3cret");
  });
});

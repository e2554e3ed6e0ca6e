import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { variables } from "../../../../src/cli/settings/environment.ts";
import { settingNames, settingRows } from "../../../../src/cli/settings/setting-table.ts";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { inside } from "../../../support/inside.ts";
import { validatorOf } from "../../../support/schema-validators.ts";
import { closedEndpoint } from "../../../support/scripted-server.ts";

type Texts = Readonly<Record<string, string>>;

const isDocument = validatorOf("plan");

interface Asked {
  readonly env?: Texts;
  readonly files?: Texts;
  readonly links?: Texts;
  readonly args?: readonly string[];
}

/** What `doctor` shows of settings, as a person sees it. */
async function shown({ env = {}, files = {}, links = {}, args = [] }: Asked) {
  const at = await layOut({ "co/.git/HEAD": "x", "out/keep": "", ...files }, links);
  const options = { cwd: join(at, "co"), env };
  const text = await inside(["doctor", ...args], options);
  const json = await inside(["doctor", "--format", "json", ...args], options);
  const document = JSON.parse(json.stdout);
  expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
  expect([json.code, document.exit_code]).toEqual([text.code, text.code]);
  const [, table = ""] = /^Settings\n {2}setting .*\n((?: {2}\S.*\n)*)/mu.exec(text.stdout) ?? [];
  const rows = table.split("\n").flatMap((line) => (line === "" ? [] : [line.trim().replace(/ {2,}/gu, " | ")]));
  const codes = [...text.stderr.matchAll(/error\[([a-z-]+)\]/gu)].map(([, code]) => code);
  return { at, code: text.code, codes, rows, everything: `${text.stdout}${text.stderr}${json.stdout}${json.stderr}` };
}

const settings = `endpoint: https://accounts.acme.example
state: file:kept/log.jsonl
account: prod
guards: { max-new-users: 3 }
`;

describe("doctor shows the settings that are set", () => {
  test("from the one table, which has every setting and every variable", () => {
    const told = settingRows.flatMap(({ setting, variables: names = [] }) => [setting?.replace(/\..*/u, ""), ...names]);
    expect([...settingNames, ...Object.keys(variables)].filter((name) => !told.includes(name))).toEqual([
      "ROSTER_CONFIG",
      "ROSTER_QUEUE",
      "ROSTER_COMMIT",
      "ROSTER_TRUST_SETTINGS",
    ]);
  });

  test("and no defaults", async () => {
    expect(await shown({})).toMatchObject({ code: 3, codes: ["no-endpoint"], rows: [] });
  });

  test("but no variable of white space, which counts as not set", async () => {
    const env = { ROSTER_ENDPOINT: " ", ROSTER_PARALLELISM: "\t", ROSTER_ACCOUNT: " acc-1 ", HTTPS_PROXY: " " };
    const { codes, rows } = await shown({ env });
    expect([codes, rows]).toEqual([["no-endpoint"], ["account | acc-1 | ROSTER_ACCOUNT"]]);
  });

  test("with the source that counts, also where the service cannot be reached", async () => {
    const endpoint = String(await closedEndpoint());
    const asked = await shown({
      env: {
        ROSTER_CONFIG: "../out/conf.yaml",
        ROSTER_ENDPOINT: "https://x.example",
        ROSTER_API_KEY: "prefix1.s3cret",
      },
      files: { "out/conf.yaml": settings },
      args: ["--endpoint", endpoint, "--parallelism", "4"],
    });
    expect(asked).toMatchObject({
      code: 1,
      rows: [
        `endpoint | ${endpoint} | --endpoint`,
        "apiKey | set | ROSTER_API_KEY",
        "state | file:kept/log.jsonl | ../out/conf.yaml:2:1",
        "account | prod | ../out/conf.yaml:3:1",
        "parallelism | 4 | --parallelism",
        "guards.max-new-users | 3 | ../out/conf.yaml:4:11",
      ],
    });
    expect(asked.everything).not.toContain("s3cret");
  });

  // The settings file, variables, the error, and a row that is shown all the same.
  test.each(
    casesOf([
      "a setting of the wrong kind | {account: prod, parallelism: many} | | bad-value | account = prod = roster.config.yaml:1:2",
      "a setting that a pipeline refuses | {account: prod, state: file:x} | CI=true | untrusted | account = prod = roster.config.yaml:1:2",
      "a file that is not there | | ROSTER_CONFIG=none.yaml ROSTER_ACCOUNT=a | unreadable-file | account = a = ROSTER_ACCOUNT",
      "an unknown variable | | ROSTER_ACOUNT=x ROSTER_ACCOUNT=prod | unknown-variable | account = prod = ROSTER_ACCOUNT",
      "a proxy that is none | | ROSTER_API_KEY=a.b ROSTER_ENDPOINT=https://a.example HTTPS_PROXY=ftp://u:hush@p | bad-value | proxy = ftp://…@p = HTTPS_PROXY",
    ]),
  )("beside %s", async (_, file = "", env = "", error = "", row = "") => {
    const files = file === "" ? {} : { "co/roster.config.yaml": file };
    const { code, codes, rows, everything } = await shown({ env: pairsOf(env), files });
    expect({ code, error: codes[0] }).toEqual({ code: 3, error });
    expect(rows).toContain(row.replaceAll(" = ", " | "));
    expect(everything).not.toContain("hush");
  });

  test("but nothing of a file that a link in the checkout leads to", async () => {
    const links = { "co/roster.config.yaml": "../out/key" };
    const { codes, rows, everything } = await shown({
      env: { CI: "1" },
      files: { "out/key": "account: s3cret" },
      links,
    });
    expect([codes, rows]).toEqual([["untrusted"], []]);
    expect(everything).not.toContain("s3cret");
  });

  test.each(
    casesOf([
      "in a variable | ROSTER_API_KEY=pre1.s3cretpart | | apiKey = set = ROSTER_API_KEY",
      "in a file | ROSTER_API_KEY_FILE=../out/key | out/key=pre1.s3cretpart | apiKey = set = ROSTER_API_KEY_FILE",
      "of a command, which is not run without an endpoint | | co/roster.config.yaml={apiKeyCommand:[touch,marker,pre1.s3cretpart]} | apiKey = set = roster.config.yaml:1:2",
      "in another variable by mistake | ROSTER_API_KEY=pre1.s3cretpart ROSTER_ACCOUNT=pre1.s3cretpart | | account = [redacted] = ROSTER_ACCOUNT",
      "of a webhook | ROSTER_WEBHOOK=https://h.example/s3cret ROSTER_WEBHOOK_SECRET=s3cret | | webhookSecret = set = ROSTER_WEBHOOK_SECRET",
    ]),
  )("and no key %s", async (_, env = "", files = "", row = "") => {
    const { at, rows, everything } = await shown({ env: pairsOf(env), files: pairsOf(files) });
    expect(rows).toContain(row.replaceAll(" = ", " | "));
    expect(everything).not.toContain("s3cret");
    expect(existsSync(join(at, "co/marker"))).toBe(false);
  });
});

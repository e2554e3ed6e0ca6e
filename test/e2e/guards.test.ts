import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scene } from "../support/trap-scene.ts";

const limits = "guards: { max-new-users: 1 }\n";

/** What a JSON document says of guards. */
interface Told {
  readonly plan_id?: string;
  readonly actions?: readonly { readonly id: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly allow?: readonly string[];
  } | null;
  readonly exit_code: number;
}

function read(stdout: string): Told {
  return JSON.parse(stdout) as Told;
}

/** The word with which the text asks to allow the plan. */
function wordIn(text: string): string {
  const [, word] = /--allow\s+([^\s`]+#[0-9a-f]{12})/u.exec(text) ?? [];
  if (word === undefined) throw new Error(`nothing to allow in: ${text}`);
  return word;
}

describe("a guard that stops", () => {
  async function stopped() {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.config.yaml": limits });
    return at;
  }

  test("refuses the plan with exit code 5, shows it, and sends nothing", async () => {
    const at = await stopped();
    const plan = await at.run(["plan"]);
    expect(plan.code).toBe(5);
    expect(plan.stdout).toMatch(/\+ bo@acme\.example \(Bo Diaz\): +new/u);
    expect(plan.stderr).toContain(
      "error[max-new-users]: The plan would create 2 users. At most 1 is allowed: ada@acme.example and bo@acme.example.",
    );
    const apply = await at.run(["apply", "--auto-approve"]);
    expect([apply.code, at.writes()]).toEqual([5, []]);
    expect(wordIn(apply.stderr)).toBe(wordIn(plan.stderr));
    expect(apply.stdout).toMatch(/\+ bo@acme\.example \(Bo Diaz\): +new/u);
  });

  test("is told in the document, with the plan and what would let it pass", async () => {
    const at = await stopped();
    const told = read((await at.run(["plan", "--format", "json"])).stdout);
    const word = told.error?.allow?.[0] ?? "";
    expect(word).toMatch(/^max-new-users#[0-9a-f]{12}$/u);
    expect({ ...told, actions: told.actions?.length, exit: told.exit_code }).toMatchObject({
      actions: 5,
      exit: 5,
      diagnostics: [{ code: "max-new-users" }],
      error: {
        code: "guard",
        message: "The guard max-new-users refuses the plan, so it cannot be applied",
        hint: `Correct the roster. If you have read the plan and want it, run \`roster apply --allow ${word} --reason TEXT\`, or set ROSTER_ALLOW.`,
        allow: [word],
      },
    });
  });

  test.each([
    ["the flag", (word: string) => ({ flags: ["--allow", word, "--reason", "INC-42"], env: {} })],
    [
      "the variable, among others",
      (word: string) => ({
        flags: [],
        env: { ROSTER_ALLOW: `max-invitations#0123456789ab, ${word}`, ROSTER_REASON: "INC-42" },
      }),
    ],
  ])("lets the list pass that %s names", async (_, say) => {
    const at = await stopped();
    const { flags, env } = say(wordIn((await at.run(["plan"])).stderr));
    const apply = await at.run(["apply", "--auto-approve", ...flags], { env });
    expect([apply.code, at.writes().length]).toEqual([0, 5]);
  });

  test("is not moved by other digits, and names those that would", async () => {
    const at = await stopped();
    const word = wordIn((await at.run(["plan"])).stderr);
    const other = word.replace(/#.*/u, "#0123456789ab");
    const apply = await at.run(["apply", "--auto-approve", "--allow", other, "--reason", "INC-42"]);
    expect([apply.code, at.writes()]).toEqual([5, []]);
    expect(apply.stderr).toContain(
      `\`--allow ${other}\` does not fit this plan: it is for other facts, another service or another log.`,
    );
    expect(apply.stderr.replace(/\s+/gu, " ")).toContain(`run \`roster apply --reason INC-42 --allow ${word}\``);
  });
});

describe("a guard that holds", () => {
  const near = `version: 1
account: acc-1
users:
  - { email: ada.lovelace@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Red, roles: [DEVELOPER], members: [{ user: ada.lovelace@acme.example }, { user: bo@acme.example }] }
`;
  const ada = { email: "ada.lovelace@old.example", firstName: "Ada", lastName: "Lovelace" };
  const seed = { users: [ada] };

  test("leaves out one person, does the rest, and says so until it is settled", async () => {
    const at = await scene(onTestFinished, { roster: near, seed });
    const first = await at.apply();
    expect([first.code, first.planned, first.findings]).toEqual([
      9,
      ["create-user:bo@acme.example", "replace-roles:acc-1/red:bo@acme.example"],
      ["!near-duplicate user ada.lovelace@acme.example"],
    ]);
    // What an apply has printed holds in the next plan.
    const again = await at.plan("--allow", wordIn(first.output.stdout));
    expect([again.code, again.planned[0], again.findings]).toEqual([2, "create-user:ada.lovelace@acme.example", []]);
    await writeRoster(at.directory, {
      "roster.yaml": near.replace(
        "lastName: Lovelace }",
        "lastName: Lovelace, distinctFrom: [ada.lovelace@old.example] }",
      ),
    });
    expect((await at.apply()).code).toBe(0);
    expect((await at.plan()).code).toBe(0);
  });
});

describe("settings of guards", () => {
  test("in a checkout are refused in a pipeline, unless it is told to trust them", async () => {
    const cwd = emptyDirectory();
    const yaml =
      "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }]\n";
    await writeRoster(cwd, {
      "roster.yaml": yaml,
      "roster.config.yaml": "guards: { max-new-users: off }\nprotect: { keys: [k1] }\n",
    });
    const validate = (env: Readonly<Record<string, string>>) =>
      inside(["validate"], { cwd, env: { CI: "true", ...env } });
    const refused = await validate({});
    expect([refused.code, refused.stderr.match(/sets (guards|protect)/gu)]).toEqual([
      3,
      ["sets guards", "sets protect"],
    ]);
    expect((await validate({ ROSTER_TRUST_SETTINGS: "1" })).code).toBe(0);
    expect((await validate({ ROSTER_CONFIG: join(cwd, "roster.config.yaml") })).code).toBe(3);
  });
});

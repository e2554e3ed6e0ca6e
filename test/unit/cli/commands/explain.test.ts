import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { casesOf } from "../../../support/cases.ts";
import { printedWords } from "../../../support/drawn/printed-words.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

const company = {
  "people.yaml": `version: 1
account: acc-1
defaults: { source: hr }
users:
  - { email: Ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
`,
  "shared.yaml": `version: 1
groups:
  on-call: [bo@acme.example]
roleSets:
  engineer: [DEVELOPER, TEAM_ROLE]
`,
  "roster.yaml": `version: 1
account: acc-1
teams:
  - name: Red
    admin: ada@acme.example
    roles: [{ set: engineer }]
    members:
      - { user: ada@acme.example, roles: [TEAM_ROLE] }
      - { group: on-call }
`,
};

async function scene(): Promise<InsideScene> {
  const at = await insideScene();
  await writeRoster(at.cwd, company);
  return at;
}

/** What is told, without times, prefixes and identifiers that differ from run to run, and whatever the column of places. */
async function told(at: InsideScene, ...args: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await at.run(["explain", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const plainText = stdout
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
    .replace(/\b[A-Za-z0-9]{20}\b/gu, "PREFIX")
    .replace(/(?<=\S) {2,}/gu, "  ");
  return plainText.trimEnd().split("\n");
}

test("a team is told by name or identifier, and a key by its prefix, whoever holds it", async () => {
  const at = await scene();
  await at.run(["apply", "--auto-approve"]);
  const byName = await told(at, "team:RED");
  expect(byName).toContain(
    "  bo@acme.example is a member of Red through the group on-call: DEVELOPER, TEAM_ROLE  shared.yaml:3:13",
  );
  const json = await at.run(["explain", "team:Red", "--format", "json"]);
  const [team] = (
    JSON.parse(json.stdout) as { explanation: { things: readonly { state: readonly { says: string }[] }[] } }
  ).explanation.things;
  const identifier = /as (t-\d+)/u.exec(team?.state[0]?.says ?? "")?.[1] ?? "";
  expect(await told(at, `team:${identifier}`)).toEqual(byName);
  const prefix = /key ([A-Za-z0-9]{20})/u.exec(team?.state[1]?.says ?? "")?.[1] ?? "";
  expect((await told(at, `key:${prefix}`)).slice(0, 10)).toEqual([
    "key PREFIX",
    "",
    "In the roster",
    "  Ada@acme.example is a member of Red: TEAM_ROLE",
    "    ada@acme.example is listed as a member  roster.yaml:8:9",
    "    the `roles` of this entry  roster.yaml:8:35",
    "    the team Red  roster.yaml:4:5",
    "",
    "In the service",
    "  Ada@acme.example: key PREFIX in Red (t-1) (team, Active): TEAM_ROLE (read by search",
  ]);
});

test("a role is told by who is to have it and why, who has it, and whom the plan gives it or takes it", async () => {
  const at = await scene();
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, {
    "people.yaml": `${company["people.yaml"]}  - { email: cy@acme.example, firstName: Cy, lastName: Roy, ownKeyRoles: [{ set: quiet }, { set: engineer }] }
roleSets: { quiet: [TEAM_ROLE] }
`,
    "roster.yaml": company["roster.yaml"]
      .replace("roles: [TEAM_ROLE]", "roles: [{ set: quiet }, DEVELOPER]")
      .replace("on-call", "on-call, roles: [AUDITOR]"),
  });
  const lines = await told(at, "role:DEVELOPER");
  expect(lines.slice(3, lines.indexOf("In the service") - 1)).toEqual([
    "  the role set engineer has it  shared.yaml:5:3",
    "  the own key of cy@acme.example: DEVELOPER, TEAM_ROLE",
    "    the `ownKeyRoles` of the user  people.yaml:7:61",
    "      through the role set engineer  shared.yaml:5:3",
    "  Ada@acme.example is a member of Red: DEVELOPER, TEAM_ROLE",
    "    Ada@acme.example is listed as a member  roster.yaml:8:9",
    "    the `roles` of this entry  roster.yaml:8:35",
    "    the team Red  roster.yaml:4:5",
  ]);
  // What the section of the roster says is not said again of the actions that give the role.
  expect(lines.slice(lines.indexOf("Planned changes")).filter((line) => /^ {2}~|^ {6}reason/u.test(line))).toEqual([
    "  ~ replace the roles of Ada@acme.example's key in Red (PREFIX)  roster.yaml:8:9 (+3)",
    "  ~ replace the roles of bo@acme.example's key in Red (PREFIX)  roster.yaml:9:9 (+3)",
    "      reason",
    "  ~ replace the roles of cy@acme.example's own key  people.yaml:7:61 (+3)",
  ]);
});

test("of a role that a guard holds back it is told who does not get it, and why, in a saved plan too", async () => {
  const at = await scene();
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, { "roster.yaml": company["roster.yaml"].replace("[TEAM_ROLE]", "[ACCOUNT_ADMIN]") });
  await at.run(["plan", "--out", "plan.json"]);
  const lines = await told(at, "role:ACCOUNT_ADMIN");
  expect(lines.slice(0, 6)).toEqual([
    "role ACCOUNT_ADMIN",
    "",
    "In the roster",
    "  Ada@acme.example is a member of Red: ACCOUNT_ADMIN",
    "    ada@acme.example is listed as a member  roster.yaml:8:9",
    "    the `roles` of this entry  roster.yaml:8:35",
  ]);
  expect(lines).toContain("  no key has it (read by list)");
  expect(lines).toContain("  ! user ada@acme.example: privileged-roles  roster.yaml:8:9");
  expect(await told(at, "role:ACCOUNT_ADMIN", "plan.json")).toContain(
    "  ! user ada@acme.example: privileged-roles  roster.yaml:8:9",
  );
  // The roster gives her key roles, although this plan does not change it.
  expect(await told(at, "user:ada@acme.example")).not.toContain("Not in the roster");
});

test("a role on a key to which the roster gives no roles is shown as not in the roster", async () => {
  const lines = await told(await scene(), "role:SYSTEM_OWNER");
  expect(lines.slice(lines.indexOf("Not in the roster"))).toEqual([
    "Not in the roster",
    "  the roster gives no roles for the key of root@reference.example: key PREFIX (user,",
    "  Active): SYSTEM_OWNER (read by search 1)",
    "",
    "The plan has no changes and no findings here.",
  ]);
});

test("of a role, keys whose roles the roster leaves alone are not shown once more as not in the roster", async () => {
  const at = await scene();
  await at.run(["apply", "--auto-approve"]);
  const lines = await told(at, "role:TEAM_ROLE");
  expect(lines).toContain("  bo@acme.example: key PREFIX (user, Active): TEAM_ROLE (read by list)");
  expect(lines).not.toContain("Not in the roster");
});

test("of a role whose carriers the service does not show, it is told what keeps somebody from it, and then the record", async () => {
  const at = await insideScene({ knobs: { showKeys: "none" } });
  await writeRoster(at.cwd, company);
  const before = await told(at, "role:DEVELOPER");
  expect(before).toContain("  ! team acc-1/red: unproven-absence  roster.yaml:4:5");
  const words = printedWords((await at.run(["plan", "--format", "json"])).stdout).flatMap(({ word }) => [
    "--allow",
    word,
  ]);
  await at.run(["apply", "--auto-approve", ...words]);
  const lines = await told(at, "role:DEVELOPER");
  expect(lines).toContain("  roster set the roles of the key PREFIX to DEVELOPER, TEAM_ROLE (recorded at");
  expect(lines).toContain("  the service does not show the keys of 3 users");
});

test("somebody whom only the service has is found by reading everybody, and is told to be nobody's wish", async () => {
  const at = await scene();
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, {
    "people.yaml": company["people.yaml"].replace(/.*bo@acme.*\n/u, ""),
    "shared.yaml": company["shared.yaml"].replace("bo@", "ada@"),
  });
  const fresh = [...(await told(at, "user:bo@acme.example", "--state", "file:elsewhere.json"))];
  expect(fresh.slice(0, 4)).toEqual(["user bo@acme.example", "", "In the roster", "  nothing"]);
  expect(fresh).toContain("  the roster does not name bo@acme.example (read by list)");
});

test("an action and a finding of the plan are told by their names, in a saved plan too", async () => {
  const at = await scene();
  await at.run(["plan", "--out", "plan.json"]);
  const inService = await told(at, "create-user:ada@acme.example");
  expect(inService[0]).toBe("action create-user:ada@acme.example");
  const inFile = await told(at, "create-user:ada@acme.example", "plan.json");
  expect(inFile[1]).toMatch(/^From the saved plan [0-9a-f]{16} only\.$/u);
  expect(inFile).toContain("      rule a new team is created with a new user");
  expect((await told(at, "team:red", "plan.json")).filter((line) => line.startsWith("      action "))).toEqual([
    "      action create-user:ada@acme.example",
    "      action add-members:acc-1/red",
    "      action replace-roles:acc-1/red:ada@acme.example",
    "      action replace-roles:acc-1/red:bo@acme.example",
  ]);
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, { "people.yaml": company["people.yaml"].replace("Diaz", "Dias") });
  const { stdout } = await at.run(["plan", "--format", "json"]);
  const [finding] = (JSON.parse(stdout) as { findings: readonly { fingerprint: string }[] }).findings;
  const lines = await told(at, finding?.fingerprint ?? "");
  expect(lines.slice(0, 4)).toEqual([
    `finding ${finding?.fingerprint}`,
    "",
    "Tasks and notices",
    "  ! user bo@acme.example: profile-differs  people.yaml:6:5",
  ]);
  expect(lines.at(-1)).toMatch(/^ {8}- \{ code: "profile-differs:bo@acme\.example#[0-9a-f]{12}", reason: "\.\.\."/u);
});

test("a code needs neither a roster nor a service, and an exit code is one", async () => {
  const at = await insideScene();
  const without = { env: { ROSTER_ENDPOINT: "", ROSTER_API_KEY: "" } };
  expect(await at.run(["explain", "bad-value"], without)).toEqual({
    code: 0,
    stderr: "",
    stdout: `bad-value  a YAML file or a setting: a value is wrong
  The value has the wrong type or form. The message shows what is allowed.
  What to do: Correct the value. \`roster init\` prints the line that lets your editor check a roster.
  Example:
    lastName: null      # wrong
    lastName: "null"    # right
  Exit code 3: the roster, the settings or the command line is invalid.
`,
  });
  expect((await at.run(["explain", "7"], without)).stdout).toMatch(/^7 {2}how a command ends: partial:/u);
  const twice = (await at.run(["explain", "unknown-key"], without)).stdout;
  expect(twice).toContain("unknown-key  a finding of a plan: the service does not know a key of the roster");
  expect(twice).toContain("unknown-key  a YAML file or a setting: a map has an unknown key");
  const list = (await at.run(["explain", "codes"], without)).stdout;
  expect(list).toMatch(/^A finding of a plan \(\d+\)\n {2}service-reset +the service may have lost its data\n/u);
});

test("the letter case of a kind does not count, and a finding may be named as one", async () => {
  const at = await scene();
  expect((await at.run(["explain", "USER:bo@acme.example"])).stdout).toMatch(/^user bo@acme\.example\n/u);
  expect((await at.run(["explain", "Team:Red"])).stdout).toMatch(/^team Red\n/u);
  const idle = ["--allow", "user-missing:zoe@acme.example#0123456789ab"];
  const { stdout } = await at.run(["plan", ...idle, "--format", "json"]);
  const fingerprint = /"fingerprint": "([0-9a-f]{16})"/u.exec(stdout)?.[1] ?? "";
  expect(fingerprint).not.toBe("");
  const byName = await at.run(["explain", ...idle, `fingerprint:${fingerprint.toUpperCase()}`]);
  expect({ code: byName.code, first: byName.stdout.split("\n")[0] }).toEqual({
    code: 0,
    first: `finding ${fingerprint}`,
  });
});

describe("what is not known is refused with what was perhaps meant (3):", () => {
  test.each(
    casesOf([
      "a code | unprovn-absence | Did you mean unproven-absence?",
      "a user | user:boo@acme.example | Did you mean bo@acme.example?",
      "a team | team:Rod | Did you mean Red?",
      "a key | key:nobodys | Write key:PREFIX",
      "a role | role:DEVELOPPER | Did you mean DEVELOPER?",
      "a role that only the service has | role:ACCOUNT_ADMN | Did you mean ACCOUNT_ADMIN?",
      "an action | create-user:boo@acme.example | Did you mean create-user:bo@acme.example?",
      "a finding | 0123456789abcdef | `roster plan --format json` names the findings",
      "something of which a saved plan holds nothing | user:cy@acme.example plan.json | leave the",
      "a user whom nobody resembles | user:fay@acme.example | Write user:EMAIL",
      "a finding by its kind | fingerprint:nonsense | `roster plan --format json` names the findings",
      "a kind without a name | user: | user: has nothing after the colon.",
      "a kind without a name, in capitals | Fingerprint: | has nothing after the colon.",
      "nothing | | Name user:EMAIL",
    ]),
  )("%s", async (_, words = "", hint = "") => {
    const at = await scene();
    const args = words.split(" ").filter((word) => word !== "");
    if (args.includes("plan.json")) await at.run(["plan", "--out", "plan.json"]);
    const { code, stdout, stderr } = await at.run(["explain", ...args]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain(`error[${words === "" ? "usage" : "unknown-name"}]`);
    expect(stderr).toContain(hint);
  });
});

test("its JSON is as the schema says, whatever is asked about", async () => {
  const schema: object = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
  const accepted = new Ajv({ strict: true }).compile(schema);
  const at = await scene();
  const asked = "user:bo@acme.example team:Red role:DEVELOPER unproven-absence create-user:ada@acme.example nobody";
  for (const what of asked.split(" ")) {
    const { code, stdout } = await at.run(["explain", what, "--format", "json"]);
    const document: unknown = JSON.parse(stdout);
    expect([what, accepted(document), accepted.errors ?? null]).toEqual([what, true, null]);
    expect(document).toMatchObject({ command: "explain", exit_code: code });
  }
});

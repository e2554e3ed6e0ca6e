import { describe, expect, test } from "vitest";
import { sourceOf } from "../../../../src/cli/command-line/completion-candidates.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { commandTree } from "../../../support/command-tree.ts";
import { inside } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

const roster = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: L }
  - email: "bo+x@acme.example" # email: not@this.one
    firstName: B
# - email: nor@this.one
teams:
  - name: Data Science
  - { name: 'It''s on', members: [ada@acme.example] }
    roles:
      - WRITER # roles: [NOBODYS]
      - { set: engineer }
      - "READER"
keys:
  - { prefix: jU7q, roles: [] }
  - prefix: kV8r
    roles:
      [
        NIGHTLY,
        { set: engineer },
        DEVELOPER,
      ]
roleSets:
  engineer: [DEVELOPER, TEAM_ROLE]
  root:
    - ACCOUNT_ADMIN
`;

async function asked(words: readonly string[], files: Readonly<Record<string, string>> = { "roster.yaml": roster }) {
  const cwd = emptyDirectory();
  await writeRoster(cwd, files);
  const { code, stdout, stderr } = await inside(["completion", "candidates", "fish", "--", "roster", ...words], {
    cwd,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [kind, ...lines] = stdout.trimEnd().split("\n");
  return [kind, ...lines.map((line) => line.replace(/\t.*$/u, ""))];
}

const cases: Readonly<Record<string, readonly [words: readonly string[], told: readonly string[]]>> = {
  "commands, as far as they are typed": [["p"], ["words", "plan"]],
  "commands within a command": [
    ["state", "re"],
    ["words", "resolve", "rebuild"],
  ],
  "commands whose help is wanted": [
    ["help", "co"],
    ["words", "config", "completion"],
  ],
  "commands within a command whose help is wanted": [
    ["help", "state", "v"],
    ["words", "verify"],
  ],
  "flags of a command, of those that it shares too": [
    ["plan", "--de"],
    ["words", "--debug", "--deadline", "--detailed-exitcode"],
  ],
  "choices of a flag": [
    ["plan", "--view", ""],
    ["words", "teams", "access", "calls", "mermaid"],
  ],
  "choices behind an equals sign": [
    ["plan", "--view=ca"],
    ["words", "--view=calls"],
  ],
  "kinds of selectors": [
    ["plan", "--include", ""],
    ["open", "user:", "team:", "label:"],
  ],
  people: [
    ["plan", "--include", "user:"],
    ["words", "user:ada@acme.example", "user:bo+x@acme.example"],
  ],
  teams: [
    ["plan", "--exclude", "team:"],
    ["words", "team:Data Science", "team:It's on"],
  ],
  "teams behind an equals sign": [
    ["plan", "--exclude=team:D"],
    ["words", "--exclude=team:Data Science"],
  ],
  "a vanished person": [
    ["plan", "--allow", "recreate:b"],
    ["words", "recreate:bo+x@acme.example"],
  ],
  memberships: [
    ["plan", "--allow", "absent:member:D"],
    ["words", "absent:member:Data Science"],
  ],
  "a person to explain": [
    ["explain", "user:a"],
    ["words", "user:ada@acme.example"],
  ],
  "a key to explain": [
    ["explain", "key:"],
    ["words", "key:jU7q", "key:kV8r"],
  ],
  "a role to explain": [
    ["explain", "role:"],
    ["words", "role:ACCOUNT_ADMIN", "role:DEVELOPER", "role:NIGHTLY", "role:READER", "role:TEAM_ROLE", "role:WRITER"],
  ],
  "a code to explain": [
    ["explain", "unproven-t"],
    ["words", "unproven-team"],
  ],
  guards: [
    ["apply", "--allow", "min"],
    ["open", "min-admins@"],
  ],
  knobs: [
    ["serve", "--knob", "conflict"],
    ["open", "conflict="],
  ],
  "values of a knob": [
    ["serve", "--knob", "conflict=4"],
    ["words", "conflict=400", "conflict=409", "conflict=422", "conflict=409-though-created"],
  ],
  accounts: [
    ["plan", "--account", ""],
    ["words", "acc-1"],
  ],
  "files where paths stand": [["plan", "--debug", ""], ["files"]],
  "files of any name where paths stand": [["plan", "json=a"], ["files"]],
  "files where a flag wants one": [["plan", "--out", ""], ["files"]],
  "files behind a flag and an equals sign": [
    ["plan", "--out=p"],
    ["files", "--out="],
  ],
  "files behind the name of a report": [
    ["plan", "--report", "json=a=b"],
    ["files", "json="],
  ],
  "files behind a flag and the name of a report": [
    ["plan", "--report=json="],
    ["files", "--report=json="],
  ],
  "flags where a command takes nothing else": [
    ["demo", ""],
    ["words", "--help"],
  ],
  "nothing where only a person knows": [["plan", "--deadline", ""], ["words"]],
  "nothing behind dashes but arguments": [["plan", "--", "--f"], ["files"]],
};

describe("completion offers", () => {
  test.each(Object.entries(cases))("%s", async (_, [words, told]) => {
    expect(await asked(words)).toEqual(told);
  });

  test("names and labels of targets, of the fleet file that is named or the nearest", async () => {
    const target = (name: string, tier: string) =>
      `  - { name: ${name}, roster: r, endpoint: https://x.example, key: { file: k }, state: "file:${name}", labels: { tier: ${tier} } }\n`;
    const files = {
      "fleet.yaml": `version: 1\ntargets:\n${target("acme", "gold")}${target("bolt", "gold")}${target("core", "tin")}`,
      "other/fleet.yaml": `version: 1\ntargets:\n${target("dash", "gold")}`,
      "broken.yaml": "version: 1\ntargets: [ {{{\n",
    };
    const all = ["words", "acme", "bolt", "core", "tier=gold", "tier=tin"];
    expect(await asked(["fleet", "drift", "--only", ""], files)).toEqual(all);
    expect(await asked(["fleet", "drift", "--only=t"], files)).toEqual([
      "words",
      "--only=tier=gold",
      "--only=tier=tin",
    ]);
    for (const named of [["--fleet", "other/fleet.yaml"], ["--fleet=other/fleet.yaml"]])
      expect(await asked(["fleet", "plan", ...named, "--only", ""], files)).toEqual(["words", "dash", "tier=gold"]);
    expect(await asked(["fleet", "plan", "--fleet", "broken.yaml", "--only", ""], files)).toEqual(["words"]);
  });

  test("people of a roster that is half-written, or no YAML at this moment", async () => {
    const broken =
      'version: 1\nusers:\n  - { email: ada@acme.example, firstName: "A\n  - email: bo@acme.example\nteams: [ {{{\n';
    expect(await asked(["plan", "--include", "user:"], { "a.yaml": broken })).toEqual([
      "words",
      "user:ada@acme.example",
      "user:bo@acme.example",
    ]);
  });

  test("people of the files that the settings name, or the command line", async () => {
    const files = {
      "roster.config.yaml": "roster: [in]\n",
      "in/a.yaml": "users: [{ email: in@x.y }]\n",
      "out/b.yaml": "users: [{ email: out@x.y }]\n",
    };
    expect(await asked(["plan", "--include", "user:"], files)).toEqual(["words", "user:in@x.y"]);
    expect(await asked(["plan", "out", "--include", "user:"], files)).toEqual(["words", "user:out@x.y"]);
  });

  test("people of the files here and just below, where neither says where they are", async () => {
    const files = {
      "a.yaml": "users: [{ email: here@x.y }]\n",
      "people/b.yml": "users: [{ email: below@x.y }]\n",
      "far/down/c.yaml": "users: [{ email: deep@x.y }]\n",
      "node_modules/d.yaml": "users: [{ email: other@x.y }]\n",
    };
    expect(await asked(["plan", "--include", "user:"], files)).toEqual(["words", "user:below@x.y", "user:here@x.y"]);
    expect(await asked(["plan", "-", "--include", "user:"], files)).toEqual([
      "words",
      "user:below@x.y",
      "user:here@x.y",
    ]);
  });

  test("nobody, and says nothing, where settings or files cannot be read", async () => {
    expect(await asked(["plan", "--include", "user:"], { "roster.config.yaml": "nonsense: [" })).toEqual(["words"]);
    expect(await asked(["plan", "nowhere", "--include", "user:"])).toEqual(["words"]);
  });

  test("no name with something hidden in it", async () => {
    const hidden = 'users: [{ email: "a\\u001b[2J@x.y" }, { email: "b\\u202e@x.y" }, { email: "c@x.y" }]\n';
    const lines = hidden.replaceAll("}, {", "},\n{");
    expect(await asked(["plan", "--include", "user:"], { "a.yaml": lines })).toEqual(["words", "user:c@x.y"]);
  });
});

test("it is known of every flag's and every argument's value what it can be", () => {
  const unknown = commandTree().commands.flatMap(({ command, path }) => {
    const valued = command.options.filter((option) => option.required || option.optional);
    return [...valued, ...command.registeredArguments]
      .filter((part) => sourceOf(command, part) === undefined)
      .map((part) => `${path}: ${"flags" in part ? part.flags : part.name()}`);
  });
  expect(unknown).toEqual([]);
});

test("every command and every flag that there is can be completed", async () => {
  for (const { command, path } of commandTree().commands) {
    if (path === "completion candidates") continue;
    const words = path === "" ? [] : path.split(" ");
    const flags = command.options.flatMap(({ long, hidden }) => (hidden ? [] : [long]));
    expect((await asked([...words, "--"])).slice(1).sort(), path).toEqual([...flags, "--help"].sort());
    for (const inner of command.commands.filter((one) => one.name() !== "candidates")) {
      expect(await asked([...words, inner.name()])).toContain(inner.name());
    }
  }
});

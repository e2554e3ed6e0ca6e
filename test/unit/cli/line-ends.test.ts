import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../../support/command.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { inside } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";

const roster = `# yaml-language-server: $schema=roster.schema.json
# The people of Acme.
version: 1
account: acc-1
users:
  - email: ada@acme.example # since 2020
    firstName: Ada
    lastName: Lovelace
    source: hr
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, source: hr }
  # Cy works at night.
  - email: cy@acme.example
    firstName: Cy
    lastName: Tanaka
    source: hr
leavers:
  - { email: old@acme.example, since: 2026-01-31 }

teams:
  - name: Data
    admin: ada@acme.example
    roles: [DEVELOPER]
    members:
      - user: ada@acme.example
      - { user: bo@acme.example }

      - user: cy@acme.example # nights
`;

const acknowledgements = `# Reviewed every month.
version: 1
acknowledgements:
  - fingerprint: 0123456789abcdef
    code: extra-member
    subject: member eve@acme.example of team Data
    until: 2026-12-31
    reason: a contractor
    by: ada
    at: 2026-11-01
`;

interface Edit {
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  /** Applies the roster first, and changes the service where drift is to be seen. */
  readonly isApplied?: true;
}

const csv = (...rows: readonly string[]) => `${["email,first name,last name", ...rows].join("\n")}\n`;
const [ada, bo, cy] = ["ada@acme.example,Ada,Lovelace", "bo@acme.example,Bo,Diaz", "cy@acme.example,Cy,Tanaka"];
const feed = "account: acc-1\nfeed: { file: people/hr.yaml, leavers: leavers.yaml }\n";

/** Every command that edits YAML or lines that are there. */
const edits: Readonly<Record<string, Edit>> = {
  "import --update: a new user in a file that is there": {
    files: {
      "people/hr.yaml":
        "version: 1\nusers:\n  - email: ada@acme.example\n    firstName: Ada\n    lastName: Lovelace\n    source: hr\n",
      "people.csv": csv(ada, bo),
      "roster.config.yaml": "account: acc-1\n",
    },
    commands: ["import --from people.csv --update"],
  },
  "import --update: a changed name and a leaver, in the file and in another one": {
    files: {
      "roster.yaml": roster,
      "leavers.yaml": "version: 1\nleavers:\n  - { email: eve@acme.example, since: 2026-01-31 }\n",
      "people.csv": csv(ada, "bo@acme.example,Bo,Diaz-Ruiz"),
      "roster.config.yaml": feed,
    },
    commands: ["import --from people.csv --update"],
  },
  "import --update: a leaver in the file that had the user": {
    files: { "roster.yaml": roster, "people.csv": csv(ada, cy), "roster.config.yaml": "account: acc-1\n" },
    commands: ["import --from people.csv --update"],
  },
  "drift acknowledge: an entry more": {
    files: { "roster.yaml": roster, "roster.acknowledgements.yaml": acknowledgements },
    commands: ["drift", "drift acknowledge FINGERPRINT --until 2026-12-24 --reason known --by ada"],
    isApplied: true,
  },
  "drift acknowledge: an entry renewed": {
    files: { "roster.yaml": roster, "roster.acknowledgements.yaml": acknowledgements },
    commands: [
      "drift",
      "drift acknowledge FINGERPRINT --until 2026-12-24 --reason known --by ada",
      "drift acknowledge FINGERPRINT --until 2026-12-28 --reason again --by bo",
    ],
    isApplied: true,
  },
  "init: a line more in .gitignore": { files: { ".gitignore": "node_modules/\n*.log\n" }, commands: ["init"] },
};

type LineEnd = "LF" | "CRLF";

function withLineEnd(text: string, lineEnd: LineEnd): string {
  return lineEnd === "LF" ? text : text.replaceAll("\n", "\r\n");
}

/** The files that were there before, as the commands leave them. */
async function filesAfter({ files, commands, isApplied }: Edit, lineEnd: LineEnd): Promise<Record<string, string>> {
  const cwd = emptyDirectory();
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...prompt };
  const clock = clockAt("2026-11-20T08:00:00.000Z");
  const run = async (line: string) => {
    const result = await inside(line.split(" "), { cwd, env, clock });
    const isExpected = result.code === 0 || (result.code === 2 && line.startsWith("drift"));
    if (!isExpected) throw new Error(`${line}: ${result.stderr}`);
    return result;
  };
  await writeRoster(
    cwd,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, withLineEnd(text, lineEnd)])),
  );
  let fingerprint = "";
  if (isApplied === true) {
    await run("apply --auto-approve");
    const key = server.world.users.flatMap(({ accessKeys }) => accessKeys).find(({ team }) => team?.name === "Data");
    server.world.setKeyRoles(key?.prefix ?? "", ["TEAM_ROLE"]);
    const { stdout } = await run("drift --format json");
    fingerprint = /"fingerprint": "([0-9a-f]{16})"/u.exec(stdout)?.[1] ?? "";
  }
  for (const command of commands) await run(command.replace("FINGERPRINT", fingerprint));
  const names = Object.keys(files).filter((name) =>
    readdirSync(cwd, { recursive: true, encoding: "utf8" }).includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(cwd, name), "utf8")]));
}

describe("files with CRLF keep it, and change in nothing else than files with LF do", () => {
  test.each(Object.entries(edits))("%s", async (_, edit) => {
    const after = await filesAfter(edit, "LF");
    expect(after).not.toEqual(edit.files);
    const expected = Object.fromEntries(Object.entries(after).map(([name, text]) => [name, withLineEnd(text, "CRLF")]));
    expect(await filesAfter(edit, "CRLF")).toEqual(expected);
  });
});

test("a file of which some lines end with CRLF keeps each line that is not edited", async () => {
  const cwd = emptyDirectory();
  const mixed = roster
    .replace("# The people of Acme.\n", "# The people of Acme.\r\n")
    .replace("leavers:\n", "leavers:\r\n");
  await writeRoster(cwd, { "roster.yaml": mixed, "people.csv": csv(ada, bo, "cy@acme.example,Cyril,Tanaka") });
  writeFileSync(join(cwd, "roster.config.yaml"), "account: acc-1\n");
  const { code } = await inside(["import", "--from", "people.csv", "--update"], { cwd });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "roster.yaml"), "utf8")).toBe(mixed.replace("firstName: Cy\n", "firstName: Cyril\n"));
});

import { lstatSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { settingsFileName } from "../../library/roster-files.ts";
import { shellWord } from "../../model/state.ts";
import { safe } from "../../report/safe.ts";
import { writeNewFiles } from "../files.ts";
import type { Host } from "../host.ts";
import { bundledSchema, missingSchemaCopy, schemaCopyNames } from "../installed-package.ts";
import type { Command } from "../run-command.ts";
import { refuseLedOut } from "../trust.ts";

/** Writes a small commented roster and its settings. Never overwrites anything. */
export async function init({ host, tell }: Command, directory = "."): Promise<void> {
  const at = resolve(host.cwd, directory);
  await refuseLedOut([at, join(at, ".gitignore")], host);
  const files = [
    { file: "roster.yaml", content: roster, schema: "roster" },
    { file: settingsFileName, content: settings, schema: "settings" },
  ] as const;
  const texts = files.map(({ file, content, schema }) => {
    const named = bundledSchema(schema, join(at, file)) ?? schemaCopyNames[schema];
    return { file, text: `# yaml-language-server: $schema=${named}\n${content}` };
  });
  const copies = await Promise.all(files.map(({ schema }) => missingSchemaCopy(schema, at)));
  const all = [...texts, ...copies.flat()];
  await writeNewFiles(directory, all, host);
  const ignoring = (await ignoreState(join(at, ".gitignore"), host)) ? [".gitignore"] : [];
  const written = [...all.map(({ file }) => file), ...ignoring].join(", ");
  const isHere = directory === ".";
  const where = isHere ? "this directory" : `\`${safe(directory)}\``;
  const enter = isHere ? "" : `  cd ${safe(shellWord(directory))}\n`;
  tell({ ownWords: { text: `Wrote ${written} in ${where}.\n\nNext:\n${enter}${steps}` } });
}

/** Whether a line was added: none where the state is ignored already, or where the file cannot be read or written. */
async function ignoreState(path: string, { stderr }: Host): Promise<boolean> {
  try {
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const before = isThere ? (await readRegularFile(path, 1024 * 1024)).toString("latin1") : "";
    if (before.split("\n").some((line) => line.trim().replace(/\/$/u, "") === ".roster")) return false;
    const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
    const start = before === "" || before.endsWith("\n") ? "" : lineEnd;
    await writeFile(path, `${start}.roster/${lineEnd}`, { flag: isThere ? "a" : "wx" });
    return true;
  } catch (error) {
    stderr.write(`warning: .gitignore was not changed: it cannot be read or written: ${whyUnread(error)}.\n`);
    stderr.write("  hint: Add the line `.roster/` to .gitignore: do not commit the state.\n");
    return false;
  }
}

const steps = `\
  roster validate   # check the files
  roster serve      # in another terminal: a service to try it on; paste its export lines here
  roster plan       # show planned changes
`;

const settings = `# The settings of this roster. Flags and ROSTER_* variables take precedence.
# Do not write the endpoint and the key here: set ROSTER_ENDPOINT and ROSTER_API_KEY.
roster: [roster.yaml]     # the files and directories that make up the roster
account: acc-1            # for files without an account
# accounts:               # short names that files may use for accounts
#   prod: acc-1
`;

const roster = `version: 1

# Role sets: lists of roles with a name.
roleSets:
  engineer: [DEVELOPER, TEAM_ROLE]

# Everyone who should have a user in the account.
users:
  - email: ada@acme.example
    firstName: Ada
    lastName: Lovelace
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }

# A new team is created with one of its new members; the others are added and get an invitation.
teams:
  - name: Platform
    admin: ada@acme.example
    roles: [{ set: engineer }] # the exact roles of every member's team key
    members: # all members: others in the team are reported
      - { user: ada@acme.example }
      - { user: bo@acme.example, roles: [TEAM_ROLE] }

# Move people who leave from users and teams to here. roster removes all roles from their keys.
# If you know the last day, write it at the user: \`until: 2027-01-31\`.
# leavers:
#   - { email: cy@acme.example, since: 2026-11-20, note: HR-812 }
`;

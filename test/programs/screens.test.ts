import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { rosterOf } from "../bench/company.ts";
import { type AtEnd, emptyDirectory } from "../support/command.ts";
import { isDeep } from "../support/property-runs.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { inTerminal, noTerminal, type TerminalProgram } from "../support/terminal.ts";

const company = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: ai@acme.example, firstName: 愛, lastName: 山田 }
teams:
  - name: データ
    admin: ada@acme.example
    roles: [DEVELOPER]
    members: [{ user: ada@acme.example }, { user: bo@acme.example }, { user: ai@acme.example }]
`;

const small = { columns: 80, rows: 24 };
const large = { columns: 200, rows: 60 };

interface Scene {
  readonly server: ReferenceServer;
  readonly cwd: string;
  readonly program: TerminalProgram;
  writes(): number;
}

interface Wish {
  readonly args?: readonly string[];
  /** What a shell makes of the command, as a line of its own. */
  readonly shell?: (command: string) => string;
  readonly env?: Readonly<Record<string, string>>;
  readonly size?: { readonly columns: number; readonly rows: number };
  readonly knobs?: Partial<Knobs>;
  readonly files?: string;
}

const roster = [process.execPath, resolve("dist/main.js")];

async function applying(atEnd: AtEnd, wish: Wish = {}): Promise<Scene> {
  const { args = [], shell, env = {}, size = small, knobs = {}, files = company } = wish;
  const server = await startReferenceServer({ port: 0, knobs });
  atEnd(() => server.close());
  const cwd = emptyDirectory(atEnd);
  await writeRoster(cwd, { "roster.yaml": files });
  const command = [...roster, "apply", "roster.yaml", ...args];
  const line = shell === undefined ? command : ["/bin/sh", "-c", shell(command.join(" "))];
  const reach = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const program = inTerminal(line, { cwd, env: { ...reach, ...env }, ...size }, atEnd);
  const writes = () =>
    server.requests.filter(({ method, path }) => method !== "GET" && !path.includes("search")).length;
  return { server, cwd, program, writes };
}

const cursorShown = "\u{1B}[?25h";
const givenBack = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l";
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const colours = /\u{1B}\[[0-9;]*m/u;
const enter = "\r";

/** The rows of a screen but the first, which names the service, without the blank ones in the middle. */
function told(screen: readonly string[]): readonly string[] {
  return screen.slice(1).filter((line) => line !== "");
}

/** What stands in the scrollback, without what differs from run to run. */
function leftBehind({ program }: Scene): readonly string[] {
  return program
    .scrollback()
    .filter((line) => line !== "")
    .map((line) => line.replace(/127\.0\.0\.1:\d+/u, "…").replace(/ [A-Za-z0-9]{20}$/u, " …"))
    .map((line) =>
      line.replace(/\b[0-9a-f]{16}\.$/u, "….").replace(/ in \d+ s(?:, [\d.]+ per (?:second|minute))?$/u, " in …"),
    );
}

const summary = [
  "Plan for http://…",
  "Plan: create 3 users and 1 team, invite 2 members to 1 team, set the roles of 3",
  "new keys.",
  "2 mails, at most 7 calls. Plan ID ….",
];

describe.skipIf(noTerminal !== undefined)(`in a terminal (${noTerminal ?? "a real pseudo-terminal"})`, () => {
  test.concurrent("at 80 by 24, a plan is reviewed, approved and followed, and plain lines are left behind", async ({
    onTestFinished,
  }) => {
    const scene = await applying(onTestFinished, { knobs: { latencyMs: 400 } });
    const { program } = scene;
    expect(told(await program.until("? keys"))).toEqual([
      " 3 new users  1 new team  2 mails  3 keys  at most 7 calls",
      "> ▾ Team データ (new, admin ada@acme.example): changes for 3 people, 2 mails",
      "      + ada@acme.example (Ada Lovelace): new, created with the team (no mail),",
      "        gets DEVELOPER                                           roster.yaml:4:5",
      "      + ai@acme.example (愛 山田): new, invited by mail, gets DEVELOPER",
      "      + bo@acme.example (Bo Diaz): new, invited by mail, gets DEVELOPER",
      "    How the service was read",
      " f fold  Enter details  / filter  n next !  a approve  q quit  ? keys    1 of 5",
    ]);
    program.type(`/bo${enter}`);
    await program.until("Esc clears the filter");
    program.type(enter);
    expect(told(await program.until("  in the roster:")).slice(1, 4)).toEqual([
      "  + bo@acme.example (Bo Diaz): new, invited by mail, gets DEVELOPER",
      "    roster.yaml:5:5",
      "  in the roster:",
    ]);
    program.type("ayes");
    expect(told(await program.until("Apply this plan? yes"))).toContain(
      " You cannot take back a sent invitation. Only `yes` approves.",
    );
    program.type(enter);
    expect(await program.until("Applying:")).toContainEqual(
      expect.stringMatching(/^ new teams {6}[█░]{14} [01] of 1/u),
    );
    expect(await program.ended).toBe(0);
    // A busy machine may take so long to read that the screen of the reads is shown as well.
    const left = leftBehind(scene).filter((line) => !line.startsWith("Read for "));
    const begin = left.indexOf("Approved.") + 1;
    const end = left.indexOf("7 of 7 actions in …");
    expect(left.slice(0, begin)).toEqual([...summary, "Approved."]);
    expect(left.slice(begin, end).sort()).toEqual([
      "created ada@acme.example and team データ",
      "created ai@acme.example",
      "created bo@acme.example",
      "invited 2 members to データ",
      "set the roles of ada@acme.example's key in データ",
      "set the roles of ai@acme.example's key in データ",
      "set the roles of bo@acme.example's key in データ",
    ]);
    expect(left.slice(end)).toEqual([
      "7 of 7 actions in …",
      "Prefixes of new keys (5), also in the log",
      "  person            kind of key  prefix of the key",
      "  ada@acme.example  team データ  …",
      "  ai@acme.example   own key      …",
      "  bo@acme.example   own key      …",
      "  ai@acme.example   team データ  …",
      "  bo@acme.example   team データ  …",
      "Verified: all changes are in place.",
      "Done: created 3 users and 1 team, invited 2 members, set the roles of 3 new",
      "keys.",
      "To check later that the log is complete, run",
      expect.stringMatching(/^`roster audit verify --expect-head \d+:[0-9a-f]{42}$/u),
      expect.stringMatching(/^[0-9a-f]{22}`\.$/u),
    ]);
    expect(program.sent()).toMatch(colours);
  });

  test.concurrent("at 200 by 60 the reasons stand beside the tree, and the screen follows the terminal's size, whatever variables of a pipeline are set", async ({
    onTestFinished,
  }) => {
    const env = { NO_COLOR: "1", CI: "false", CI_SERVER: "left over" };
    const { program, writes } = await applying(onTestFinished, { size: large, env });
    const [, , first = ""] = await program.until(/a approve {2}q quit {2}\? keys +1 of 5/u);
    expect(first.slice(0, 90).trimEnd()).toBe(
      "> ▾ Team データ (new, admin ada@acme.example): changes for 3 people, 2 mails",
    );
    expect(first.slice(90).trim()).toMatch(
      /^│ {3}Team データ \(new, admin ada@acme\.example\): changes for 3 people, 2 mails/u,
    );
    program.resize(60, 12);
    const narrow = await program.until(/^ Enter details {2}a approve {2}\? keys +1 of 5$/u);
    expect(narrow).toHaveLength(12);
    expect(narrow[5]).toBe("        the team (no mail), gets DEVELOPER   roster.yaml:4:5");
    program.type("q");
    expect([await program.ended, writes()]).toEqual([5, 0]);
    expect(program.sent()).not.toMatch(colours);
  });

  test.concurrent("Ctrl-C in the review leaves everything as it was", async ({ onTestFinished }) => {
    const scene = await applying(onTestFinished);
    await scene.program.until("? keys");
    scene.program.type("\u{3}");
    expect(await scene.program.ended).toBe(130);
    expect([scene.writes(), scene.program.sent().split(givenBack).length]).toEqual([0, 2]);
    expect(
      leftBehind(scene)
        .filter((line) => !line.startsWith("Read for "))
        .slice(0, summary.length),
    ).toEqual(summary);
  });

  // Ctrl-C gives it back in the same way.
  test.runIf(isDeep).concurrent("SIGTERM in the review gives the terminal back", async ({ onTestFinished }) => {
    const { program, writes } = await applying(onTestFinished);
    await program.until("? keys");
    program.kill("SIGTERM");
    expect(await program.ended).toBe(143);
    expect([writes(), program.sent().split(givenBack).length]).toEqual([0, 2]);
  });

  test.concurrent("Ctrl-C in a run ends it in order, and once more at once", async ({ onTestFinished }) => {
    const scene = await applying(onTestFinished, { args: ["--auto-approve"], knobs: { latencyMs: 1200 } });
    const { program } = scene;
    await program.until("Applying:");
    program.type("\u{3}");
    await program.until("Stopping after the calls in progress");
    program.type("\u{3}");
    expect(await program.ended).toBe(130);
    expect(program.sent().endsWith(cursorShown)).toBe(true);
    expect(leftBehind(scene).join("\n")).toContain("interrupted: no new call starts");
  });

  test.concurrent("a pasted yes, and keys that came before the screen, approve nothing", async ({ onTestFinished }) => {
    const { program, writes } = await applying(onTestFinished);
    program.type(`yes${enter}`);
    await program.until("a approve");
    program.type(`a\u{1B}[200~yes${enter}\u{1B}[201~${enter}`);
    await program.until("Not approved: type yes");
    program.type("\u{3}");
    expect([await program.ended, writes()]).toEqual([130, 0]);
  });

  test.concurrent("what was typed before the question in lines approves nothing", async ({ onTestFinished }) => {
    const { program, writes } = await applying(onTestFinished, { env: { TERM: "dumb" } });
    program.type("yes\nye");
    await program.until("Only `yes` approves");
    program.type("s\n");
    expect([await program.ended, writes()]).toEqual([5, 0]);
    expect(program.sent()).not.toContain("\u{1B}[?1049h");
  });

  test.concurrent("where results go elsewhere, the plan is among them, and the run is told in lines", async ({
    onTestFinished,
  }) => {
    const scene = await applying(onTestFinished, { shell: (command) => `${command} | cat > told.txt` });
    await scene.program.until("a approve");
    scene.program.type(`ayes${enter}`);
    expect(await scene.program.ended).toBe(0);
    // Where the machine is slow, it is told too how far the reads are.
    const told = leftBehind(scene).filter((line) => !/^[a-z ]+: \d+(?: of \d+)?$/u.test(line));
    expect(told.slice(0, 6)).toEqual([...summary, "Approved.", "created ada@acme.example and team データ"]);
    expect(scene.program.sent().split(givenBack)).toHaveLength(2);
    const results = await readFile(join(scene.cwd, "told.txt"), "utf8");
    expect(results).toMatch(
      /^Plan for http[\s\S]*Team データ[\s\S]*Done: created 3 users .*\.\nTo check later that the log is complete, run\n`roster audit verify --expect-head \d+:[0-9a-f]{64}`\.\n$/u,
    );
    expect(results).not.toContain("\u{1B}");
  });

  test.concurrent("a reader of the results that goes away does no harm", async ({ onTestFinished }) => {
    const shell = (command: string) => `{ ${command}; echo "code $?" > code.txt; } | true`;
    const { program, cwd } = await applying(onTestFinished, { shell });
    await program.until("a approve");
    program.type(`ayes${enter}`);
    expect(await program.ended).toBe(0);
    expect(await readFile(join(cwd, "code.txt"), "utf8")).toBe("code 0\n");
  });

  test.concurrent.for<[string, Wish]>([
    ["a view is named", { args: ["--view", "teams"] }],
    ["messages go elsewhere", { shell: (command) => `${command} 2>told.txt; tail -n 3 told.txt` }],
  ])("lines are told where %s", async ([, wish], { onTestFinished }) => {
    const { program } = await applying(onTestFinished, wish);
    await program.until(/Only `yes` approves|Cannot ask for approval/u);
    program.type(`no${enter}`);
    expect(await program.ended).not.toBe(130);
    expect(program.sent()).not.toContain("\u{1B}[?1049h");
  });

  test.concurrent("a long read is shown as well, and leaves one line", async ({ onTestFinished }) => {
    const wish = { files: rosterOf(200), args: ["--parallelism", "1"], knobs: { latencyMs: 250 } };
    const scene = await applying(onTestFinished, wish);
    await scene.program.until("Reading the service");
    const screen = await scene.program.until(/addresses searched +[█░]{34} \d+ of 200/u);
    expect(told(screen).at(-1)).toBe(" Ctrl-C: stop reading; nothing was changed");
    scene.program.type("\u{3}");
    expect(await scene.program.ended).toBe(130);
    const [first, second] = leftBehind(scene);
    expect(first).toMatch(/^Read for \d+ s: \d+ addresses searched/u);
    expect(second).toBe("Stopped. Nothing was sent.");
  });
});

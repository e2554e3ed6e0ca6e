import { describe, expect, test } from "vitest";
import { helpExamples } from "../../../../src/cli/command-line/commands.ts";
import { settingRows } from "../../../../src/cli/settings/setting-table.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { commandTree } from "../../../support/command-tree.ts";
import { inside } from "../../../support/inside.ts";

const paths = commandTree().commands.map(({ path }) => path);

describe("the help of", () => {
  test("every command begins with its examples, and there are examples of no other", () => {
    expect([...helpExamples.keys()].sort()).toEqual([...paths].sort());
    const { commands, told } = commandTree();
    for (const { command, path } of commands) {
      const examples = helpExamples.get(path) ?? [];
      // The demo has nothing to choose.
      const least = path === "demo" ? 1 : 2;
      expect({ path, many: examples.length >= least && examples.length <= 3 }).toEqual({ path, many: true });
      const before = told.length;
      expect(() => command.help()).toThrow();
      const [first = "", ...lines] = told.slice(before).join("").split("\n");
      expect({ path, first, usage: lines[lines.indexOf("") + 1] }).toEqual({
        path,
        first: "Examples:",
        usage: expect.stringMatching(new RegExp(`^Usage: roster ?${path}`, "u")),
      });
      expect(command.description(), path).not.toBe("");
    }
  });

  test.each([...helpExamples].flatMap(([path, examples]) => examples.map(([line]) => [line, path] as const)))(
    "%s is a command line that is understood, of %j",
    async (line, path) => {
      const words = line.matchAll(/"([^"]*)"|(\S+)/gu);
      const [name, ...argv] = [...words].map(([, quoted, bare]) => quoted ?? bare ?? "");
      expect(name).toBe("roster");
      if (path !== "") expect(argv.join(" ").startsWith(path)).toBe(true);
      const { program, told } = commandTree();
      await program.parseAsync(argv, { from: "user" });
      expect(told).toEqual([]);
    },
  );

  test("every command tells its arguments and its flags, or where all flags are told", () => {
    const { commands, told } = commandTree();
    const missing = commands.flatMap(({ command, path }) => {
      const before = told.length;
      expect(() => command.help()).toThrow();
      const text = told.slice(before).join("");
      const flags = text.includes(`All flags: roster help ${path} --all`) ? [] : command.options;
      const terms = [...command.registeredArguments.map((one) => one.name()), ...flags.map((one) => one.flags)];
      return terms.filter((term) => !text.includes(`  ${term}`)).map((term) => `${path}: ${term}`);
    });
    expect(missing).toEqual([]);
  });

  test("every command fits into 80 columns", () => {
    const { commands, told } = commandTree();
    for (const { command } of commands) expect(() => command.help()).toThrow();
    const long = told
      .join("")
      .split("\n")
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });

  test("roster groups its commands by what they are for", async () => {
    const { stdout } = await inside(["--help"], { cwd: emptyDirectory() });
    const lines = stdout
      .split("\n")
      .flatMap((line) => /^(?: {2}([a-z-]+) {2}.*|([A-Z][A-Za-z ]+:))$/u.exec(line)?.slice(1) ?? []);
    const words = lines.filter((word) => word !== undefined);
    expect(words.slice(words.indexOf("Try it:")).join(" ")).toBe(
      "Try it: demo init serve Everyday: validate plan show apply explain import completion " +
        "CI: drift snapshot access audit fleet Repair: doctor state",
    );
  });

  test.each(["plan", "apply", "drift", "fleet apply"])(
    "%s fits on one screen of 40 lines, and `--all` tells every flag",
    async (name) => {
      const short = await inside([...name.split(" "), "--help"], { cwd: emptyDirectory() });
      expect(short.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
      expect(short.stdout).toContain(`\nAll flags: roster help ${name} --all\n`);
      const whole = await inside(["help", ...name.split(" "), "--all"], { cwd: emptyDirectory() });
      const command = commandTree().commands.find(({ path }) => path === name)?.command;
      const missing = command?.options.filter(({ long }) => !whole.stdout.includes(`  ${long}`));
      expect({ code: whole.code, missing }).toEqual({ code: 0, missing: [] });
      expect((await inside([...name.split(" "), "--help", "--all"], { cwd: emptyDirectory() })).stdout).toBe(
        whole.stdout,
      );
    },
  );

  test.each(["fleet plan", "fleet drift"])("%s shows every flag, since it names no longer help", async (name) => {
    const { stdout } = await inside(["help", ...name.split(" ")], { cwd: emptyDirectory() });
    const command = commandTree().commands.find(({ path }) => path === name)?.command;
    expect(command?.options.filter(({ long }) => !stdout.includes(`  ${long}`))).toEqual([]);
  });

  test("all commands stay few and small: 17 commands, 40 flags, 12 flags in a first help, 30 settings", async () => {
    const helpOf = async (path: string, ...all: readonly string[]) => {
      const { stdout } = await inside([...path.split(" "), "--help", ...all], { cwd: emptyDirectory() });
      return [...stdout.matchAll(/^ {2}(--[a-z-]+)/gmu)].map(([, flag]) => flag);
    };
    const named = paths.filter((path) => path !== "");
    const firsts = await Promise.all(named.map(async (path) => ({ path, many: (await helpOf(path)).length })));
    const flags = new Set((await Promise.all(named.map((path) => helpOf(path, "--all")))).flat());
    expect(named.filter((path) => !path.includes(" ")).length).toBeLessThanOrEqual(17);
    expect(flags.size).toBeLessThanOrEqual(40);
    expect(firsts.filter(({ many }) => many > 12)).toEqual([]);
    expect(settingRows.length).toBeLessThanOrEqual(30);
  });

  test("a command tells its own options before those that it shares", async () => {
    const { stdout } = await inside(["help", "plan", "--all"], { cwd: emptyDirectory() });
    expect(stdout.match(/^(?:[A-Z][a-z ]+):$/gmu)?.join(" ")).toBe(
      "Examples: Arguments: Options: For this run alone: Results: The service: The log:",
    );
  });

  test.each([
    ["plan", "people"],
    ["drift", "people"],
  ])("%s is shown after a path too, although the command has others below it", async (...words) => {
    const { code, stdout } = await inside([...words, "--help"], { cwd: emptyDirectory() });
    expect([code, stdout.includes(`Usage: roster ${words[0]} [options]`)]).toEqual([0, true]);
  });
});

describe("a slip of the hand", () => {
  test.each([
    [["plna"], "Unknown command 'plna'", "Did you mean plan?"],
    [["help", "state", "shwo"], "Unknown command 'shwo'", "Did you mean show?"],
    [["state", "shwo"], "Unknown command 'shwo'", "Did you mean show?"],
    [["snapshto"], "Unknown command 'snapshto'", "Did you mean snapshot?"],
    [["state", "set-endpoit"], "Unknown command 'set-endpoit'", "Did you mean set-endpoint?"],
    [["plan", "--output", "json"], "Unknown option '--output'", "Did you mean --format json?"],
    [["plan", "--output=markdown"], "Unknown option '--output'", "Did you mean --format markdown?"],
    [["plan", "-o", "json"], "Unknown option '-o'", "Did you mean --format json?"],
    [["plan", "-ojson"], "Unknown option '-ojson'", "Did you mean --format json?"],
    [["plan", "--json"], "Unknown option '--json'", "Did you mean --format json?"],
    [["plan", "-formt", "json"], "Unknown option '--formt'", "Did you mean --format?"],
    [["destroy"], "Unknown command 'destroy'", "roster deletes no user and no team. Move people to `leavers`"],
    [["diff"], "Unknown command 'diff'", "Run `roster plan`."],
    [["dump", "--output-file", "x"], "Unknown command 'dump'", "Run `roster import DIR`."],
    [["status"], "Unknown command 'status'", "Run `roster drift`."],
    [["sync", "--help"], "Unknown command 'sync'", "Run `roster apply`."],
    [["plan", "--dry-run"], "Unknown option '--dry-run'", "Run `roster plan`."],
    [["apply", "--dry-run=client"], "Unknown option '--dry-run'", "Run `roster plan`."],
    [["plan", "--api-key=a.b"], "Unknown option '--api-key'", "No flag takes a key. Set ROSTER_API_KEY"],
    [["plan", "--refresh"], "Unknown option '--refresh'", "Run `roster plan`. Each plan reads the service anew."],
    [["access", "--only", "team:Red"], "Unknown option '--only'", "Pass --include user:EMAIL, team:NAME, or"],
    [["access", "--plan", "p"], "Unknown option '--plan'", "Name the saved plan as a path: `roster access FILE"],
    [["fleet", "pause", "--resume"], "'--reason <text>' not specified", "Run `roster fleet resume`."],
    [["import", "--max-removals", "5"], "Unknown option '--max-removals'", "Pass --allow with the code that"],
    [["fleet", "worker", "--every=1h"], "Unknown option '--every'", "Write `every`, `callsPerSecond` and `maxAge`"],
    [["fleet", "status", "--max-age", "2h"], "Unknown option '--max-age'", "Write `every`, `callsPerSecond` and"],
    [["state", "prune", "--before=9d", "--export=x"], "'--out <file>' not specified", "Pass --out FILE."],
    [["fleet", "enqueue", "--plans", "d"], "Unknown option '--plans'", "Name the directory of plans as an argument"],
    [["state", "list"], "Unknown command 'list'", "Run `roster state show`."],
    [["constructor"], "Unknown command 'constructor'", "See `roster --help`."],
    [["-C", "nowhere", "plan"], "There is no directory nowhere.", "Correct the directory after -C."],
    [["plan", "-C", "there"], "Unknown option '-C'", "Write it before the command: `roster -C DIR plan`."],
    [["plan", "-Cthere"], "Unknown option '-Cthere'", "Write it before the command: `roster -C DIR plan`."],
    [["plan", "-chdir=there"], "Unknown option '--chdir'", "Write it before the command: `roster -C DIR plan`."],
    [["-C"], "'-C, --chdir <directory>' argument missing", "See `roster --help`."],
    [["-C", ".", "plna", "--help"], "Unknown command 'plna'", "Did you mean plan?"],
    [["state", "shw", "-h"], "Unknown command 'shw'", "Did you mean show?"],
    [["-C", ".", "help", "plna"], "Unknown command 'plna'", "Did you mean plan?"],
    [["-C.", "snapshot"], "'--out <file>' not specified", "See `roster snapshot --help`."],
    [["reinvite"], "Unknown command 'reinvite'", "See `roster --help`."],
    [["state", "show", "--formt", "json"], "Unknown option '--formt'", "Did you mean --format?"],
    [["plan", "--format", "markdwon"], "'markdwon' is invalid", "Did you mean markdown?"],
    [["plan", "--view", "teasm"], "'teasm' is invalid", "Did you mean teams?"],
    [["completion", "fihs"], "'fihs' is invalid", "Did you mean fish?"],
    [["plan", "--report", "jsn=x"], "'jsn=x' is invalid. Did you mean json=x? Write", "See `roster plan --help`."],
    [["plan", "--include", "usr:ada@x.y"], "usr:ada@x.y is not understood", "Did you mean user:ada@x.y? Write"],
    [["plan", "--exclude", "ada@x.y"], "ada@x.y is not understood", "Did you mean user:ada@x.y? Write"],
    [["plan", "--exclude", "Data Science"], "Data Science is not understood", "Did you mean team:Data Science?"],
    [["plan", "--exclude", "team:"], "team: is not understood", "Write --exclude user:EMAIL or team:NAME."],
    [["plan", "--format", "zzz"], "'zzz' is invalid", "See `roster plan --help`."],
  ])("in %j is told with what was meant", async (argv, what, hint) => {
    const { code, stdout, stderr } = await inside(argv, { cwd: emptyDirectory() });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(what);
    expect(stderr).toContain(`hint: ${hint}`);
  });

  test.each([
    [["-C", ".", "plan", "--bogus"], "plan"],
    [["bogus", "plan"], "roster"],
  ])("in %j is a document of %s", async (argv, command) => {
    const { stdout } = await inside([...argv, "--format", "json"], { cwd: emptyDirectory() });
    expect(JSON.parse(stdout).command).toBe(command);
  });
});

import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { applyDiff, type Block, blocksOf } from "../baselines/pages/blocks.ts";
import { emptyDirectory } from "../support/command.ts";
import { inTerminal, noTerminal } from "../support/terminal.ts";

const page = readFileSync("docs/quickstart.md", "utf8");

/** A directory of a package that npm has installed for everybody, and `roster` on the path. */
function installed(at: string): Readonly<Record<string, string>> {
  const modules = join(at, "lib/node_modules");
  mkdirSync(modules, { recursive: true });
  mkdirSync(join(at, "bin"));
  symlinkSync(resolve("."), join(modules, "rosterctl"));
  symlinkSync(resolve("dist/main.js"), join(at, "bin/roster"));
  return { NPM_CONFIG_PREFIX: at, PATH: `${join(at, "bin")}:${process.env["PATH"]}` };
}

/** A shell in a terminal, which says how each command ended. */
function shell(cwd: string, env: Readonly<Record<string, string>>) {
  const size = { columns: 120, rows: 50 };
  const terminal = inTerminal(
    ["bash", "--norc", "--noprofile"],
    { cwd, env: { ...env, PS1: "", ...noHistory }, ...size },
    onTestFinished,
  );
  let count = 0;
  return {
    terminal,
    async run(command: string): Promise<{ readonly code: number; readonly shown: string }> {
      const mark = `ended-${++count}-`;
      const before = terminal.sent().length;
      terminal.type(`${command}; echo ${mark}$?\n`);
      if (/^roster apply$/u.test(command)) {
        await terminal.until("a approve");
        terminal.type("a");
        await terminal.until("Apply this plan?");
        terminal.type("yes\r");
      }
      const ended = new RegExp(`^${mark}(\\d+)$`, "mu");
      const screen = await terminal.until(ended);
      const [, code = ""] = ended.exec(screen.join("\n")) ?? [];
      return { code: Number(code), shown: terminal.sent().slice(before) };
    },
  };
}

const noHistory = { HISTFILE: "", TERM: "xterm-256color", BASH_SILENCE_DEPRECATION_WARNING: "1" };

/** The commands of a block, each with the last line that the page shows of its output. */
function commandsOf(text: string): readonly { readonly command: string; readonly last: string }[] {
  return text
    .split(/^\$ /mu)
    .slice(1)
    .map((part) => {
      const [command = "", ...output] = part.trimEnd().split("\n");
      // The ID of a plan depends on the address of the service, and the head of a log on its lineage.
      const last = (output.at(-1) ?? "").replace(/(Plan ID |Log head: ).*$/u, "$1");
      return { command, last };
    });
}

test.skipIf(noTerminal !== undefined)(
  "the first hour: whoever types the quickstart in a terminal sees what it says, from an empty directory to a pipeline",
  async () => {
    const at = emptyDirectory();
    const home = join(at, "home");
    mkdirSync(home);
    const env = installed(join(at, "npm"));
    const mine = shell(home, env);
    const directory = join(home, "my-roster");
    let next: Record<string, string> = {};
    const differs: string[] = [];
    for (const block of blocksOf(page)) await follow(block);
    expect(differs).toEqual([]);

    async function follow(block: Block): Promise<void> {
      if (block.kind === "instruction") {
        next = { ...next, [block.name]: block.value };
        return;
      }
      const { change, exit = "0" } = next;
      next = {};
      if (change !== undefined) edit(join(directory, change), block.text);
      if (block.language !== "console") return;
      for (const { command, last } of commandsOf(block.text)) {
        if (command === "roster serve") await serve();
        else await type(command, { code: Number(exit), last });
      }
    }

    async function type(command: string, expected: { readonly code: number; readonly last: string }): Promise<void> {
      const { code, shown } = await mine.run(command);
      if (code !== expected.code || !shown.includes(expected.last))
        differs.push(`${command} ends with ${code}: ${shown}`);
    }

    /** In another terminal, at a port that is free; its lines are pasted into the first one. */
    async function serve(): Promise<void> {
      const other = inTerminal(
        ["roster", "serve", "--port", "0"],
        { cwd: home, env, columns: 120, rows: 30 },
        onTestFinished,
      );
      const screen = await other.until("$env:ROSTER_API_KEY");
      for (const line of screen.filter((one) => one.startsWith("export "))) await mine.run(line);
    }

    // The pipeline's own lines, as a job runs them.
    const copied = join(directory, ".github/workflows/roster-plan.yml");
    const { jobs } = parse(readFileSync(copied, "utf8")) as Workflow;
    const scripts = jobs.plan.steps.flatMap(({ run = "" }) =>
      run.includes("roster ") && !run.includes("gh ") ? [run] : [],
    );
    expect(scripts.length).toBe(1);
    copyFileSync(join(directory, ".roster/log.jsonl"), join(at, "log.jsonl"));
    const job = `export CI=true RUNNER_TEMP=${at} ROSTER_STATE=file:${join(at, "log.jsonl")}`;
    await mine.run(job);
    for (const [index, script] of scripts.entries()) {
      const file = join(at, `step-${index}.sh`);
      writeFileSync(file, script);
      expect((await mine.run(`bash -e ${file}`)).code, script).toBe(0);
    }
    expect(readFileSync(join(at, "plan.md"), "utf8")).toMatch(/^## Plan for .*: no changes$/mu);
  },
);

/** As an editor would. */
function edit(file: string, diff: string): void {
  writeFileSync(file, applyDiff(readFileSync(file, "utf8"), diff));
}

interface Workflow {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly run?: string }[] } };
}

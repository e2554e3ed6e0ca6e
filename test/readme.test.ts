import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { startReferenceServer } from "../src/reference-server/server.ts";
import { emptyDirectory, roster } from "./support/command.ts";

/** The console blocks of the README: a command and what it prints. */
interface Session {
  readonly command: string;
  readonly output: string;
}

const block = /^```console\n\$ ([^\n]+)\n((?:(?!```).*\n)*)```$/gmu;

async function sessions(): Promise<readonly Session[]> {
  const text = await readFile("README.md", "utf8");
  return [...text.matchAll(block)].map(([, command = "", output = ""]) => ({ command, output }));
}

/** What differs from run to run, as the README writes it. */
function settled(output: string): string {
  return output
    .replace(/http:\/\/127\.0\.0\.1:\d+/gu, "http://127.0.0.1:7070")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "2026-11-20T09:00:00.000Z");
}

/** Runs the commands of the README one after the other, on a service where nobody is yet. */
async function run(commands: readonly string[]): Promise<readonly Session[]> {
  const server = await startReferenceServer({ port: 0 });
  const state = `file:${join(emptyDirectory(), "state.json")}`;
  const env = {
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_API_KEY: server.key,
    ROSTER_STATE: state,
    ROSTER_PARALLELISM: "1",
  };
  const told: Session[] = [];
  for (const command of commands) {
    const args = command.split(" ").slice(1);
    const { stdout, code } = await roster(args, { cwd: resolve("."), env });
    expect(code).toBe(0);
    told.push({ command, output: settled(stdout) });
  }
  await server.close();
  return told;
}

describe("README", () => {
  test("shows what the commands print", async () => {
    const written = await sessions();
    expect(written.length).toBe(4);
    const told = await run(written.map(({ command }) => command));
    if (process.env["README_UPDATE"] === "1") await update(told);
    else expect(written).toEqual(told.map(asShown));
  });

  test("shows the quickstart as it is", async () => {
    const text = await readFile("README.md", "utf8");
    const example = await readFile("examples/quickstart/roster.yaml", "utf8");
    expect(text).toContain(example.slice(example.indexOf("version: 1")));
  });

  test("names every command that there is, and no other", async () => {
    const text = await readFile("README.md", "utf8");
    const inTable = [...text.matchAll(/^\| `roster ([a-z]+)/gmu)].map(([, name]) => name);
    const help = (await roster(["--help"], { cwd: resolve(".") })).stdout;
    const inHelp = [...help.slice(help.indexOf("Commands:")).matchAll(/^ {2}([a-z]+) /gmu)].map(([, name]) => name);
    expect([...inTable, "help"].sort()).toEqual([...inHelp].sort());
  });
});

/** Of an apply the README leaves out the plan, which stands above it. */
function asShown({ command, output }: Session): Session {
  const keys = output.indexOf("Keys (");
  return { command, output: keys < 0 ? output : `…\n${output.slice(keys)}` };
}

async function update(told: readonly Session[]): Promise<void> {
  const rest = told.map(asShown);
  const text = await readFile("README.md", "utf8");
  const renewed = text.replace(block, () => {
    const { command, output } = rest.shift() ?? { command: "", output: "" };
    return `\`\`\`console\n$ ${command}\n${output}\`\`\``;
  });
  await writeFile("README.md", renewed);
}

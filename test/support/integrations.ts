import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

export const integrations = "examples/integrations";

export const integrationFiles: readonly string[] = readdirSync(integrations, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`.slice(integrations.length + 1))
  .sort();

export function integrationText(file: string): string {
  return readFileSync(`${integrations}/${file}`, "utf8");
}

const parsed = new Map<string, unknown>();

export function integrationYaml(file: string): unknown {
  if (!parsed.has(file)) parsed.set(file, parse(integrationText(file)));
  return parsed.get(file);
}

/** The values of all keys of a name, wherever they stand. */
export function valuesOf(key: string, within: unknown): readonly unknown[] {
  if (Array.isArray(within)) return within.flatMap((item) => valuesOf(key, item));
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([name, value]) =>
    name === key ? [value, ...valuesOf(key, value)] : valuesOf(key, value),
  );
}

export function scriptsIn(file: string): readonly string[] {
  const yaml = integrationYaml(file);
  return ["run", "script", "before_script"].flatMap((key) =>
    valuesOf(key, yaml)
      .flat()
      .filter((value) => typeof value === "string"),
  );
}

/** The command lines of roster in an example, as words; what they take from variables is still to be filled in. */
export function rosterLines(file: string): readonly (readonly string[])[] {
  return commandsOf(file).filter(([first]) => first === "roster");
}

function commandsOf(file: string): readonly (readonly string[])[] {
  if (file.endsWith(".service")) return [execStart(integrationText(file))];
  if (file.endsWith("Containerfile")) return [entryPoint(integrationText(file))];
  if (file.startsWith("kubernetes/"))
    return valuesOf("args", integrationYaml(file)).map((args) => ["roster", ...texts(args)]);
  if (file.startsWith("pre-commit/")) return hooksIn(integrationYaml(file));
  if (!/\.ya?ml$/u.test(file)) return [];
  return scriptsIn(file).flatMap((script) => script.split("\n").map((line) => words(line)));
}

function execStart(unit: string): readonly string[] {
  const [, line = ""] = /^ExecStart=(.*)$/mu.exec(unit) ?? [];
  const [program = "", ...args] = words(line);
  return [program.split("/").at(-1) ?? "", ...args];
}

function entryPoint(text: string): readonly string[] {
  const listOf = (name: string) =>
    JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, "mu").exec(text)?.[1] ?? "[]") as string[];
  const [program = "", ...args] = [...listOf("ENTRYPOINT"), ...listOf("CMD")];
  return [program.split("/").at(-1) ?? "", ...args];
}

/** Hooks get the names of files, unless they say otherwise. */
function hooksIn(yaml: unknown): readonly (readonly string[])[] {
  const hooks = valuesOf("hooks", yaml).flat() as readonly {
    readonly entry: string;
    readonly pass_filenames?: boolean;
  }[];
  return hooks.map(({ entry, pass_filenames: pass }) => [
    ...words(entry),
    ...(pass === false ? [] : ["roster/roster.yaml"]),
  ]);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The words of the first command of a line, quotes taken off; ends before anything that is another command. */
function words(line: string): readonly string[] {
  const [first = ""] = line.trim().split(/ (?:\|\||&&|\||;|>>?) /u);
  return [...first.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu)].map(([word]) => word.replace(/["']/gu, ""));
}

/** Words with what variables hold; throws on one that nobody has set. A variable that stands alone may hold several words. */
export function filled(line: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  return line.flatMap((word) => {
    const text = word.replace(/\$\{?(\w+)\}?/gu, (_, name: string) => {
      const value = env[name];
      if (value === undefined) throw new Error(`nothing sets ${name}, which \`${line.join(" ")}\` takes`);
      return value;
    });
    return /^\$\w+$/u.test(word) ? text.split(" ") : [text];
  });
}

export const workflows = integrationFiles.filter((file) => /^github\/.*\.yml$/u.test(file));

export interface WorkflowStep {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Workflow {
  readonly defaults?: { readonly run: { readonly shell?: string } };
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: object;
        readonly environment?: string;
        readonly "timeout-minutes"?: number;
        readonly steps: readonly WorkflowStep[];
      }
    >
  >;
}

import { readFileSync } from "node:fs";
import type { Argument, Command, Help, Option } from "commander";
import { precedence } from "../../../src/cli/output/exit-code.ts";
import { variables } from "../../../src/cli/settings/environment.ts";
import { type SettingRow, settingRows } from "../../../src/cli/settings/setting-rows.ts";
import { settingsTrust } from "../../../src/cli/settings/settings-file.ts";
import { catalogue } from "../../../src/report/codes/catalogue.ts";
import { faults } from "../../bench/faults/fault-list.ts";
import { commandTree } from "../../support/command-tree.ts";

/** A part of a page stands between `<!-- generated: NAME -->` and `<!-- end generated -->`. */
const part = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end generated -->)/gu;

/** Every part that is written from the sources, by its name. */
const parts: Readonly<Record<string, () => string>> = {
  commands,
  settings,
  variables: otherVariables,
  trust,
  codes,
  exitCodes,
  precedence: exitCodeOrder,
  roster,
  faults: faultList,
};

/** A page with its generated parts as the sources have them now. */
export function withGeneratedParts(page: string): string {
  return page.replace(part, (_, begin: string, name: string, end: string) => {
    const generate = parts[name];
    if (generate === undefined) throw new Error(`no part is called ${name}`);
    return `${begin}\n${generate()}\n\n${end}`;
  });
}

/** The help of every command. A flag that several commands have in one meaning stands once, above them. */
function commands(): string {
  const tree = commandTree().commands.map(({ command, path }) => {
    const helper = command.createHelp();
    return { command, path, rows: rowsOf(command, helper), help: helper };
  });
  const all = tree.flatMap(({ rows }) => rows);
  const count = ({ meaning, name }: FlagRow) =>
    all.filter((one) => one.name === name && one.meaning === meaning).length;
  const shared = new Map<string, FlagRow>();
  for (const row of all.filter((one) => count(one) >= 3)) {
    const other = shared.get(row.name);
    if (other === undefined || count(row) > count(other)) shared.set(row.name, row);
  }
  const isShared = ({ name, meaning }: FlagRow) => shared.get(name)?.meaning === meaning;
  const told = tree.map(({ command, path, rows, help }) => {
    const names = rows.filter(isShared).map(({ name }) => code(name.replace(/ <.*/u, "")));
    const without = new Set(rows.filter(isShared).map(({ flag }) => flag));
    const visibleOptions = help.visibleOptions(command).filter((one) => one.long !== "--help" && !without.has(one));
    const visibleArguments = help.visibleArguments(command).filter((one) => !without.has(one));
    command.configureHelp({
      ...command.configureHelp(),
      visibleOptions: () => visibleOptions,
      visibleArguments: () => visibleArguments,
      // Each has a section of its own.
      ...(path === "" ? {} : { visibleCommands: () => [] }),
    });
    const chunks: string[] = [];
    command.configureOutput({ writeOut: (text) => void chunks.push(text), writeErr: (text) => void chunks.push(text) });
    command.outputHelp();
    const title = `roster ${path}`.trim();
    return `## ${title}\n\n\`\`\`text\n${chunks.join("").trimEnd()}\n\`\`\`${names.length === 0 ? "" : `\n\nShared: ${names.join(", ")}`}`;
  });
  const rows = [...shared.values()].map(({ name, meaning }) => [code(name), sentence(meaning)]);
  return [`## Shared flags\n\n${table(["flag or argument", "meaning"], rows)}`, ...told].join("\n\n");
}

interface FlagRow {
  readonly flag: Option | Argument;
  readonly name: string;
  readonly meaning: string;
}

function rowsOf(command: Command, help: Help): readonly FlagRow[] {
  return [
    ...help.visibleArguments(command).map((flag) => ({
      flag,
      name: help.argumentTerm(flag),
      meaning: help.argumentDescription(flag),
    })),
    ...command.options.map((flag) => ({ flag, name: help.optionTerm(flag), meaning: help.optionDescription(flag) })),
  ];
}

/** What guards take stands in the page about guards. */
function settings(): string {
  const rows = settingRows.flatMap((row) => {
    if (row.setting === "guards") return [];
    const { flag, variables: names = [], usual } = row;
    const ways = [keyOf(row), flag === undefined ? "" : code(`--${flag}`), names.map(code).join(", ")];
    return [[...ways, usual === undefined ? "" : code(usual), meaningOf(row)]];
  });
  return table(["key in the file", "flag", "variable", "default", "meaning"], rows);
}

function keyOf({ setting, part: inner }: SettingRow): string {
  if (setting === undefined) return "";
  return code(inner === undefined ? setting : `${setting}.${inner}`);
}

function meaningOf({ variables: names = [], setting, part: inner, isSecret }: SettingRow): string {
  const whole = setting === undefined ? {} : properties(settingsSchema())[setting];
  const schema = inner === undefined ? whole : properties(whole ?? {})[inner];
  const variable = Object.entries(variables).find(([known]) => known === names[0])?.[1];
  const meaning = sentence((isSecret ? variable : schema?.description) ?? variable ?? "");
  return isSecret === true ? `${meaning} Never shown.` : meaning;
}

/** The variables that no row of the settings has. */
function otherVariables(): string {
  const shown = settingRows.flatMap(({ variables: names = [] }) => names);
  const rest = Object.entries(variables).filter(([name]) => !shown.includes(name));
  return table(
    ["variable", "meaning"],
    rest.map(([name, meaning]) => [code(name), sentence(meaning)]),
  );
}

/** What befalls the tools of the comparison. */
function faultList(): string {
  return table(
    ["fault", "what happens"],
    faults.map(({ name, about }) => [name, about]),
  );
}

/** What a settings file in the checkout may set while CI is set. */
function trust(): string {
  const rows = Object.entries(settingsTrust).map(([name, { inPipelines, because, otherwise }]) => [
    code(name),
    inPipelines === "taken" ? "accepted" : "refused",
    sentence(because),
    otherwise ?? "",
  ]);
  return table(["setting", "in a pipeline", "why", "set it instead with"], rows);
}

function exitCodes(): string {
  const rows = catalogue
    .filter(({ kind }) => kind === "exit-code")
    .map(({ code: name, title, next }) => [code(name), sentence(title), next]);
  return table(["exit code", "meaning", "what to do"], rows);
}

function exitCodeOrder(): string {
  const order = precedence.map(({ code: number }) => number).join(" ");
  return `If several exit codes apply, roster uses the first in this order: ${code(order)}.`;
}

/** Every code in a row; `roster explain CODE` says more. An exit code that all codes of a section share stands once. */
function codes(): string {
  const kinds = [...new Set(catalogue.map(({ about }) => about))].filter((about) => about !== "how a command ends");
  const sections = kinds.map((about) => {
    const entries = catalogue.filter((entry) => entry.about === about);
    const rows = entries.map(({ code: name, title, exitCodes: ends }) => [
      code(name),
      sentence(title),
      ends.join(", "),
    ]);
    const [shared, ...others] = new Set(rows.map(([, , ends]) => ends));
    const heading = `## ${sentence(about).slice(0, -1)}\n\n`;
    if (others.length > 0) return `${heading}${table(["code", "meaning", "exit code"], rows)}`;
    const ends = shared === "" ? "" : `Exit code ${shared}.\n\n`;
    return `${heading}${ends}${table(
      ["code", "meaning"],
      rows.map((row) => row.slice(0, 2)),
    )}`;
  });
  return sections.join("\n\n");
}

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

function settingsSchema(): Schema {
  return JSON.parse(readFileSync("schemas/settings.schema.json", "utf8")) as Schema;
}

function properties(schema: Schema): Readonly<Record<string, Schema>> {
  return schema.properties ?? {};
}

/** Every section and key of a roster file. */
function roster(): string {
  const schema = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8")) as Schema;
  const definitions = schema.definitions ?? {};
  const nested = ["user", "leaver", "team", "userMember", "groupMember", "key"] as const;
  const titles = {
    user: "users",
    leaver: "leavers",
    team: "teams",
    userMember: "members: a user",
    groupMember: "members: a group",
    key: "keys",
  };
  const tables = nested.map((name) => `### ${titles[name]}\n\n${keysOf(definitions[name] ?? {}, definitions)}`);
  return [`### The sections of a file\n\n${keysOf(schema, definitions)}`, ...tables].join("\n\n");
}

/** Keys of every entry, which the page describes once. */
const forReaders: readonly string[] = ["owner", "note"];

function keysOf(schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
  const rows = Object.entries(properties(schema)).flatMap(([name, property]) => {
    const reference = /^#\/definitions\/(\w+)$/u.exec(referenceOf(property) ?? property.items?.$ref ?? "")?.[1] ?? "";
    const target = definitions[reference];
    const needed = schema.required?.includes(name) === true ? "yes" : "";
    const meaning = property.description ?? target?.description ?? "";
    const choices = (property.enum ?? []).map((one) => code(String(one))).join(", ");
    const values = choices === "" ? "" : ` One of ${choices}; default ${code(String(property.default))}.`;
    if (forReaders.includes(reference)) return [];
    return [[code(name), needed, `${meaning}${values}`]];
  });
  return table(["key", "required", "meaning"], rows);
}

/** A key that says more about itself refers in `allOf`. */
function referenceOf({ $ref, allOf = [] }: Schema): string | undefined {
  return $ref ?? allOf.find((one) => one.$ref !== undefined)?.$ref;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n").replace(/ {2,}\|/gu, " |");
}

function code(text: string): string {
  return `\`${text}\``;
}

function sentence(text: string): string {
  if (text === "") return "";
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/u, "")}.`;
}

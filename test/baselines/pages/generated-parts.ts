import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { precedence } from "../../../src/cli/exit-code.ts";
import { variables } from "../../../src/cli/settings/environment.ts";
import { type SettingRow, settingRows, settingTable } from "../../../src/cli/settings/setting-table.ts";
import { catalogue } from "../../../src/codes/catalogue.ts";
import { faults } from "../../bench/faults/fault-list.ts";
import { commandTree } from "../../support/command-tree.ts";

/** A part of a page stands between `<!-- generated: NAME -->` and `<!-- end generated -->`. */
const part = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end generated -->)/gu;

/** Every part that is written from the sources, by its name. */
const parts: Readonly<Record<string, () => string>> = {
  commands,
  settings,
  trust,
  codes,
  exitCodes,
  precedence: exitCodeOrder,
  faults: () => faults.map(({ name, about }) => `- **${name}**: ${about}`).join("\n"),
};

/** A page with its generated parts as the sources have them now. */
export function withGeneratedParts(page: string): string {
  return page.replace(part, (_, begin: string, name: string, end: string) => {
    const generate = parts[name];
    if (generate === undefined) throw new Error(`no part is called ${name}`);
    return `${begin}\n${generate()}\n\n${end}`;
  });
}

/** Every command with the flags that are its own; `--help` says what they mean. */
function commands(): string {
  const tree = commandTree().commands.filter(({ path }) => path !== "");
  const flagsOf = (command: Command) => command.options.map(({ long }) => long ?? "");
  const all = tree.flatMap(({ command }) => flagsOf(command));
  const isShared = (flag: string) => all.filter((one) => one === flag).length > 5;
  const lines = tree.flatMap(({ command, path }) => {
    if (command.commands.length > 0 && command.options.length === 0) return [];
    const terms = command.registeredArguments.map((one) => {
      const term = `${one.name()}${one.variadic ? "..." : ""}`;
      return one.required ? `<${term}>` : `[${term}]`;
    });
    const own = flagsOf(command).filter((flag) => !isShared(flag));
    const flags = own.length === 0 ? "" : ` (${own.map(code).join(", ")})`;
    return [`- ${code(["roster", path, ...terms].join(" "))}: ${command.description()}${flags}`];
  });
  const shared = [...new Set(all.filter(isShared))].map(code).join(", ");
  return `${lines.join("\n")}\n\nMany commands have ${shared}.`;
}

/** What guards take stands in the page about guards. */
function settings(): string {
  const shown: readonly string[] = settingRows.flatMap(({ variables: names = [] }) => names);
  const others = Object.entries(variables).filter(([name]) => !shown.includes(name));
  const rows = settingRows.flatMap((row) => {
    const { setting, flag, variables: names = [] } = row;
    if (setting?.startsWith("guards.")) return [];
    const key = setting === undefined ? [] : [setting];
    const ways = [...key, ...(flag === undefined ? [] : [`--${row.name}`]), ...names];
    const meaning = meaningOf(row);
    const usual = schemaOf(row)?.default;
    const standard = usual === undefined ? "" : ` Default: ${code(String(usual))}.`;
    return [`- ${ways.map(code).join(", ")}: ${meaning}${standard}`];
  });
  return [...rows, ...others.map(([name, meaning]) => `- ${code(name)}: ${sentence(meaning)}`)].join("\n");
}

function schemaOf({ setting }: SettingRow): Schema | undefined {
  const schema = JSON.parse(readFileSync("schemas/settings.schema.json", "utf8")) as Schema;
  return setting?.split(".").reduce<Schema | undefined>((whole, part) => properties(whole ?? {})[part], schema);
}

function meaningOf(row: SettingRow): string {
  const { variables: names = [], isSecret } = row;
  const variable = Object.entries(variables).find(([known]) => known === names[0])?.[1];
  const meaning = sentence((isSecret ? variable : schemaOf(row)?.description) ?? variable ?? "");
  return isSecret === true ? `${meaning} Never shown.` : meaning;
}

/** What a settings file in the checkout may set while CI is set. */
function trust(): string {
  const entries = Object.entries(settingTable);
  const refused = entries.flatMap(([name, { inPipelines, because, instead }]) => {
    const other = instead === undefined ? "" : ` Set ${instead} instead.`;
    return inPipelines === "refused" ? [`- ${code(name)}: ${sentence(because)}${other}`] : [];
  });
  const accepted = entries.flatMap(([name, { inPipelines }]) => (inPipelines === "taken" ? [code(name)] : []));
  return `${refused.join("\n")}\n\nAccepted are ${accepted.join(", ")}: they let a pull request do no more than its roster files do. No key from the environment goes to such an \`endpoint\`.`;
}

function exitCodes(): string {
  const ends = catalogue().filter(({ kind }) => kind === "exit-code");
  return ends.map(({ code: name, title, next }) => `- ${code(name)}: ${sentence(title)} ${next}`).join("\n");
}

function exitCodeOrder(): string {
  const order = precedence.map(({ code: number }) => number).join(" ");
  return `If several exit codes apply, roster uses the first in this order: ${code(order)}.`;
}

/** Every code that no other page lists, with its unusual exit codes. Where all codes of a kind end with 3, their names say enough. */
function codes(): string {
  const listed = catalogue().filter(({ kind }) => kind === "finding" || kind === "problem" || kind === "diagnostic");
  const sections = [...new Set(listed.map(({ about }) => about))].map((about) => {
    const entries = listed.filter((entry) => entry.about === about);
    const [{ kind } = { kind: "finding" }] = entries;
    const heading = `### ${sentence(about).slice(0, -1)}\n\n`;
    if (kind === "diagnostic") {
      const names = entries.map(
        ({ code: name, exitCodes: ends }) => code(name) + (ends.includes(3) ? "" : " (a warning)"),
      );
      return `${heading}Exit code 3: ${names.join(", ")}.`;
    }
    const usual = kind === "finding" ? [0, 9] : [1, 7];
    const ending =
      kind === "finding"
        ? "A task ends with 9, a notice with 0."
        : "A failed command ends with 1, an apply with a failed call with 7.";
    const lines = entries.map(({ code: name, title, exitCodes: ends }) => {
      const others = ends.filter((end) => !usual.includes(end));
      return `- ${code(name)}${others.length === 0 ? "" : ` (${others.join(", ")})`}: ${sentence(title)}`;
    });
    return `${heading}${ending}\n\n${lines.join("\n")}`;
  });
  return sections.join("\n\n");
}

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function properties(schema: Schema): Readonly<Record<string, Schema>> {
  return schema.properties ?? {};
}

function code(text: string): string {
  return `\`${text}\``;
}

function sentence(text: string): string {
  if (text === "") return "";
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/u, "")}.`;
}

import { readFileSync } from "node:fs";
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
  flags,
  settings,
  trust,
  codes,
  exitCodes,
  precedence: exitCodeOrder,
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

/** Every command. What its flags mean stands in the list of flags. */
function commands(): string {
  const lines = commandTree().commands.flatMap(({ command, path }) => {
    if (path === "") return [];
    const terms = command.registeredArguments.map((one) => {
      const term = `${one.name()}${one.variadic ? "..." : ""}`;
      return one.required ? `<${term}>` : `[${term}]`;
    });
    return [`- ${code(["roster", path, ...terms].join(" "))}: ${command.description()}.`];
  });
  return lines.join("\n");
}

/** Every flag, with its commands where they are few. One that means something else for a command says what. */
function flags(): string {
  const meanings = new Map<string, Map<string, string[]>>();
  for (const { command, path } of commandTree().commands) {
    const help = command.createHelp();
    for (const option of command.options) {
      const said = meanings.get(help.optionTerm(option)) ?? new Map<string, string[]>();
      const meaning = help.optionDescription(option).replace(/choices: (?:[\w-]+, )+default/u, "default");
      said.set(meaning, [...(said.get(meaning) ?? []), path]);
      meanings.set(help.optionTerm(option), said);
    }
  }
  const lines = [...meanings]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, said]) => {
      const [[usual = "", owners = []] = [], ...others] = [...said].sort(([, a], [, b]) => b.length - a.length);
      const few = owners.length > 3 || owners.includes("") ? "" : ` (${owners.map(code).join(", ")})`;
      const special = others.map(([meaning, paths]) => `${paths.map(code).join(", ")}: ${meaning}`);
      return `- ${code(name)}${few}: ${[usual, ...special].join(". ")}.`;
    });
  return lines.join("\n");
}

/** What guards take stands in the page about guards. */
function settings(): string {
  const shown = settingRows.flatMap(({ variables: names = [] }) => names);
  const others = Object.entries(variables).filter(([name]) => !shown.includes(name));
  const rows = settingRows.flatMap((row) => {
    const { setting, part: inner, flag, variables: names = [], usual } = row;
    if (setting === "guards") return [];
    const key = setting === undefined ? [] : [inner === undefined ? setting : `${setting}.${inner}`];
    const ways = [...key, ...(flag === undefined ? [] : [`--${flag}`]), ...names];
    const meaning = meaningOf(row);
    const standard = usual === undefined || meaning.includes("default is") ? "" : ` Default: ${code(usual)}.`;
    return [`- ${ways.map(code).join(", ")}: ${meaning}${standard}`];
  });
  return [...rows, ...others.map(([name, meaning]) => `- ${code(name)}: ${sentence(meaning)}`)].join("\n");
}

function meaningOf({ variables: names = [], setting, part: inner, isSecret }: SettingRow): string {
  const whole = setting === undefined ? {} : properties(settingsSchema())[setting];
  const schema = inner === undefined ? whole : properties(whole ?? {})[inner];
  const variable = Object.entries(variables).find(([known]) => known === names[0])?.[1];
  const meaning = sentence((isSecret ? variable : schema?.description) ?? variable ?? "");
  return isSecret === true ? `${meaning} Never shown.` : meaning;
}

/** What befalls the tools of the comparison. */
function faultList(): string {
  return faults.map(({ name, about }) => `- **${name}**: ${about}`).join("\n");
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
  const ends = catalogue.filter(({ kind }) => kind === "exit-code");
  return ends.map(({ code: name, title, next }) => `- ${code(name)}: ${sentence(title)} ${next}`).join("\n");
}

function exitCodeOrder(): string {
  const order = precedence.map(({ code: number }) => number).join(" ");
  return `If several exit codes apply, roster uses the first in this order: ${code(order)}.`;
}

/** Every code that no other page lists, with its exit codes. Where all codes of a kind end with 3, their names say enough. */
function codes(): string {
  const listed = catalogue.filter(({ kind }) => kind === "finding" || kind === "problem" || kind === "diagnostic");
  const sections = [...new Set(listed.map(({ about }) => about))].map((about) => {
    const entries = listed.filter((entry) => entry.about === about);
    const lines = entries.map(({ code: name, title, exitCodes: ends }) => {
      return `- ${code(name)} (${ends.join(", ")}): ${sentence(title)}`;
    });
    const names = entries.map(
      ({ code: name, exitCodes: ends }) => code(name) + (ends.includes(3) ? "" : " (a warning)"),
    );
    const text = entries.every(({ kind }) => kind === "diagnostic")
      ? `Exit code 3: ${names.join(", ")}`
      : lines.join("\n");
    return `### ${sentence(about).slice(0, -1)}\n\n${text}`;
  });
  return sections.join("\n\n");
}

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function settingsSchema(): Schema {
  return JSON.parse(readFileSync("schemas/settings.schema.json", "utf8")) as Schema;
}

function properties(schema: Schema): Readonly<Record<string, Schema>> {
  return schema.properties ?? {};
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

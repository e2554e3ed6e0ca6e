import { Argument, Command, Help, InvalidArgumentError, Option } from "commander";
import { rosterVersion } from "../../codec/version.ts";
import { type CommandName, formatsOf } from "../../report/formats.ts";
import { type Report, readReport } from "../report-flags.ts";
import { commandTexts, flagSets, sharedFlags } from "./command-texts.ts";

export type Example = readonly [line: string, says: string];

export type Action = Parameters<Command["action"]>[0];

/** Undefined for a command that only holds others. */
type ActionOf = (path: string) => Action | undefined;

type FlagText = ReturnType<typeof readFlags>[number];

/** Lines such as `--out <file> (required) (a|b): text`. */
function readFlags(text: string) {
  const form = /^ {2}((?:--|[<[])\S+(?: <\S+>)?)((?: \([^)]*\))*): (.*)$/gmu;
  return [...text.matchAll(form)].map(([, term = "", marks = "", says = ""]) => {
    const choices = /\(([^)]*\|[^)]*)\)/u.exec(marks)?.[1]?.split("|");
    return { term, isRequired: marks.includes("(required)"), choices, says };
  });
}

const shared = readFlags(sharedFlags);

type CommandText = (typeof commandTable)[number];

const commandTable = commandTexts.split(/^(?=[A-Z])/mu).flatMap((group) => {
  const [heading = "", ...texts] = group.trim().split(/\n+(?=\S)/u);
  return texts.map((text) => {
    const [, path = "", taken = "", says = ""] = /^([a-z -]+?)((?: [<[]\S+)*): (.*)/u.exec(text) ?? [];
    const line = (word: string) => new RegExp(`^  ${word} (.*)$`, "mu").exec(text)?.[1]?.split(" ");
    const examples = [...text.matchAll(/^ {2}(roster .*?) {2}# (.*)$/gmu)].map(
      ([, one = "", good = ""]): Example => [one, good],
    );
    const takes = taken.split(" ").filter((name) => name !== "");
    const read = { path, heading, says, takes, examples };
    return { ...read, parts: readFlags(text), words: line("with") ?? [], first: line("first") };
  });
});

/** By the words that call a command, and no words for roster itself: the examples with which its help begins. */
export const helpExamples: ReadonlyMap<string, readonly Example[]> = new Map([
  [
    "",
    [
      ["roster demo", "try it in ten seconds"],
      ["roster init my-roster", "start a roster"],
      ["roster plan", "show planned changes"],
    ],
  ],
  ...commandTable.map(({ path, examples }) => [path, examples] as const),
]);

export const documentNames: readonly CommandName[] = [
  "validate",
  ...(["plan", "show", "apply", "drift"] as const),
  ...(["explain", "doctor", "access", "state", "audit", "fleet"] as const),
];

/** Whether a command can be parsed without the others: all but the one that completes their names. */
export function standsAlone(command: string): boolean {
  return command !== "completion" && commandTable.some(({ path }) => path === command);
}

/** Every command of roster, or the only one that is to be parsed: to describe them all is much of a short command's time. */
export function newProgram(
  { answer, complain }: { answer(text: string): void; complain(text: string): void },
  detail: "common" | "all",
  only: string | undefined,
  actionOf: ActionOf,
): Command {
  const program = new Command("roster")
    .description("Makes an account service match your YAML files:\nusers, teams, members and the roles of access keys.")
    .version(rosterVersion, "-V, --version", "print the version")
    .option("-C, --chdir <directory>", "run in this directory", (next, before: readonly string[] = []) => [
      ...before,
      next,
    ])
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    // What stands after a command is its own, also where the one above it has an option of the same name.
    .enablePositionalOptions()
    .configureOutput({ writeOut: answer, writeErr: complain })
    .exitOverride();
  program.configureHelp({
    // Options and arguments are in the help of the command itself.
    subcommandTerm: (command) => command.name(),
    optionTerm: ({ flags }) => flags.replace(" [", "[=").replace(/\[=(\w+)\]/u, "[=<$1>]"),
    optionDescription: (option) => new Help().optionDescription(option).replaceAll('"', ""),
    visibleCommands: (command) => new Help().visibleCommands(command).filter((one) => one.name() !== "help"),
    visibleOptions(command) {
      const options = new Help().visibleOptions(command);
      const first = firstFlags(commandsWithin(program).find((one) => one.command === command)?.path ?? "");
      if (detail === "all" || first === undefined) return options;
      return first.flatMap((name) => options.filter((option) => nameOf(option) === name));
    },
    groupItems(all, visible, groupOf) {
      const rank = ([heading]: readonly [string, unknown]) => headings.indexOf(heading);
      return new Map([...new Help().groupItems(all, visible, groupOf)].sort((a, b) => rank(a) - rank(b)));
    },
  });
  addCommands(program, only, actionOf);
  for (const { command, path } of commandsWithin(program)) {
    command.addHelpText("before", () => examplesText(helpExamples.get(path) ?? []));
    if (detail === "common" && firstFlags(path) !== undefined) {
      command.addHelpText("after", `\nAll flags: roster help ${path} --all`);
      continue;
    }
    for (const option of command.options) {
      const group = optionGroups.find(({ options }) => options.includes(nameOf(option)));
      if (group !== undefined) option.helpGroup(group.heading);
    }
  }
  program.addHelpText("after", "\nHelp of a command: roster help COMMAND");
  for (const { path, heading } of commandTable) program.commands.find((one) => one.name() === path)?.helpGroup(heading);
  return program;
}

function addCommands(program: Command, only: string | undefined, actionOf: ActionOf): void {
  for (const text of commandTable) {
    const [first = "", inner] = text.path.split(" ");
    if (only !== undefined && only !== first) continue;
    const parent = inner === undefined ? program : program.commands.find((command) => command.name() === first);
    const command = parent?.command(inner ?? first);
    if (command === undefined) throw new Error(`The command ${text.path} has none above it.`);
    describe(command, text);
    const action = actionOf(text.path);
    if (action !== undefined) command.action(action);
  }
}

const pathsText = "roster files or directories; - is standard input (default: .)";

function describe(command: Command, { says, takes, parts, words }: CommandText): void {
  command.description(says);
  for (const name of takes) {
    const { says: meaning = pathsText, choices } = parts.find(({ term }) => term === name) ?? {};
    const argument = new Argument(name, meaning);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  for (const word of words) for (const flag of flagsOf(word)) command.addOption(flag);
  for (const flag of parts.filter(({ term }) => term.startsWith("--"))) command.addOption(optionOf(flag));
}

function flagsOf(word: string): readonly Option[] {
  const [, formats] = /^formats=(.*)$/u.exec(word) ?? [];
  const known = documentNames.find((name) => name === formats);
  if (known !== undefined) return [formatOption(formatsOf(known)), reportOption("FILE", known)];
  if (formats !== undefined) return [formatOption(formats.split("|"))];
  const of = documentNames.find((name) => word === `reports=${name}`);
  if (of !== undefined) return [reportOption("DIR", of)];
  const set = flagSets[word];
  if (set?.includes(":")) return readFlags(set).map(optionOf);
  if (set !== undefined) return set.split(" ").flatMap(flagsOf);
  return shared.filter(({ term }) => term.split(" ")[0] === word).map(optionOf);
}

function optionOf({ term, says, isRequired, choices }: FlagText): Option {
  const option = new Option(term, says).makeOptionMandatory(isRequired);
  if (choices !== undefined) return option.choices([...choices]);
  if (!/\brepeatable\b/u.test(says)) return option;
  return option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
}

function formatOption(formats: readonly string[]): Option {
  return new Option("--format <name>", "output format").choices(formats).default("text");
}

function reportOption(to: "FILE" | "DIR", of: CommandName): Option {
  const what = to === "DIR" ? "write reports to this directory" : "write the result to a file too";
  const option = new Option(`--report <format=${to.toLowerCase()}>`, `${what}; repeatable`);
  return option.argParser((value, before: readonly Report[] = []) => {
    const report = readReport(value, formatsOf(of), before, to);
    if (!report.ok) throw new InvalidArgumentError(report.error);
    return [...before, report.value];
  });
}

const optionGroups: readonly { readonly heading: string; readonly options: readonly string[] }[] = [
  { heading: "For this run alone:", options: ["include", "exclude", "allow", "deadline", "auto-approve"] },
  { heading: "Results:", options: ["format", "report", "view", "detailed-exitcode"] },
  { heading: "The service:", options: ["account", "endpoint", "parallelism", "debug"] },
  { heading: "The log:", options: ["state", "lock-timeout", "break-stale-lock"] },
];

const headings: readonly string[] = [
  "Options:",
  ...optionGroups.map(({ heading }) => heading),
  ...commandTable.map(({ heading }) => heading),
];

function nameOf({ long }: Option): string {
  return (long ?? "").replace(/^--(?:no-)?/u, "");
}

function firstFlags(path: string): readonly string[] | undefined {
  return commandTable.find((command) => command.path === path)?.first;
}

function examplesText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, says]) => `  ${line.padEnd(width)}  # ${says}`);
  const above = examples.flatMap(([line, says]) => [`  # ${says}`, `  ${line}`]);
  return ["Examples:", ...(beside.every((line) => line.length <= 80) ? beside : above), ""].join("\n");
}

export function commandsWithin(
  command: Command,
  path = "",
): readonly { readonly command: Command; readonly path: string }[] {
  const inner = command.commands.flatMap((one) => commandsWithin(one, `${path} ${one.name()}`.trim()));
  return [{ command, path }, ...inner];
}

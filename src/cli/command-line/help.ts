import { type Command, Help, type Option } from "commander";
import { commandsWithin } from "./command-tree.ts";
import { commandTable, type Example, helpExamples } from "./commands.ts";

export type HelpDetail = "common" | "all";

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

export function withHelp(program: Command, detail: HelpDetail, add: () => void): Command {
  program.configureHelp({
    // Options and arguments are in the help of the command itself.
    subcommandTerm: (command) => command.name(),
    optionTerm: ({ flags }) => flags.replace(" [", "[=").replace(/\[=(\w+)\]/u, "[=<$1>]"),
    optionDescription: (option) => new Help().optionDescription(option).replaceAll('"', ""),
    visibleCommands: (command) => new Help().visibleCommands(command).filter((one) => one.name() !== "help"),
    visibleOptions: (command) => shownOptions(command, new Help().visibleOptions(command), detail),
    groupItems: (all, visible, groupOf) => groupsInOrder(new Help().groupItems(all, visible, groupOf)),
  });
  add();
  for (const { command, path } of commandsWithin(program)) {
    command.addHelpText("before", () => examplesText(helpExamples.get(path) ?? []));
    if (detail === "common" && firstFlags(path) !== undefined) {
      command.addHelpText("after", `\nAll flags: roster help ${path} --all`);
    } else groupOptions(command);
  }
  program.addHelpText("after", "\nHelp of a command: roster help COMMAND");
  for (const { path, heading } of commandTable) program.commands.find((one) => one.name() === path)?.helpGroup(heading);
  return program;
}

function shownOptions(command: Command, options: readonly Option[], detail: HelpDetail): Option[] {
  // `fleet plan` has other flags than `plan`.
  const first = command.parent?.parent === null ? firstFlags(command.name()) : undefined;
  if (detail === "all" || first === undefined) return [...options];
  return first.flatMap((name) => options.filter(({ long }) => nameOf(long) === name));
}

function nameOf(long: string | null | undefined): string {
  return (long ?? "").replace(/^--(?:no-)?/u, "");
}

function groupOptions(command: Command): void {
  for (const option of command.options) {
    const name = nameOf(option.long);
    const group = optionGroups.find(({ options }) => options.includes(name));
    if (group !== undefined) option.helpGroup(group.heading);
  }
}

function firstFlags(path: string): readonly string[] | undefined {
  return commandTable.find((command) => command.path === path)?.first;
}

function groupsInOrder<T>(groups: Map<string, T[]>): Map<string, T[]> {
  const rank = (heading: string) => headings.indexOf(heading);
  return new Map([...groups].sort(([a], [b]) => rank(a) - rank(b)));
}

const widest = 80;

function examplesText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, says]) => `  ${line.padEnd(width)}  # ${says}`);
  const above = examples.flatMap(([line, says]) => [`  # ${says}`, `  ${line}`]);
  return ["Examples:", ...(beside.every((line) => line.length <= widest) ? beside : above), ""].join("\n");
}

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
    visibleOptions(command) {
      const options = new Help().visibleOptions(command);
      // `fleet plan` has other flags than `plan`.
      const first = command.parent?.parent === null ? firstFlags(command.name()) : undefined;
      if (detail === "all" || first === undefined) return options;
      return first.flatMap((name) => options.filter((option) => nameOf(option) === name));
    },
    groupItems(all, visible, groupOf) {
      const rank = ([heading]: readonly [string, unknown]) => headings.indexOf(heading);
      return new Map([...new Help().groupItems(all, visible, groupOf)].sort((a, b) => rank(a) - rank(b)));
    },
  });
  add();
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

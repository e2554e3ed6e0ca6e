import { type Command, Help, type Option } from "commander";
import { type Example, examplesOf } from "./help-examples.ts";

/** The commands of roster by what they are for, in the order of the work with it. */
const commandGroups: readonly { readonly heading: string; readonly commands: readonly string[] }[] = [
  { heading: "Try it:", commands: ["demo", "init", "serve"] },
  {
    heading: "Everyday:",
    commands: ["validate", "fmt", "plan", "show", "apply", "explain", "import", "config", "completion"],
  },
  { heading: "CI:", commands: ["drift", "todo", "snapshot", "access", "audit", "fleet"] },
  { heading: "Repair:", commands: ["doctor", "record-ids", "resend-invitation", "state"] },
];

/** What the help of a command with many flags shows on one screen. `roster help COMMAND --all` shows all. */
const commonFlags: Readonly<Record<string, string>> = {
  plan: "out from rehearse unmanaged include exclude allow format report view detailed-exitcode endpoint state",
  apply: "rehearse include exclude allow auto-approve format report view endpoint state lock-timeout",
  drift: "only-new repair webhook webhook-route include exclude auto-approve format report endpoint state lock-timeout",
};

/** How much of the flags a help shows. */
export type HelpDetail = "common" | "all";

/** Options of many commands, told below those of one command alone. */
const optionGroups: readonly { readonly heading: string; readonly options: readonly string[] }[] = [
  {
    heading: "For this run alone:",
    options: ["include", "exclude", "allow", "deadline", "auto-approve"],
  },
  { heading: "Results:", options: ["format", "report", "view", "title", "detailed-exitcode", "tui"] },
  { heading: "The service:", options: ["account", "endpoint", "parallelism", "consistency", "debug"] },
  { heading: "The state:", options: ["state", "lock-timeout", "break-stale-lock", "audit"] },
];

/** Options that mean something else in some command, and then are of that command. */
const ownOptions: readonly string[] = ["serve --state", "drift acknowledge --file"];

const own = "Options:";
const headings: readonly string[] = [
  own,
  ...optionGroups.map(({ heading }) => heading),
  ...commandGroups.map(({ heading }) => heading),
];

/** Gives a program and the commands that `add` adds a help that begins with examples. */
export function withHelp(program: Command, detail: HelpDetail, add: () => void): Command {
  program.configureHelp({
    // Options and arguments are in the help of the command itself.
    subcommandTerm: (command) => command.name(),
    optionTerm: ({ flags }) => flags.replace(" [", "[=").replace(/\[=(\w+)\]/u, "[=<$1>]"),
    optionDescription: (option) => new Help().optionDescription(option).replaceAll('"', ""),
    visibleCommands: (command) => commandsInOrder(new Help().visibleCommands(command)),
    visibleOptions: (command) => shownOptions(command, new Help().visibleOptions(command), detail),
    groupItems: (all, visible, groupOf) => groupsInOrder(new Help().groupItems(all, visible, groupOf)),
  });
  add();
  for (const { command, path } of commandsWithin(program)) {
    command.addHelpText("before", () => examplesText(examplesOf(path)));
    if (detail === "common" && Object.hasOwn(commonFlags, path)) {
      command.addHelpText("after", `\nAll flags: roster help ${path} --all`);
    } else groupOptions(command, path);
  }
  program.addHelpText("after", "\nHelp of a command: roster help COMMAND");
  for (const { heading, commands } of commandGroups) {
    for (const command of program.commands) if (commands.includes(command.name())) command.helpGroup(heading);
  }
  return program;
}

function shownOptions(command: Command, options: readonly Option[], detail: HelpDetail): Option[] {
  const common = Object.hasOwn(commonFlags, command.name()) ? commonFlags[command.name()] : undefined;
  if (detail === "all" || common === undefined) return [...options];
  return common.split(" ").flatMap((name) => options.filter(({ long }) => nameOf(long) === name));
}

function nameOf(long: string | null | undefined): string {
  return (long ?? "").replace(/^--(?:no-)?/u, "");
}

/** A program and its commands, each with the words that call it, such as `state show`. */
export function commandsWithin(
  command: Command,
  path = "",
): readonly { readonly command: Command; readonly path: string }[] {
  const inner = command.commands.flatMap((one) => commandsWithin(one, `${path} ${one.name()}`.trim()));
  return [{ command, path }, ...inner];
}

function groupOptions(command: Command, path: string): void {
  for (const option of command.options) {
    const name = nameOf(option.long);
    const group = optionGroups.find(({ options }) => options.includes(name));
    const isOwn = ownOptions.includes(`${path} --${name}`);
    if (group !== undefined && !isOwn) option.helpGroup(group.heading);
  }
}

function commandsInOrder(commands: readonly Command[]): Command[] {
  const rank = (command: Command) => {
    const order = commandGroups.flatMap((group) => group.commands);
    const at = order.indexOf(command.name());
    return at < 0 ? order.length : at;
  };
  // A line below the groups says how to get help.
  return commands.filter((command) => command.name() !== "help").sort((a, b) => rank(a) - rank(b));
}

function groupsInOrder<T>(groups: Map<string, T[]>): Map<string, T[]> {
  const rank = (heading: string) => headings.indexOf(heading);
  return new Map([...groups].sort(([a], [b]) => rank(a) - rank(b)));
}

/** As wide as a terminal is at the least. */
const widest = 80;

/** Each example with what it is good for beside it or, where one of them would be too wide, above it. */
function examplesText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, says]) => `  ${line.padEnd(width)}  # ${says}`);
  const above = examples.flatMap(([line, says]) => [`  # ${says}`, `  ${line}`]);
  return ["Examples:", ...(beside.every((line) => line.length <= widest) ? beside : above), ""].join("\n");
}

import { type Command, Help } from "commander";
import { type Example, examplesOf } from "./help-examples.ts";

/** The order in which commands are told: that of the work with a roster. Others follow. */
const commandOrder: readonly string[] = [
  "init",
  "validate",
  "fmt",
  "plan",
  "show",
  "apply",
  "drift",
  "import",
  "pin",
  "observe",
  "reinvite",
  "explain",
  "doctor",
  "serve",
  "state",
  "config",
  "completion",
  "demo",
];

/** Options of many commands, told below those of one command alone. */
const optionGroups: readonly { readonly heading: string; readonly options: readonly string[] }[] = [
  {
    heading: "For this run alone:",
    options: [
      "include",
      "exclude",
      "assume-absent",
      "recreate",
      "release",
      "retry-refused",
      "allow",
      "deadline",
      "auto-approve",
    ],
  },
  { heading: "Results:", options: ["format", "report", "view", "title", "detailed-exitcode", "plain"] },
  { heading: "The service:", options: ["account", "endpoint", "parallelism", "consistency", "debug"] },
  { heading: "The state:", options: ["state", "lock-timeout", "take-dead-lock"] },
];

/** Options that mean something else in some command, and then are of that command. */
const ownOptions: readonly string[] = ["serve --state", "drift ack --file"];

const own = "Options:";
const headings: readonly string[] = [own, ...optionGroups.map(({ heading }) => heading)];

/** Gives a program and the commands that `add` adds a help that begins with examples. */
export function withHelp(program: Command, add: () => void): Command {
  program.configureHelp({
    // That nearly all commands have options is no news, and takes the room in which what they do is told.
    subcommandTerm: (command) => new Help().subcommandTerm(command).replace(" [options]", ""),
    visibleCommands: (command) => commandsInOrder(new Help().visibleCommands(command)),
    groupItems: (all, visible, groupOf) => groupsInOrder(new Help().groupItems(all, visible, groupOf)),
  });
  add();
  for (const { command, path } of commandsWithin(program)) {
    command.addHelpText("before", () => examplesText(examplesOf(path)));
    groupOptions(command, path);
  }
  return program;
}

/** A program and its commands, each with the words that call it, such as `state show`. @internal */
export function commandsWithin(
  command: Command,
  path = "",
): readonly { readonly command: Command; readonly path: string }[] {
  const inner = command.commands.flatMap((one) => commandsWithin(one, `${path} ${one.name()}`.trim()));
  return [{ command, path }, ...inner];
}

function groupOptions(command: Command, path: string): void {
  for (const option of command.options) {
    const name = option.long?.replace(/^--(?:no-)?/u, "") ?? "";
    const group = optionGroups.find(({ options }) => options.includes(name));
    const isOwn = ownOptions.includes(`${path} --${name}`);
    if (group !== undefined && !isOwn) option.helpGroup(group.heading);
  }
}

function commandsInOrder(commands: readonly Command[]): Command[] {
  const rank = (command: Command) => {
    const at = commandOrder.indexOf(command.name());
    return at < 0 ? commandOrder.length : at;
  };
  return [...commands].sort((a, b) => rank(a) - rank(b));
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

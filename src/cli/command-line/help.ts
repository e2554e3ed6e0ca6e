import { type Command, Help, type Option } from "commander";

/** The commands of roster by what they are for, in the order of the work with it. */
const commandGroups: readonly { readonly heading: string; readonly commands: readonly string[] }[] = [
  { heading: "Try it:", commands: ["demo", "init", "serve"] },
  {
    heading: "Everyday:",
    commands: ["validate", "plan", "show", "apply", "explain", "import", "completion"],
  },
  { heading: "CI:", commands: ["drift", "snapshot", "access", "audit", "fleet"] },
  { heading: "Repair:", commands: ["doctor", "state"] },
];

/** What the help of a command with many flags shows on one screen. `roster help COMMAND --all` shows all. */
const commonFlags: Readonly<Record<string, string>> = {
  explain: "from unmanaged include exclude format report endpoint state debug",
  access: "as-of only plan format account endpoint state",
  plan: "out from unmanaged include exclude allow format report view detailed-exitcode endpoint state",
  apply: "include exclude allow auto-approve format report view endpoint state lock-timeout",
  drift: "only-new repair include exclude auto-approve format report endpoint state lock-timeout",
};

/** How much of the flags a help shows. */
export type HelpDetail = "common" | "all";

/** Options of many commands, told below those of one command alone. */
const optionGroups: readonly { readonly heading: string; readonly options: readonly string[] }[] = [
  {
    heading: "For this run alone:",
    options: ["include", "exclude", "allow", "deadline", "auto-approve"],
  },
  { heading: "Results:", options: ["format", "report", "view", "detailed-exitcode"] },
  { heading: "The service:", options: ["account", "endpoint", "parallelism", "debug"] },
  { heading: "The log:", options: ["state", "lock-timeout", "break-stale-lock"] },
];

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
    } else groupOptions(command);
  }
  program.addHelpText("after", "\nHelp of a command: roster help COMMAND");
  for (const { heading, commands } of commandGroups) {
    for (const command of program.commands) if (commands.includes(command.name())) command.helpGroup(heading);
  }
  return program;
}

function shownOptions(command: Command, options: readonly Option[], detail: HelpDetail): Option[] {
  // `fleet plan` has other flags than `plan`.
  const isTopLevel = command.parent?.parent === null;
  const common = isTopLevel && Object.hasOwn(commonFlags, command.name()) ? commonFlags[command.name()] : undefined;
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

function groupOptions(command: Command): void {
  for (const option of command.options) {
    const name = nameOf(option.long);
    const group = optionGroups.find(({ options }) => options.includes(name));
    if (group !== undefined) option.helpGroup(group.heading);
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

/** A command line, and what it is good for. */
export type Example = readonly [line: string, says: string];

/** The examples with which the help of a command begins; its path is such as `state show`, and empty for roster itself. @internal */
export function examplesOf(path: string): readonly Example[] {
  return Object.hasOwn(helpExamples, path) ? (helpExamples[path] ?? []) : [];
}

/** By the words that call the command. @internal */
export const helpExamples: Readonly<Record<string, readonly Example[]>> = {
  "": [
    ["roster demo", "try it in ten seconds"],
    ["roster init my-roster", "start a roster"],
    ["roster plan", "show planned changes"],
  ],
  init: [
    ["roster init", "in this directory"],
    ["roster init my-roster", "in a new one"],
  ],
  validate: [
    ["roster validate", "what the settings name, or this directory"],
    ["roster validate people teams/data.yaml", "just these, as one roster"],
  ],
  plan: [
    ["roster plan", "show planned changes"],
    ["roster plan --out plan.json", "save the plan"],
    ["roster plan --include user:ada@acme.example", "only one person"],
  ],
  show: [
    ["roster show plan.json", "a plan that was saved"],
    ["roster show plan.json --view calls", "the same, call by call"],
  ],
  apply: [
    ["roster apply", "plan, ask, apply"],
    ["roster apply --auto-approve", "in a pipeline, on merge"],
    ["roster apply plan.json", "apply a saved plan"],
  ],
  drift: [
    ["roster drift", "show differences, and since when"],
    ["roster drift --only-new --format json", "in a nightly job"],
    ["roster drift --repair tampered", "undo changes made outside roster"],
  ],
  import: [
    ["roster import my-roster", "everything that the key may see"],
    ["roster import --from people.csv --out people/hr.yaml", "generate a roster file from an HR export"],
  ],
  snapshot: [
    ["roster snapshot --out snapshot.json", "for `roster plan --from snapshot.json`"],
    ["roster snapshot --out snapshot.json --deadline 20m", "stop reading after 20 minutes"],
  ],
  explain: [
    ["roster explain user:ada@acme.example", "everything about one user"],
    ["roster explain role:ACCOUNT_ADMIN", "who has it, who should have it, and why"],
    ["roster explain unproven-absence", "what a code means, and what to do"],
  ],
  doctor: [
    ["roster doctor", "how the service answers, and what that means for a plan"],
    ["roster doctor --endpoint https://accounts.example.com --format json", "another service, as JSON"],
  ],
  serve: [
    ["roster serve", "a service to try roster on, at port 7070; it keeps its data"],
    ["roster serve --seed acme --data memory", "start with a small company, and keep no data"],
    ["roster serve --knob public --knob latencyMs=200", "answer as the public pages of such a service show"],
  ],
  access: [
    ["roster access --only role:ACCOUNT_ADMIN", "who is an administrator, and since when"],
    ["roster access --format csv", "for a review"],
    ["roster access --as-of 2026-06-30", "at the end of June, by the log"],
  ],
  audit: [
    ["roster audit --since 30d", "who changed what"],
    ["roster audit --only user:ada@acme.example", "everything about one user"],
    ["roster audit --since 90d --format csv", "a row for each change, for a review"],
  ],
  "audit verify": [
    ["roster audit verify", "the whole log"],
    ["roster audit verify --expect-head HEAD", "and was nothing cut off since?"],
  ],
  fleet: [
    ["roster fleet validate", "check fleet.yaml and every roster"],
    ["roster fleet drift", "check every service, such as at night"],
  ],
  "fleet validate": [
    ["roster fleet validate", "check fleet.yaml and every roster"],
    ["roster fleet validate --only acme", "one target"],
  ],
  "fleet plan": [
    ["roster fleet plan", "show which targets would change"],
    ["roster fleet plan --only acme --report text=plans", "and write each plan to plans/targets"],
  ],
  "fleet matrix": [
    ["roster fleet matrix --format github", "JSON for strategy.matrix"],
    ["roster fleet matrix --format gitlab --changed-since origin/main", "jobs of a child pipeline"],
  ],
  "fleet summarize": [
    ["roster fleet summarize reports", "all shards that wrote to reports"],
    ["roster fleet summarize reports --report html=reports", "and a page that links to all reports"],
    ["roster fleet summarize /var/lib/reports", "shards of last night, on a shared volume"],
  ],
  "fleet drift": [
    ["roster fleet drift", "every target"],
    ["roster fleet drift --shard 2/4 --report json=reports", "the second of four parts"],
    ["roster fleet drift --report html=out --report json=out", "with a page for each target, and an index"],
  ],
  "fleet apply": [
    ["roster fleet apply --auto-approve --only acme", "one target"],
    ["roster fleet apply --auto-approve --max-failures 3", "all of them; stop after three failures"],
  ],
  state: [
    ["roster state show", "what roster remembers"],
    ["roster state unlock", "who holds the lock"],
  ],
  "state show": [
    ["roster state show", "people, teams, memberships and key prefixes"],
    ["roster state show --format yaml", "identifiers and prefixes, to paste into roster files"],
    ["roster state show --state s3://acme-roster/log", "a log in another store"],
  ],
  "state unlock": [
    ["roster state unlock", "who holds the lock, and its ID"],
    ["roster state unlock 7d1f4c52", "break the lock of a run that is dead"],
  ],
  "state resolve": [
    ["roster state resolve", "list calls with an unknown outcome"],
    ["roster state resolve 4b7e9a01 not-done", "it was not done: a plan may send it again"],
    ["roster state resolve 4b7e9a01 done bo@acme.example", "it was done for this member"],
  ],
  "state copy": [
    ["roster state copy s3://acme-roster/log", "to a bucket"],
    ["roster state copy file:/var/lib/roster/log.jsonl", "to another file"],
  ],
  "state prune": [
    ["roster state prune --before 730d --export log-2024.jsonl", "keep two years"],
    ["roster state prune --before 2026-01-01 --export log-2025.jsonl", "keep what is from this year"],
  ],
  "state set-endpoint": [
    ["roster state set-endpoint https://accounts.example.com", "the service has this address now"],
    ["roster state set-endpoint https://accounts.example.com --lock-timeout 5m", "wait for a running apply"],
  ],
  "state rebuild": [
    ["roster state rebuild", "after the log was lost"],
    ["roster state rebuild people teams --deadline 20m", "for two files, within 20 minutes"],
  ],
  completion: [
    ["roster completion bash", 'eval "$(roster completion bash)" in ~/.bashrc'],
    ["roster completion zsh", "source <(roster completion zsh) in ~/.zshrc, below compinit"],
    ["roster completion fish", "roster completion fish | source in ~/.config/fish/config.fish"],
  ],
  demo: [["roster demo", "a service, a plan, an apply, drift and its repair"]],
};

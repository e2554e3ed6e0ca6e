import { type Command, Help } from "commander";

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
  "record-ids",
  "snapshot",
  "resend-invitation",
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
  { heading: "Results:", options: ["format", "report", "view", "title", "detailed-exitcode", "tui"] },
  { heading: "The service:", options: ["account", "endpoint", "parallelism", "consistency", "debug"] },
  { heading: "The state:", options: ["state", "lock-timeout", "break-stale-lock"] },
];

/** Options that mean something else in some command, and then are of that command. */
const ownOptions: readonly string[] = ["serve --state", "drift acknowledge --file"];

const own = "Options:";
const headings: readonly string[] = [own, ...optionGroups.map(({ heading }) => heading)];

/** Gives a program and the commands that `add` adds a help that begins with examples. */
export function withHelp(program: Command, add: () => void): Command {
  program.configureHelp({
    // Options and arguments are in the help of the command itself.
    subcommandTerm: (command) => command.name(),
    optionTerm: ({ flags }) => flags.replace(" [", "[=").replace(/\[=(\w+)\]/u, "[=<$1>]"),
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

/** A command line, and what it is good for. */
type Example = readonly [line: string, says: string];

/** The examples with which the help of a command begins; its path is such as `state show`, and empty for roster itself. @internal */
export function examplesOf(path: string): readonly Example[] {
  return Object.hasOwn(helpExamples, path) ? (helpExamples[path] ?? []) : [];
}

/** By the words that call the command. @internal */
export const helpExamples: Readonly<Record<string, readonly Example[]>> = {
  "": [
    ["roster demo", "see all of it in ten seconds"],
    ["roster init my-roster", "start a roster"],
    ["roster plan", "what apply would do"],
  ],
  init: [
    ["roster init", "in this directory"],
    ["roster init my-roster", "in a new one"],
  ],
  validate: [
    ["roster validate", "what the settings name, or this directory"],
    ["roster validate people teams/data.yaml", "just these, as one roster"],
  ],
  fmt: [
    ["roster fmt", "write every roster file that needs it"],
    ["roster fmt --check", "in a pipeline: what would change; 2 where something would"],
    ["roster fmt -", "in an editor: standard input to standard output"],
  ],
  plan: [
    ["roster plan", "what apply would do, and what no call can correct"],
    ["roster plan --out plan.json", "save it, for `roster apply plan.json`"],
    ["roster plan --include user:ada@acme.example --view access", "what becomes of one person"],
  ],
  show: [
    ["roster show plan.json", "a plan that was saved"],
    ["roster show plan.json --view calls", "the same, call by call"],
  ],
  apply: [
    ["roster apply", "plan, ask, and do it"],
    ["roster apply --auto-approve", "in a pipeline, on merge"],
    ["roster apply plan.json", "just what a saved plan shows, once"],
  ],
  drift: [
    ["roster drift", "in what the service and the roster differ, and since when"],
    ["roster drift --only-new --format json", "in a nightly job"],
    ["roster drift --repair tampered --auto-approve", "put right what others have changed"],
  ],
  "drift acknowledge": [
    ["roster drift acknowledge 3f9a1c20d4e5b6f7 --until 2026-12-31 --reason audit", "something may differ for a while"],
    ["roster drift acknowledge 3f9a1c20d4e5b6f7 --until 2026-12-31 --reason HR-812", "the reason names a ticket"],
  ],
  import: [
    ["roster import my-roster", "everything that the key may see"],
    ["roster import my-roster --account acc-1 --layout team", "one account, a file for each team"],
    ["roster import my-roster --missing", "only what the roster lacks"],
  ],
  "record-ids": [
    ["roster record-ids", "write learned identifiers and prefixes into the roster"],
    ["roster record-ids --check", "in a pipeline: 2 where something would be written"],
  ],
  snapshot: [
    ["roster snapshot --out snapshot.json", "on a trusted schedule, for `roster plan --from snapshot.json`"],
    ["roster snapshot --out snapshot.json --hash-addresses", "without names and addresses in it"],
  ],
  "resend-invitation": [
    ["roster resend-invitation ada@acme.example Platform", "mail her once more, after asking you"],
    ['roster resend-invitation ada@acme.example "Data Science" --auto-approve', "where there is no terminal"],
  ],
  explain: [
    ["roster explain user:ada@acme.example", "all about her, with every line, read and record"],
    ["roster explain role:ACCOUNT_ADMIN", "who has it, who is to have it, and why"],
    ["roster explain unproven-team", "what a code means, and what to do"],
  ],
  doctor: [
    ["roster doctor", "how the service answers, and what that means for a plan"],
    ["roster doctor --endpoint https://accounts.example.com --format json", "another one, for a program"],
  ],
  serve: [
    ["roster serve", "a service to try roster on, at port 7070"],
    ["roster serve --seed examples/acme.seed.yaml", "with a small company in it"],
    ["roster serve --knob conflict=400 --latency 200", "with the ways of another service"],
  ],
  state: [
    ["roster state show", "what roster remembers"],
    ["roster state unlock", "who holds it"],
  ],
  "state show": [
    ["roster state show", "people, teams, memberships and key prefixes"],
    ["roster state show --state https://state.example.com/acme", "of a state that lives elsewhere"],
  ],
  "state verify": [
    ["roster state verify", "is everything that is kept readable?"],
    ["roster state verify --format json", "for a program"],
  ],
  "state unlock": [
    ["roster state unlock", "who holds the lock, and its ID"],
    ["roster state unlock 7d1f4c52", "break the lock of a run that is dead"],
  ],
  "state resolve": [
    ["roster state resolve", "calls that reading cannot tell"],
    ["roster state resolve 4b7e9a01 --not-done", "it was not done: a plan may ask for it again"],
    ["roster state resolve 4b7e9a01 --done --prefix jU7q896uSReJcXXDOS6P", "it was, and this is the key"],
  ],
  "state move": [
    ["roster state move s3://acme-state/roster.json", "to a bucket"],
    ["roster state move file:/var/lib/roster/state.json", "to another file"],
  ],
  "state set-endpoint": [
    ["roster state set-endpoint https://accounts.example.com", "the service has this address now"],
    ["roster state set-endpoint https://accounts.example.com --lock-timeout 5m", "waiting for a run that goes on"],
  ],
  "state rebuild": [
    ["roster state rebuild", "where the state was lost"],
    ["roster state rebuild people teams --deadline 20m", "of these files, within twenty minutes"],
  ],
  config: [
    ["roster config", "every setting, its value and who says so"],
    ["roster config --format json", "for a program"],
  ],
  completion: [
    ["roster completion bash", 'eval "$(roster completion bash)" in ~/.bashrc'],
    ["roster completion zsh", "source <(roster completion zsh) in ~/.zshrc, below compinit"],
    ["roster completion fish", "roster completion fish | source in ~/.config/fish/config.fish"],
  ],
  "completion candidates": [
    ["roster completion candidates zsh -- roster plan --include user:", "what zsh asks, word by word"],
    [
      'roster completion candidates bash -- "roster resend-invitation a" " :="',
      "what bash asks: the line, and where it breaks words",
    ],
  ],
  demo: [
    ["roster demo", "a service, a plan, an apply, drift and its repair"],
    ["npx rosterctl demo", "the same, without installing it"],
  ],
};

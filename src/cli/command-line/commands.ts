import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { type CommandName, formatsOf } from "../../report/formats.ts";
import type { Host } from "../host.ts";
import { type Report, readReport } from "../output/report-flags.ts";
import { commandTexts, flagSets, sharedFlags } from "./command-texts.ts";
import type { EndedCommand } from "./command-tree.ts";

export type Example = readonly [line: string, says: string];

export type EndCommand = (ended: EndedCommand) => void;

type FlagText = ReturnType<typeof readFlags>[number];

/** Lines such as `--out <file> (required) (a|b): text`. */
function readFlags(text: string) {
  const form = /^ {2}((?:--|[<[])\S+(?: <\S+>)?)((?: \([^)]*\))*): (.*)$/gmu;
  return [...text.matchAll(form)].map(([, term = "", marks = "", says = ""]) => {
    const choices = /\(([^)]*\|[^)]*)\)/u.exec(marks)?.[1]?.split("|");
    return { term, isRequired: marks.includes("(required)"), choices, says };
  });
}

type CommandText = (typeof commandTable)[number];

export const commandTable = commandTexts.split(/^(?=[A-Z])/mu).flatMap((group) => {
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

const rootExamples: readonly Example[] = [
  ["roster demo", "try it in ten seconds"],
  ["roster init my-roster", "start a roster"],
  ["roster plan", "show planned changes"],
];

/** By the words that call a command, and no words for roster itself: the examples with which its help begins. */
export const helpExamples: ReadonlyMap<string, readonly Example[]> = new Map([
  ["", rootExamples],
  ...commandTable.map(({ path, examples }) => [path, examples] as const),
]);

export const documentNames: readonly CommandName[] = [
  "validate",
  ...(["plan", "show", "apply", "drift"] as const),
  ...(["explain", "doctor", "state", "audit", "fleet"] as const),
];

/** Called with the arguments and the flags of the command, then the host, then the command. */
type Run = (...read: Parameters<Parameters<Command["action"]>[0]>) => EndedCommand | Promise<EndedCommand>;

const audit = () => import("../commands/audit.ts");
const fleet = () => import("../commands/fleet.ts");
const worker = () => import("../commands/fleet-worker.ts");
const state = () => import("../commands/state.ts");

const actions: Readonly<Record<string, () => Promise<Run>>> = {
  demo: async () => (await import("../commands/demo.ts")).demo,
  init: async () => (await import("../commands/init.ts")).init,
  serve: async () => (await import("../commands/serve.ts")).serve,
  validate: async () => (await import("../commands/validate.ts")).validate,
  plan: async () => (await import("../commands/plan.ts")).plan,
  show: async () => (await import("../commands/show.ts")).show,
  apply: async () => (await import("../commands/apply.ts")).apply,
  explain: async () => (await import("../commands/explain.ts")).explain,
  import: async () => (await import("../commands/import.ts")).importPeople,
  completion: async () => (await import("../commands/completion.ts")).completion,
  drift: async () => (await import("../commands/drift.ts")).drift,
  snapshot: async () => (await import("../commands/snapshot.ts")).snapshot,
  access: async () => (await import("../commands/access.ts")).access,
  audit: async () => (await audit()).audit,
  "audit verify": async () => (await audit()).auditVerify,
  "fleet validate": async () => (await fleet()).fleetValidate,
  "fleet plan": async () => async (flags, host) => (await fleet()).fleetRun("plan", flags, host),
  "fleet drift": async () => async (flags, host) => (await fleet()).fleetRun("drift", flags, host),
  "fleet apply": async () => async (flags, host) => (await fleet()).fleetRun("apply", flags, host),
  "fleet access": async () => async (flags, host) => (await fleet()).fleetRun("access", flags, host),
  "fleet worker": async () => (await worker()).fleetWorker,
  "fleet enqueue": async () => (await worker()).fleetEnqueue,
  "fleet status": async () => (await fleet()).fleetStatus,
  "fleet pause": async () => (await fleet()).fleetPause,
  "fleet list": async () => (await fleet()).fleetList,
  doctor: async () => (await import("../commands/doctor.ts")).doctor,
  "state show": async () => (await state()).stateShow,
  "state unlock": async () => (await state()).stateUnlock,
  "state resolve": async () => (await state()).stateResolve,
  "state copy": async () => (await state()).stateCopy,
  "state prune": async () => (await state()).statePrune,
  "state set-endpoint": async () => (await state()).stateSetEndpoint,
  "state rebuild": async () => (await state()).stateRebuild,
};

/** Whether a command can be parsed without the others: all but the one that completes their names. */
export function standsAlone(command: string): boolean {
  return command !== "completion" && commandTable.some(({ path }) => path === command);
}

/** Adds every command of roster, or the only one that is to be parsed: to describe them all is much of a short command's time. */
export function addCommands(program: Command, only: string | undefined, host: Host, end: EndCommand): void {
  for (const text of commandTable) {
    const [first = "", inner] = text.path.split(" ");
    if (only !== undefined && only !== first) continue;
    const parent = inner === undefined ? program : program.commands.find((command) => command.name() === first);
    const command = parent?.command(inner ?? first);
    if (command === undefined) throw new Error(`The command ${text.path} has none above it.`);
    describe(command, text);
    const load = actions[text.path];
    if (load === undefined) continue;
    command.action(async (...read) => end(await (await load())(...read.slice(0, -1), host, read.at(-1))));
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
  return readFlags(sharedFlags)
    .filter(({ term }) => term.split(" ")[0] === word)
    .map(optionOf);
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

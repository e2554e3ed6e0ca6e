import type { Argument, Command, Option } from "commander";
import { exceptionForms } from "../../library/planning/policy.ts";
import { guardNames } from "../../model/policy.ts";
import type { Host } from "../host.ts";
import { type NamesInRoster, namesInRoster, targetsInFleet } from "./completion-names.ts";

/** What can stand in the place of the last of these words, of which the first is the name of the program. */
export async function candidatesFor(words: readonly string[], program: Command, host: Host): Promise<Candidates> {
  const typed = words.at(-1) ?? "";
  const place = placeOf(words.slice(1, -1), program);
  const names = () => namesInRoster(place.paths, host);
  const targets = () => targetsInFleet(place.fleet, host);
  const valuesOf = async (source: Source | undefined, head: string): Promise<Candidates> => {
    const found = source === undefined ? [] : await source(typed.slice(head.length), names, targets);
    return isFiles(found) ? { filesBehind: `${head}${found.filesBehind}` } : fitting(found, head, typed);
  };
  if (place.awaits !== undefined) return valuesOf(sourceOf(place.command, place.awaits), "");
  const [, head = "", flag] = place.isAfterDashes ? [] : (/^((--[^=]+)=)/su.exec(typed) ?? []);
  const option = place.command.options.find(({ long }) => long !== undefined && long === flag);
  if (option !== undefined) return valuesOf(sourceOf(place.command, option), head);
  if (typed.startsWith("-") && !place.isAfterDashes) return fitting(flagsOf(place.command), "", typed);
  const inner = place.count === 0 ? commandsOf(place) : [];
  const argument = argumentAt(place);
  const values = argument === undefined ? [] : await valuesOf(sourceOf(place.command, argument), "");
  if (isFiles(values))
    return inner.some(({ word }) => word.startsWith(typed)) && typed !== "" ? fitting(inner, "", typed) : values;
  const all = [...fitting(inner, "", typed), ...values];
  return all.length === 0 && argument === undefined && typed === "" ? flagsOf(place.command) : all;
}

/** Where in a command line somebody types. */
interface CompletionPosition {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly awaits?: Option;
  /** How many arguments of the command stand before. */
  readonly count: number;
  /** Those of them that are paths of a roster. */
  readonly paths: readonly string[];
  /** The fleet file that an option names. */
  readonly fleet?: string;
  readonly isAfterDashes: boolean;
  readonly isHelp: boolean;
}

function placeOf(words: readonly string[], program: Command): CompletionPosition {
  let place: CompletionPosition = { command: program, count: 0, paths: [], isAfterDashes: false, isHelp: false };
  for (const word of words) place = after(place, word);
  return place;
}

function after({ awaits, ...place }: CompletionPosition, word: string): CompletionPosition {
  if (awaits !== undefined) return awaits.long === "--fleet" ? { ...place, fleet: word } : place;
  if (place.isAfterDashes) return withArgument(place, word);
  if (word === "--") return { ...place, isAfterDashes: true };
  if (word.startsWith("-")) {
    if (word.startsWith("--fleet=")) return { ...place, fleet: word.slice("--fleet=".length) };
    const option = place.command.options.find(({ long, short }) => long === word || short === word);
    return option === undefined || !option.required ? place : { ...place, awaits: option };
  }
  const inner = place.count === 0 ? place.command.commands.find((one) => isCalled(one, word)) : undefined;
  if (inner !== undefined) return { ...place, command: inner };
  return word === "help" && place.count === 0 && place.command.parent === null
    ? { ...place, isHelp: true }
    : withArgument(place, word);
}

function isCalled(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

function withArgument(place: Omit<CompletionPosition, "awaits">, word: string): CompletionPosition {
  const paths = argumentAt(place)?.name() === "path" ? [...place.paths, word] : place.paths;
  return { ...place, count: place.count + 1, paths };
}

function argumentAt({
  command,
  count,
  isHelp,
}: Pick<CompletionPosition, "command" | "count" | "isHelp">): Argument | undefined {
  if (isHelp) return undefined;
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
}

function commandsOf({ command, isHelp }: CompletionPosition): readonly Candidate[] {
  const help = command.parent === null && !isHelp ? [{ word: "help", means: "print the help of a command" }] : [];
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => command.commands.includes(one));
  return [...visible.map((one) => ({ word: one.name(), means: one.description() })), ...help];
}

function flagsOf(command: Command): readonly Candidate[] {
  const own = command.options.flatMap(({ long, hidden, description }) =>
    long === undefined || hidden ? [] : [{ word: long, means: description }],
  );
  return [...own, { word: "--help", means: "print this help" }];
}

/** Those that go on from what is typed, behind what stands before the value in its word. */
function fitting(found: readonly Candidate[], head: string, typed: string): readonly Candidate[] {
  return found.map((one) => ({ ...one, word: `${head}${one.word}` })).filter(({ word }) => word.startsWith(typed));
}

/** A word that can stand where somebody types, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly means?: string;
}

/** Words; or files, which the shell knows itself. */
type Candidates = readonly Candidate[] | Files;

interface Files {
  /** What of the word stands before the name of the file, such as `--out=` or `json=`. */
  readonly filesBehind: string;
}

export function isFiles(candidates: Candidates): candidates is Files {
  return "filesBehind" in candidates;
}

/** What can be typed as a value, told from what is typed already. */
type Source = (
  typed: string,
  names: () => Promise<NamesInRoster>,
  targets: () => Promise<readonly string[]>,
) => Promise<Candidates>;

/** What a flag's or an argument's value can be; undefined where nobody has said so. @internal */
export function sourceOf(command: Command, part: Option | Argument): Source | undefined {
  const { argChoices } = part;
  if (argChoices !== undefined) return async () => argChoices.map((word) => ({ word }));
  const flag = "long" in part ? (part.long ?? "") : "";
  const placeholder = "long" in part ? (/<([^>]+)>/u.exec(part.flags)?.[1] ?? "") : part.name();
  const found = [`${command.name()} ${flag || placeholder}`, flag, placeholder].find((name) => sources.has(name));
  return found === undefined ? undefined : sources.get(found);
}

const files: Source = async () => ({ filesBehind: "" });

/** What only a person knows, and nothing can be offered for. */
const freeTexts =
  "command date duration when endpoint fingerprint id ms n name number commit i/n text to url owner=url time words".split(
    " ",
  );

const free: Source = async () => [];

const people: Source = async (_, names) => (await names()).people.map((word) => ({ word }));

const teams: Source = async (_, names) => (await names()).teams.map((word) => ({ word }));

const keys: Source = async (_, names) => (await names()).keys.map((word) => ({ word }));

const accounts: Source = async (_, names) => (await names()).accounts.map((word) => ({ word }));

const selectors: Source = async (typed, names) => {
  const { people: emails, teams: known } = typed.includes(":") ? await names() : none;
  return [
    { word: "user:", means: "a person, by address" },
    { word: "team:", means: "a team, by name" },
    { word: "label:", means: "entries with a label, as KEY=VALUE" },
    ...emails.map((email) => ({ word: `user:${email}` })),
    ...known.map((name) => ({ word: `team:${name}` })),
  ].filter(({ word }) => typed.includes(":") !== word.endsWith(":"));
};

const subjects: Source = async (typed, names) => {
  if (!typed.includes(":")) {
    const { catalogue } = await import("../../report/codes/catalogue.ts");
    return [
      { word: "user:", means: "a person, by address" },
      { word: "team:", means: "a team, by name" },
      { word: "key:", means: "a key, by its prefix" },
      { word: "role:", means: "who has a role, and who is to have it" },
      ...new Map(catalogue.map(({ code, title }) => [code, { word: code, means: title }])).values(),
    ];
  }
  const known = await names();
  return [
    ...known.people.map((email) => ({ word: `user:${email}` })),
    ...known.teams.map((name) => ({ word: `team:${name}` })),
    ...known.keys.map((prefix) => ({ word: `key:${prefix}` })),
    ...known.roles.map((role) => ({ word: `role:${role}` })),
  ];
};

/** A plan prints the rest of the word, and its id. */
const exceptions: Source = async (typed, names) => {
  const [, kind] = /^(recreate|release|retry:user|retry:team|absent:team|absent:member):/u.exec(typed) ?? [];
  if (kind === undefined) {
    const begins = exceptionForms.map((form) => form.replace(/[A-Z].*$/u, ""));
    return [...guardNames.map((name) => `${name}@`), ...new Set(begins)].map((word) => ({ word }));
  }
  const { people: emails, teams: known } = await names();
  const isOfTeams = kind === "retry:team" || kind.startsWith("absent:");
  return (isOfTeams ? known : emails).map((name) => ({ word: `${kind}:${name}` }));
};

const targetSelectors: Source = async (_, __, targets) => (await targets()).map((word) => ({ word }));

const knobs: Source = async (typed) => {
  const { knobRegistry } = await import("../../reference-server/knobs/registry.ts");
  return [...knobRegistry].flatMap(([name, knob]) => {
    if (!typed.startsWith(`${name}=`)) return [{ word: `${name}=`, means: knob.about }];
    return knob.is === "choice"
      ? Object.entries(knob.values).map(([value, means]) => ({ word: `${name}=${value}`, means }))
      : [];
  });
};

const reports: Source = async (typed) => {
  const { formats } = await import("../../report/formats.ts");
  const [begun] = /^[a-z-]+=/u.exec(typed) ?? [];
  return begun === undefined ? Object.keys(formats).map((name) => ({ word: `${name}=` })) : { filesBehind: begun };
};

const none: NamesInRoster = { people: [], teams: [], keys: [], accounts: [], roles: [] };

/** By the flag in its command, the flag, or what stands in its place in the help. */
const sources: ReadonlyMap<string, Source> = new Map([
  ["--account", accounts],
  ["--allow", exceptions],
  ["--repair", async () => [{ word: "tampered" }, { word: "unapplied" }]],
  ["--knob", knobs],
  ["serve --data", files],
  ["explain what", subjects],
  ["--report", reports],
  ["directory", files],
  ["email", people],
  ["file", files],
  ["path", files],
  ["prefix", keys],
  ["selector", selectors],
  ["target", targetSelectors],
  ["team", teams],
  ...freeTexts.map((name) => [name, free] as const),
]);

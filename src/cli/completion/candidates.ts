import type { Argument, Command, Option } from "commander";
import type { Host } from "../host.ts";
import { namesInRoster } from "./names-in-roster.ts";
import { type Candidate, type Candidates, isFiles, type Source, sourceOf } from "./sources.ts";

/** What can stand in the place of the last of these words, of which the first is the name of the program. */
export async function candidatesFor(words: readonly string[], program: Command, host: Host): Promise<Candidates> {
  const typed = words.at(-1) ?? "";
  const place = placeOf(words.slice(1, -1), program);
  const names = () => namesInRoster(place.paths, host);
  const valuesOf = async (source: Source | undefined, head: string): Promise<Candidates> => {
    const found = source === undefined ? [] : await source(typed.slice(head.length), names);
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
interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly awaits?: Option;
  /** How many arguments of the command stand before. */
  readonly count: number;
  /** Those of them that are paths of a roster. */
  readonly paths: readonly string[];
  readonly isAfterDashes: boolean;
  readonly isHelp: boolean;
}

function placeOf(words: readonly string[], program: Command): Place {
  let place: Place = { command: program, count: 0, paths: [], isAfterDashes: false, isHelp: false };
  for (const word of words) place = after(place, word);
  return place;
}

function after({ awaits, ...place }: Place, word: string): Place {
  if (awaits !== undefined) return place;
  if (place.isAfterDashes) return withArgument(place, word);
  if (word === "--") return { ...place, isAfterDashes: true };
  if (word.startsWith("-")) {
    const option = place.command.options.find(({ long, short }) => long === word || short === word);
    return option === undefined || !(option.required || option.optional) ? place : { ...place, awaits: option };
  }
  const inner = place.count === 0 ? place.command.commands.find((one) => one.name() === word) : undefined;
  if (inner !== undefined) return { ...place, command: inner };
  return word === "help" && place.count === 0 && place.command.parent === null
    ? { ...place, isHelp: true }
    : withArgument(place, word);
}

function withArgument(place: Omit<Place, "awaits">, word: string): Place {
  const paths = argumentAt(place)?.name() === "path" ? [...place.paths, word] : place.paths;
  return { ...place, count: place.count + 1, paths };
}

function argumentAt({ command, count, isHelp }: Pick<Place, "command" | "count" | "isHelp">): Argument | undefined {
  if (isHelp) return undefined;
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
}

function commandsOf({ command, isHelp }: Place): readonly Candidate[] {
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

import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import type { RanCommand } from "./run-command.ts";
import type { Stage } from "./stage.ts";

/** A world, a directory, and what is run in it one after the other. Its recorded text is `recorded/NAME.txt`. */
export interface Scene {
  readonly name: string;
  /** What the world is like, in one sentence. */
  readonly about: string;
  readonly knobs?: Partial<Knobs>;
  readonly seed?: Seed;
  /** Files by path and content, in the directory from the start. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of states likewise. */
  readonly states?: Readonly<Record<string, string>>;
  /** Beside the address of the service and its key. An empty text takes a variable away, and `{directory}` is the scene's. */
  readonly env?: Environment;
  readonly steps: readonly Step[];
}

export type Environment = Readonly<Record<string, string>>;

/** A text is a command line of roster without its first word. */
export type Step = string | CommandStep | Event;

export interface CommandStep {
  /** Words with white space in them are given as a list; what only earlier results tell, by a function of them. */
  readonly roster: Words | ((before: readonly RanCommand[]) => Words);
  readonly env?: Environment;
  readonly stdin?: string;
  /** A terminal of lines, of this width, on which this is typed. */
  readonly terminal?: { readonly columns: number; readonly types: string };
  readonly hasColours?: boolean;
  /** Ends what would go on until it is interrupted. */
  readonly isInterrupted?: boolean;
  /** The command brings a service of its own, which is asked over HTTP. */
  readonly isOverHttp?: boolean;
}

type Words = string | readonly string[];

/** What somebody else does meanwhile. */
export interface Event {
  readonly event: string;
  readonly happens: (stage: Stage) => void | Promise<void>;
}

/** The roster or another file is edited. */
export function edit(file: string, text: string): Event {
  return { event: `${file} is edited`, happens: ({ write }) => write({ [file]: text }) };
}

export function pass(hours: number): Event {
  return { event: `${hours} hours pass`, happens: ({ time }) => time.pass(hours * 3_600_000) };
}

/** A command with `--allow`, and the code that the last result offers for it. */
export function allowing(command: string, what: string): CommandStep {
  const code = new RegExp(`--allow\\s+(${what.replaceAll(".", "\\.")}#[0-9a-f]{12})(?!\\w)`, "u");
  return { roster: (before) => `${command} --allow ${toldBy(code, before)}` };
}

/** What the last result that matches says in the place of the first group. */
export function toldBy(pattern: RegExp, before: readonly RanCommand[]): string {
  for (const { stdout, stderr } of before.toReversed()) {
    const found = pattern.exec(stdout) ?? pattern.exec(stderr);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error(`no command before has told ${pattern}`);
}

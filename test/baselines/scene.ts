import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { applyPatch } from "diff";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import type { Stage } from "./stage.ts";

/** Where the recorded texts lie, as a person in the repository names it. */
const folder = "test/baselines/recorded";

/** A world, a directory, and what is done in it one after the other. */
export interface Scene {
  /** What the world is like, in one sentence. */
  readonly about: string;
  readonly knobs?: Partial<Knobs>;
  readonly steps: readonly (CommandStep | Event)[];
}

/** What a text does not say of its world. */
export interface Setting {
  readonly seed?: Seed;
  /** Files by path and content, in the directory from the start. */
  readonly files?: Readonly<Record<string, string>>;
  readonly states?: Readonly<Record<string, string>>;
  /** Beside the address of the service and its key. An empty text takes a variable away, and `{directory}` is the scene's. */
  readonly env?: Environment;
  /** What somebody else does meanwhile, by the words in which the text says it. */
  readonly happens?: Readonly<Record<string, (stage: Stage) => void | Promise<void>>>;
}

export type Environment = Readonly<Record<string, string>>;

export interface CommandStep {
  readonly words: readonly string[];
  readonly env?: Environment;
  readonly stdin?: string;
  /** A terminal of lines, of this width, on which this is typed. */
  readonly terminal?: { readonly columns: number; readonly types: string };
  readonly hasColours?: boolean;
  readonly isInterrupted?: boolean;
  /** The command brings a service of its own, which is asked over HTTP. */
  readonly isOverHttp?: boolean;
}

/** Hours pass, or something is done to the service, or files are edited as the text shows it. */
export interface Event {
  readonly event: string;
  readonly edits: readonly Edit[];
}

interface Edit {
  readonly file: string;
  /** The whole file, or a diff where it was there before. */
  readonly text: string;
  readonly isDiff: boolean;
}

/** Every scene is a recorded text: its commands are run again, and print what it says. */
export const sceneNames: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.txt$/u, ""));

export function readRecorded(name: string): string {
  return readFileSync(`${folder}/${name}.txt`, "utf8");
}

export function sceneIn(text: string): Scene {
  const [head = "", ...parts] = text.split(/\n======== /u);
  const [about = "", knobs] = head.split("\n").map((line) => line.replace(/^# (?:knobs: )?/u, ""));
  return {
    about,
    // The reference server decodes them once more.
    ...(knobs === undefined || knobs === "" ? {} : { knobs: JSON.parse(knobs) as Partial<Knobs> }),
    steps: parts.map((part) => (part.startsWith("$ roster") ? commandIn(part) : eventIn(part))),
  };
}

function commandIn(part: string): CommandStep {
  const [line = "", ...lines] = part.split("\n");
  const conditions = lines
    .slice(
      0,
      lines.findIndex((one) => !one.startsWith("# ")),
    )
    .map((one) => one.slice("# ".length));
  const told = (pattern: RegExp) => conditions.map((one) => pattern.exec(one)).find((found) => found !== null);
  const env = conditions.map((one) => /^([A-Z_]+)=(.*)$/u.exec(one)).filter((found) => found !== null);
  const stdin = told(/^with standard input: (.*)$/u);
  const terminal = told(/^on a terminal of (\d+) columns: (.*)$/u);
  return {
    words: [...line.slice("$ roster".length).matchAll(/"(?:[^"\\]|\\.)*"|\S+/gu)].map(([word]) =>
      word.startsWith('"') ? textIn(word) : word,
    ),
    env: Object.fromEntries(env.map(([, name = "", value = ""]) => [name, value])),
    ...(stdin === undefined ? {} : { stdin: textIn(stdin[1]) }),
    ...(terminal === undefined ? {} : { terminal: { columns: Number(terminal[1]), types: textIn(terminal[2]) } }),
    hasColours: conditions.includes("in colours"),
    isInterrupted: conditions.includes("interrupted"),
    isOverHttp: conditions.includes("over HTTP"),
  };
}

function textIn(json = ""): string {
  return String(JSON.parse(json));
}

function eventIn(part: string): Event {
  const [event = "", ...files] = part.split(/\n-------- file /u);
  return {
    event: event.trimEnd(),
    edits: files.map((file) => {
      const [, path = "", changed, text = ""] = /^(\S+)( is changed)?\n([\s\S]*)$/u.exec(file) ?? [];
      return { file: path, text, isDiff: changed !== undefined };
    }),
  };
}

export function edited(before: string | undefined, { file, text, isDiff }: Edit): string {
  const after = isDiff ? applyPatch(before ?? "", text) : text;
  if (after === false) throw new Error(`${file} is not as the recorded text changes it`);
  return after;
}

export const isRecording = process.env["RECORD"] === "1";

/** How to take what is printed now for right. */
const recordAnew = "RECORD=1 npx vitest run test/baselines";

/** Fails where the text of a scene is not the recorded one; or records it. */
export function compare(name: string, text: string): void {
  const file = `${folder}/${name}.txt`;
  if (isRecording) writeFileSync(file, text);
  const difference = differenceOf(readRecorded(name), text);
  if (difference === undefined) return;
  throw new Error(`${file}${difference}\nWhere the new output is wanted, record it and review the diff: ${recordAnew}`);
}

/** The first line in which two texts differ, with the command that told it. */
function differenceOf(recorded: string, now: string): string | undefined {
  if (recorded === now) return undefined;
  const before = recorded.split("\n");
  const after = now.split("\n");
  const at = before.findIndex((line, index) => line !== after[index]);
  const index = at < 0 ? before.length : at;
  const command = after.slice(0, index + 1).findLast((line) => line.startsWith("========")) ?? "";
  const part = after.slice(0, index + 1).findLast((line) => line.startsWith("--------")) ?? "";
  return `:${index + 1} differs, in ${command.replace(/^=+ /u, "")} (${part.replace(/^-+ /u, "")})
  recorded: ${before[index] ?? "(ends)"}
  now:      ${after[index] ?? "(ends)"}`;
}

import { readFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import { printedWords } from "../support/drawn/printed-words.ts";
import { type CommandStep, type Event, edited, readRecorded, type Scene, type Setting, sceneIn } from "./scene.ts";
import { settingOf } from "./settings.ts";
import { type RanCommand, type Stage, setStage } from "./stage.ts";
import { steady } from "./steady.ts";

/** What a scene came to: the commands, and the text that is recorded. */
export interface Performance {
  readonly ran: readonly RanCommand[];
  readonly text: string;
}

type Files = ReadonlyMap<string, string>;

/** Does once more what the recorded text of a scene says. */
export async function perform(name: string): Promise<Performance> {
  const scene = sceneIn(readRecorded(name));
  const setting = settingOf(name);
  const stage = await setStage({ ...setting, ...scene });
  try {
    return await performOn(stage, scene, setting);
  } finally {
    stage.close();
  }
}

async function performOn(stage: Stage, { about, knobs, steps }: Scene, { happens }: Setting): Promise<Performance> {
  const ran: RanCommand[] = [];
  const parts = [`# ${about}\n${knobs === undefined ? "" : `# knobs: ${JSON.stringify(knobs)}\n`}`];
  let files = stage.files();
  for (const step of steps) {
    parts.push("event" in step ? await follow(step, stage, happens) : await take(step, stage, ran));
    const now = stage.files();
    parts.push(...changesOf(files, now));
    files = now;
  }
  return { ran, text: steady(parts.join(""), stage.directory) };
}

async function follow({ event, edits }: Event, stage: Stage, happens: Setting["happens"] = {}): Promise<string> {
  const [, hours] = /^(\d+) hours? pass(?:es)?$/u.exec(event) ?? [];
  if (hours !== undefined) await stage.time.pass(Number(hours) * 3_600_000);
  else if (happens[event] !== undefined) await happens[event](stage);
  else for (const edit of edits) await stage.write({ [edit.file]: edited(stage.files().get(edit.file), edit) });
  return `\n======== ${event}\n`;
}

async function take(step: CommandStep, stage: Stage, ran: RanCommand[]): Promise<string> {
  const result = await stage.run({ ...step, words: step.words.map((word) => withOfferedDigits(word, ran)) });
  ran.push(result);
  const line = result.words.map((word) => (/^[^\s"']+$/u.test(word) ? word : JSON.stringify(word))).join(" ");
  const around = [...conditionsOf(step)].map((condition) => `# ${condition}\n`).join("");
  const head = `\n======== $ roster${line === "" ? "" : ` ${line}`}\n${around}-------- exit code ${result.code}\n`;
  const format = machineFormat(result.words);
  if (format === "json") agreeWithExitCode(result);
  const stdout = format === undefined ? part("stdout", result.stdout) : `-------- stdout: ${format}\n`;
  return `${head}${stdout}${part("stderr", result.stderr)}${result.letters === "" ? "" : "-------- webhook: json\n"}`;
}

/** What is allowed has the digits that the last result offers for it, but for those that are meant to be wrong. */
function withOfferedDigits(word: string, before: readonly RanCommand[]): string {
  const [, what, digits] = /^(.+)#([0-9a-f]{12})$/u.exec(word) ?? [];
  if (what === undefined || digits === "0123456789ab") return word;
  for (const { stdout, stderr } of before.toReversed()) {
    const offered = printedWords(stdout + stderr).find((one) => one.what === what);
    if (offered !== undefined) return offered.word;
  }
  throw new Error(`no command before has offered ${what}`);
}

/** What programs read is held by schemas and by tests of its parts: that it was written is all that is recorded. */
function machineFormat(words: readonly string[]): string | undefined {
  if (words.join(" ") === "completion bash") return "a script";
  const format = words[words.indexOf("--format") + 1];
  return words.includes("--format") && !["text", "markdown", "yaml"].includes(format ?? "") ? format : undefined;
}

/** A document is printed on every exit path, and says how the command has ended. */
function agreeWithExitCode({ words, stdout, code }: RanCommand): void {
  const document: unknown = JSON.parse(stdout);
  const said = typeof document === "object" && document !== null && "exit_code" in document ? document.exit_code : code;
  if (said !== code) throw new Error(`roster ${words.join(" ")} ended with ${code}, and its document says ${said}.`);
}

const readByPeople = /\.(?:ya?ml|md|csv|gitignore)$/u;

function* conditionsOf({ env, stdin, terminal, hasColours, isInterrupted, isOverHttp }: CommandStep) {
  for (const [name, value] of Object.entries(env ?? {})) yield `${name}=${value}`;
  if (stdin !== undefined) yield `with standard input: ${JSON.stringify(stdin)}`;
  if (terminal !== undefined) yield `on a terminal of ${terminal.columns} columns: ${JSON.stringify(terminal.types)}`;
  if (hasColours === true) yield "in colours";
  if (isInterrupted === true) yield "interrupted";
  if (isOverHttp === true) yield "over HTTP";
}

const schema = readFileSync("schemas/roster.schema.json", "utf8");

/** A new file whole, a changed one as a diff; of a copy of the schema, that it is one. */
function* changesOf(before: Files, now: Files): Generator<string> {
  for (const [path, text] of now) {
    const former = before.get(path);
    if (former === undefined && text === schema) yield `-------- file ${path}: the schema of roster files\n`;
    else if (former !== text && !readByPeople.test(path))
      yield `-------- file ${path}${former === undefined ? "" : " is changed"}\n`;
    else if (former === undefined) yield part(`file ${path}`, text, "empty");
    else if (former !== text) yield part(`file ${path} is changed`, differenceOf(former, text));
  }
  for (const path of before.keys()) if (!now.has(path)) yield `-------- file ${path} is gone\n`;
}

function differenceOf(before: string, now: string): string {
  const patch = createTwoFilesPatch("", "", before, now, "", "", { context: 1 });
  return patch.slice(patch.indexOf("@@"));
}

function part(name: string, text: string, empty = ""): string {
  if (text === "") return empty === "" ? "" : `-------- ${name}: ${empty}\n`;
  const end = text.endsWith("\n") ? "" : "\n-------- no line break at its end\n";
  return `-------- ${name}\n${visible(text)}${end}`;
}

/** Characters that control a terminal, as JSON would write them. */
function visible(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are shown
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/gu, escaped);
}

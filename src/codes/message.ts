import { type FindingCode, findings, sentences } from "./findings.ts";
import { stops } from "./guards.ts";
import type { CodeRow } from "./row.ts";

type Rows = typeof findings & typeof stops;
type Code = keyof Rows;

const rows: ReadonlyMap<string, CodeRow> = new Map(Object.entries({ ...findings, ...stops }));

/** A code, and where it has several messages, which one: `inactive-user/deleted`. */
export type MessageName = {
  [C in Code]: Rows[C] extends { readonly says: Readonly<Record<infer Name extends string, string>> }
    ? `${C}/${Name}`
    : C;
}[Code];

type NameOf<C extends Code> = Extract<MessageName, C | `${C}/${string}`>;

type Saying<N> = N extends `${infer C extends Code}/${infer Name}`
  ? Rows[C]["says"][Name & keyof Rows[C]["says"]]
  : N extends Code
    ? Rows[N]["says"]
    : never;

type NamesIn<Text> = Text extends `${string}<${infer Name}>${infer Rest}` ? BareName<Name> | NamesIn<Rest> : never;
type BareName<Name> = Name extends `${infer Bare}:${string}` ? Bare : Name;
type NeededIn<Text> = Text extends `${infer Before}[[${string}]]${infer Rest}`
  ? NamesIn<Before> | NeededIn<Rest>
  : NamesIn<Text>;

type AllowableText = { readonly message: string; readonly allowAt?: number | undefined };
type Part = string | number | readonly string[];

type PartsOf<Text> = { readonly [Name in NeededIn<Text> & string]: Part } & {
  readonly [Name in NamesIn<Text> & string]?: Part | undefined;
};

type GivenParts = Readonly<Record<string, Part | undefined>>;

/** What is said of a code: the one place where messages of findings and guards are made. */
export function messageOf<N extends MessageName>(name: N, parts: PartsOf<Saying<N>>): string {
  return textOf(sayingOf(name), parts).message;
}

export type FindingTexts = ReturnType<typeof say>;

export function say<N extends NameOf<FindingCode>>(name: N, parts: PartsOf<Saying<N>>) {
  const [code = ""] = name.split("/");
  if (!isFindingCode(code)) throw new Error(`${code} is no code of a finding`);
  const saying = sayingOf(name);
  const [, yaml] = saying.split("\n\n");
  return { code, ...textOf(saying, parts), suggestedYaml: yaml && fill(yaml, parts, inYaml) };
}

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(findings, code);
}

export function sentence<N extends keyof typeof sentences>(name: N, parts: PartsOf<(typeof sentences)[N]>): string {
  return textOf(sentences[name], parts).message;
}

const withoutCommand = "pass the printed `--allow` code";

export function withAllowCommand({ message, allowAt: at }: AllowableText, command: string): string {
  if (at === undefined) return message;
  return `${message.slice(0, at)}run \`${command}\`${message.slice(at + withoutCommand.length)}`;
}

function sayingOf(name: string): string {
  const [code = "", which = ""] = name.split("/");
  const says = rows.get(code)?.says ?? "";
  return typeof says === "string" ? says : (says[which] ?? "");
}

/** `allowAt`: where the command stands by which a person allows it. It is found before the parts are in the text: nothing in a part is taken for it. */
function textOf(saying: string, parts: GivenParts): AllowableText {
  const [lines = ""] = saying.split("\n\n");
  const [before = "", after] = lines
    .replace("\n", " ")
    .split("{run}")
    .map((text) => fill(text, parts, inText));
  if (after === undefined) return { message: before.trimEnd() };
  return { message: `${before}${withoutCommand}${after}`.trimEnd(), allowAt: before.length };
}

const place = /<(\w+)(?::([^>]+))?>/gu;

function fill(text: string, parts: GivenParts, write: (part: Part, as: string) => string): string {
  const isThere = (name: string) => !["", undefined].includes(parts[name]?.toString());
  return text
    .replace(/\[\[(.+?)\]\](?!\])/gsu, (_, group: string) =>
      [...group.matchAll(place)].every(([, name = ""]) => isThere(name)) ? group : "",
    )
    .replace(place, (_, name: string, as = "") => write(parts[name] ?? "", as));
}

function inText(part: Part, as: string): string {
  if (typeof part === "string") return part;
  if (typeof part === "number") {
    const [one = "", many] = as.split("|");
    if (many !== undefined) return part === 1 ? one : many;
    return as === "" ? String(part) : formatCount(part, one);
  }
  if (as === ",") return part.join(", ");
  return as === "" ? joinList(part) : truncateList(part, Number(as));
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function inYaml(part: Part, as: string): string {
  if (as === "raw") return String(part);
  return typeof part === "object" ? part.map(yamlScalar).join(", ") : yamlScalar(String(part));
}

/** What the messages of a row say, once for each sentence, with the names of their parts in capitals. */
export function explainRow({ says, rule, next, example }: CodeRow) {
  const known = new Set<string>();
  const onlyNew = (text: string) =>
    text
      .split(/(?<=[.?]) /u)
      .filter((one) => known.size < known.add(one).size)
      .join(" ");
  const messages = (typeof says === "string" ? [says] : Object.values(says)).map((one) =>
    withCapitals(one).split("\n\n"),
  );
  const lines = messages.map(([text = ""]) => text.split("\n"));
  const means = [...lines.map(([what = ""]) => onlyNew(what)), rule ?? ""].filter((one) => one !== "");
  const ways = [...lines.map(([, way = ""]) => onlyNew(way)), next ?? ""].filter((one) => one !== "");
  const yaml = messages.map(([, one]) => one?.trimEnd()).find((one) => one !== undefined);
  return { means: means.join("\n"), next: ways.join(" "), example: example ?? yaml };
}

function withCapitals(text: string): string {
  return text
    .replace(/\[\[|\]\](?!\])|(?<=\.) <[^>]+>\.(?=\s)/gu, "")
    .replace("{run}", withoutCommand)
    .replace(place, (_, name: string, as = "") => {
      const [one = "", many] = as.split("|");
      return (
        many ?? (/^[a-z ]{2,}$/u.test(one) && one !== "raw" ? `${name.toUpperCase()} ${one}s` : name.toUpperCase())
      );
    });
}

export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "nobody";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** The first by name, and how many more there are. One more than the limit is named too: to count it takes as much room. */
export function truncateList(names: readonly string[], limit = 10): string {
  return joinList(names.length <= limit + 1 ? names : [...names.slice(0, limit), `${names.length - limit} more`]);
}

/** A plain or double-quoted YAML scalar that reads back as the text. */
export function yamlScalar(text: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_@.+ -]*$/u.test(text) && !/\s$|^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(text);
  return plain ? text : JSON.stringify(text);
}

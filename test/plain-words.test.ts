import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { helpExamples } from "../src/cli/command-line/commands.ts";
import { catalogue } from "../src/codes/catalogue.ts";
import { commandTree } from "./support/command-tree.ts";
import { bannedWords, hardToRead } from "./support/plain-words.ts";
import { textsIn } from "./support/source-texts.ts";

/** Literals that no person reads as sentences, by how they begin. */
const notProse: readonly { readonly shape: RegExp; readonly because: string }[] = [
  {
    shape: /^\s*\(?(?:SELECT|INSERT|WITH|CREATE TABLE|SET)\b/u,
    because: "SQL is for the database",
  },
  {
    shape: /^ask a database administrator to run this once:/u,
    because: "the sentence is short; the statements after it are to be pasted",
  },
  {
    shape: /^\n?# ?(?:Completion of roster for|compdef roster)/u,
    because: "a script of a shell",
  },
];

/** Each line is read by itself: a template may be a file with comments. */
function faultsOfSource(path: string): readonly string[] {
  return textsIn(readFileSync(path, "utf8")).flatMap(({ line, text }) => {
    if (notProse.some(({ shape }) => shape.test(text))) return [];
    const lines = text.split("\n").filter((one) => one.split(/\s+/u).filter((word) => /\p{L}/u.test(word)).length >= 4);
    return lines.flatMap(hardToRead).map((fault) => `${path}:${line}: ${fault}`);
  });
}

function sourceFiles(): readonly string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => `src/${path}`);
  return files.filter((path) => /\.tsx?$/u.test(path) && !path.includes("/generated/")).sort();
}

/** What a recorded output shows: names of JSON fields, and what the scene says of itself, are no output. */
function shownLines(name: string): readonly string[] {
  const lines = readFileSync(`test/baselines/recorded/${name}`, "utf8").split("\n");
  const output = lines.filter((line) => !/^(?:# |======== )/u.test(line));
  return [...new Set(output.map((line) => line.replace(/"[\w-]+":/gu, "")))];
}

function descriptionsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(descriptionsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === "description" && typeof one === "string" ? [one] : descriptionsIn(one),
  );
}

describe("what people read is in plain words:", () => {
  test("the catalogue of codes", () => {
    const faults = catalogue().flatMap(({ code, title, means, next }) =>
      [title, means, next].flatMap((text) => hardToRead(text).map((fault) => `${code}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  test("no title of a code is longer than 12 words", () => {
    expect(
      catalogue()
        .filter(({ title }) => title.split(" ").length > 12)
        .map(({ title }) => title),
    ).toEqual([]);
  });

  test("the help of every command, with all its options, arguments and examples", () => {
    const faults = commandTree().commands.flatMap(({ command, path }) => {
      const parts = [...command.options, ...command.registeredArguments].map(({ description }) => description);
      const examples = (helpExamples.get(path) ?? []).map(([, about]) => about);
      return [command.description(), ...parts, ...examples].flatMap(hardToRead).map((fault) => `${path}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  test("every text of the sources", () => {
    expect(sourceFiles().flatMap(faultsOfSource)).toEqual([]);
  });

  test("only `roster explain` says what CI refuses from the checkout, of each code that advises to set it", () => {
    const refused = /`(?:guards\.[\w.-]+|protect|service\.\w+)`|printed lines to the settings/u;
    const advising = catalogue().filter(({ next }) => refused.test(next));
    expect(advising.length).toBeGreaterThan(5);
    expect(advising.filter(({ means, next }) => !`${means} ${next}`.includes("In CI, roster does not accept"))).toEqual(
      [],
    );
    expect(readFileSync("test/baselines/recorded/guards.txt", "utf8")).not.toContain("In CI");
  });

  test.each(readdirSync("test/baselines/recorded"))("the recorded output %s", (name) => {
    expect(shownLines(name).flatMap(bannedWords)).toEqual([]);
  });

  test.each(readdirSync("schemas").filter((name) => name.endsWith(".json")))("the descriptions of %s", (name) => {
    const schema: unknown = JSON.parse(readFileSync(`schemas/${name}`, "utf8"));
    expect(descriptionsIn(schema).flatMap(hardToRead)).toEqual([]);
  });
});

describe("hard to read are", () => {
  test.each([
    ["Nobody is there, to whom a mail could go.", ["“whom” in: Nobody is there, to whom a mail could go."]],
    ["Stop. Say --allow with it.", ["“Say --” in: Stop. Say --allow with it."]],
    [`Look: ${"a ".repeat(20)}b. Then stop.`, [`22 words: Look: ${"a ".repeat(20)}b.`]],
  ])("banned words and long sentences: %j", (text, faults) => {
    expect(hardToRead(text)).toEqual(faults);
  });

  test("texts of a source, with what a template fills in as one word", () => {
    const source = [
      "// Nobody's comment.",
      'const quoted = "Say \\"no\\" to whom"; // and more',
      "const pattern = /[/`'\"]/u;",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source
      "const filled = `one ${a ? `two ${b}` : 'three'} four`;",
    ].join("\n");
    expect(textsIn(source)).toEqual([
      { line: 2, text: 'Say "no" to whom' },
      { line: 4, text: "one X four" },
      { line: 4, text: "two X" },
      { line: 4, text: "three" },
    ]);
  });

  test.each([
    "Pass `--allow a b c d e f g h i j k l m n o p q r s t u v w x y z`.",
    "Read plan.json. It is in roster.example.",
  ])("not code, and not stops inside of names: %j", (text) => {
    expect(hardToRead(text)).toEqual([]);
  });
});

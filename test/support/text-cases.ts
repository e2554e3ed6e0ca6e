import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const widest = 150;
const separator = /(?:^| )\| /u;

/**
 * Cases that stand in a file as lines of text: a title, what is given, in parts between `|`, and what comes of it after `→`,
 * or on the next line where that is long. A line `== name` begins a section; any other line is a comment.
 * Of several things that come of it each has its line. RECORD=1 writes what comes of it today, which a person then reads.
 */
export function testTextCases(
  path: URL,
  play: (section: string, given: readonly string[]) => string | readonly string[] | Promise<string>,
): void {
  const sections = readFileSync(path, "utf8")
    .trimEnd()
    .replaceAll(/\n {2}→/gu, " →")
    .split(/^(?=== )/mu)
    .map((text) => ({ name: /^== (.*)$/mu.exec(text)?.[1] ?? "", lines: text.replace(/\n$/u, "").split("\n") }));
  const played = async (section: string, line: string): Promise<string> => {
    const [question = ""] = line.split(" →");
    const comes = await play(section, question.split(separator).slice(1));
    return [question, ...(typeof comes === "string" ? [comes] : comes)].join(" → ");
  };
  const isCase = (line: string) => separator.test(line);
  const unplayed = sections.flatMap(({ lines }) => lines).filter((line) => !isCase(line) && line.includes(" →"));
  if (unplayed.length > 0) throw new Error(`Nothing is given in ${unplayed.join("\n")}`);

  if (process.env["RECORD"] === undefined) {
    describe.each(sections.filter(({ lines }) => lines.some(isCase)))("$name", ({ name, lines }) => {
      test.each(lines.filter(isCase))("%s", async (line) => {
        expect(await played(name, line)).toBe(line);
      });
    });
    return;
  }
  test("what comes of the cases is recorded", async () => {
    const drawn: string[] = [];
    for (const { name, lines } of sections)
      for (const line of lines) drawn.push(isCase(line) ? await played(name, line) : line);
    const text = drawn.map((line) => (line.length > widest ? line.replaceAll(" →", "\n  →") : line)).join("\n");
    writeFileSync(path, `${text.trimEnd()}\n`);
  });
}

/** A text in which `{x*9}` is nine times an x. */
export function repeated(text: string): string {
  return text.replaceAll(/\{([^*{}]+)\*(\d+)\}/gu, (_, part: string, times: string) => part.repeat(Number(times)));
}

/** The same, with line breaks and other signs written as in JSON. */
export function unescaped(text: string): string {
  return JSON.parse(`"${repeated(text).replaceAll('"', '\\"')}"`) as string;
}

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Seed } from "../../src/reference-server/seed.ts";
import { memoryPlace } from "./memory-place.ts";
import { comesOf, commonVerbs, filled, isRecorded, openSession, type Session, type Verb } from "./session-steps.ts";

/**
 * Tests the sessions of a file. A line at the margin is the title of one, `:name` of a piece that `use name` plays unjudged, and `#` a comment.
 * Below it are steps. `$ words` runs roster, and `% words` with `--format json`; both may begin with variables, `NAME=value`,
 * with `IN=directory`, and with `BUILT=1` for the built command, and end with `< file`. A first step `seed` fills the service.
 * `has`, `not` and `like` say what the last command printed, with its white space as one blank, `same` that it is as before; `let name = pattern` takes a group of it.
 * `> file: text` writes a file, of several lines with `|`; `~ file: this => that` changes it; `file path has text` looks into it,
 * and `file path is kept` holds it to what it was at `keep path`.
 * Any other first word is a verb. Below a command stands what comes of it, which RECORD=1 writes: the exit code, how many calls were
 * to change something, the codes of errors, and what a document plans, does and tells.
 * `there people`, `teams`, `mails` or `keys` says what the service has, or what of it begins so; `there asked` how often it was asked.
 * A first step `each one | two` plays the session with each of them as `{it}`, and in its title as `%s`.
 * `{ada Red}` is the prefix of Ada's key there, `{code of}` an allowance that was offered, and `{in 3d}` the day after so many.
 */
export function testSessions(path: URL, verbs: Readonly<Record<string, Verb>> = {}, place = memoryPlace): void {
  const blocks = readFileSync(path, "utf8")
    .trimEnd()
    .split(/\n+(?=\S)/u);
  const parts = blocks.map((block) => {
    const [title = "", ...lines] = block.split("\n");
    return [title, stepsOf(lines)] as const;
  });
  const pieces = new Map(parts);
  const isRecording = process.env["RECORD"] !== undefined;

  async function play(steps: readonly Step[], session: Session, isPiece: boolean): Promise<void> {
    for (const step of steps) {
      const line = filled(step.line, session);
      const [verb = "", ...words] = line.split(" ");
      if (verb === "use") await play(pieces.get(`:${words.join(" ")}`) ?? expect.unreachable(line), session, true);
      else if (!isRecorded(line))
        await (verbs[verb] ?? commonVerbs[verb] ?? expect.unreachable(line))(
          session,
          words,
          step.text.map((text) => filled(text, session)),
        );
      else await judge(step, line, session, isPiece);
    }
  }

  function seedOf(steps: readonly Step[]): Seed | undefined {
    const first = steps.find(({ line }) => !line.startsWith("each "));
    if (first?.line.startsWith("use ")) return seedOf(pieces.get(`:${first.line.slice(4)}`) ?? []);
    return first?.line === "seed" ? parse(first.text.join("\n")) : undefined;
  }

  async function judge(step: Step, line: string, session: Session, isPiece: boolean): Promise<void> {
    const comes = await comesOf(line, session);
    if (isPiece) return;
    const it = session.names.get("it") ?? "";
    if (isRecording) step.comes = it.length > 3 ? comes.replaceAll(it, "{it}") : comes;
    expect(comes, line).toBe(step.comes.replaceAll("{it}", it));
  }

  for (const [title, steps] of parts.filter(([title]) => !/^[:#]/u.test(title)))
    for (const it of eachOf(steps))
      test(title.replace("%s", it), async () => {
        const session = await openSession(seedOf(steps), place);
        session.names.set("it", it);
        await play(steps, session, false);
      });
  if (isRecording)
    test("what comes of the sessions is recorded", () => {
      const texts = parts.map(([title, steps]) => [title, ...steps.flatMap(linesOf)].join("\n"));
      writeFileSync(path, `${texts.join("\n\n")}\n`);
    });
}

function eachOf([first]: readonly Step[]): readonly string[] {
  return first?.line.startsWith("each ") === true ? first.line.slice("each ".length).split(" | ") : [""];
}

interface Step {
  readonly line: string;
  readonly text: readonly string[];
  comes: string;
}

const widest = 130;

function stepsOf(lines: readonly string[]): readonly Step[] {
  const starts = lines.flatMap((line, index) => (/^ {2}\S/u.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const own = lines.slice(start, starts[index + 1]).filter((line) => line !== "");
    const text = own.flatMap((line) => (line.startsWith("    |") ? [line.slice(6)] : []));
    const all = own.filter((line) => !line.startsWith("    |")).map((line) => line.trim());
    const whole = all.join(" ");
    const [line = "", comes = ""] = isRecorded(whole) ? whole.split(" → ") : [whole];
    return { line, text, comes };
  });
}

function linesOf({ line, text, comes }: Step): readonly string[] {
  const written = [`  ${line}`, ...text.map((one) => `    | ${one}`.trimEnd())];
  if (comes === "") return written;
  const whole = `  ${line} → ${comes}`;
  return whole.length <= widest ? [whole] : [...written, ...wrapped(`→ ${comes}`)];
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > widest - 2) lines.push(`    ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

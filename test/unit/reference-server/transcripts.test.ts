import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatKnobValue, parseKnobValue, readKnobArguments } from "../../../src/reference-server/knobs/read-knobs.ts";
import { defaultKnobs, type KnobName, type Knobs, knobRegistry } from "../../../src/reference-server/knobs/registry.ts";
import { readSeed } from "../../../src/reference-server/read-seed.ts";
import type { Seed, SeedUser } from "../../../src/reference-server/seed.ts";
import { conversation } from "./conversation.ts";

/** A paragraph of a transcript: a story of steps, or the values of a knob and what each shows in the same steps. */
interface Scene {
  readonly text: string;
  readonly title: string;
  readonly seed: Seed;
  readonly knobs: Partial<Knobs>;
  readonly steps: readonly string[];
  /** Of a story, none. */
  readonly values: readonly string[];
}

const widest = 150;

function readScenes(text: string): readonly Scene[] {
  const seeds = new Map<string, Seed>([["none", {}]]);
  return text
    .split(/\n\n+/u)
    .map((block) => block.trimEnd())
    .flatMap((block): readonly Scene[] => {
      const [head = "", ...lines] = block.split("\n");
      if (head.startsWith("#")) return [];
      const named = /^seed (\S+)$/u.exec(head)?.[1];
      if (named !== undefined) {
        const { seed, diagnostics } = readSeed(named, new TextEncoder().encode(lines.join("\n")));
        if (seed === undefined) throw new Error(JSON.stringify(diagnostics));
        seeds.set(named, seed);
        return [];
      }
      const [title = "", ...options] = head.split(" | ");
      const seedName = options.find((option) => option.startsWith("seed "))?.slice(5);
      const { knobs, diagnostics } = readKnobArguments(
        options.filter((option) => !option.startsWith("seed ")).flatMap((option) => option.split(" ")),
      );
      if (knobs === undefined) throw new Error(JSON.stringify(diagnostics));
      const steps = lines
        .filter((line) => /^ {2}\S/u.test(line))
        .map((line) => line.trim().split(/ →(?: |$)/u)[0] ?? "");
      const values = lines.filter((line) => /^\S/u.test(line)).map((line) => line.split(/:(?: |$)/u)[0] ?? "");
      return [{ text: block, title, seed: seedOf(seedName, seeds), knobs, steps, values }];
    });
}

/** The seed of that name, else the file's first; or so many people: n00, n01 and so on. */
function seedOf(name: string | undefined, seeds: ReadonlyMap<string, Seed>): Seed {
  if (name === undefined) return [...seeds.values()].at(1) ?? {};
  const many = Number(/^(\d+) users$/u.exec(name)?.[1] ?? 0);
  if (many > 0) return { users: Array.from({ length: many }, (_, n) => numbered(n)) };
  const seed = seeds.get(name);
  if (seed === undefined) throw new Error(`there is no seed ${name}`);
  return seed;
}

function numbered(n: number): SeedUser {
  const profile = { firstName: `F${n % 3}`, lastName: `L${n % 5}`, ...(n % 2 === 0 ? { title: `T${n % 4}` } : {}) };
  return { email: `n${String(n).padStart(2, "0")}@x.example`, ...profile };
}

/** The paragraph as it is today. */
async function played(scene: Scene): Promise<string> {
  const { title, steps, values, knobs } = scene;
  const head = scene.text.split("\n")[0];
  if (values.length === 0) {
    const answers = await answersOf(scene, knobs);
    return [head, ...steps.map((step, at) => (answers[at] ? entry(`  ${step} →`, [answers[at]]) : `  ${step}`))].join(
      "\n",
    );
  }
  const otherwise = defaultKnobs[title as KnobName];
  const usual = await answersOf(scene, knobs);
  const lines: string[] = [];
  const isShown = values.includes(formatKnobValue(otherwise));
  for (const value of values) {
    const read = knobValue(title, value);
    const answers = value === formatKnobValue(otherwise) ? usual : await answersOf(scene, { ...knobs, [title]: read });
    if (answers !== usual) expect(answers, `${title}=${value} is not as the default`).not.toEqual(usual);
    const told = answers.map((answer, at) => (isShown && answers !== usual && answer === usual[at] ? "=" : answer));
    lines.push(entry(`${value}:`, withoutUsualEnd(told.filter((_, at) => answers[at] !== ""))));
  }
  return [head, ...steps.map((step) => `  ${step}`), ...lines].join("\n");
}

function withoutUsualEnd(answers: readonly string[]): readonly string[] {
  return answers.slice(0, answers.findLastIndex((answer) => answer !== "=") + 1);
}

function entry(start: string, answers: readonly string[]): string {
  const line = `${start} ${answers.join(" | ")}`.trimEnd();
  return line.length <= widest ? line : `${start} ${answers.join("\n      ")}`;
}

async function answersOf({ seed, steps }: Scene, knobs: Partial<Knobs>): Promise<readonly string[]> {
  const talk = await conversation(seed, knobs);
  const answers: string[] = [];
  for (const step of steps) answers.push(await talk(step));
  return answers;
}

function knobValue(name: string, written: string): unknown {
  const knob = knobRegistry.get(name);
  const value = knob === undefined ? undefined : parseKnobValue(knob, written);
  if (value === undefined) throw new Error(`the knob ${name} has no value ${written}`);
  return value;
}

const folder = new URL("./transcripts/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
const scenes = files.map((file) => ({ file, scenes: readScenes(readFileSync(new URL(file, folder), "utf8")) }));

describe.each(scenes)("$file", ({ file, scenes: told }) => {
  test.each(told.map((scene) => [scene.title, scene] as const))("%s", async (_, scene) => {
    const now = await played(scene);
    expect("polluted" in {}, "a field of a body is one of every object").toBe(false);
    if (process.env["RECORD"] === undefined) return expect(now).toBe(scene.text);
    const path = new URL(file, folder);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(scene.text, () => now),
    );
  });
});

/** What is timed, or leaves a connection open: `interrupted.test.ts`; how late reads are: `lags.test.ts`; `statuses.test.ts`. */
const elsewhere = "latencyMs hang hangBody listLagMs searchLagMs detailLagMs shownKeyLagMs createStatus".split(" ");

test("a transcript shows every value of every knob", () => {
  const all = scenes.flatMap(({ scenes: told }) => told);
  const shown = (name: string) => all.filter(({ title }) => title === name).flatMap(({ values }) => values);
  const missing = [...knobRegistry].flatMap(([name, knob]) => {
    const there = new Set(shown(name));
    if (elsewhere.includes(name)) return [];
    if (knob.is !== "choice") return there.size > 0 ? [] : [name];
    return Object.keys(knob.values)
      .filter((value) => !there.has(value))
      .map((value) => `${name}=${value}`);
  });
  expect(missing).toEqual([]);
});

#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { standardStreams, standardTerminals } from "./cli/standard-streams.ts";

/** What the build has made. */
declare const built: {
  readonly version: string;
  /** What `roster --help` prints, where that is no terminal. */
  readonly help: string;
  /** The names of the program's scripts in `dist`. */
  readonly scripts: readonly string[];
  /** Where the program begins. */
  readonly main: ChunkPlace;
};

type ChunkPlace = readonly [script: number, chunk: number];

/** A part of the program. Runs when another part first asks for what it exports. */
interface Chunk {
  readonly run: () => object;
  exports?: object;
}

const scripts: (readonly Chunk[])[] = [];

function load(...[script, index]: ChunkPlace): object {
  scripts[script] ??= readScript(script);
  const chunk = scripts[script][index] as Chunk;
  chunk.exports ??= chunk.run();
  return chunk.exports;
}

/**
 * With the functions that V8 compiled when the program was built, so that no command compiles them again. Another release of Node, or another kind
 * of machine, has no such file: there the functions are compiled at every start.
 */
function readScript(number: number): readonly Chunk[] {
  const name = `${__dirname}/${built.scripts[number]}`;
  const filename = `${name}.cjs`;
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData: codeCache(name) });
  const runs: readonly Chunk["run"][] = script.runInThisContext()(
    require,
    load,
    (screen: string) => import(screen),
    __dirname,
  );
  return runs.map((run) => ({ run }));
}

function codeCache(name: string): Buffer | undefined {
  const { version, platform, arch } = process;
  try {
    return readFileSync(`${name}-${version}-${platform}-${arch}.cache`);
  } catch {
    return undefined;
  }
}

/** What is known without the program; nothing where that has to run. */
function knownAnswer(words: readonly string[], terminals: readonly number[]): string | undefined {
  const [word, ...others] = words;
  if (others.length > 0) return undefined;
  if (word === "--version" || word === "-V") return `${built.version}\n`;
  // On a terminal, help is as wide as that.
  return (word === "--help" || word === "-h") && !terminals.includes(1) ? built.help : undefined;
}

function start(): object | undefined {
  const terminals = standardTerminals();
  const answer = knownAnswer(process.argv.slice(2), terminals);
  if (answer === undefined) return load(...built.main);
  standardStreams(terminals).stdout.write(answer);
  return undefined;
}

/** What the first chunk of the program exports; the build waits for its end. */
export const program = start();

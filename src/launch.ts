#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";

/** What the build has made: the version of the package, and the names of the program and of its code cache in `dist`. */
declare const built: { readonly version: string; readonly program: string; readonly codeCache: string };

/**
 * Runs the program with the functions that V8 compiled when it was built, so that no command compiles them again. Another release of Node, or
 * another kind of machine, has no such file: there the program is compiled at every start.
 */
function launch(): void {
  const filename = `${import.meta.dirname}/${built.program}`;
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData: codeCache() });
  script.runInThisContext()(createRequire(import.meta.url), filename, (screen: string) => import(screen));
}

function codeCache(): Buffer | undefined {
  const { version, platform, arch } = process;
  try {
    return readFileSync(`${import.meta.dirname}/${built.codeCache}-${version}-${platform}-${arch}.cache`);
  } catch {
    return undefined;
  }
}

const [word, ...others] = process.argv.slice(2);
if (others.length === 0 && (word === "--version" || word === "-V")) process.stdout.write(`${built.version}\n`);
else launch();

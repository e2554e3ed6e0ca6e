#!/usr/bin/env node
import { readFileSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { compileCacheDirectory } from "./cli/compile-cache.ts";

/** Of Node 22.1 and later. */
interface WithCompileCache {
  readonly createRequire: unknown;
  enableCompileCache?(directory: string): unknown;
}

const node: WithCompileCache = module;
const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  process.stdout.write(`${version}\n`);
} else {
  const cache = compileCacheDirectory(process.env["XDG_CACHE_HOME"], homedir());
  if (cache !== undefined) node.enableCompileCache?.(cache);
  void import("./cli/command-line/program.ts").then(({ runProcess }) => runProcess());
}

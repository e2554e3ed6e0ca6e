#!/usr/bin/env node
import { readFileSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

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
  // Node keeps what V8 has compiled (22.1 and later). It is run as it is read: it stands in the user's own directory, not in a shared one.
  node.enableCompileCache?.(join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "roster"));
  void import("./cli/process.ts").then(({ runProcess }) => runProcess());
}

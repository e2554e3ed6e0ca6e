// The declarations of what a module exports, for those who use it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { promisify } from "node:util";

/** The texts of the declarations that `entry` leads to, by the names of their modules. */
export async function readDeclarations(entry) {
  const out = await mkdtemp(join(tmpdir(), "roster-types-"));
  const tsc = "node_modules/typescript/bin/tsc";
  // Types are checked elsewhere. What is not exported to users may have types without a name: only what they reach is kept.
  const flags = ["--noCheck", "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal"];
  try {
    await promisify(execFile)(process.execPath, [tsc, ...flags, "--outDir", out]).catch((error) => {
      // An exit code is about types. Anything else has stopped tsc.
      if (typeof error.code !== "number") throw error;
    });
    return await reachable(entry, out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const relativeImport = /((?:from |import\()")(\.[^"]*)\.tsx?"/g;

async function reachable(entry, out) {
  const found = new Map([[entry, ""]]);
  for (const name of found.keys()) {
    const text = await readFile(join(out, `${name}.d.ts`), "utf8");
    found.set(
      name,
      text.replace(relativeImport, (_, before, path) => `${before}${path}.js"`),
    );
    for (const [, , path] of text.matchAll(relativeImport)) {
      const imported = posix.join(posix.dirname(name), path);
      if (!found.has(imported)) found.set(imported, "");
    }
  }
  return [...found];
}

// The declarations of what a module exports, for those who use it.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { promisify } from "node:util";

/** The texts of the declarations that `entry` leads to, by the names of their modules. */
export async function readDeclarations(entry) {
  const copy = await mkdtemp(join(tmpdir(), "roster-types-"));
  const out = join(copy, "out");
  const tsc = resolve("node_modules/typescript/bin/tsc");
  // Types are checked elsewhere. What is not exported to users may have types without a name: only what they reach is kept.
  const flags = ["--noCheck", "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal"];
  try {
    for (const name of ["src", "package.json", "tsconfig.json"]) await cp(name, join(copy, name), { recursive: true });
    await symlink(resolve("node_modules"), join(copy, "node_modules"), "junction");
    await markInternal(join(copy, "src"), entry);
    await promisify(execFile)(process.execPath, [tsc, ...flags, "--outDir", out], { cwd: copy }).catch((error) => {
      // An exit code is about types. Anything else has stopped tsc.
      if (typeof error.code !== "number") throw error;
    });
    return await reachable(entry, out);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Of the modules beside the entry, users get only what it names; of those whose types it exports, no functions. */
async function markInternal(src, entry) {
  const exported = /^export (?:type \*|(?:type )?\{([^}]*)\}) from "(.*)";$/gmu;
  for (const [, names, module] of (await readFile(join(src, `${entry}.ts`), "utf8")).matchAll(exported)) {
    const path = join(src, posix.dirname(entry), module);
    const text = await readFile(path, "utf8");
    const isTyped = (name) => text.includes(`typeof ${name}`);
    const isNamed = (name) => names?.split(/[\s,]+/u).includes(name);
    const isPublic = (kind, name) =>
      kind === "function" ? (isNamed(name) ?? isTyped(name)) : isTyped(name) || (isNamed(name) ?? true);
    const marked = text.replace(/^export (?:async )?(\w+)\*? (\w+)/gmu, (found, kind, name) =>
      isPublic(kind, name) ? found : `/** @internal */ ${found}`,
    );
    await writeFile(path, marked);
  }
}

const relativeImport = /((?:from |import\()")(\.[^"]*)\.tsx?"/g;

async function reachable(entry, out) {
  const found = new Map([[entry, ""]]);
  for (const name of found.keys()) {
    const text = await readFile(join(out, `${name}.d.ts`), "utf8");
    const published = text.replace(relativeImport, (_, before, path) => `${before}${path}.js"`);
    found.set(name, published);
    for (const [, , path] of text.matchAll(relativeImport)) {
      const imported = posix.join(posix.dirname(name), path);
      if (!found.has(imported)) found.set(imported, "");
    }
  }
  return [...found];
}

// The library: an ES module, and the declarations of what it exports.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const entry = "library/index";

/** What the program sets for its process is not for a library to set. */
const withoutProcessFlags = {
  name: "without-process-flags",
  setup(builder) {
    builder.onResolve({ filter: /\/v8-flags\.ts$/ }, ({ path }) => ({ path, namespace: "unset" }));
    builder.onLoad({ filter: /.*/, namespace: "unset" }, () => ({ contents: "export function tuneV8() {}" }));
  },
};

/** CommonJS dependencies call require for Node's own modules. */
export const withRequire = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};

/** Stores that need many packages are files of their own, which are loaded when they are used. */
export function bundleLibrary(common) {
  return build({
    ...common,
    entryPoints: [`src/${entry}.ts`],
    outdir: "dist/library",
    splitting: true,
    format: "esm",
    plugins: [withoutProcessFlags],
    banner: withRequire,
  });
}

/** Writes the library below `dist/library`. The program beside it is made of scripts, which the package of `dist` says. */
export async function writeLibrary({ outputFiles }) {
  await mkdir("dist/library", { recursive: true });
  await writeFile("dist/library/package.json", '{ "type": "module" }\n');
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  await writeDeclarations();
}

async function writeDeclarations() {
  const out = await mkdtemp(join(tmpdir(), "roster-types-"));
  try {
    await emitDeclarations(out);
    for (const name of await reachable(out)) {
      const path = `dist/library/types/${name}.d.ts`;
      await mkdir(dirname(path), { recursive: true });
      const text = await readFile(join(out, `${name}.d.ts`), "utf8");
      await writeFile(
        path,
        text.replace(relativeImport, (_, before, path) => `${before}${path}.js"`),
      );
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function emitDeclarations(out) {
  const tsc = "node_modules/typescript/bin/tsc";
  // What is not exported to users may have types without a name: only what they reach is kept, and checked as they would.
  const flags = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal", "--outDir", out];
  await promisify(execFile)(process.execPath, [tsc, ...flags]).catch((error) => {
    // An exit code is about types. Anything else has stopped tsc.
    if (typeof error.code !== "number") throw error;
  });
}

const relativeImport = /((?:from |import\()")(\.[^"]*)\.tsx?"/g;

/** The declarations that the entry leads to. */
async function reachable(out) {
  const found = new Set([entry]);
  for (const name of found) {
    const text = await readFile(join(out, `${name}.d.ts`), "utf8");
    for (const [, , path] of text.matchAll(relativeImport)) found.add(posix.join(posix.dirname(name), path));
  }
  return found;
}

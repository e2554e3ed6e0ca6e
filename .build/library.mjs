// The library: an ES module, and the declarations of what it exports.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
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

/**
 * CommonJS dependencies call require for Node's own modules. A user's bundler must not find such a call: in a CommonJS bundle there is
 * no `import.meta.url` to make a require of. `pg-native` is an optional part of pg that nobody has asked for.
 */
const withoutRequire = {
  name: "without-require",
  setup(builder) {
    builder.onResolve({ filter: /^[\w:/-]+$/ }, ({ path, kind }) => {
      if (kind !== "require-call") return undefined;
      if (path.startsWith("node:") || isBuiltin(path)) return { path, namespace: "of-node" };
      return path === "pg-native" ? { path, namespace: "missing" } : undefined;
    });
    builder.onLoad({ filter: /.*/, namespace: "of-node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
    builder.onLoad({ filter: /.*/, namespace: "missing" }, ({ path }) => ({
      contents: `throw new Error("${path} is not part of rosterctl.");`,
    }));
  },
};

/** Stores that need many packages are files of their own, which are loaded when they are used. */
export function bundleLibrary(common) {
  return build({
    ...common,
    entryPoints: [`src/${entry}.ts`],
    outdir: "dist/library",
    splitting: true,
    format: "esm",
    plugins: [withoutProcessFlags, withoutRequire],
  });
}

/** Writes the library below `dist/library`. The program beside it is made of scripts, which the package of `dist` says. */
export async function writeLibrary(outputFiles, declarations) {
  await mkdir("dist/library", { recursive: true });
  await writeFile("dist/library/package.json", '{ "type": "module" }\n');
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  for (const [name, text] of declarations) {
    const path = `dist/library/types/${name}.d.ts`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** The texts of the declarations that users of the library need, by the names of their modules. */
export async function readDeclarations() {
  const out = await mkdtemp(join(tmpdir(), "roster-types-"));
  try {
    await emitDeclarations(out);
    return await reachable(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function emitDeclarations(out) {
  const tsc = "node_modules/typescript/bin/tsc";
  // Types are checked elsewhere. What is not exported to users may have types without a name: only what they reach is kept.
  const flags = ["--noCheck", "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal"];
  await promisify(execFile)(process.execPath, [tsc, ...flags, "--outDir", out]).catch((error) => {
    // An exit code is about types. Anything else has stopped tsc.
    if (typeof error.code !== "number") throw error;
  });
}

const relativeImport = /((?:from |import\()")(\.[^"]*)\.tsx?"/g;

/** The declarations that the entry leads to. */
async function reachable(out) {
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
  return found;
}

// Builds dist/ from src/: the program and the library as ES modules, with the validators that stand in schemas/.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { build } from "esbuild";
import { readDeclarations } from "./declarations.mjs";
import { billOfMaterials, bundledPackages, thirdPartyNotices } from "./packages.mjs";
import { compileValidators } from "./validators.mjs";

/**
 * CommonJS packages call require for Node's own modules. There is no such call in a module, nor in what a user's bundler makes of the library.
 * Nothing takes the place of what roster must not load: ink would connect to React's developer tools where DEV is set, and draw nothing where
 * it takes the environment for a pipeline; `pg-native` is an optional part of pg.
 */
const replaceModules = {
  name: "replace-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path) ? { path, namespace: "builtin" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
    onResolve({ filter: /^(?:\.\/devtools\.js|is-in-ci|pg-native)$/ }, ({ path }) => ({ path, namespace: "nothing" }));
    onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "export default false;" }));
  },
};

/**
 * esbuild makes a file for each set of late modules that share code, most of them small, and to load one takes as long as 8 kB of code. What
 * the command line loads late comes with all that `validate` needs: so that this is in few files, which every command needs.
 */
const lateModulesWithCore = {
  name: "late-modules-with-core",
  setup({ onResolve, onLoad }) {
    // An absolute path would get into the names of the files.
    onResolve({ filter: /\.tsx?$/ }, ({ path, kind, resolveDir }) =>
      kind === "dynamic-import" && /^src.(?:cli|report)\b/.test(relative("", resolveDir))
        ? { path: relative("", resolve(resolveDir, path)), namespace: "late" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: `import "./src/cli/commands/validate.ts"; export * from ${JSON.stringify(`./${path}`)};`,
      resolveDir: ".",
    }));
  },
};

async function bundle() {
  // The tests of npm test run without them, and they take half of the time.
  const declarations = process.argv.includes("--without-types") ? [] : readDeclarations("library/index");
  const { outputFiles, metafile } = await build({
    entryPoints: { main: "src/main.ts", "library/index": "src/library/index.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    jsx: "automatic",
    // They stand in THIRD-PARTY-NOTICES.txt.
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [replaceModules, lateModulesWithCore],
    logLevel: "warning",
    metafile: true,
    write: false,
  });
  const packages = bundledPackages(metafile);
  const files = [
    ...outputFiles.map(({ path, contents }) => [path, contents]),
    ...(await declarations).map(([name, text]) => [`dist/library/types/${name}.d.ts`, text]),
    ["dist/THIRD-PARTY-NOTICES.txt", await thirdPartyNotices(packages)],
    ["dist/sbom.cdx.json", await billOfMaterials(packages)],
  ];
  // A build that fails leaves the last one in place.
  await rm("dist", { recursive: true, force: true });
  for (const [path, contents] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  await chmod("dist/main.js", 0o755);
}

await compileValidators();
await bundle();

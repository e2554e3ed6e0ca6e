// Builds dist/ from src/: compiles the validators from schemas/, bundles the program, and keeps what V8 compiles of it.
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { bundledDirectories } from "./bundled.mjs";
import { readHelp, traceCommands, writeCodeCaches } from "./everyday.mjs";
import { lateEntries, lateModules, lateName } from "./late-modules.mjs";
import { bundleLibrary, readDeclarations, writeLibrary } from "./library.mjs";
import { thirdPartyNotices } from "./notices.mjs";
import { billOfMaterials } from "./sbom.mjs";
import { readChunks, scriptOf } from "./scripts.mjs";
import { withSharedShapes } from "./shared-shapes.mjs";
import { compileValidators } from "./validators.mjs";

const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  platform: "node",
  target: "node20.19",
  // They stand in THIRD-PARTY-NOTICES.txt.
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
  metafile: true,
  write: false,
};

/**
 * The screens stand on packages that can only be loaded as ES modules, and the program is a script, since V8 keeps compiled code of scripts
 * alone. So the screens are a bundle of their own, which the program imports when it shows one.
 */
const screensApart = {
  name: "screens-apart",
  setup(builder) {
    builder.onResolve({ filter: /\/screen\/(?:review|progress)\.tsx$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${screenName(path)}.mjs`, external: true } : undefined,
    );
  },
};

const screens = ["src/screen/review.tsx", "src/screen/progress.tsx"];

function screenName(path) {
  return `screen-${/(\w+)\.tsx$/.exec(path)[1]}`;
}

/**
 * What ink would do on its own: connect to React's developer tools where DEV is set, and draw nothing where it takes the environment
 * for a pipeline. Nothing of a plan may go to tools, and roster decides itself where screens are shown.
 */
const inkWithoutEnvironment = {
  name: "ink-without-environment",
  setup(builder) {
    const fromInk = ({ importer }) => /[\\/]ink[\\/]build[\\/]/.test(importer);
    builder.onResolve({ filter: /^(?:\.\/devtools\.js|is-in-ci)$/ }, (asked) =>
      fromInk(asked) ? { path: asked.path, namespace: "nothing" } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "export default false;" }));
  },
};

function bundleProgram() {
  return build({
    ...common,
    entryPoints: { main: "src/main.ts", ...Object.fromEntries(lateEntries.map((entry) => [lateName(entry), entry])) },
    outdir: "dist",
    splitting: true,
    format: "esm",
    define: { ...common.define, "import.meta.dirname": "__dirname" },
    plugins: [screensApart, lateModules],
  });
}

/** CommonJS dependencies call require for Node's own modules. */
const withRequire = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};

function bundleScreens() {
  return build({
    ...common,
    entryPoints: screens.map((path) => ({ in: path, out: screenName(path) })),
    outdir: "dist",
    splitting: true,
    format: "esm",
    jsx: "automatic",
    plugins: [inkWithoutEnvironment],
    outExtension: { ".js": ".mjs" },
    banner: withRequire,
  });
}

async function bundleLauncher(built) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: ["src/launch.ts"],
    outfile: "dist/main.js",
    format: "cjs",
    define: { ...common.define, built: JSON.stringify(built) },
    plugins: [lateModules],
  });
  return outputFiles[0];
}

async function bundle() {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const [program, screen, library, declarations] = await Promise.all([
    bundleProgram(),
    bundleScreens(),
    bundleLibrary(common),
    readDeclarations(),
  ]);
  const bundled = bundledDirectories([program.metafile, screen.metafile, library.metafile]);
  const [notices, bill] = await Promise.all([thirdPartyNotices(bundled), billOfMaterials(bundled)]);
  const chunks = readChunks(withSharedShapes(program.outputFiles));
  // A build that fails leaves the last one in place.
  await rm("dist", { recursive: true, force: true });
  await mkdir("dist");
  await Promise.all(withSharedShapes(screen.outputFiles).map(({ path, contents }) => writeFile(path, contents)));
  await writeLibrary(withSharedShapes(library.outputFiles), declarations);
  await writeFile("dist/THIRD-PARTY-NOTICES.txt", notices);
  await writeFile("dist/sbom.cdx.json", bill);
  await copyFile(".build/everyday.mjs", "dist/precompile.mjs");
  // Node takes the screens, which are modules, by the end of their names.
  await writeFile("dist/package.json", '{ "type": "commonjs" }\n');
  const [whole] = await writeScripts([["whole", chunks]], { version });
  const [help, used] = [await readHelp(), await traceCommands()];
  await rm(`dist/${whole}.cjs`);
  await writeScripts(byUse(chunks, used), { version, help });
  await writeCodeCaches();
}

/** Each chunk goes with the first of the everyday commands that needs it, so that none of them reads more than it needs. */
function byUse(chunks, used) {
  const groups = new Map([...Object.keys(used), "other"].map((name) => [name, []]));
  for (const [index, chunk] of chunks.entries()) {
    const [name = "other"] = Object.entries(used).find(([, indexes]) => indexes.includes(index)) ?? [];
    groups.get(name).push(chunk);
  }
  return [...groups];
}

async function writeScripts(groups, built) {
  const places = new Map(
    groups.flatMap(([, chunks], script) => chunks.map(({ name }, index) => [name, [script, index]])),
  );
  const scripts = groups.map(([name, chunks]) => {
    const code = scriptOf(chunks, (chunk) => places.get(chunk));
    // V8 checks the length of a cache's source, not its content: the name does.
    return { name: `${name}-${createHash("sha256").update(code).digest("hex").slice(0, 16)}`, code };
  });
  const names = scripts.map(({ name }) => name);
  const launcher = await bundleLauncher({ ...built, scripts: names, main: places.get("main.js") });
  await Promise.all(scripts.map(({ name, code }) => writeFile(`dist/${name}.cjs`, code)));
  await writeFile(launcher.path, launcher.contents);
  await chmod(launcher.path, 0o755);
  return names;
}

await compileValidators();
if (!process.argv.includes("--validators-only")) await bundle();

// Builds dist/ from src/: compiles the validators from schemas/, bundles the program, and keeps what V8 compiles of it.
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { writeCodeCache } from "./code-cache.mjs";
import { thirdPartyNotices } from "./notices.mjs";
import { compileValidators } from "./validators.mjs";

const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  platform: "node",
  target: "node20.19",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
  metafile: true,
  write: false,
};

/** CommonJS dependencies call require for Node's own modules. */
const withRequire = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};

/**
 * The screens stand on packages that can only be loaded as ES modules, and the program is a script, since V8 keeps compiled code of scripts
 * alone. So the screens are a bundle of their own, which the program imports when it shows one.
 */
const screensApart = {
  name: "screens-apart",
  setup(builder) {
    builder.onResolve({ filter: /\/screen\/(?:review|progress)\.tsx$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${screenName(path)}.js`, external: true } : undefined,
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

/** The program as a function of `require`, the name of its file, and what imports the bundle of a screen: a script cannot import by itself. */
async function bundleProgram() {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: ["src/main.ts"],
    outfile: "program.cjs",
    format: "cjs",
    define: { ...common.define, "import.meta.url": "__url" },
    plugins: [screensApart],
  });
  const text = outputFiles[0].text.replaceAll('import("./screen-', '__import("./screen-');
  const head = 'const module={exports:{}};const __url=require("node:url").pathToFileURL(__filename).href;';
  return {
    code: withEscapes(`(function(require,__filename,__import){${head}${text};return module.exports})`),
    metafile,
  };
}

/** In ASCII alone, so that it can be read byte by byte. What esbuild leaves is in regular expressions, templates and comments. */
function withEscapes(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function bundleScreens() {
  return build({
    ...common,
    entryPoints: screens.map((path) => ({ in: path, out: screenName(path) })),
    outdir: "dist",
    splitting: true,
    format: "esm",
    jsx: "automatic",
    plugins: [inkWithoutEnvironment],
    banner: withRequire,
  });
}

async function bundleLauncher(built) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: ["src/launch.ts"],
    outfile: "dist/main.js",
    format: "esm",
    define: { ...common.define, built: JSON.stringify(built) },
  });
  return outputFiles[0];
}

async function bundle() {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const [program, screen] = await Promise.all([bundleProgram(), bundleScreens()]);
  const notices = await thirdPartyNotices([program.metafile, screen.metafile]);
  // V8 checks the length of a cache's source, not its content: the name does.
  const name = `program-${createHash("sha256").update(program.code).digest("hex").slice(0, 16)}`;
  const launcher = await bundleLauncher({ version, program: `${name}.cjs`, codeCache: name });
  // A build that fails leaves the last one in place.
  await rm("dist", { recursive: true, force: true });
  await mkdir("dist");
  await Promise.all([...screen.outputFiles, launcher].map(({ path, contents }) => writeFile(path, contents)));
  await writeFile(`dist/${name}.cjs`, program.code);
  await writeFile("dist/THIRD-PARTY-NOTICES.txt", notices);
  await chmod("dist/main.js", 0o755);
  await writeCodeCache(`dist/${name}`);
}

await compileValidators();
if (!process.argv.includes("--validators-only")) await bundle();

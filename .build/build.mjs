// Builds dist/ from src/: compiles the validators from schemas/, then bundles with one chunk per lazily loaded part.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { thirdPartyNotices } from "./notices.mjs";
import { compileValidators } from "./validators.mjs";

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

async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: ["src/main.ts"],
    outdir: "dist",
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [inkWithoutEnvironment],
    // CommonJS dependencies call require for Node's own modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
    metafile: true,
    write: false,
  });
  const notices = await thirdPartyNotices(metafile);
  // A build that fails leaves the last one in place.
  await rm("dist", { recursive: true, force: true });
  await mkdir("dist");
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  await writeFile("dist/THIRD-PARTY-NOTICES.txt", notices);
  await chmod("dist/main.js", 0o755);
}

await compileValidators();
if (!process.argv.includes("--validators-only")) await bundle();

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { play } from "./play.ts";

/** What plays worlds with the build of a tree: its commands, clock, disk and transport, in one module. The worlds are those of this tree. */
export async function playerOf(tree: string): Promise<typeof play> {
  // Below its package.json, which tells its version.
  const directory = await mkdtemp(join(tree, "dist/compare-"));
  const entry = join(import.meta.dirname, "play.ts");
  const supportOfTree: Plugin = {
    name: "support-of-tree",
    setup({ onResolve, onLoad }) {
      // No command here shows a screen.
      onResolve({ filter: /^(?:\.\/devtools\.js|pg-native)$/ }, ({ path }) => ({ path, namespace: "nothing" }));
      onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "" }));
      onResolve({ filter: /^\.\.\/support\// }, ({ path, importer }) =>
        importer === entry ? { path: join(tree, "test/compare", path) } : undefined,
      );
    },
  };
  try {
    const outfile = join(directory, "play.mjs");
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      plugins: [supportOfTree],
      // CommonJS packages call it.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      logLevel: "error",
    });
    // The module is ours, and has just been made of it.
    const module = (await import(pathToFileURL(outfile).href)) as { readonly play: typeof play };
    return module.play;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

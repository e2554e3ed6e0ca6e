import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { play } from "./play.ts";

interface Simulation {
  readonly play: typeof play;
}

/**
 * The simulation as one module. A loader of sources answers an `import()` when it likes, which no seed decides; within one module
 * nothing is loaded.
 */
export async function bundledSimulation(): Promise<Simulation> {
  const directory = await mkdtemp(join(tmpdir(), "roster-simulation-"));
  try {
    const outfile = join(directory, "play.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "play.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      external: ["pg-native"],
      // CommonJS packages call it.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      logLevel: "error",
    });
    // The module is ours, and has just been made of it.
    return (await import(pathToFileURL(outfile).href)) as Simulation;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

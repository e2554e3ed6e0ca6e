import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory } from "../support/command.ts";
import { isDeep } from "../support/property-runs.ts";

/** A user's program. It opens every kind of state, since each is loaded when it is used. */
const program = `import { apply, connect, loadRoster, openLog, RosterError } from "rosterctl";

const variables = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
const stores = ["postgres://nobody@127.0.0.1:9/x", "s3://bucket/x?region=r&endpoint=http://127.0.0.1:9"];
const text = "version: 1\\naccount: acc-1\\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\\n";

async function opened(url) {
  const log = await openLog({ url, variables });
  // Only the first gives up at once.
  const read = url.startsWith("postgres:") ? await log.read().catch((error) => error) : undefined;
  await log.close();
  return read instanceof RosterError ? read.code : log.address;
}

async function main() {
  const [endpoint, key] = process.argv.slice(2);
  const roster = await loadRoster({ files: [{ file: "roster.yaml", text }] });
  const service = await connect({ endpoint, key });
  const log = await openLog({ url: "memory:" });
  const { run } = await apply({ roster, service, log, approve: "any" }).result;
  const outcomes = [...run.outcomes.values()].map(({ is }) => is);
  console.log(JSON.stringify({ outcomes, stores: await Promise.all(stores.map(opened)) }));
  await service.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
`;

interface Bundling {
  /** Where the program is, and rosterctl in its \`node_modules\`. */
  readonly root: string;
  readonly format: "esm" | "cjs";
  readonly outDir: string;
}

const namesOf = ({ format }: Bundling) =>
  format === "esm"
    ? { entryFileNames: "main.mjs", chunkFileNames: "[name].mjs" }
    : { entryFileNames: "main.cjs", chunkFileNames: "[name].cjs" };

/** Each writes a bundle and returns what the bundler says against it. */
const bundlers: Readonly<Record<string, (bundling: Bundling) => Promise<readonly string[]>>> = {
  async esbuild({ root, format, outDir }) {
    const { warnings } = await esbuild({
      entryPoints: [join(root, "main.js")],
      bundle: true,
      platform: "node",
      format,
      outdir: outDir,
      splitting: format === "esm",
      outExtension: { ".js": format === "esm" ? ".mjs" : ".cjs" },
      logLevel: "silent",
    });
    return warnings.map(({ text }) => text);
  },
  async rollup(bundling) {
    const { rollup } = await import("rollup");
    const { root, format, outDir } = bundling;
    const said: string[] = [];
    const library = join(root, "node_modules/rosterctl/dist/library/index.js");
    const bundle = await rollup({
      input: join(root, "main.js"),
      external: /^node:/,
      onwarn: ({ message }) => said.push(message),
      plugins: [{ name: "resolve", resolveId: (name) => (name === "rosterctl" ? library : null) }],
    });
    await bundle.write({ dir: outDir, format, ...namesOf(bundling) });
    await bundle.close();
    return said;
  },
  async vite(bundling) {
    const { build } = await import("vite");
    const { root, format, outDir } = bundling;
    const rolldownOptions = { output: { format, ...namesOf(bundling) } };
    const build_ = { ssr: "main.js", outDir, rolldownOptions, emptyOutDir: true };
    await build({ root, configFile: false, logLevel: "error", ssr: { noExternal: true }, build: build_ });
    return [];
  },
  async webpack({ root, format, outDir }) {
    const { default: webpack } = await import("webpack");
    const output =
      format === "esm" ? { filename: "main.mjs", module: true, chunkFormat: "module" } : { filename: "main.cjs" };
    const compiler = webpack({
      mode: "production",
      target: "node20",
      context: root,
      entry: "./main.js",
      experiments: { outputModule: format === "esm" },
      optimization: { minimize: false },
      output: { path: outDir, ...output },
    });
    return new Promise((done, fail) => {
      compiler.run((error, stats) => {
        const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
        if (error) fail(error);
        else done([...errors, ...warnings].map(({ message }) => message));
      });
    });
  },
};

const ends: (() => void | Promise<void>)[] = [];
const atEnd: AtEnd = (undo) => void ends.push(undo);
let root = "";

beforeAll(() => {
  root = emptyDirectory(atEnd);
  mkdirSync(join(root, "node_modules"));
  symlinkSync(resolve("."), join(root, "node_modules/rosterctl"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(root, "main.js"), program);
  return async () => {
    for (const end of ends) await end();
  };
});

const formats = ["esm", "cjs"] as const;

/** The others take many seconds each, and are for `npm run test:deep`. */
const names = Object.keys(bundlers).filter((name) => isDeep || name === "esbuild");

test.each(names.flatMap((name) => formats.map((format) => [name, format] as const)))(
  "a program that %s has bundled as %s applies its roster, and opens every kind of state",
  async (name, format) => {
    const outDir = join(root, `${name}-${format}`);
    expect(await bundlers[name]?.({ root, format, outDir })).toEqual([]);
    const server = await startReferenceServer({ port: 0, seed: { accounts: [{ identifier: "acc-1" }] } });
    onTestFinished(() => server.close());
    const args = [join(outDir, format === "esm" ? "main.mjs" : "main.cjs"), server.endpoint, server.key];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    const stores = ["state", "s3://bucket/x?region=r&endpoint=http://127.0.0.1:9"];
    expect([JSON.parse(stdout), stderr]).toEqual([{ outcomes: ["succeeded"], stores }, ""]);
  },
);

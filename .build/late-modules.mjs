// Modules that cost every start much and are needed by few: each is loaded when something of it is first used.
import { basename } from "node:path";

/** Of these roster itself uses functions and classes alone. */
const asFunctions = ["node:child_process", "node:crypto", "node:os", "node:tty", "node:v8"];

const ofNode = [
  "node:assert",
  "node:child_process",
  "node:crypto",
  "node:dns",
  "node:http",
  "node:net",
  "node:os",
  "node:readline",
  "node:tls",
  "node:v8",
];

/** Chunks of their own in the program. */
export const lateEntries = [
  "yaml",
  ...["plan", "plan-file", "snapshot", "state"].map((format) => `./src/codec/generated/${format}.js`),
];

/** What stands in for parts that undici loads, and that no request of roster comes to. */
const unused = {
  "./client-h2.js": 'module.exports = () => { throw new Error("HTTP/2 is not spoken."); };',
  // No body is an incoming message. How large headers may be is asked of Node only where somebody has said it.
  "node:http": `exports.IncomingMessage = class {};
    const isSaid = [process.env.NODE_OPTIONS, ...process.execArgv].some((option) => /max-http-header-size/.test(option));
    exports.maxHeaderSize = isSaid ? require("node:http").maxHeaderSize : 16 * 1024;`,
};

export const lateModules = {
  name: "late-modules",
  setup(builder) {
    builder.onResolve(
      { filter: /^node:|^yaml$|\/generated\/|\/client-h2\.js$/ },
      ({ path, importer, kind, namespace }) => {
        if (namespace !== "file" || kind === "entry-point" || kind === "dynamic-import") return undefined;
        if (path in unused && /[\\/]undici[\\/]/.test(importer)) return { path, namespace: "unused" };
        if (asFunctions.includes(path) && !importer.includes("node_modules")) return { path, namespace: "called" };
        if (ofNode.includes(path)) return { path, namespace: "late", pluginData: `require("${path}")` };
        const entry = lateEntries.find((late) => basename(late) === basename(path));
        return (
          entry && {
            path: entry,
            namespace: "late",
            pluginData: `__late("${lateName(entry)}")${entry === "yaml" ? ".default" : ""}`,
          }
        );
      },
    );
    builder.onLoad({ filter: /.*/, namespace: "late" }, async ({ path, pluginData }) => ({
      contents: forwardingTo(pluginData, await import(path.startsWith(".") ? `../${path}` : path), path),
    }));
    builder.onLoad({ filter: /.*/, namespace: "called" }, async ({ path }) => ({
      contents: callingInto(path, await import(path)),
    }));
    builder.onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({ contents: unused[path] }));
  },
};

/** The chunk of a late module, without the end of its name. */
export function lateName(entry) {
  return `late-${basename(entry, ".js")}`;
}

/** The functions of a module, which is loaded when one of them is called; esbuild leaves out those that nobody calls. */
function callingInto(path, module) {
  const names = Object.keys(module).filter((name) => name !== "default" && typeof module[name] === "function");
  const functions = names.map(
    (name) =>
      `export function ${name}(...given) { return new.target ? new (whole().${name})(...given) : whole().${name}(...given); }`,
  );
  return `let loaded;\nconst whole = () => (loaded ??= require("${path}"));\n${functions.join("\n")}`;
}

/** A module with the names of another one, which is loaded when one of them is used. `assert` is a function; what holds is asserted without it. */
function forwardingTo(loading, module, path) {
  const names = Object.keys(module).filter((name) => name !== "default");
  const start = path === "node:assert" ? "module.exports = (holds, ...said) => holds || whole()(holds, ...said);" : "";
  return `${start}
let loaded;
const whole = () => (loaded ??= ${loading});
for (const name of ${JSON.stringify(names)}) Object.defineProperty(module.exports, name, { enumerable: true, get: () => whole()[name] });`;
}

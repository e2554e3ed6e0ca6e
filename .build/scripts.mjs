// Arranges the chunks of the bundle as a few scripts, since V8 keeps compiled code of scripts alone.

/**
 * The chunks by their names, in the order in which one is made of others, each as what it imports and exports and what it does between them.
 * esbuild writes all imports of a chunk before it, and one list of exports behind it.
 */
export function readChunks(outputFiles) {
  const texts = new Map(outputFiles.map(({ path, text }) => [/[^\\/]+$/.exec(path)[0], text]));
  return [...texts].map(([name, text]) => {
    const [head] = /^(?:import(?:[^"';]*from)?"\.\/[^"]+";)*/.exec(text);
    const [tail = "", names = "", whole] = /;?\bexport(?:\{([^}]*)\}| default ([^;]*));?\s*$/.exec(text) ?? [];
    const body = text.slice(head.length, text.length - tail.length);
    return {
      name,
      imports: [...head.matchAll(/import(?:([^"';]*)from)?"([^"]+)";/g)],
      exported: whole === undefined ? exportsOf(names) : `default:${whole}`,
      body,
    };
  });
}

/**
 * One script of several chunks: a function of what they take from outside, which returns them as functions that nobody has called yet.
 * `placeOf` tells where a chunk is: the number of its script, and its own number in there.
 */
export function scriptOf(chunks, placeOf) {
  const functions = chunks.map((chunk) => functionOf(chunk, placeOf));
  return withEscapes(`(function(require,__load,__import,__dirname){return[${functions.join(",\n")}]})`);
}

function functionOf({ name, imports, exported, body }, placeOf) {
  const place = (path) => placeOf(path.slice("./".length)).join();
  const head = imports.map(([, names = "", path]) => bound(names, `__load(${place(path)})`)).join("");
  const inner = body.replace(/\bimport([^"';]*)from"(node:[^"]+)";/g, (_, names, id) =>
    bound(names, `require("${id}")`),
  );
  const all = inner.replace(/\bimport\("(\.\/[^"]+)"\)/g, (_, path) =>
    placeOf(path.slice("./".length)) === undefined
      ? `__import("${path}")`
      : `Promise.resolve().then(()=>__load(${place(path)}))`,
  );
  const whole = all.replace(/\b__late\("([^"]+)"\)/g, (_, late) => `__load(${placeOf(`${late}.js`)})`);
  return `/* ${name} */function(){${head}${whole}\nreturn{${exported}}}`;
}

/** What a chunk imports never changes once it is there. Node's own modules are their default exports. */
function bound(names, value) {
  const pattern = names
    .trim()
    .replace(/^\*\s*as\s*/, "")
    .replaceAll(/([\w$]+) as /g, "$1:");
  return pattern === "" ? `${value};` : `const ${pattern}=${value};`;
}

function exportsOf(names) {
  return names.replace(/([\w$]+)(?: as ([\w$]+))?/g, (_, inside, outside = inside) => `${outside}:${inside}`);
}

/** In ASCII alone, so that it can be read byte by byte. What esbuild leaves is in regular expressions, templates and comments. */
function withEscapes(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// Lets objects of one kind share a hidden class. In Node 20, V8 gives every object that `{ ...one, other }` makes a class of its own: to
// make one takes five times as long, and every read of its fields is slow. Behind a spread of nothing, they share theirs.
import { parse } from "acorn";

/** The same output files, where `...null` stands before the first spread of each object that has more than that. */
export function withSharedShapes(outputFiles) {
  return outputFiles.map(({ path, text }) => {
    const shared = withEmptySpreads(text);
    return { path, text: shared, contents: Buffer.from(shared) };
  });
}

function withEmptySpreads(code) {
  if (!/\{\s*\.\.\./.test(code)) return code;
  const places = [];
  eachNode(parse(code, { ecmaVersion: "latest", sourceType: "module" }), ({ type, properties }) => {
    if (type !== "ObjectExpression" || properties.length < 2) return;
    const [first] = properties;
    if (first.type === "SpreadElement") places.push(first.start);
  });
  const starts = [0, ...places.sort((a, b) => a - b)];
  return starts.map((start, index) => code.slice(start, starts[index + 1])).join("...null,");
}

function eachNode(node, visit) {
  if (typeof node.type === "string") visit(node);
  for (const child of Object.values(node)) if (typeof child === "object" && child !== null) eachNode(child, visit);
}

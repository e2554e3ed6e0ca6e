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
  const places = [...nodesOf(parse(code, { ecmaVersion: "latest", sourceType: "module" }))]
    .filter(({ type, properties }) => type === "ObjectExpression" && properties.length > 1)
    .filter(({ properties: [first] }) => first.type === "SpreadElement")
    .map(({ properties: [first] }) => first.start);
  const starts = [0, ...places.sort((a, b) => a - b)];
  return starts.map((start, index) => code.slice(start, starts[index + 1])).join("...null,");
}

function* nodesOf(node) {
  if (typeof node?.type === "string") yield node;
  for (const child of Object.values(node)) if (typeof child === "object" && child !== null) yield* nodesOf(child);
}

import type { Diagnostic } from "../model/failure.ts";
import { decode } from "../yaml/decode.ts";
import { readGeneral } from "../yaml/general.ts";
import { DiagnosticsCollector, errorAt, type MapNode, type Node } from "../yaml/source-text.ts";
import { countingIdentifiers } from "./identifiers.ts";
import { loadSeed, type SeedFault, type SeedPath } from "./load-seed.ts";
import { type Seed, seed as seedFile } from "./seed.ts";
import { World } from "./world.ts";

interface SeedResult {
  /** Absent where a diagnostic is an error. */
  readonly seed?: Seed;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a seed file. A seed that comes out starts a server; what is wrong with any other is reported with its places. */
export function readSeed(file: string, bytes: Uint8Array): SeedResult {
  const { tree, diagnostics } = readGeneral(file, bytes);
  if (diagnostics.length > 0) return { diagnostics };
  if (tree === undefined) return { seed: {}, diagnostics };
  const title = "The seed";
  const log = new DiagnosticsCollector(title);
  const seed = decode(seedFile, tree, { log, title });
  if (seed === undefined || log.count > 0) return { diagnostics: log.diagnostics() };
  const faults = loadSeed(seed, new World(countingIdentifiers(0)));
  if (faults.length > 0) return { diagnostics: faults.map((fault) => locateFault(tree, fault)) };
  return { seed, diagnostics };
}

function locateFault(tree: MapNode, { path, code, message }: SeedFault): Diagnostic {
  return errorAt(findNode(tree, path), { code, message: `${message}.` });
}

/** The node of a path, or the deepest one on the way to it: a member may be a bare address. */
function findNode(node: Node, path: SeedPath): Node {
  const [step, ...rest] = path;
  const next = step === undefined ? undefined : childOf(node, step);
  return next === undefined ? node : findNode(next, rest);
}

function childOf(node: Node, step: string | number): Node | undefined {
  if (node.kind === "list") return typeof step === "number" ? node.items[step] : undefined;
  return node.kind === "map" ? node.entries.find((entry) => entry.key.text === step)?.value : undefined;
}

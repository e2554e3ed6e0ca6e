import { isMap, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { Place } from "../model/place.ts";
import { compose } from "./compose.ts";
import { decodeText } from "./decode-text.ts";
import { applyEdits, encodeLike, insertLineAfter, type TextEdit } from "./edits.ts";
import { yamlDiagnostics } from "./fault-log.ts";
import type { SourceText } from "./source-text.ts";
import { writeScalar } from "./write-scalar.ts";

/** One entry to be added to a map of a file. */
export interface MapInsertion {
  /** Where the map begins; or a bare text in a list, which becomes a map with `after` as its first key. */
  readonly place: Place;
  /** The key of the map after whose value the entry goes. */
  readonly after: string;
  readonly key: string;
  readonly value: string;
}

export interface InsertionResult<T extends MapInsertion> {
  /** The file with the entries in it, and nothing else changed. */
  readonly bytes: Uint8Array;
  readonly done: readonly T[];
  /** Insertions for which there is no such map, or none with that key, or one that has the new key already. */
  readonly left: readonly T[];
}

/** Adds entries to the maps of a file that `readYaml` can read. Every other byte stays: comments, order and quotes. */
export function insertEntries<T extends MapInsertion>(bytes: Uint8Array, insertions: readonly T[]): InsertionResult<T> {
  const decoded = decodeText("", bytes);
  const content = decoded.ok ? compose(decoded.source.text, yamlDiagnostics(decoded.source)) : null;
  if (!decoded.ok || content === null) return { bytes, done: [], left: insertions };
  const { source } = decoded;
  const parts = editTargets(content, source);
  const edits: TextEdit[] = [];
  const done: T[] = [];
  const left: T[] = [];
  for (const insertion of insertions) {
    const part = parts.get(placeKey(insertion.place));
    const edit = part === undefined ? undefined : insertionEdit(part, insertion, source);
    if (edit !== undefined) edits.push(edit);
    (edit === undefined ? left : done).push(insertion);
  }
  return { bytes: encodeLike(bytes, applyEdits(source.text, edits)), done, left };
}

type EditTarget = YAMLMap<unknown, unknown> | Scalar;

/** The maps of a document, and the bare texts of its lists, by where they begin. */
function editTargets(content: ParsedNode, source: SourceText): ReadonlyMap<string, EditTarget> {
  const parts = new Map<string, EditTarget>();
  const note = (part: EditTarget) => parts.set(placeKey(source.placeAt(part.range?.[0] ?? 0)), part);
  const visit = (node: unknown): void => {
    if (isMap(node)) {
      note(node);
      for (const pair of node.items) visit(pair.value);
    } else if (isSeq(node)) {
      for (const item of node.items) {
        if (isScalar(item)) note(item);
        else visit(item);
      }
    }
  };
  visit(content);
  return parts;
}

function placeKey({ line, column }: Place): string {
  return `${line}:${column}`;
}

function insertionEdit(part: EditTarget, insertion: MapInsertion, source: SourceText): TextEdit | undefined {
  if (isScalar(part)) return scalarAsMap(part, insertion, source);
  if (part.items.some((pair) => hasKey(pair, insertion.key))) return undefined;
  const value = part.items.find((pair) => hasKey(pair, insertion.after))?.value;
  const end = isScalar(value) ? value.range?.[1] : undefined;
  if (end === undefined) return undefined;
  const text = `${insertion.key}: ${writeScalar(insertion.value)}`;
  if (part.flow === true) return { at: end, until: end, text: `, ${text}` };
  return insertLineAfter(end, `${" ".repeat(source.placeAt(part.range?.[0] ?? 0).column - 1)}${text}`, source.text);
}

function hasKey({ key }: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(key) && key.value === name;
}

/** What stands bare between block lines may need quotes between braces. */
function scalarAsMap(scalar: Scalar, { after, key, value }: MapInsertion, { text }: SourceText): TextEdit | undefined {
  const [at, until] = scalar.range ?? [];
  if (at === undefined || until === undefined || typeof scalar.value !== "string") return undefined;
  const written = scalar.type === Scalar.PLAIN ? writeScalar(scalar.value) : text.slice(at, until);
  return { at, until, text: `{ ${after}: ${written}, ${key}: ${writeScalar(value)} }` };
}

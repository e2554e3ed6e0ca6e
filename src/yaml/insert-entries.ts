import { isMap, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { Place } from "../model/place.ts";
import { compose } from "./compose.ts";
import { decodeText } from "./decode-text.ts";
import { type Edit, edited, encoded, newLine } from "./edits.ts";
import { faultLog } from "./fault-log.ts";
import type { SourceText } from "./source-text.ts";
import { writeScalar } from "./write-scalar.ts";

/** One entry to be added to a map of a file. */
export interface Insertion {
  /** Where the map begins; or a bare text in a list, which becomes a map with `after` as its first key. */
  readonly place: Place;
  /** The key of the map after whose value the entry goes. */
  readonly after: string;
  readonly key: string;
  readonly value: string;
}

export interface Inserted<T extends Insertion> {
  /** The file with the entries in it, and nothing else changed. */
  readonly bytes: Uint8Array;
  readonly done: readonly T[];
  /** Insertions for which there is no such map, or none with that key, or one that has the new key already. */
  readonly left: readonly T[];
}

/** Adds entries to the maps of a file that `readYaml` can read. Every other byte stays: comments, order and quotes. */
export function insertEntries<T extends Insertion>(bytes: Uint8Array, insertions: readonly T[]): Inserted<T> {
  const decoded = decodeText("", bytes);
  const content = decoded.ok ? compose(decoded.source.text, faultLog(decoded.source)) : null;
  if (!decoded.ok || content === null) return { bytes, done: [], left: insertions };
  const { source } = decoded;
  const parts = partsByPlace(content, source);
  const edits: Edit[] = [];
  const done: T[] = [];
  const left: T[] = [];
  for (const insertion of insertions) {
    const part = parts.get(nameOf(insertion.place));
    const edit = part === undefined ? undefined : editOf(part, insertion, source);
    if (edit !== undefined) edits.push(edit);
    (edit === undefined ? left : done).push(insertion);
  }
  return { bytes: encoded(bytes, edited(source.text, edits)), done, left };
}

type Part = YAMLMap<unknown, unknown> | Scalar;

/** The maps of a document, and the bare texts of its lists, by where they begin. */
function partsByPlace(content: ParsedNode, source: SourceText): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const note = (part: Part) => parts.set(nameOf(source.placeAt(part.range?.[0] ?? 0)), part);
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

function nameOf({ line, column }: Place): string {
  return `${line}:${column}`;
}

function editOf(part: Part, insertion: Insertion, source: SourceText): Edit | undefined {
  if (isScalar(part)) return asMap(part, insertion, source);
  if (part.items.some((pair) => isCalled(pair, insertion.key))) return undefined;
  const value = part.items.find((pair) => isCalled(pair, insertion.after))?.value;
  const end = isScalar(value) ? value.range?.[1] : undefined;
  if (end === undefined) return undefined;
  const text = `${insertion.key}: ${writeScalar(insertion.value)}`;
  if (part.flow === true) return { at: end, until: end, text: `, ${text}` };
  return newLine(end, `${" ".repeat(source.placeAt(part.range?.[0] ?? 0).column - 1)}${text}`, source.text);
}

function isCalled({ key }: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(key) && key.value === name;
}

/** What stands bare between block lines may need quotes between braces. */
function asMap(scalar: Scalar, { after, key, value }: Insertion, { text }: SourceText): Edit | undefined {
  const [at, until] = scalar.range ?? [];
  if (at === undefined || until === undefined || typeof scalar.value !== "string") return undefined;
  const written = scalar.type === Scalar.PLAIN ? writeScalar(scalar.value) : text.slice(at, until);
  return { at, until, text: `{ ${after}: ${written}, ${key}: ${writeScalar(value)} }` };
}

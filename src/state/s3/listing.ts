import { problem, type Result, success } from "../../model/result.ts";

/** One page of the names of objects. */
export interface ListingPage {
  readonly keys: readonly string[];
  /** What asks for the next page; absent on the last one. */
  readonly next?: string;
}

/** In characters: 1000 names of 1024 bytes, each byte escaped, fit. */
const largestPage = 8 * 1024 * 1024;

/** Reads an answer of ListObjectsV2. A page that is cut or misunderstood is never taken for one with fewer objects. */
export function readListing(body: string): Result<ListingPage, string> {
  if (body.length > largestPage) return problem("the list of objects is too long");
  const leaves = readLeaves(body);
  if (leaves === undefined) return problem(notUnderstood);
  const textOf = (name: string) => leaves.find(({ path }) => path === `ListBucketResult/${name}`)?.text;
  const isEscaped = textOf("EncodingType") === "url";
  const keys: string[] = [];
  for (const { path, text } of leaves) {
    if (path !== "ListBucketResult/Contents/Key") continue;
    const key = isEscaped ? unescaped(text) : text;
    if (key === undefined || key === "") return problem(notUnderstood);
    keys.push(key);
  }
  const [isTruncated, next = ""] = [textOf("IsTruncated"), textOf("NextContinuationToken")];
  if (isTruncated === "false") return success({ keys });
  return isTruncated === "true" && next !== "" ? success({ keys, next }) : problem(notUnderstood);
}

const notUnderstood = "the answer is not a list of objects";

interface Leaf {
  /** The names of its element and of those around it. */
  readonly path: string;
  readonly text: string;
}

/** A tag with its attributes, or a text. A document type, a comment or anything else is neither. */
const token =
  /<(?<closes>\/?)(?<name>[A-Za-z][\w.-]{0,63})(?:\s+[\w:.-]{1,64}="[^"<&]{0,200}")*\s*(?<isEmpty>\/?)>|(?<text>[^<]+)/uy;

/** Some ten elements for each of 1000 objects are usual. */
const mostTokens = 100_000;
const mostNested = 8;

/** The elements of an XML document that have no others in them; undefined where it is no XML of the plainest kind. */
function readLeaves(body: string): readonly Leaf[] | undefined {
  const document = body.replace(/^\uFEFF?\s*(?:<\?xml[^<>]{0,200}\?>)?\s*/u, "").trimEnd();
  const reading: Reading = { open: [], leaves: [] };
  let count = 0;
  for (let at = 0; at < document.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(document)?.groups;
    count += 1;
    const isDone = at > 0 && reading.open.length === 0;
    if (found === undefined || isDone || count > mostTokens || !take(found, reading)) return undefined;
  }
  return reading.open.length === 0 ? reading.leaves : undefined;
}

interface Reading {
  readonly open: string[];
  readonly leaves: Leaf[];
  /** Of the innermost element, as long as it has no others in it. */
  text?: string | undefined;
}

/** Takes in one tag or text; false where it cannot stand there. */
function take({ closes, name, isEmpty, text }: Readonly<Record<string, string>>, reading: Reading): boolean {
  const { open, leaves } = reading;
  if (name === undefined) {
    const plain = decoded(text ?? "");
    if (reading.text !== undefined) reading.text = plain;
    return plain !== undefined && open.length > 0;
  }
  const path = [...open, name].join("/");
  if (isEmpty === "/") {
    leaves.push({ path, text: "" });
    reading.text = undefined;
  } else if (closes === "/") {
    if (reading.text !== undefined) leaves.push({ path: open.join("/"), text: reading.text });
    reading.text = undefined;
    return open.pop() === name;
  } else {
    open.push(name);
    reading.text = "";
  }
  return open.length <= mostNested;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Undefined where an entity is none of XML itself. */
function decoded(text: string): string | undefined {
  let isPlain = true;
  const plain = text.replace(/&(?:(\w{1,8});|#(\d{1,7});|#x([0-9a-f]{1,6});)?/giu, (_, name, decimal, hexadecimal) => {
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const sign = Object.hasOwn(entities, name) ? entities[name] : character(code);
    isPlain &&= sign !== undefined;
    return sign ?? "";
  });
  return isPlain ? plain : undefined;
}

function character(code: number): string | undefined {
  const exists = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return exists ? String.fromCodePoint(code) : undefined;
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { ReportStore } from "../../ports/state-store.ts";
import { encoded, type S3Key, type S3Place } from "./address.ts";
import { type ObjectTask, objectFailure } from "./failure.ts";
import { isDone, type S3Credentials, type S3Exchange, type S3Ports, s3Exchange } from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the reports. */
interface S3ReportOptions extends S3Ports {
  /** Its `state` is what the names of all reports begin with. */
  readonly place: S3Place;
  readonly credentials: S3Credentials;
}

/** Keeps reports in objects below an address. The last report of a name is the one that counts. */
export function s3Reports({ place, credentials, ...ports }: S3ReportOptions): ReportStore {
  const exchange = s3Exchange(ports, { region: place.region, credentials, content: "reports" });
  const { shown, url } = place.state;
  const objectOf = (name: string): S3Key => ({
    shown: `${shown}/${name}`,
    url: new URL(`${url.href}/${name.split("/").map(encoded).join("/")}`),
  });
  return {
    address: shown,
    async write(name, text, type) {
      const object = objectOf(name);
      const headers = { "content-type": type };
      const sent = await exchange.send({ method: "PUT", object, doing: "written", headers, body: text });
      if (!sent.ok) return sent.error;
      const { answer } = sent.value;
      return isDone(answer) ? undefined : exchange.refused({ object, doing: "written" }, answer);
    },
    async read(name) {
      const object = objectOf(name);
      const sent = await exchange.send({ method: "GET", object, doing: "read" });
      if (!sent.ok) return sent;
      const { answer } = sent.value;
      return answer.status === 200
        ? success(answer.body)
        : problem(exchange.refused({ object, doing: "read" }, answer));
    },
    list: (isWanted) => listNames(exchange, place, isWanted),
    close: () => ports.http.close(),
  };
}

const mostPages = 10_000;
const mostNames = 100_000;

/** The names of the objects below the address that are wanted, page by page, to the last one. */
async function listNames(
  exchange: S3Exchange,
  place: S3Place,
  isWanted: (name: string) => boolean,
): Promise<Result<readonly string[], Failure>> {
  const { root, state } = place;
  const shown = `${state.shown}/`;
  const prefix = shown.slice(`${root.shown}/`.length);
  const names: string[] = [];
  const asked = new Set<string>();
  for (let token: string | undefined = ""; token !== undefined; ) {
    const object: S3Key = { shown, url: listUrl(root, prefix, token) };
    const task: ObjectTask = { content: exchange.content, object, doing: "listed" };
    const sent = await exchange.send({ method: "GET", object, doing: "listed" });
    if (!sent.ok) return sent;
    const { answer } = sent.value;
    if (answer.status !== 200) return problem(exchange.refused({ object, doing: "listed" }, answer));
    const page = readListing(answer.body);
    if (!page.ok) return problem(objectFailure(task, { why: page.error, hint: notS3 }));
    const { keys, next } = page.value;
    const stray = keys.find((key) => !isBelow(key, prefix));
    if (stray !== undefined) return problem(objectFailure(task, { why: "the list has other objects", hint: notS3 }));
    names.push(...keys.map((key) => key.slice(prefix.length)).filter(isWanted));
    asked.add(token);
    if (asked.size > mostPages || names.length > mostNames)
      return problem(objectFailure(task, { why: "there are too many objects", hint: "name an address with fewer" }));
    if (next !== undefined && asked.has(next))
      return problem(objectFailure(task, { why: "the list of objects has no end", hint: notS3 }));
    token = next;
  }
  return success(names);
}

const notS3 = "check that the endpoint is an S3 service";

/** Parts such as `..` are taken out of an address on its way, so that another object would be read. */
function isBelow(key: string, prefix: string): boolean {
  return key.startsWith(prefix) && !key.split("/").some((part) => part === "." || part === "..");
}

/** Names come escaped, since XML cannot have every character that they can. */
function listUrl({ url }: S3Key, prefix: string, token: string): URL {
  const query = {
    "list-type": "2",
    "encoding-type": "url",
    prefix,
    ...(token === "" ? {} : { "continuation-token": token }),
  };
  const words = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return new URL(`${url.href}?${words.join("&")}`);
}

/** One page of the names of objects. */
export interface ListingPage {
  readonly keys: readonly string[];
  /** What asks for the next page; absent on the last one. */
  readonly next?: string;
}

/** In characters: 1000 names of 1024 bytes, each byte escaped, fit. */
const largestPage = 8 * 1024 * 1024;

/** Reads an answer of ListObjectsV2. A page that is cut or misunderstood is never taken for one with fewer objects. @internal */
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

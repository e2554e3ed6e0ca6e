import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../src/ports/clock.ts";

/** One request as the server got it. */
export interface SeenS3Request {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What becomes of one request: in the usual way, refused, or done without that an answer arrives. */
export type S3Way =
  | "usual"
  /** The connection ends before anything is done. */
  | "lost"
  /** It is done, and the connection ends before the answer. */
  | "answer-lost"
  /** It is done, and the answer is an error of the service. */
  | "done-and-500"
  | Refused;

export interface Refused {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Headers;
}

type Headers = Readonly<Record<string, string>>;

export interface SmallS3Options {
  readonly clock: Pick<Clock, "now">;
  /** Conditional headers of writes that the service does not look at. */
  readonly ignores?: readonly ("if-match" | "if-none-match")[];
  /** The status of a write whose condition does not hold. */
  readonly refusesWith?: 304 | 409 | 412;
  readonly showsEtags?: "always" | "when-read" | "never";
  /** How many objects the next page of a list has at most. Absent: 1000. */
  readonly pageSize?: () => number;
  /** Each page of a list is the first one. */
  readonly forgetsTokens?: true;
  /** Whether names in lists are escaped where a request wants that. Absent: they are. */
  readonly escapesNames?: "never";
  /** Asked for every request, counted from 0. */
  readonly way?: (request: SeenS3Request, index: number) => S3Way;
}

/** A service that keeps objects as S3 does, in memory, in one bucket named `acme`. */
export interface SmallS3 {
  readonly endpoint: string;
  readonly seen: readonly SeenS3Request[];
  /** By path without the bucket, such as `roster/state.json`. */
  text(path: string): string | undefined;
  /** The paths of all objects. */
  paths(): readonly string[];
  put(path: string, text: string): void;
  objects(): ReadonlyMap<string, string>;
  /** Puts these in the place of everything that is kept. */
  replace(all: ReadonlyMap<string, string>): void;
  /** From now on. */
  answer(way: (request: SeenS3Request) => S3Way): void;
  close(): Promise<void>;
}

interface Stored {
  readonly text: string;
  readonly etag: string;
  readonly at: number;
}

export async function smallS3(options: SmallS3Options): Promise<SmallS3> {
  const objects = new Map<string, Stored>();
  const seen: SeenS3Request[] = [];
  let way: (request: SeenS3Request, index: number) => S3Way = options.way ?? (() => "usual");
  const keep = (path: string, text: string): Stored => {
    // As S3 makes them of small objects: the same text has the same version.
    const etag = `"${createHash("md5").update(text).digest("hex")}"`;
    const stored = { text, etag, at: options.clock.now() };
    objects.set(path, stored);
    return stored;
  };
  const server = createServer(async (incoming, response) => {
    const request = await receive(incoming);
    seen.push(request);
    const chosen = way(request, seen.length - 1);
    const done = chosen === "lost" || typeof chosen === "object" ? chosen : serve(request, { objects, keep, options });
    if (chosen === "lost" || chosen === "answer-lost") response.socket?.resetAndDestroy();
    else if (chosen === "done-and-500") refuse(response, { status: 500, code: "InternalError" }, options);
    else if (done !== "lost") answer(response, done, options);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    seen,
    text: (path) => objects.get(path)?.text,
    paths: () => [...objects.keys()].sort(),
    put: (path, text) => void keep(path, text),
    objects: () => new Map([...objects].map(([path, { text }]) => [path, text])),
    replace(all) {
      objects.clear();
      for (const [path, text] of all) keep(path, text);
    },
    answer: (next) => {
      way = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function receive(incoming: IncomingMessage): Promise<SeenS3Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = incoming;
  return { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
}

type Answered =
  | Refused
  | { readonly status: 200; readonly stored: Stored; readonly body: string }
  | { readonly status: 200; readonly list: string };

interface Shelf {
  readonly objects: ReadonlyMap<string, Stored>;
  keep(path: string, text: string): Stored;
  readonly options: SmallS3Options;
}

function serve(request: SeenS3Request, shelf: Shelf): Answered {
  const { pathname, searchParams } = new URL(request.url, "http://s3.example");
  const lists = pathname === "/acme" && searchParams.get("list-type") === "2";
  if (!lists || request.headers["authorization"] === undefined) return serveObject(request, shelf);
  return { status: 200, list: listOf(searchParams, shelf.objects, shelf.options) };
}

function serveObject({ method, url, headers, body }: SeenS3Request, { objects, keep, options }: Shelf): Answered {
  const path = decodeURIComponent(/^\/acme\/([^?]+)$/u.exec(url)?.[1] ?? "");
  if (path === "") return { status: 404, code: "NoSuchBucket" };
  if (headers["authorization"] === undefined) return { status: 403, code: "AccessDenied" };
  const stored = objects.get(path);
  if (method === "GET") {
    return stored === undefined ? { status: 404, code: "NoSuchKey" } : { status: 200, stored, body: stored.text };
  }
  const { ignores = [], refusesWith = 412 } = options;
  const [match, none] = [headers["if-match"], headers["if-none-match"]];
  const refused = {
    status: refusesWith,
    code: refusesWith === 409 ? "ConditionalRequestConflict" : "PreconditionFailed",
  };
  if (match !== undefined && !ignores.includes("if-match")) {
    if (stored === undefined) return { status: 404, code: "NoSuchKey" };
    if (stored.etag !== match) return refused;
  }
  if (none === "*" && stored !== undefined && !ignores.includes("if-none-match")) return refused;
  return { status: 200, stored: keep(path, body), body: "" };
}

/** A page of a list. A token is the name of the last object before it, told in a way of this service alone. */
function listOf(
  asked: URLSearchParams,
  objects: ReadonlyMap<string, Stored>,
  { pageSize = () => 1000, escapesNames, forgetsTokens }: SmallS3Options,
): string {
  const prefix = asked.get("prefix") ?? "";
  const token = forgetsTokens === true ? "" : (asked.get("continuation-token") ?? "");
  const after = Buffer.from(token, "base64").toString("utf8");
  const all = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
  const left = all.filter((name) => name > after);
  const page = left.slice(0, pageSize());
  const isEscaped = asked.get("encoding-type") === "url" && escapesNames !== "never";
  const shown = (name: string) =>
    isEscaped ? encodeURIComponent(name).replaceAll("%2F", "/").replaceAll("%20", "+") : escapeXml(name);
  const next = Buffer.from(page.at(-1) ?? "").toString("base64");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<Name>acme</Name><Prefix>${shown(prefix)}</Prefix>`,
    ...(isEscaped ? ["<EncodingType>url</EncodingType>"] : []),
    ...(page.length < left.length ? [`<NextContinuationToken>${next}</NextContinuationToken>`] : []),
    `<KeyCount>${page.length}</KeyCount><IsTruncated>${page.length < left.length}</IsTruncated>`,
    ...page.map((name) => `<Contents><Key>${shown(name)}</Key><ETag>&quot;1&quot;</ETag><Size>1</Size></Contents>`),
    "</ListBucketResult>",
  ].join("");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>\r\n]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

function answer(response: ServerResponse, answered: Answered, options: SmallS3Options): void {
  if ("list" in answered) {
    response.writeHead(answered.status, { ...dated(options), "content-type": "application/xml" });
    response.end(answered.list);
    return;
  }
  if (!("stored" in answered)) {
    refuse(response, answered, options);
    return;
  }
  const { stored, body } = answered;
  const { showsEtags = "always" } = options;
  const shown = showsEtags === "always" || (showsEtags === "when-read" && body !== "");
  response.writeHead(answered.status, {
    ...dated(options),
    ...(shown ? { etag: stored.etag } : {}),
    "last-modified": new Date(stored.at).toUTCString(),
  });
  response.end(body);
}

function refuse(response: ServerResponse, refused: Refused, options: SmallS3Options): void {
  const { status, code, message = "The small service says no.", headers = {} } = refused;
  response.writeHead(status, { ...dated(options), "content-type": "application/xml", ...headers });
  const error = `<Error><Code>${code}</Code><Message>${message}</Message><RequestId>1</RequestId></Error>`;
  response.end(code === undefined || status === 304 ? "" : `<?xml version="1.0" encoding="UTF-8"?>\n${error}`);
}

function dated({ clock }: SmallS3Options): Headers {
  return { date: new Date(clock.now()).toUTCString() };
}

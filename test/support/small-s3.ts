import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../src/ports/clock.ts";

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

interface Refused {
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
  /** Asked for every request, counted from 0. */
  readonly way?: (request: SeenS3Request, index: number) => S3Way;
}

/** A service that keeps objects as S3 does, in memory, in one bucket named `acme`. */
export interface SmallS3 {
  readonly endpoint: string;
  readonly seen: readonly SeenS3Request[];
  /** By path without the bucket, such as `roster/log.jsonl`. */
  text(path: string): string | undefined;
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

export async function receive(incoming: IncomingMessage): Promise<SeenS3Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = incoming;
  return { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
}

type Answered = Refused | { readonly status: 200; readonly stored: Stored; readonly body: string };

interface Shelf {
  readonly objects: ReadonlyMap<string, Stored>;
  keep(path: string, text: string): Stored;
  readonly options: SmallS3Options;
}

function serve({ method, url, headers, body }: SeenS3Request, { objects, keep, options }: Shelf): Answered {
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

function answer(response: ServerResponse, answered: Answered, options: SmallS3Options): void {
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

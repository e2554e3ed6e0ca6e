import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";

/** One request as it came. */
export interface StateRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface StateAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer in place of the server's own; or the connection ends before, or after, the server did what was asked. */
export type Interference = StateAnswer | "lost-before" | "lost-after";

export interface StateServerManner {
  /** `gitlab`: its routes, its checks and its answers. */
  readonly dialect?: "terraform" | "gitlab";
  readonly credentials?: { readonly username: string; readonly password: string };
  /** The status of a lock that is held. */
  readonly conflict?: 409 | 423;
  /** `nobody`: answers of conflict have no body. */
  readonly shows?: "holder" | "nobody";
  /** `empty`: unlocks only for a request without a body. */
  readonly unlocksFor?: "id" | "empty";
  /** Is asked before each request. */
  readonly interfere?: (request: StateRequest, index: number) => Interference | undefined;
}

/** A server that keeps one state in the Terraform HTTP state protocol, and is strict about it. */
export interface TerraformStateServer {
  /** Of the state. */
  readonly address: string;
  readonly requests: readonly StateRequest[];
  /** Every text that was written, in order. */
  readonly versions: readonly string[];
  /** The ID under which the state is locked. */
  readonly lockedBy: () => string | undefined;
  /** Locks it for somebody else. */
  hold(lock: Readonly<Record<string, string>>): void;
  /** Unlocks it, as somebody would in the server's own surface. */
  breakLock(): void;
  /** The text that is there. */
  readonly kept: () => string | undefined;
  /** Puts a text there, whatever it is; nothing where it is undefined. */
  keep(text: string | undefined): void;
  close(): Promise<void>;
}

interface Kept {
  text: string | undefined;
  lock: Readonly<Record<string, string>> | undefined;
  readonly versions: string[];
}

export async function terraformStateServer(
  manner: StateServerManner = {},
  atEnd?: AtEnd,
): Promise<TerraformStateServer> {
  const path = manner.dialect === "gitlab" ? "/api/v4/projects/7/terraform/state/roster" : "/state/roster";
  const kept: Kept = { text: undefined, lock: undefined, versions: [] };
  const requests: StateRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await received(incoming);
    requests.push(request);
    const interference = manner.interfere?.(request, requests.length - 1);
    if (interference === "lost-before") return response.destroy();
    if (typeof interference === "object") return reply(response, interference);
    const answer = answerTo(request, path, manner, kept);
    return interference === "lost-after" ? response.destroy() : reply(response, answer);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  atEnd?.(close);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    requests,
    versions: kept.versions,
    lockedBy: () => kept.lock?.["ID"],
    hold: (lock) => {
      kept.lock = lock;
    },
    breakLock: () => {
      kept.lock = undefined;
    },
    kept: () => kept.text,
    keep: (words) => {
      kept.text = words;
    },
    close,
  };
}

async function received(incoming: IncomingMessage): Promise<StateRequest> {
  const { method = "", url = "", headers } = incoming;
  return { method, url, headers, body: await text(incoming) };
}

function reply(response: ServerResponse, { status, headers = {}, body = "" }: StateAnswer): void {
  response.writeHead(status, headers);
  response.end(body);
}

function answerTo(request: StateRequest, path: string, manner: StateServerManner, kept: Kept): StateAnswer {
  const { credentials } = manner;
  if (credentials !== undefined && request.headers["authorization"] !== basic(credentials)) {
    return { status: 401, body: '{"message":"401 Unauthorized"}' };
  }
  const asked = new URL(request.url, "http://127.0.0.1");
  const locks = manner.dialect === "gitlab" ? `${path}/lock` : path;
  const names = manner.dialect === "gitlab" ? { lock: "POST", unlock: "DELETE" } : { lock: "LOCK", unlock: "UNLOCK" };
  if (asked.pathname === locks && request.method === names.lock) return lock(request, manner, kept);
  if (asked.pathname === locks && request.method === names.unlock) return unlock(request, manner, kept);
  if (asked.pathname !== path) return { status: 404, body: '{"message":"404 Not Found"}' };
  if (request.method === "GET") return read(kept);
  if (request.method === "POST") return write(request, asked.searchParams.get("ID") ?? undefined, manner, kept);
  return { status: 405 };
}

function read({ text: words }: Kept): StateAnswer {
  if (words === undefined) return { status: 204 };
  return { status: 200, headers: { "content-type": "application/json", "content-md5": md5(words) }, body: words };
}

function write(
  { headers, body }: StateRequest,
  id: string | undefined,
  manner: StateServerManner,
  kept: Kept,
): StateAnswer {
  if (headers["content-type"] !== "application/json") return { status: 415, body: "not JSON" };
  if (headers["content-md5"] !== md5(body)) return { status: 400, body: "the digest is of another body" };
  if (kept.lock?.["ID"] !== id) return conflict(manner, kept);
  const serial = serialOf(body);
  if (serial === undefined) return { status: 400, body: '{"error":"serial is missing"}' };
  if (manner.dialect === "gitlab" && serial <= (serialOf(kept.text ?? "") ?? -1))
    return { status: 422, body: "version" };
  kept.text = body;
  kept.versions.push(body);
  return { status: 200 };
}

function lock({ body }: StateRequest, manner: StateServerManner, kept: Kept): StateAnswer {
  const wanted = lockOf(body);
  if (wanted === undefined)
    return { status: 400, body: '{"error":"ID, Operation, Info, Who, Version, Created, Path"}' };
  if (kept.lock !== undefined) return conflict(manner, kept, wanted);
  kept.lock = manner.dialect === "gitlab" ? { ...wanted, Who: "gitlab-user" } : wanted;
  return { status: 200, body: manner.dialect === "gitlab" ? JSON.stringify(kept.lock) : "" };
}

/** GitLab tells its own ID, Who and Created, and repeats the rest of what it was asked with. */
function conflict(
  { conflict: status, dialect, shows }: StateServerManner,
  { lock: held }: Kept,
  wanted?: object,
): StateAnswer {
  const named = status ?? (dialect === "gitlab" ? 409 : 423);
  if (held === undefined || shows === "nobody") return { status: named };
  if (dialect !== "gitlab" || wanted === undefined) return { status: named, body: JSON.stringify(held) };
  const { ID, Who, Created } = held;
  return { status: named, body: JSON.stringify({ ...wanted, ID, Who, Created }) };
}

function unlock({ body }: StateRequest, manner: StateServerManner, kept: Kept): StateAnswer {
  if (manner.unlocksFor === "empty" && body !== "") return { status: 400, body: "no body is taken" };
  if (body !== "" && parsed(body)?.["ID"] !== kept.lock?.["ID"]) return conflict(manner, kept);
  kept.lock = undefined;
  return { status: 200 };
}

function lockOf(body: string): Readonly<Record<string, string>> | undefined {
  const value = parsed(body);
  const fields = ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"];
  return fields.every((name) => typeof value?.[name] === "string") ? (value as Record<string, string>) : undefined;
}

function serialOf(body: string): number | undefined {
  const serial = parsed(body)?.["serial"];
  return Number.isInteger(serial) ? (serial as number) : undefined;
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function md5(words: string): string {
  return createHash("md5").update(words).digest("base64");
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

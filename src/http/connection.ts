import type { Socket } from "node:net";
import type { ProxyServer } from "./proxy.ts";

/** How an origin is reached. */
export interface NetworkOptions {
  /** Without one, the origin is reached directly. */
  readonly proxy?: ProxyServer;
  /** Certificates (PEM) of authorities that are trusted besides those of Node. */
  readonly ca?: readonly string[];
}

export interface ConnectorOptions extends NetworkOptions {
  /** Milliseconds for one connection. */
  readonly timeout: number;
  /** Called with the reason where the other end refuses a connection after the handshake, as for want of a client certificate. */
  readonly refused: (why: ConnectionProblem) => void;
  /** Holds the connections that are not ready yet. */
  readonly opening: Set<Socket>;
}

/** Makes a connection on which a request can be sent, or says what stood in the way. */
export type Connect = (callback: Connected) => void;

export type Connected = (...result: [error: null, socket: Socket] | [error: Error]) => void;

/** Calls back once: when the connection is ready, has failed or has taken too long. A connection that is destroyed while it opens calls nobody back. */
export function whenReady(
  socket: Socket,
  event: "connect" | "secureConnect",
  { timeout, opening }: Pick<ConnectorOptions, "timeout" | "opening">,
  callback: Connected,
): void {
  opening.add(socket);
  const timer = setTimeout(() => socket.destroy(new ConnectionFailure(connectionTimedOut)), timeout);
  const isFirst = (): boolean => {
    clearTimeout(timer);
    return opening.delete(socket);
  };
  socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay);
  socket.once(event, () => isFirst() && callback(null, socket));
  // An error without a listener would end the process. A later one is reported by the client that uses the connection.
  socket.on("error", (error) => isFirst() && callback(error));
  socket.once("close", isFirst);
}

/** Milliseconds without a byte after which the system asks whether the other end is still there. */
const keepAliveDelay = 60_000;

/** Says why there is no connection, in words, where it is known what was tried. */
export class ConnectionFailure extends Error {
  readonly trouble: ConnectionProblem;

  constructor(trouble: ConnectionProblem) {
    super(trouble.cause);
    this.trouble = trouble;
  }
}

/** Why no answer could be had, in words, with what a person can do where that is known. */
export interface ConnectionProblem {
  /** To follow a "because", of a server that is called "it". */
  readonly cause: string;
  readonly hint?: string;
  /** Trying again changes nothing. */
  readonly lasts?: true;
}

/** Said of a connection that ends before the answer does. */
export const answerEndedEarly: ConnectionProblem = {
  cause: "the connection was closed before the answer was complete",
};

/** Said of an answer that cannot be understood as one. */
export const answerIsNoHttp: ConnectionProblem = { cause: "the answer is not valid HTTP" };

/** Said of a connection that nobody accepts or refuses in time. */
const connectionTimedOut: ConnectionProblem = {
  cause: "the connection timed out",
  hint: "Check the network and the address",
};

const wrongLength: ConnectionProblem = { cause: "the answer does not have the length that it declares" };
const tooManyHeaders: ConnectionProblem = { cause: "the answer's headers are too large" };

const port = "Check the port of the address, and whether https:// or http:// is right";

const connectionProblems: ReadonlyMap<string, ConnectionProblem> = new Map<string, ConnectionProblem>([
  [
    "ECONNREFUSED",
    { cause: "the connection was refused", hint: "Check the address, and check that the service is running" },
  ],
  ["ENOTFOUND", { cause: "its name could not be resolved", hint: "Check the host name of the address" }],
  ["EAI_AGAIN", { cause: "name resolution failed temporarily", hint: "Check the network and try again" }],
  ["EHOSTUNREACH", { cause: "there is no route to its host", hint: "Check the network" }],
  ["ENETUNREACH", { cause: "there is no route to its network", hint: "Check the network" }],
  ["ETIMEDOUT", connectionTimedOut],
  ["ECONNRESET", { cause: "the connection was reset" }],
  ["EPIPE", { cause: "the connection was closed" }],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", wrongLength],
  // A length besides chunks.
  ["HPE_INVALID_TRANSFER_ENCODING", wrongLength],
  ["HPE_HEADER_OVERFLOW", tooManyHeaders],
  ["ERR_SSL_WRONG_VERSION_NUMBER", { cause: "it does not speak TLS on this port", hint: port, lasts: true }],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", { cause: "it does not speak TLS on this port", hint: port, lasts: true }],
  ["EPROTO", { cause: "the TLS handshake failed", hint: port, lasts: true }],
]);

/** By what OpenSSL calls the reason, wherever that stands in Node's code for it. */
const tlsProblems: readonly (readonly [RegExp, ConnectionProblem])[] = [
  [
    /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|INSUFFICIENT_SECURITY|NO_SHARED_CIPHER/u,
    { cause: "it supports neither TLS 1.2 nor TLS 1.3", lasts: true },
  ],
  [
    /ALERT_CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE|PEER_DID_NOT_RETURN_A_CERTIFICATE/u,
    { cause: "it requires a client certificate, and roster has none", lasts: true },
  ],
  [
    /ALERT_HANDSHAKE_FAILURE/u,
    { cause: "it refused the TLS handshake: it may require a client certificate or other ciphers", lasts: true },
  ],
];

/** Never quotes the error's own text, which may hold what was sent; its code is a constant of Node's. */
export function explainConnectionError(error: unknown): ConnectionProblem {
  if (error instanceof ConnectionFailure) return error.trouble;
  const code = codeOf(error);
  if (code === undefined) return { cause: "the connection failed" };
  const known = connectionProblems.get(code) ?? tlsProblems.find(([reason]) => reason.test(code))?.[1];
  // What Node's parser refuses; its codes are many and mean one thing.
  return known ?? (code.startsWith("HPE_") ? answerIsNoHttp : { cause: `the connection failed (${code})` });
}

/** A constant of Node's or of OpenSSL's. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_/]+$/.test(error.code)) return error.code;
  return "cause" in error ? codeOf(error.cause) : undefined;
}

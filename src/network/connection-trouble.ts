/** Why no answer could be had, in words, with what a person can do where that is known. */
export interface Trouble {
  readonly cause: string;
  readonly hint?: string;
}

const certificateHint = "If the service has a private certificate authority, name its file in NODE_EXTRA_CA_CERTS";

const troubles: ReadonlyMap<string, Trouble> = new Map<string, Trouble>([
  ["ECONNREFUSED", { cause: "the connection was refused", hint: "Check the endpoint and that the service runs" }],
  ["ENOTFOUND", { cause: "its name could not be resolved", hint: "Check the endpoint's host name" }],
  ["EAI_AGAIN", { cause: "name resolution failed for the moment", hint: "Check the network and try again" }],
  ["EHOSTUNREACH", { cause: "there is no route to its host", hint: "Check the network" }],
  ["ENETUNREACH", { cause: "there is no route to its network", hint: "Check the network" }],
  ["ETIMEDOUT", { cause: "the connection timed out", hint: "Check the network and the endpoint" }],
  ["UND_ERR_CONNECT_TIMEOUT", { cause: "the connection timed out", hint: "Check the network and the endpoint" }],
  ["ECONNRESET", { cause: "the connection was reset" }],
  ["EPIPE", { cause: "the connection was closed" }],
  ["UND_ERR_SOCKET", { cause: "the connection was closed before the answer was complete" }],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", { cause: "the answer was cut short" }],
  ["UND_ERR_HEADERS_OVERFLOW", { cause: "the answer's headers are too large" }],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", { cause: "its certificate signs itself", hint: certificateHint }],
  ["SELF_SIGNED_CERT_IN_CHAIN", { cause: "its certificate chain signs itself", hint: certificateHint }],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", { cause: "its certificate cannot be verified", hint: certificateHint }],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", { cause: "the issuer of its certificate is unknown", hint: certificateHint }],
  ["CERT_HAS_EXPIRED", { cause: "its certificate has expired" }],
  ["ERR_TLS_CERT_ALTNAME_INVALID", { cause: "its certificate is for another host name" }],
  ["ERR_SSL_WRONG_VERSION_NUMBER", { cause: "it does not speak TLS on this port", hint: "Check the endpoint's port" }],
  ["EPROTO", { cause: "the TLS handshake failed", hint: "Check the endpoint's port" }],
]);

/** Never quotes the error's own text, which may hold what was sent; its code is a constant of Node's. */
export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error);
  if (code === undefined) return { cause: "the connection failed" };
  return troubles.get(code) ?? { cause: `the connection failed (${code})` };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_]+$/.test(error.code)) return error.code;
  return "cause" in error ? codeOf(error.cause) : undefined;
}

import { X509Certificate } from "node:crypto";
import { request } from "node:http";
import { connect as connectPlainly, isIP, isIPv6, type Socket } from "node:net";
import {
  connect as connectSecurely,
  createSecureContext,
  type DetailedPeerCertificate,
  type SecureContext,
  TLSSocket,
} from "node:tls";
import { problem, type Result, success } from "../model/result.ts";
import {
  type Connect,
  type Connected,
  ConnectionFailure,
  type ConnectionProblem,
  type ConnectorOptions,
  codeOf,
  explainConnectionError,
  whenReady,
} from "./connection.ts";
import type { ProxyServer } from "./proxy.ts";

interface TlsAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Makes connections over TLS, through a proxy where there is one. The handshake is with the origin: the proxy sees its name and nothing else. */
export function secureConnector(target: TlsAddress, options: ConnectorOptions): Connect {
  const { proxy, ca, timeout, opening } = options;
  const trust = ca === undefined ? {} : { secureContext: trusting(ca) };
  const identity = isIP(target.host) === 0 ? { servername: target.host } : {};
  let session: Buffer | undefined;
  const secure = (callback: Connected, { way = "", ...tunnel }: { way?: string; socket?: Socket } = {}): void => {
    const resumed = session === undefined ? {} : { session };
    const socket = connectSecurely({
      ...target,
      ...identity,
      ...trust,
      ...tunnel,
      ...resumed,
      ALPNProtocols: ["http/1.1"],
    });
    socket.on("session", (next) => {
      session = next;
    });
    secured(socket, options, { host: target.host, way }, callback);
  };
  if (proxy === undefined) return (callback) => secure(callback);
  return async (callback) => {
    const tunnel = await openTunnel(proxy, target, { ...trust, timeout, opening });
    if (!tunnel.ok) return callback(new ConnectionFailure(tunnel.error));
    secure(callback, { way: `, through the proxy ${proxy.shown}`, socket: tunnel.value });
  };
}

/** Node's own authorities, or those of the system where Node is set so, and these. */
function trusting(authorities: readonly string[]): SecureContext {
  const trust = createSecureContext();
  for (const certificate of authorities) trust.context.addCACert(certificate);
  return trust;
}

/** Tells the handshake's failure in words. `way` is said after what went wrong. */
function secured(
  socket: TLSSocket,
  options: ConnectorOptions,
  { host, way }: { readonly host: string; readonly way: string },
  callback: Connected,
): void {
  const seen = shownCertificate(socket);
  whenReady(socket, "secureConnect", options, (...[error, connected]) => {
    if (error !== null) {
      const untrusted = certificateProblem(codeOf(error), host, seen.certificate);
      const { cause, ...rest } = untrusted ?? explainConnectionError(error);
      return callback(new ConnectionFailure({ ...rest, cause: `${cause}${way}` }));
    }
    // In TLS 1.3 a server may refuse a client after the handshake, and a client may tell only that the connection ended.
    connected.on("error", (alert) => {
      const why = explainConnectionError(alert);
      if (why.lasts === true && /_ALERT_/u.test(codeOf(alert) ?? "")) options.refused(why);
    });
    callback(null, connected);
  });
}

type TunnelOptions = Pick<ConnectorOptions, "timeout" | "opening"> & { readonly secureContext?: SecureContext };

/**
 * Asks a proxy for a tunnel to a host (CONNECT). It receives the host, the port and its own credentials, and nothing of any
 * request. What goes wrong is reported as the proxy's.
 */
function openTunnel(
  proxy: ProxyServer,
  { host, port }: TlsAddress,
  options: TunnelOptions,
): Promise<Result<Socket, ConnectionProblem>> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const toProxy = connectTo(proxy, options);
  const headers = {
    host: authority,
    connection: "keep-alive",
    "user-agent": "roster",
    ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
  };
  const shown = shownCertificate(toProxy);
  options.opening.add(toProxy);
  return new Promise((resolve) => {
    const asked = request({ method: "CONNECT", path: authority, headers, createConnection: () => toProxy });
    const silent = { cause: `the proxy ${proxy.shown} did not connect within ${options.timeout / 1000} s` };
    const timer = setTimeout(() => giveUp(silent), options.timeout);
    const end = (result: Result<Socket, ConnectionProblem>): void => {
      clearTimeout(timer);
      options.opening.delete(toProxy);
      resolve(result);
    };
    const giveUp = (trouble: ConnectionProblem): void => {
      end(problem(trouble));
      toProxy.destroy();
    };
    asked.on("error", (error) => {
      const untrusted = certificateProblem(codeOf(error), proxy.hostname, shown.certificate);
      giveUp(
        unreachable(proxy, untrusted ?? { ...explainConnectionError(error), hint: "Check the address of the proxy" }),
      );
    });
    asked.on("connect", ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode > 299) return giveUp(refused(proxy, statusCode));
      if (head.length > 0) toProxy.unshift(head);
      end(success(toProxy));
    });
    asked.end();
  });
}

function connectTo({ hostname: host, port, protocol }: ProxyServer, { secureContext }: TunnelOptions): Socket {
  if (protocol === "http:") return connectPlainly({ host, port });
  const trust = secureContext === undefined ? {} : { secureContext };
  return connectSecurely({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...trust });
}

function refused({ shown, authorization }: ProxyServer, status: number): ConnectionProblem {
  const said = `the proxy ${shown} refuses the connection (${status})`;
  if (status !== 407) {
    // A proxy that cannot reach a host now may reach it later.
    const lasts = status >= 500 || status === 429 ? {} : ({ lasts: true } as const);
    return { cause: said, hint: "Check that the proxy may connect to this host and port", ...lasts };
  }
  const why =
    authorization === undefined ? "requires a user name and a password" : "rejects the user name and the password";
  const hint = "Write them in the address of the proxy: http://NAME:PASSWORD@proxy.example:3128";
  return { cause: `${said}: it ${why}`, hint, lasts: true };
}

function unreachable({ shown }: ProxyServer, { cause, ...rest }: ConnectionProblem): ConnectionProblem {
  return { ...rest, cause: `the proxy ${shown} cannot be reached: ${cause}` };
}

const authority = "If a private authority issues its certificates, set ROSTER_CA_FILE to the file of that authority";

const untrusted: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate chain ends in an authority that is not trusted here"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "the issuer of its certificate is unknown"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "the issuer of its certificate is unknown"],
  ["UNABLE_TO_GET_ISSUER_CERT", "the issuer of its certificate is unknown"],
  ["CERT_UNTRUSTED", "the issuer of its certificate is not trusted"],
  ["CERT_REVOKED", "its certificate was revoked"],
  ["INVALID_CA", "a certificate of its chain may not issue certificates"],
  ["INVALID_PURPOSE", "its certificate is not for servers"],
]);

/** Why a certificate was refused, or `undefined` where something else went wrong. */
function certificateProblem(
  code: string | undefined,
  host: string,
  shown: DetailedPeerCertificate | undefined,
): ConnectionProblem | undefined {
  switch (code) {
    case undefined:
      return undefined;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { cause: `its certificate is ${forOthers(shown)}, not for ${host}`, lasts: true };
    case "CERT_HAS_EXPIRED":
      return { cause: outsideItsTime(shown, (one) => one.valid_to, "has expired"), lasts: true };
    case "CERT_NOT_YET_VALID":
      return {
        cause: outsideItsTime(shown, (one) => one.valid_from, "is not valid yet"),
        hint: "Check the clock of this machine",
        lasts: true,
      };
    default: {
      const cause = untrusted.get(code);
      return cause === undefined ? undefined : { cause, hint: authority, lasts: true };
    }
  }
}

const mostNames = 3;

/** The names come from the other end: only those that a host can have are shown. */
function forOthers(shown: DetailedPeerCertificate | undefined): string {
  const written = shown?.subjectaltname?.split(", ") ?? [`DNS:${shown?.subject?.CN ?? ""}`];
  const names = written
    .map((name) => name.replace(/^(?:DNS|IP Address):/u, ""))
    .filter((name) => /^[\w.*:-]{1,100}$/u.test(name));
  if (names.length === 0) return "for no host name";
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `for ${names.slice(0, mostNames).join(", ")}${more}`;
}

/** The certificate of the chain that expired first, or is valid last. */
function outsideItsTime(
  shown: DetailedPeerCertificate | undefined,
  boundOf: (one: DetailedPeerCertificate) => string,
  what: "has expired" | "is not valid yet",
): string {
  const [order, since] = what === "has expired" ? [1, "on"] : [-1, "but as of"];
  const [worst] = chainOf(shown).toSorted((a, b) => order * (Date.parse(boundOf(a)) - Date.parse(boundOf(b))));
  const time = worst === undefined ? Number.NaN : Date.parse(boundOf(worst));
  const dated = Number.isNaN(time) ? "" : `, ${since} ${new Date(time).toISOString().slice(0, 10)}`;
  return `${worst === shown ? "its certificate" : "a certificate of its chain"} ${what}${dated}`;
}

const longestChain = 10;

/** From the server's own certificate on; a root is its own issuer. */
function chainOf(leaf: DetailedPeerCertificate | undefined): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  for (
    let one: DetailedPeerCertificate | undefined = leaf;
    one !== undefined && !chain.includes(one) && chain.length < longestChain;
    one = one.issuerCertificate
  ) {
    chain.push(one);
  }
  return chain;
}

/** Keeps what certificate is shown on a connection: by the time of an error, one that was refused cannot be had any more. */
function shownCertificate(socket: unknown): { readonly certificate?: DetailedPeerCertificate } {
  const seen: { certificate?: DetailedPeerCertificate } = {};
  if (socket instanceof TLSSocket) {
    socket.prependListener("secure", () => {
      seen.certificate = socket.getPeerCertificate(true);
    });
  }
  return seen;
}

/** The certificates (PEM) that a file of authorities holds; a file without any, or with one that is broken, is refused. */
export function readAuthorities(text: string): Result<readonly string[], string> {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu) ?? [];
  if (text.trim() === "") return problem("cannot be used: the file is empty");
  if (certificates.length === 0) return problem("cannot be used: the file contains no certificate");
  const broken = certificates.findIndex((certificate) => !isReadable(certificate));
  if (broken >= 0) return problem(`cannot all be read: number ${broken + 1} is broken`);
  return success(certificates);
}

function isReadable(certificate: string): boolean {
  try {
    new X509Certificate(certificate);
    return true;
  } catch {
    return false;
  }
}

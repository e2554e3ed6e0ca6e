import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns";
import { connect, type LookupFunction, type Socket } from "node:net";
import { problem, type Result, success } from "../model/result.ts";
import { isLoopback } from "../ports/http-client.ts";
import { type Connect, ConnectionFailure, type ConnectionProblem, whenReady } from "./connection.ts";
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

/** Plain HTTP is for this machine alone. What TLS and proxies take is loaded when it is needed. */
export function connectorFor(origin: string, options: ConnectorOptions): Connect {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/gu, "");
  if (protocol !== "http:") {
    let secure: Promise<Connect> | undefined;
    return (callback) => {
      secure ??= import("./tls.ts").then(({ secureConnector }) =>
        secureConnector({ host, port: port === "" ? 443 : Number(port) }, options),
      );
      secure.then((connect) => connect(callback), callback);
    };
  }
  if (!isThisMachine(host)) return (callback) => callback(new ConnectionFailure(unencrypted));
  const target = { host, port: port === "" ? 80 : Number(port), lookup: lookUpHere };
  return (callback) => whenReady(connect(target), { event: "connect", ...options }, callback);
}

const lookUpHere: LookupFunction = (hostname, options, callback) => {
  lookUpThisMachine(lookup)(hostname, options, callback);
};

const unencrypted: ConnectionProblem = {
  cause: "it would be reached without encryption: http:// works only for this machine",
  lasts: true,
};

/** Whether a host, without brackets, is said to be this machine. @internal */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/** Resolves names as `resolve` does, and refuses those that lead anywhere but to this machine, as localhost may. @internal */
export function lookUpThisMachine(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const elsewhere = addresses.find(({ address }) => !isThisMachine(address));
      const [first] = addresses;
      if (elsewhere !== undefined || first === undefined) return callback(leadsElsewhere(elsewhere?.address), "");
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function leadsElsewhere(address: string | undefined): ConnectionFailure {
  return new ConnectionFailure({
    cause: `its name leads to ${address ?? "no address"} not to this machine; http:// works only for this machine`,
    hint: "Use https://, or the address 127.0.0.1",
    lasts: true,
  });
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

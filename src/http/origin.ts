import { lookup } from "node:dns";
import { connect, type LookupFunction, type Socket } from "node:net";
import { problem, success } from "../model/result.ts";
import { type HttpClient, isLoopback } from "../ports/http-client.ts";
import {
  type Connect,
  ConnectionFailure,
  type ConnectionProblem,
  type ConnectorOptions,
  type NetworkOptions,
  whenReady,
} from "./connection.ts";
import { KeptConnections, turns } from "./kept-connections.ts";
import { type Exchange, type HttpRequest, Sending, type SendingOptions } from "./sending.ts";

export interface OriginOptions extends Omit<SendingOptions, "heard">, NetworkOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
}

/** One origin over HTTP: sends one request once, and follows nothing. Opens no connection before the first request. */
interface Origin {
  /** Never rejects. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<Exchange>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Milliseconds for one connection: less than for a request, so that the reason is known. */
const connectTimeout = 10_000;

export function openOrigin(options: OriginOptions): Origin {
  const { origin, connections, timeout } = options;
  const heard: { refusal?: ConnectionProblem } = {};
  const sending = { ...options, heard };
  const refused = (why: ConnectionProblem): void => {
    heard.refusal = why;
  };
  const opening = new Set<Socket>();
  const connecting = connectorFor(origin, {
    ...options,
    timeout: Math.min(connectTimeout, timeout / 2),
    refused,
    opening,
  });
  const agent = new KeptConnections(connecting, connections);
  const url = new URL(origin);
  const inTurn = turns(connections);
  let closed = false;
  const underWay = new Set<Promise<Exchange>>();
  return {
    async send(request, signal) {
      const exchange = new Promise<Exchange>((resolve) => {
        const one = new Sending(request, sending, resolve);
        one.watch(signal);
        if (closed) one.fail(new ConnectionFailure(afterItsEnd));
        else if (!one.isOver) inTurn((leave) => one.start(agent, url, leave));
      });
      underWay.add(exchange);
      await exchange;
      underWay.delete(exchange);
      return exchange;
    },
    async close() {
      closed = true;
      await Promise.all(underWay);
      // A connection that nobody waits for any more would keep the process for seconds.
      for (const socket of opening) socket.destroy();
      agent.retire();
    },
  };
}

const afterItsEnd: ConnectionProblem = { cause: "its connections are closed already" };

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
  return (callback) => whenReady(connect(target), "connect", options, callback);
}

const lookUpHere: LookupFunction = (hostname, options, callback) => {
  lookUpThisMachine(lookup)(hostname, options, callback);
};

const unencrypted: ConnectionProblem = {
  cause: "it would be reached without encryption: http:// works only for this machine",
  lasts: true,
};

/** Whether a host, without brackets, is said to be this machine. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/** Resolves names as `resolve` does, and refuses those that lead anywhere but to this machine, as localhost may. */
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

/** A request to any other origin is not sent. */
type HttpClientOptions = Omit<OriginOptions, "connections">;

const connections = 4;

/** Opens no connection before the first request. Answers come as they are: no redirect is followed, nothing is decompressed. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const { origin: expected, ...limits } = options;
  const { origin } = new URL(expected);
  const opened = openOrigin({ origin, connections, ...limits });
  return {
    async send({ method, url, headers, body }) {
      if (url.origin !== origin) {
        return problem({
          sent: false,
          cause: `the request is for ${url.origin}, but roster sends only to ${origin}`,
        });
      }
      const path = `${url.pathname}${url.search}`;
      const exchange = await opened.send({
        method,
        path,
        headers,
        onceSent: method === "GET" ? "cut-off" : "let-end",
        ...(body === undefined ? {} : { body }),
      });
      if (exchange.is === "answer") {
        const { status, headers: answered, body: text } = exchange;
        return success({ status, headers: answered, body: text });
      }
      const { sent, cause, hint, why } = exchange;
      const unreadable = why === "unreadable" ? ({ isUnreadable: true } as const) : {};
      return problem({ sent, cause, ...(hint === undefined ? {} : { hint }), ...unreadable });
    },
    close: () => opened.close(),
  };
}

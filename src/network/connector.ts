import type { LookupFunction, Socket } from "node:net";
import buildConnector from "undici/lib/core/connect.js";
import { ConnectionFailure } from "./connection-failure.ts";
import type { ConnectionProblem } from "./connection-trouble.ts";
import { isThisMachine, lookUpThisMachine } from "./look-up-this-machine.ts";
import type { ProxyServer } from "./proxy-server.ts";

/** How an origin is reached. */
export interface NetworkOptions {
  /** Without one, the origin is reached directly. */
  readonly proxy?: ProxyServer;
  /** Certificates (PEM) of authorities that are trusted beside those that Node brings along. */
  readonly ca?: readonly string[];
}

export interface ConnectorOptions extends NetworkOptions {
  /** Milliseconds for one connection. */
  readonly timeout: number;
  /** Is told why the other end refuses a connection that stood already, as it does for want of a client certificate. */
  readonly refused: (why: ConnectionProblem) => void;
  /** Holds the connections that are not ready yet. */
  readonly opening: Set<Socket>;
}

type Connect = ReturnType<typeof buildConnector>;

/** Makes a connection on which a request can be sent, or says what stood in the way. */
export type Connector = (target: Parameters<Connect>[0], callback: Parameters<Connect>[1]) => void;

/** Plain HTTP is for this machine alone. What TLS and proxies take is loaded when it is needed. */
export function connectorFor(options: ConnectorOptions): Connector {
  const { opening } = options;
  const connectHere = buildConnector({ timeout: options.timeout, lookup: lookUpHere });
  let connectSecurely: Promise<Connector> | undefined;
  return (target, callback) => {
    if (target.protocol !== "http:") {
      connectSecurely ??= import("./secure-connector.ts").then(({ secureConnector }) =>
        secureConnector(options, buildConnector),
      );
      connectSecurely.then((connect) => connect(target, callback), callback);
    } else if (isThisMachine(target.hostname)) {
      const socket = connectHere(target, (error, connected) => {
        opening.delete(socket);
        callback(error, connected);
      });
      opening.add(socket);
    } else {
      callback(new ConnectionFailure(unencrypted));
    }
  };
}

const lookUpHere: LookupFunction = (hostname, options, callback) => {
  void import("node:dns").then(({ lookup }) => lookUpThisMachine(lookup)(hostname, options, callback));
};

const unencrypted: ConnectionProblem = {
  cause: "it would be reached without encryption: http:// is for this machine alone",
  lasts: true,
};

/** Makes connections for a pool; a part of what the pool itself imports. */
declare module "undici/lib/core/connect.js" {
  import type { LookupFunction, Socket } from "node:net";
  import type { SecureContext } from "node:tls";

  interface ConnectorOptions {
    /** Milliseconds. */
    readonly timeout: number;
    readonly secureContext?: SecureContext;
    readonly lookup?: LookupFunction;
  }

  interface ConnectTarget {
    readonly hostname: string;
    readonly protocol: string;
    /** Empty where it is the usual one of the protocol. */
    readonly port: string;
    /** A connection that stands already, to speak TLS over. */
    readonly httpSocket?: Socket;
  }

  type ConnectCallback = (error: Error | null, socket?: Socket) => void;

  function buildConnector(options: ConnectorOptions): (target: ConnectTarget, callback: ConnectCallback) => Socket;
  export = buildConnector;
}

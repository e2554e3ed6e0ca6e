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

/** One of the two parts of undici that are used: imported alone, they start a process faster than the whole package. */
declare module "undici/lib/dispatcher/pool.js" {
  import type buildConnector from "undici/lib/core/connect.js";

  type ConnectTarget = Parameters<ReturnType<typeof buildConnector>>[0];
  type ConnectCallback = Parameters<ReturnType<typeof buildConnector>>[1];

  interface PoolOptions {
    readonly connections?: number;
    readonly connect?: (target: ConnectTarget, callback: ConnectCallback) => void;
    readonly headersTimeout?: number;
    readonly bodyTimeout?: number;
  }

  interface DispatchOptions {
    readonly path: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  }

  interface DispatchController {
    abort(reason: Error): void;
  }

  type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

  interface DispatchHandler {
    /** Called right before the first byte is written to a connection. */
    onRequestStart(controller: DispatchController): void;
    /** Called for informational answers too. */
    onResponseStart(controller: DispatchController, status: number, headers: IncomingHeaders): void;
    onResponseData(controller: DispatchController, chunk: Buffer): void;
    onResponseEnd(): void;
    onResponseError(controller: DispatchController | undefined, error: Error): void;
  }

  class Pool {
    constructor(origin: string, options: PoolOptions);
    dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
    /** Resolves when what is under way has ended. */
    close(): Promise<void>;
    /** Ends what is under way. */
    destroy(): Promise<void>;
  }

  export = Pool;
}

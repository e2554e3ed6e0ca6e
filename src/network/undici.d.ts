/** The one part of undici that is used: imported alone, it starts a process faster than the whole package. */
declare module "undici/lib/dispatcher/pool.js" {
  import type { Socket } from "node:net";

  type ConnectCallback = (...result: [error: null, socket: Socket] | [error: Error]) => void;

  interface PoolOptions {
    readonly connections?: number;
    readonly connect?: (target: object, callback: ConnectCallback) => void;
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

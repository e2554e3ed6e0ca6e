import { problem, type Result, success } from "../../model/result.ts";
import { type Connection, prepareConnection } from "../connect.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import type { Secrets } from "../secrets.ts";
import { newEnvironment, type SystemOptions } from "./environment.ts";
import { type LibraryError, libraryError } from "./errors.ts";

export interface ConnectOptions extends SystemOptions {
  /** The base address of the account service, such as `https://api.example.com`. Plain HTTP only to this machine. */
  readonly endpoint: string;
  /** The API key, or what gives it. A function is asked once more after the service has refused the key. */
  readonly key: string | (() => string | Promise<string>);
  /** How many calls at once, from 1 to 64. 10 where it is absent. */
  readonly parallelism?: number;
  /** A proxy that opens tunnels, such as `http://proxy.example:3128`. It may have credentials. */
  readonly proxy?: string;
  /** More certificates of authorities to trust, as PEM text. */
  readonly certificates?: string;
  /** Hears of each request: its method, path and status, without bodies and without the key. */
  readonly trace?: (line: string) => void;
}

/** An account service that is ready for calls. */
export interface Service {
  /** The base address, without credentials. */
  readonly address: string;
  /** The public part of the key in use, if the key has two parts. */
  readonly keyPrefix: string | undefined;
  /** Ends its connections. */
  close(): Promise<void>;
  /** @internal */
  readonly connection: Connection;
  /** @internal */
  readonly parallelism: number;
  /** @internal */
  readonly secrets: Secrets;
}

/** Connects an account service, or says what is wrong with its address or key. Sends nothing yet. */
export async function connect(options: ConnectOptions): Promise<Result<Service, LibraryError>> {
  const { endpoint, parallelism = 10, proxy, certificates, trace } = options;
  const environment = newEnvironment(options);
  const { secrets } = environment;
  const wrong = parallelismError(parallelism);
  if (wrong !== undefined) return problem(libraryError(wrong, secrets));
  const text = await givenKey(options.key);
  if (!text.ok) return problem(libraryError(text.error, secrets));
  const { key } = options;
  const again = typeof key === "string" ? {} : { again: () => givenKey(key) };
  const network = {
    ...(proxy === undefined ? {} : { proxy }),
    ...(certificates === undefined ? {} : { ca: { pem: certificates } }),
  };
  const from = typeof key === "string" ? "the option `key`" : "the function `key`";
  const prepared = await prepareConnection(
    { endpoint, key: { text: text.value, from, ...again }, network, parallelism },
    environment,
  );
  if (!prepared.ok) return problem(libraryError(prepared.error, secrets));
  const connection = prepared.value.open(trace === undefined ? {} : { trace: (line) => trace(secrets.redact(line)) });
  return success({
    address: connection.address,
    get keyPrefix() {
      return connection.keyPrefix;
    },
    close: () => connection.close(),
    connection,
    parallelism,
    secrets,
  });
}

function parallelismError(parallelism: number): RosterError | undefined {
  if (Number.isInteger(parallelism) && parallelism >= 1 && parallelism <= 64) return undefined;
  return invalidSetting("bad-parallelism", `The parallelism ${parallelism} is not a whole number from 1 to 64.`);
}

/** An error that the function throws may contain the key: the message has only the name of the error. */
async function givenKey(key: ConnectOptions["key"]): Promise<Result<string, RosterError>> {
  if (typeof key === "string") return success(key);
  try {
    return success(await key());
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    return problem(invalidSetting("key-function-failed", `The function \`key\` gave no key: it threw ${kind}.`));
  }
}

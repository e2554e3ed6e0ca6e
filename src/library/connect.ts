import type { NetworkOptions } from "../http/connection.ts";
import type { AnswerShape } from "../model/capabilities.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { AccountService } from "../ports/account-service.ts";
import { ApiKey } from "../service/api-key.ts";
import { httpAccountService } from "../service/client.ts";
import { endpointProblem, readKey } from "../service/requests.ts";
import type { Shapes } from "../service/shapes.ts";
import { invalidSetting, type LibraryError, libraryError, type RosterError } from "./error.ts";
import { type NetworkSettings, resolveTransport } from "./network.ts";
import { aFunction, aText, either, type OptionChecks, optionsError, required, systemChecks } from "./options.ts";
import { newSecrets, type Secrets, secretsOfKey } from "./secrets.ts";
import { type Environment, newEnvironment, type SystemOptions } from "./system.ts";

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
  /** Awaited before each request, also before one that is sent again, as where calls are limited to a rate. */
  readonly mayStart?: () => Promise<void>;
}

const connectChecks: OptionChecks<ConnectOptions> = {
  ...systemChecks,
  endpoint: required(aText),
  key: required(either(aText, aFunction)),
  parallelism: {
    wants: "a whole number from 1 to 64",
    takes: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 64,
  },
  proxy: aText,
  certificates: aText,
  trace: aFunction,
  mayStart: aFunction,
};

/** An account service that is ready for calls. */
export interface Service extends AsyncDisposable {
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
  const unusable = optionsError("connect", connectChecks, options);
  if (unusable !== undefined) return problem(libraryError(unusable, newSecrets()));
  const { endpoint, parallelism = 10, proxy, certificates, trace, mayStart } = options;
  const environment = newEnvironment(options);
  const { secrets } = environment;
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
  const connection = prepared.value.open({
    ...(trace === undefined ? {} : { trace: (line) => trace(secrets.redact(line)) }),
    ...(mayStart === undefined ? {} : { mayStart }),
  });
  return success({
    address: connection.address,
    get keyPrefix() {
      return connection.keyPrefix;
    },
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
    connection,
    parallelism,
    secrets,
  });
}

/** An error that the function throws may contain the key: the message has only the name of the error. */
async function givenKey(key: ConnectOptions["key"]): Promise<Result<string, RosterError>> {
  if (typeof key === "string") return success(key);
  try {
    return success(await key());
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    return problem(invalidSetting("no-key", `The function \`key\` gave no key: it threw ${kind}.`));
  }
}

/** A service that is ready for calls. `close` ends its connections. @internal */
export type Connection = AccountService & { close(): Promise<void> };

/** All that a connection takes, found and checked. Nothing is sent yet. @internal */
export interface PreparedConnection {
  /** As it is configured. */
  readonly endpoint: string;
  readonly way: NetworkOptions;
  /** Where the key comes from, such as `ROSTER_API_KEY`. */
  readonly keyFrom: string;
  /** Another address of the same service may be given in place of the configured one. */
  open(options: {
    readonly endpoint?: URL;
    readonly trace?: (line: string) => void;
    readonly watch?: (seen: AnswerShape) => void;
    readonly mayStart?: () => Promise<void>;
  }): Connection;
}

/** @internal */
export interface ConnectionRequest {
  readonly endpoint: string;
  readonly key: KeyText;
  readonly network: NetworkSettings;
  /** Connections at once. */
  readonly parallelism: number;
  /** Where the answers hold what cannot be found by itself. */
  readonly shapes?: Shapes | undefined;
}

/** The text that holds the API key. @internal */
export interface KeyText {
  readonly text: string;
  /** Where it comes from, such as `ROSTER_API_KEY`. */
  readonly from: string;
  /** Asks for it once more, after the service has refused it. Absent: it stays the same. */
  readonly again?: (() => Promise<Result<string, RosterError>>) | undefined;
}

/** Checks the endpoint, the key and the way to the service. Sends nothing. @internal */
export async function prepareConnection(
  { endpoint, key: given, network, parallelism, shapes }: ConnectionRequest,
  environment: Environment,
): Promise<Result<PreparedConnection, RosterError>> {
  const wrong = endpointError(endpoint);
  if (wrong !== undefined) return problem(wrong);
  const key = apiKey(given, environment);
  if (!key.ok) return key;
  const way = await resolveTransport(new URL(endpoint).origin, network, environment);
  if (!way.ok) return way;
  const { clock, randomness, openTransport } = environment;
  const fixed = {
    endpoint: new URL(endpoint),
    key: key.value,
    clock,
    randomness,
    parallelism,
    way: way.value,
    ...(openTransport === undefined ? {} : { openTransport }),
    ...(shapes === undefined ? {} : { shapes }),
  };
  return success({
    endpoint,
    way: way.value,
    keyFrom: given.from,
    open: (options) => httpAccountService({ ...fixed, ...options }),
  });
}

/** Why a service cannot be at an address; undefined where it can. @internal */
export function endpointError(endpoint: string): RosterError | undefined {
  const wrong = endpointProblem(endpoint);
  return wrong === undefined ? undefined : invalidSetting("bad-value", wrong);
}

function apiKey({ text, from, again }: KeyText, { secrets }: Environment): Result<ApiKey, RosterError> {
  const readKept = (written: string) => {
    for (const secret of secretsOfKey(written)) secrets.keep(secret);
    return readKey(written);
  };
  const key = readKept(text);
  if (!key.ok) return problem(invalidSetting("bad-key", key.error));
  if (again === undefined) return success(new ApiKey(key.value));
  const ask = async () => {
    const renewed = await again();
    const read = renewed.ok ? readKept(renewed.value) : problem(messageOf(renewed.error));
    return read.ok ? read : problem(read.error.replace(/\.$/u, ""));
  };
  return success(new ApiKey(key.value, { name: from, ask }));
}

function messageOf({ diagnostics = [] }: RosterError): string {
  return diagnostics.map(({ message }) => message).join(" ");
}

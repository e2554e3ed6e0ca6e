import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../files/regular-file.ts";
import type { NetworkOptions } from "../http/connection.ts";
import { type HttpClient, openHttpClient } from "../http/origin.ts";
import { namedProxy, needsNoProxy, readProxy } from "../http/proxy.ts";
import type { AnswerShape } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { problem } from "../model/result.ts";
import { httpAccountService } from "../service/client.ts";
import { pointerProblem, type Shapes, shapeFields } from "../service/decode/json.ts";
import type { AccountService } from "../service/port.ts";
import { baseAddress, endpointProblem, readKey } from "../service/requests.ts";
import { ApiKey } from "../service/secrets.ts";
import { type Environment, newEnvironment, type SystemOptions } from "./environment.ts";
import { invalidSetting, rosterError, withoutSecrets } from "./error.ts";
import { checkOptions, is, type OptionCheck, type OptionChecks, parallelismRange } from "./options.ts";
import { passwordsIn, type Secrets, secretsOfKey } from "./redaction.ts";

export interface ConnectOptions extends SystemOptions {
  /** The base address of the account service, such as `https://api.example.com`. Plain HTTP only to this machine. */
  readonly endpoint: string;
  /** The API key, or what gives it. A function is asked once more after the service has refused the key. */
  readonly key: string | (() => string | Promise<string>);
  /** How many calls at once, from 1 to 64. 10 where it is absent. */
  readonly parallelism?: number | undefined;
  /** A proxy that opens tunnels, such as `http://proxy.example:3128`. It may have credentials. */
  readonly proxy?: string | undefined;
  /** More certificates of authorities to trust, as PEM text. */
  readonly certificates?: string | undefined;
  /** Called for each request: its method, path and status, without bodies and without the key. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Awaited before each request, also before one that is sent again, as where calls are limited to a rate. */
  readonly mayStart?: ((effect: "read" | "write") => Promise<void>) | undefined;
  /** Where the answers hold what roster does not find by itself, as `service.shapes` of the settings. */
  readonly shapes?: Shapes | undefined;
}

const pointer: OptionCheck = {
  wants: "JSON Pointers",
  takes: (value) => typeof value === "string" && pointerProblem(value) === undefined,
};
const pointersOf = (fields: readonly string[]) => is.shape(Object.fromEntries(fields.map((field) => [field, pointer])));

const connectChecks: OptionChecks<ConnectOptions> = {
  clock: is.clock,
  randomness: is.randomness,
  endpoint: is.required(is.text),
  key: is.required(is.either(is.text, is.function)),
  parallelism: {
    wants: `a whole number from ${parallelismRange.least} to ${parallelismRange.most}`,
    takes: (value) =>
      Number.isInteger(value) && Number(value) >= parallelismRange.least && Number(value) <= parallelismRange.most,
  },
  proxy: is.text,
  certificates: is.text,
  trace: is.function,
  mayStart: is.function,
  shapes: is.shape(
    Object.fromEntries(Object.entries(shapeFields).map(([part, fields]) => [part, pointersOf(fields)])),
    'JSON Pointers, as in `{ users: { list: "/rows" } }`',
  ),
};

/** An account service that is ready for calls. */
export interface Service extends AsyncDisposable {
  /** The base address, without credentials. */
  readonly address: string;
  /** The public part of the key in use, if the key has two parts. */
  readonly keyPrefix: string | undefined;
  close(): Promise<void>;
  /** @internal */
  readonly connection: Connection;
  /** @internal */
  readonly parallelism: number;
  /** @internal */
  readonly secrets: Secrets;
  /** How it is reached. @internal */
  readonly way: NetworkOptions;
  /** The base address as it was given. @internal */
  readonly endpoint: URL;
  /** A connection of its own, also to another address. `watch` sees the shape of each answer. @internal */
  at(endpoint: URL, watch?: (seen: AnswerShape) => void): Connection;
}

export type Connection = AccountService & { close(): Promise<void> };

/** Connects an account service. Sends nothing yet. Throws where its address or key is wrong. */
export async function connect(options: ConnectOptions): Promise<Service> {
  checkOptions("connect", connectChecks, options);
  const { key, proxy, certificates, ...others } = options;
  const environment = newEnvironment(options);
  const ask = async () => {
    if (typeof key === "string") return key;
    try {
      return await key();
    } catch (error) {
      // It may contain the key: the message has only the name of the error.
      const kind = error instanceof Error ? error.name : typeof error;
      throw invalidSetting("no-key", `The function \`key\` gave no key: it threw ${kind}.`);
    }
  };
  const given: KeySource =
    typeof key === "string" ? { name: "the option `key`", ask } : { name: "the function `key`", ask, again: ask };
  const network = { proxy, ca: certificates === undefined ? undefined : { pem: certificates } };
  return withoutSecrets(environment.secrets, () => openService({ ...others, key: given, network }, environment));
}

interface ServiceOptions extends Omit<ConnectOptions, "key" | "proxy" | "certificates" | keyof SystemOptions> {
  readonly key: KeySource;
  readonly network: NetworkSettings;
}

/** Where the API key comes from, and how it is had. Nothing was read or run yet. */
export interface KeySource {
  /** Such as `ROSTER_API_KEY`. */
  readonly name: string;
  readonly ask: () => Promise<string>;
  /** After the service has refused it. Absent where asking again is no use: a variable holds what it held, and a pipe is empty by then. */
  readonly again?: (() => Promise<string>) | undefined;
}

/** The same, as the command connects it: in its own environment. */
export async function openService(options: ServiceOptions, environment: Environment): Promise<Service> {
  const { key, network, parallelism = parallelismRange.usual, shapes, trace, mayStart } = options;
  checkEndpoint(options.endpoint);
  const endpoint = new URL(options.endpoint);
  const { clock, randomness, openTransport, secrets } = environment;
  const apiKey = await apiKeyOf(key, secrets);
  const way = await resolveTransport(endpoint.origin, network, environment);
  const at: Service["at"] = (address, watch) =>
    httpAccountService({
      endpoint: address,
      key: apiKey,
      clock,
      randomness,
      parallelism,
      way,
      ...definedFields({ openTransport, shapes, watch, mayStart }),
      ...(trace === undefined ? {} : { trace: (line) => trace(secrets.redact(line)) }),
    });
  const connection = at(endpoint);
  return {
    address: connection.address,
    get keyPrefix() {
      return connection.keyPrefix;
    },
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
    connection,
    parallelism,
    secrets,
    way,
    endpoint,
    at,
  };
}

/** Throws where a service cannot be at an address. */
export function checkEndpoint(endpoint: string): void {
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) throw invalidSetting("bad-value", wrong);
}

/** The address by which a service at an endpoint is known. */
export function addressOfService(endpoint: string): string {
  checkEndpoint(endpoint);
  return baseAddress(new URL(endpoint)).address;
}

async function apiKeyOf({ name, ask, again }: KeySource, secrets: Pick<Secrets, "keep">): Promise<ApiKey> {
  const readKept = (written: string) => {
    for (const secret of secretsOfKey(written)) secrets.keep(secret);
    return readKey(written);
  };
  const key = readKept(await ask());
  if (!key.ok) throw invalidSetting("bad-key", key.error);
  if (again === undefined) return new ApiKey(key.value);
  const askAgain = async () => {
    const read = await again().then(readKept, (error: unknown) => problem(rosterError(error).message));
    return read.ok ? read : problem(read.error.replace(/\.$/u, ""));
  };
  return new ApiKey(key.value, { name, ask: askAgain });
}

/** How other machines are reached, besides the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  readonly proxy?: string | undefined;
  /** Certificates of authorities: a file of them, and who names it, or their text. */
  readonly ca?: { readonly value: string; readonly from: string } | { readonly pem: string } | undefined;
}

async function resolveTransport(
  origin: string,
  { proxy: set, ca: named }: NetworkSettings,
  environment: Environment,
): Promise<NetworkOptions> {
  const proxy = proxyTo(new URL(origin), set, environment);
  const ca = named === undefined ? undefined : await authorities(named, environment);
  return { ...(proxy === undefined ? {} : { proxy }), ...(ca === undefined ? {} : { ca }) };
}

export async function openClient(
  origin: string,
  settings: NetworkSettings,
  environment: Environment,
  limits: { readonly timeout: number; readonly largestAnswer: number },
): Promise<HttpClient> {
  const transport = await resolveTransport(origin, settings, environment);
  return openHttpClient({ origin, ...limits, clock: environment.clock, ...transport });
}

function proxyTo(origin: URL, set: string | undefined, { env, secrets }: Environment): NetworkOptions["proxy"] {
  const named = namedProxy(env, set);
  for (const password of passwordsIn(named?.address ?? "")) secrets.keep(password);
  if (named === undefined || needsNoProxy(origin, env)) return undefined;
  const proxy = readProxy(named.address);
  if (proxy.ok) return proxy.value;
  const message = `The proxy for ${origin.origin}, named by ${named.from}, ${proxy.error}.`;
  throw invalidSetting("bad-value", message, "Correct it, or add the host to NO_PROXY.");
}

async function authorities(
  ca: NonNullable<NetworkSettings["ca"]>,
  environment: Environment,
): Promise<readonly string[]> {
  const { readAuthorities } = await import("../http/tls.ts");
  const certificatesIn = async (path: string) => {
    try {
      const bytes = await readRegularFile(resolve(environment.cwd, path), largestBundle);
      return readAuthorities(bytes.toString("utf8"));
    } catch (error) {
      return problem(`cannot be read: ${whyUnread(error)}`);
    }
  };
  const read = "pem" in ca ? readAuthorities(ca.pem) : await certificatesIn(ca.value);
  if (read.ok) {
    // Node does not show what it has read there, so that it is read again. What Node left out is left out.
    const file = environment.env["NODE_EXTRA_CA_CERTS"] ?? "";
    const extra = file === "" ? undefined : await certificatesIn(file);
    return [...read.value, ...(extra?.ok ? extra.value : [])];
  }
  const from = "pem" in ca ? "" : ca.from === "variable" ? "ROSTER_CA_FILE" : `ca in the ${ca.from}`;
  const message = "pem" in ca ? "The certificates" : `The certificates in ${ca.value}, named by ${from},`;
  const hint = "Use a PEM file: each certificate from BEGIN CERTIFICATE to END CERTIFICATE.";
  throw invalidSetting("bad-value", `${message} ${read.error}.`, hint);
}

/** In bytes: the bundles of systems have some hundred KiB. */
const largestBundle = 8 * 1024 * 1024;

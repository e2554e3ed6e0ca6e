import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../files/regular-file.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { NetworkOptions } from "../network/connector.ts";
import { type NamedProxy, namedProxy, needsNoProxy, type ProxyServer, readProxy } from "../network/proxy.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { HttpClient } from "../ports/http-client.ts";
import { safe } from "../report/safe.ts";
import type { AnswerShape } from "../service/answer.ts";
import type { ApiKey } from "../service/api-key.ts";
import { type CommandError, invalidSetting } from "./command-error.ts";
import type { Host } from "./host.ts";
import { passwordsIn, secretsOfKey } from "./output/secrets.ts";
import { askAgain, keySource, keySourceNames, keyText } from "./settings/credentials.ts";
import type { NetworkSettings, Setting, Settings } from "./settings/settings.ts";

/** A service that is ready for calls. `close` ends its connections. */
export type Connection = AccountService & { close(): Promise<void> };

/** All that a connection takes, found and checked. Nothing is sent yet. */
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
    readonly timed?: (milliseconds: number) => void;
  }): Connection;
}

/** Connects the configured endpoint with the key, or says what is missing. Sends nothing yet. */
export async function connect(
  settings: Settings,
  host: Host,
  options: { readonly trace?: (line: string) => void; readonly timed?: (milliseconds: number) => void },
): Promise<Result<Connection, CommandError>> {
  const prepared = await prepareConnection(settings, host);
  return prepared.ok ? success(prepared.value.open(options)) : prepared;
}

export async function prepareConnection(
  settings: Settings,
  host: Host,
): Promise<Result<PreparedConnection, CommandError>> {
  const { endpointProblem } = await import("../service/requests.ts");
  if (settings.endpoint === undefined) return problem(noEndpoint);
  const endpoint = settings.endpoint.value;
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) return problem(invalidSetting("bad-endpoint", wrong));
  const key = await readApiKey(settings, host);
  if (!key.ok) return key;
  const way = await resolveTransport(new URL(endpoint).origin, settings.network, host);
  if (!way.ok) return way;
  const { httpAccountService } = await import("../service/client.ts");
  const fixed = {
    endpoint: new URL(endpoint),
    key: key.value.key,
    clock: host.clock,
    randomness: host.randomness,
    parallelism: settings.parallelism,
    way: way.value,
    ...(host.openTransport === undefined ? {} : { openTransport: host.openTransport }),
    ...(settings.file?.shapes === undefined ? {} : { shapes: settings.file.shapes }),
  };
  return success({
    endpoint,
    way: way.value,
    keyFrom: key.value.from,
    open: (options) => httpAccountService({ ...fixed, ...options }),
  });
}

/** The key, and where it is asked for once more after the service has refused it. */
async function readApiKey(
  settings: Settings,
  host: Host,
): Promise<Result<{ readonly key: ApiKey; readonly from: string }, CommandError>> {
  const source = keySource(settings, host);
  if (!source.ok) return source;
  const { readKey } = await import("../service/requests.ts");
  const readKept = (text: string) => {
    for (const secret of secretsOfKey(text)) host.secrets.keep(secret);
    return readKey(text);
  };
  const text = await keyText(source.value, host);
  if (!text.ok) return text;
  const key = readKept(text.value);
  if (!key.ok) return problem(invalidSetting("bad-key", key.error));
  const { ApiKey } = await import("../service/api-key.ts");
  const from = keySourceNames[source.value.kind];
  const again = askAgain(source.value, host);
  if (again === undefined) return success({ key: new ApiKey(key.value), from });
  const ask = async () => {
    const renewed = await again();
    const read = renewed.ok ? readKept(renewed.value) : problem(reasonOf(renewed.error));
    return read.ok ? read : problem(read.error.replace(/\.$/u, ""));
  };
  return success({ key: new ApiKey(key.value, { name: from, ask }), from });
}

function reasonOf({ diagnostics = [] }: CommandError): string {
  return diagnostics.map(({ message }) => message).join(" ");
}

const noEndpoint = invalidSetting(
  "no-endpoint",
  "No service address is set.",
  "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.",
);

/** How an origin is reached by what the settings and the environment say, or what of that is wrong. Connects nothing. */
export async function resolveTransport(
  origin: string,
  settings: NetworkSettings,
  host: Host,
): Promise<Result<NetworkOptions, CommandError>> {
  const named = namedProxy(host.env, settings.proxy);
  for (const password of passwordsIn(named?.address ?? "")) host.secrets.keep(password);
  const proxy = proxyTo(new URL(origin), named, host);
  if (!proxy.ok) return proxy;
  const ca = settings.ca === undefined ? success(undefined) : await authorities(settings.ca, host);
  if (!ca.ok) return ca;
  return success({
    ...(proxy.value === undefined ? {} : { proxy: proxy.value }),
    ...(ca.value === undefined ? {} : { ca: ca.value }),
  });
}

/** A client of one origin, reached by what the settings and the environment say. Connects nothing yet. */
export async function openClient(
  origin: string,
  settings: NetworkSettings,
  host: Host,
  limits: ClientLimits,
): Promise<Result<HttpClient, CommandError>> {
  const transport = await resolveTransport(origin, settings, host);
  if (!transport.ok) return transport;
  const { openHttpClient } = await import("../network/origin.ts");
  return success(openHttpClient({ origin, ...limits, clock: host.clock, ...transport.value }));
}

interface ClientLimits {
  /** Milliseconds for one request as a whole. */
  readonly timeout: number;
  /** In bytes. */
  readonly largestAnswer: number;
}

function proxyTo(
  origin: URL,
  named: NamedProxy | undefined,
  host: Host,
): Result<ProxyServer | undefined, CommandError> {
  if (named === undefined || needsNoProxy(origin, host.env)) return success(undefined);
  const proxy = readProxy(named.address);
  if (proxy.ok) return proxy;
  const message = `The proxy for ${origin.origin}, named by ${named.from}, ${proxy.error}.`;
  return problem(invalidSetting("bad-proxy", message, "Correct it, or add the host to NO_PROXY."));
}

async function authorities(ca: Setting, host: Host): Promise<Result<readonly string[], CommandError>> {
  const read = await certificatesIn(ca.value, host);
  if (read.ok) return success([...read.value, ...(await extraNodeCertificates(host))]);
  const from = ca.from === "variable" ? "ROSTER_CA_FILE" : "ca in the settings";
  const message = `The certificates in ${ca.value}, named by ${from}, ${read.error}.`;
  return problem(invalidSetting("bad-ca-file", message, certificateHint));
}

/** Node does not show what it has read there, so that it is read again. What Node left out is left out. */
async function extraNodeCertificates(host: Host): Promise<readonly string[]> {
  const file = host.env["NODE_EXTRA_CA_CERTS"];
  const read = file === undefined || file === "" ? undefined : await certificatesIn(file, host);
  return read?.ok ? read.value : [];
}

/** In bytes: the bundles of systems have some hundred KiB. */
const largestBundle = 8 * 1024 * 1024;

async function certificatesIn(path: string, host: Host): Promise<Result<readonly string[], string>> {
  try {
    const { readAuthorities } = await import("../network/connector.ts");
    return readAuthorities((await readRegularFile(resolve(host.cwd, path), largestBundle)).toString("utf8"));
  } catch (error) {
    return problem(`cannot be read: ${whyUnread(error)}`);
  }
}

const certificateHint = "Use a PEM file: each certificate from BEGIN CERTIFICATE to END CERTIFICATE.";

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

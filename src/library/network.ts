import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../files/regular-file.ts";
import type { NetworkOptions } from "../http/connection.ts";
import { openHttpClient } from "../http/origin.ts";
import { type NamedProxy, namedProxy, needsNoProxy, type ProxyServer, readProxy } from "../http/proxy.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { HttpClient } from "../ports/http-client.ts";
import { invalidSetting, type RosterError } from "./error.ts";
import { passwordsIn } from "./secrets.ts";
import type { Environment } from "./system.ts";

/** How other machines are reached, besides the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  /** Where the variables name no proxy. */
  readonly proxy?: string | undefined;
  /** Certificates of authorities: a file of them, and who names it, or their text. */
  readonly ca?: { readonly value: string; readonly from: string } | { readonly pem: string } | undefined;
}

/** How an origin is reached by what the settings and the environment say, or what of that is wrong. Connects nothing. */
export async function resolveTransport(
  origin: string,
  settings: NetworkSettings,
  environment: Environment,
): Promise<Result<NetworkOptions, RosterError>> {
  const named = namedProxy(environment.env, settings.proxy);
  for (const password of passwordsIn(named?.address ?? "")) environment.secrets.keep(password);
  const proxy = proxyTo(new URL(origin), named, environment);
  if (!proxy.ok) return proxy;
  const ca = settings.ca === undefined ? success(undefined) : await authorities(settings.ca, environment);
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
  environment: Environment,
  limits: ClientLimits,
): Promise<Result<HttpClient, RosterError>> {
  const transport = await resolveTransport(origin, settings, environment);
  if (!transport.ok) return transport;
  return success(openHttpClient({ origin, ...limits, clock: environment.clock, ...transport.value }));
}

export interface ClientLimits {
  /** Milliseconds for one request as a whole. */
  readonly timeout: number;
  /** In bytes. */
  readonly largestAnswer: number;
}

function proxyTo(
  origin: URL,
  named: NamedProxy | undefined,
  environment: Environment,
): Result<ProxyServer | undefined, RosterError> {
  if (named === undefined || needsNoProxy(origin, environment.env)) return success(undefined);
  const proxy = readProxy(named.address);
  if (proxy.ok) return proxy;
  const message = `The proxy for ${origin.origin}, named by ${named.from}, ${proxy.error}.`;
  return problem(invalidSetting("bad-value", message, "Correct it, or add the host to NO_PROXY."));
}

async function authorities(
  ca: NonNullable<NetworkSettings["ca"]>,
  environment: Environment,
): Promise<Result<readonly string[], RosterError>> {
  const read = "pem" in ca ? await certificatesOf(ca.pem) : await certificatesIn(ca.value, environment);
  if (read.ok) return success([...read.value, ...(await extraNodeCertificates(environment))]);
  const message = "pem" in ca ? "The certificates" : `The certificates in ${ca.value}, named by ${caSource(ca.from)},`;
  return problem(invalidSetting("bad-value", `${message} ${read.error}.`, certificateHint));
}

function caSource(from: string): string {
  return from === "variable" ? "ROSTER_CA_FILE" : `ca in the ${from}`;
}

/** Node does not show what it has read there, so that it is read again. What Node left out is left out. */
async function extraNodeCertificates(environment: Environment): Promise<readonly string[]> {
  const file = environment.env["NODE_EXTRA_CA_CERTS"];
  const read = file === undefined || file === "" ? undefined : await certificatesIn(file, environment);
  return read?.ok ? read.value : [];
}

/** In bytes: the bundles of systems have some hundred KiB. */
const largestBundle = 8 * 1024 * 1024;

async function certificatesIn(path: string, environment: Environment): Promise<Result<readonly string[], string>> {
  try {
    return await certificatesOf(
      (await readRegularFile(resolve(environment.cwd, path), largestBundle)).toString("utf8"),
    );
  } catch (error) {
    return problem(`cannot be read: ${whyUnread(error)}`);
  }
}

const certificateHint = "Use a PEM file: each certificate from BEGIN CERTIFICATE to END CERTIFICATE.";

async function certificatesOf(pem: string): Promise<Result<readonly string[], string>> {
  const { readAuthorities } = await import("../http/tls.ts");
  return readAuthorities(pem);
}

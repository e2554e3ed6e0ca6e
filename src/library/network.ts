import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../files/regular-file.ts";
import type { NetworkOptions } from "../http/connection.ts";
import { openHttpClient } from "../http/origin.ts";
import { namedProxy, needsNoProxy, readProxy } from "../http/proxy.ts";
import { problem } from "../model/result.ts";
import type { HttpClient } from "../ports/http-client.ts";
import { invalidSetting } from "./error.ts";
import { passwordsIn } from "./redaction.ts";
import type { Environment } from "./system.ts";

/** How other machines are reached, besides the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  readonly proxy?: string | undefined;
  /** Certificates of authorities: a file of them, and who names it, or their text. */
  readonly ca?: { readonly value: string; readonly from: string } | { readonly pem: string } | undefined;
}

export async function resolveTransport(
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

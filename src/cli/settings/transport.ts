import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type NetworkOptions, readAuthorities } from "../../network/connector.ts";
import { type NamedProxy, needsNoProxy, type ProxyServer, readProxy } from "../../network/proxy.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { Setting } from "./settings.ts";

/** What is named of the way to other machines, and by whom. */
export interface TransportSettings {
  readonly proxy: NamedProxy | undefined;
  /** A file of certificates of authorities. */
  readonly ca: Setting | undefined;
}

/** How an origin is reached by what is named, or what of that is wrong. Connects nothing. */
export async function configuredTransport(
  origin: URL,
  named: TransportSettings,
  host: Host,
): Promise<Result<NetworkOptions, CommandError>> {
  const proxy = proxyTo(origin, named, host);
  if (!proxy.ok) return proxy;
  const ca = await authorities(named, host);
  if (!ca.ok) return ca;
  return success({
    ...(proxy.value === undefined ? {} : { proxy: proxy.value }),
    ...(ca.value === undefined ? {} : { ca: ca.value }),
  });
}

function proxyTo(
  origin: URL,
  { proxy: named }: TransportSettings,
  host: Host,
): Result<ProxyServer | undefined, CommandError> {
  if (named === undefined || needsNoProxy(origin, host.env)) return success(undefined);
  const proxy = readProxy(named.address);
  if (proxy.ok) return proxy;
  const message = `The proxy for ${origin.origin}, named by ${named.from}, ${proxy.error}.`;
  return problem(invalidSetting("bad-proxy", message, "NO_PROXY names hosts that are reached without one."));
}

async function authorities(
  { ca }: TransportSettings,
  host: Host,
): Promise<Result<readonly string[] | undefined, CommandError>> {
  if (ca === undefined) return success(undefined);
  const read = await certificatesIn(ca.value, host);
  if (read.ok) return success([...read.value, ...(await extraNodeCertificates(host))]);
  const from = ca.from === "variable" ? "ROSTER_CA_FILE" : "ca in the settings";
  const message = `The certificates in ${ca.value}, named by ${from}, ${read.error}.`;
  return problem(invalidSetting("bad-ca-file", message, certificateHint));
}

/** Node keeps to itself what it has read there: to trust more than that, it is read again. One that Node left out is left out. */
async function extraNodeCertificates(host: Host): Promise<readonly string[]> {
  const file = host.env["NODE_EXTRA_CA_CERTS"];
  const read = file === undefined || file === "" ? undefined : await certificatesIn(file, host);
  return read?.ok ? read.value : [];
}

/** In bytes: the bundles of systems have some hundred KiB. */
const largestBundle = 8 * 1024 * 1024;

async function certificatesIn(path: string, host: Host): Promise<Result<readonly string[], string>> {
  try {
    return readAuthorities((await readRegularFile(resolve(host.cwd, path), largestBundle)).toString("utf8"));
  } catch (error) {
    return problem(`cannot be read: ${whyUnread(error)}`);
  }
}

const certificateHint = "It is a text file of certificates (PEM), each from BEGIN CERTIFICATE to END CERTIFICATE.";

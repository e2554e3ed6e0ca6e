import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { problem, type Result, success } from "../model/result.ts";
import type { Way } from "../network/connector.ts";
import { namedProxyFor } from "../network/proxy-choice.ts";
import { type ProxyServer, readProxy } from "../network/proxy-server.ts";
import type { Host } from "./host.ts";
import type { NetworkSettings } from "./settings.ts";
import { invalidSetting, type Stop } from "./stop.ts";

/** How an origin is reached by what the settings and the environment say, or what of that is wrong. Connects nothing. */
export async function wayTo(origin: string, settings: NetworkSettings, host: Host): Promise<Result<Way, Stop>> {
  const proxy = proxyTo(new URL(origin), settings, host);
  if (!proxy.ok) return proxy;
  const ca = await authorities(settings, host);
  if (!ca.ok) return ca;
  return success({
    ...(proxy.value === undefined ? {} : { proxy: proxy.value }),
    ...(ca.value === undefined ? {} : { ca: ca.value }),
  });
}

function proxyTo(origin: URL, settings: NetworkSettings, host: Host): Result<ProxyServer | undefined, Stop> {
  const named = namedProxyFor(origin, host.env, settings.proxy);
  if (named === undefined) return success(undefined);
  const proxy = readProxy(named.address);
  if (proxy.ok) return proxy;
  const message = `The proxy for ${origin.origin}, named by ${named.from}, ${proxy.error}.`;
  return problem(invalidSetting("bad-proxy", message, "NO_PROXY names hosts that are reached without one."));
}

async function authorities({ ca }: NetworkSettings, host: Host): Promise<Result<readonly string[] | undefined, Stop>> {
  if (ca === undefined) return success(undefined);
  const read = await certificatesIn(ca.value, host);
  if (read.ok) return success([...read.value, ...(await trustedAnyway(host))]);
  const from = ca.from === "variable" ? "ROSTER_CA_FILE" : "ca in the settings";
  const message = `The certificates in ${ca.value}, named by ${from}, ${read.error}.`;
  return problem(invalidSetting("bad-ca-file", message, form));
}

/** Node keeps to itself what it has read there: to trust more than that, it is read again. One that Node left out is left out. */
async function trustedAnyway(host: Host): Promise<readonly string[]> {
  const file = host.env["NODE_EXTRA_CA_CERTS"];
  const read = file === undefined || file === "" ? undefined : await certificatesIn(file, host);
  return read?.ok ? read.value : [];
}

async function certificatesIn(path: string, host: Host): Promise<Result<readonly string[], string>> {
  try {
    const { readAuthorities } = await import("../network/read-authorities.ts");
    return readAuthorities(await readFile(resolve(host.cwd, path), "utf8"));
  } catch (error) {
    return problem(`cannot be read: ${error instanceof Error && "code" in error ? String(error.code) : "unreadable"}`);
  }
}

const form = "It is a text file of certificates (PEM), each from BEGIN CERTIFICATE to END CERTIFICATE.";

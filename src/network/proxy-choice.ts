import { BlockList, isIP } from "node:net";
import { isLoopback } from "../model/loopback.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that somebody has named, and where; its address is not checked yet. */
export interface NamedProxy {
  readonly address: string;
  /** A variable, or `the settings`. */
  readonly from: string;
}

const names = ["https_proxy", "HTTPS_PROXY"] as const;

/**
 * The proxy that is to be used for an origin: of `https_proxy`, then `HTTPS_PROXY`, then the settings. Plain HTTP never
 * leaves this machine, so that `HTTP_PROXY` is not asked; this machine and what `NO_PROXY` names are reached without one.
 */
export function namedProxyFor(origin: URL, env: Environment, configured: string | undefined): NamedProxy | undefined {
  if (origin.protocol !== "https:" || isLoopback(origin.hostname)) return undefined;
  if (isExcepted(origin, set(env, "no_proxy") ?? set(env, "NO_PROXY") ?? "")) return undefined;
  for (const name of names) {
    const address = set(env, name);
    if (address !== undefined) return { address, from: name };
  }
  return configured === undefined ? undefined : { address: configured, from: "the settings" };
}

function set(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function isExcepted(origin: URL, list: string): boolean {
  return list.split(/[\s,]+/u).some((entry) => entry !== "" && excepts(entry.toLowerCase(), origin));
}

/** An entry is `*`, a host that stands for what is below it too, an address or a range of them; with or without a port. */
function excepts(entry: string, origin: URL): boolean {
  if (entry === "*") return true;
  const host = origin.hostname.replace(/^\[|\]$/gu, "").replace(/\.$/u, "");
  if (entry.includes("/")) return isInRange(host, entry);
  const [, named = "", port] = /^(.*?)(?::(\d+))?$/u.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (port !== undefined && port !== (origin.port === "" ? "443" : origin.port)) return false;
  const name = named
    .replace(/^\[|\]$/gu, "")
    .replace(/^\*?\./u, "")
    .replace(/\.$/u, "");
  return name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
}

function isInRange(host: string, range: string): boolean {
  const [, network = "", length = ""] = /^(.*)\/(\d{1,3})$/u.exec(range) ?? [];
  const kind = isIP(network);
  if (kind === 0 || isIP(host) !== kind || Number(length) > (kind === 4 ? 32 : 128)) return false;
  const family = kind === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  block.addSubnet(network, Number(length), family);
  return block.check(host, family);
}

import { BlockList, isIP } from "node:net";
import { isLoopback } from "../model/loopback.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether an origin is reached without a proxy whatever is named: this machine is, and so is what `NO_PROXY` lists. */
export function needsNoProxy(origin: URL, env: Environment): boolean {
  if (origin.protocol !== "https:" || isLoopback(origin.hostname)) return true;
  return isExcepted(origin, set(env, "no_proxy") ?? set(env, "NO_PROXY") ?? "");
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

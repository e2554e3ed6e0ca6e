import { BlockList, isIP } from "node:net";
import { problem, type Result, success } from "../model/result.ts";
import { isLoopback } from "./http-client.ts";

/** A proxy that opens tunnels on request (CONNECT). */
export interface ProxyServer {
  readonly protocol: "http:" | "https:";
  /** Without brackets, where it is an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** Our credentials, for the proxy alone; in no output. */
  readonly authorization?: string;
  /** Scheme, host and port, as they are shown. */
  readonly shown: string;
}

/** Reads `http://proxy.example:3128`, with or without a scheme and credentials; an error never quotes the latter. */
export function readProxy(text: string): Result<ProxyServer, string> {
  const written = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!URL.canParse(written)) return problem("is not a URL: write it like http://proxy.example:3128");
  const { protocol, hostname, port, origin, username, password } = new URL(written);
  if (protocol !== "http:" && protocol !== "https:") {
    return problem(`is of the kind ${protocol.slice(0, -1)}; only http:// and https:// are supported`);
  }
  const usual = protocol === "https:" ? 443 : 80;
  return success({
    protocol,
    hostname: hostname.replace(/^\[|\]$/gu, ""),
    port: port === "" ? usual : Number(port),
    shown: origin,
    ...(username === "" && password === "" ? {} : { authorization: basic(username, password) }),
  });
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString("base64")}`;
}

/** A percent sign that starts no escape stands for itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that somebody has named, and where; its address is not checked yet. */
export interface NamedProxy {
  readonly address: string;
  /** A variable, or `the settings`. */
  readonly from: string;
}

/** Plain HTTP never leaves this machine, so that `HTTP_PROXY` is not asked. */
const names = ["https_proxy", "HTTPS_PROXY"] as const;

/** The proxy of `https_proxy`, else of `HTTPS_PROXY`, else of the settings; an empty variable counts as not set. */
export function namedProxy(env: Environment, configured: string | undefined): NamedProxy | undefined {
  for (const name of names) {
    const address = set(env, name);
    if (address !== undefined) return { address, from: name };
  }
  return configured === undefined ? undefined : { address: configured, from: "the settings" };
}

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

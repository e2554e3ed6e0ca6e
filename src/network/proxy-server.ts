import { problem, type Result, success } from "../model/result.ts";

/** A proxy that opens tunnels on request (CONNECT). */
export interface ProxyServer {
  readonly protocol: "http:" | "https:";
  /** Without brackets, where it is an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** What the proxy alone is told of who we are; in no output. */
  readonly authorization?: string;
  /** Scheme, host and port, as it is told. */
  readonly shown: string;
}

/** Reads `http://proxy.example:3128`, with or without a scheme and credentials; an error never quotes the latter. */
export function readProxy(text: string): Result<ProxyServer, string> {
  const written = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!URL.canParse(written)) return problem("is not an address: write it like http://proxy.example:3128");
  const { protocol, hostname, port, origin, username, password } = new URL(written);
  if (protocol !== "http:" && protocol !== "https:") {
    return problem(`is of the kind ${protocol.slice(0, -1)}, which is not spoken: http:// and https:// are`);
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
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/** A percent sign that starts no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

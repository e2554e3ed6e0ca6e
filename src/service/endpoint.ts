import { problem, type Result, success } from "../model/result.ts";
import { isLoopback } from "../ports/http-client.ts";

/** Says why an endpoint is refused: what is wrong with it and what would do. `undefined` where nothing is. */
export function endpointProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return `The endpoint is not a URL. Write it like https://service.example.`;
  if (url.username !== "" || url.password !== "") {
    return "The endpoint contains credentials. Remove them, and set ROSTER_API_KEY.";
  }
  const shown = `${url.protocol}//${url.host}`;
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `The endpoint ${url.protocol} is not an HTTP URL. It must start with https://.`;
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    return `The endpoint ${shown} has a query or a fragment. Write only the base URL.`;
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return `The endpoint ${shown} would send the API key unencrypted. Use https://; http:// works only for this machine.`;
  }
  return undefined;
}

/** Where every call goes. */
export interface BaseAddress {
  readonly origin: string;
  /** The path before `/api`, without a trailing slash; empty where there is none. */
  readonly prefix: string;
  /** Origin and prefix: the service's name in a state. */
  readonly address: string;
}

/** An endpoint with or without a trailing slash or `/api` names the same service. Throws on an endpoint that is refused. */
export function baseAddress(endpoint: URL): BaseAddress {
  const refused = endpointProblem(endpoint.href);
  if (refused !== undefined) throw new Error(refused);
  const prefix = endpoint.pathname
    .replace(/\/+$/, "")
    .replace(/\/api$/, "")
    .replace(/\/+$/, "");
  return { origin: endpoint.origin, prefix, address: `${endpoint.origin}${prefix}` };
}

/** The bare key of a text that may carry white space around it or the scheme's name before it. */
export function readKey(text: string): Result<string, string> {
  const key = text.trim().replace(/^ApiKey(?:\s+|$)/i, "");
  if (key === "") return problem("The API key is empty.");
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return problem(
      "The API key contains a space, a line break or another character that is not allowed in an HTTP header.",
    );
  }
  return success(key);
}

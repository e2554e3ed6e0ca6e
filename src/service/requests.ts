import { isLoopback } from "../http/http-client.ts";
import type { Failure } from "../model/failure.ts";
import type { CreateUser } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { RoleSet } from "../model/values.ts";
import type { Moment } from "../ports/clock.ts";
import type { PageRequest } from "./paging.ts";
import type { NewTeam } from "./port.ts";

/** One request to the account service, ready to be sent. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT";
  /** From the origin on, already encoded. */
  readonly path: string;
  /** The path as it is shown to people: from `/api` on, without a query. */
  readonly shown: string;
  readonly body?: string;
  /** The answer to a write may hold a whole key: its body is never quoted. */
  readonly effect: "read" | "write";
  /** When it was announced. */
  readonly announced?: Moment | undefined;
}

export function requestName(call: Call): string {
  return `${call.method} ${call.shown}`;
}

/** The requests of the eight routes, under one path prefix. */
export type Requests = ReturnType<typeof requestsUnder>;

export function requestsUnder(prefix: string) {
  const read = (shown: string, paging: Partial<PageRequest>): Call => ({
    method: "GET",
    path: `${prefix}${shown}${queryOf(paging)}`,
    shown,
    effect: "read",
  });
  const write = (method: "POST" | "PUT", segments: readonly string[], body: unknown): Result<Call, Failure> => {
    const shown = pathOf(segments);
    if (!shown.ok) return shown;
    const path = `${prefix}${shown.value}`;
    return success({ method, path, shown: shown.value, body: JSON.stringify(body), effect: "write" });
  };
  return {
    roles: (paging: Partial<PageRequest>) => read("/api/accounting/roles", paging),
    accounts: (paging: Partial<PageRequest>) => read("/api/accounting/accounts", paging),
    users: (paging: Partial<PageRequest>) => read("/api/accounting/users", paging),
    search: (identifiers: readonly string[], paging: Partial<PageRequest>): Call => ({
      ...read("/api/accounting/users/search", paging),
      method: "POST",
      body: JSON.stringify({ identifiers }),
    }),
    account(account: string): Result<Call, Failure> {
      const path = pathOf(["accounts", account]);
      return path.ok ? success(read(path.value, {})) : path;
    },
    createUser: (account: string, user: CreateUser["user"], team: NewTeam | undefined) =>
      write("POST", ["accounts", account, "users"], { ...user, ...(team === undefined ? {} : { team }) }),
    addMembers: (team: string, identifiers: readonly string[]) =>
      write("POST", ["teams", team, "members"], identifiers.map(named)),
    replaceRoles: (key: string, roles: RoleSet) => write("PUT", ["access-keys", key, "roles"], roles.map(named)),
  };
}

function named(identifier: string): { readonly identifier: string } {
  return { identifier };
}

function queryOf({ page, perPage, sortBy }: Partial<PageRequest>): string {
  const query = new URLSearchParams();
  if (page !== undefined) query.set("page", String(page));
  if (perPage !== undefined) query.set("per-page", String(perPage));
  if (sortBy !== undefined) query.set("sort-by", sortBy);
  return query.size === 0 ? "" : `?${query}`;
}

/** Each segment encoded (trap 45). An empty or dotted one would name another route; half a surrogate pair has no encoding. */
function pathOf(segments: readonly string[]): Result<string, Failure> {
  const unusable = segments.find((segment) => ["", ".", ".."].includes(segment) || /\p{Cs}/u.test(segment));
  if (unusable === undefined) return success(`/api/accounting/${segments.map(encodeURIComponent).join("/")}`);
  return problem({
    code: "refused",
    message: `The identifier ${JSON.stringify(unusable)} cannot be part of a URL path; nothing was sent`,
    hint: "Correct the identifier where it is written",
  });
}

/** Says why an endpoint is refused (trap 52): what is wrong with it and what would do. `undefined` where nothing is. */
export function endpointProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const shows = text.includes("@") ? "" : ` ${text}`;
  if (url === undefined) return `The endpoint${shows} is not a URL. Write it like https://service.example.`;
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
    return `The endpoint ${shown} would send the API key unencrypted. Use https://. http:// works only for localhost.`;
  }
  return undefined;
}

/** Where every call goes. An endpoint with or without a trailing slash or `/api` names the same service (trap 51). Throws on one that is refused. */
export function baseAddress(endpoint: URL) {
  const refused = endpointProblem(endpoint.href);
  if (refused !== undefined) throw new Error(refused);
  /** The path before `/api`, without a trailing slash; empty where there is none. */
  const prefix = endpoint.pathname
    .replace(/\/+$/, "")
    .replace(/\/api$/, "")
    .replace(/\/+$/, "");
  // Origin and prefix are the service's name in a state.
  return { origin: endpoint.origin, prefix, address: `${endpoint.origin}${prefix}` };
}

/** Where a service may be that does not answer at an endpoint: at its host without the path, one path up, or with `/api` in its own base. */
export function otherEndpoints(endpoint: URL): readonly string[] {
  const { origin, pathname } = endpoint;
  const path = pathname.replace(/\/+$/u, "");
  const paths = ["", `${path}/api`, path.replace(/\/[^/]*$/u, ""), "/api"];
  const addresses = new Set(paths.map((one) => `${origin}${one}`));
  addresses.delete(baseAddress(endpoint).address);
  return [...addresses].map((address) => (address.endsWith("/api") ? `${address}/api` : address));
}

/** The bare key of a text that may carry white space around it or the scheme's name before it (trap 53). */
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

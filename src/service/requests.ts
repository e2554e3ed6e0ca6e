import type { NewUser } from "../model/action.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { NewTeam } from "../ports/account-service.ts";
import type { Moment } from "../ports/clock.ts";
import { isLoopback } from "../ports/http-client.ts";
import type { PageRequest } from "./page-walk.ts";

/** Query parameters of a collection route; those that are absent are not sent. */
type PagingQuery = Partial<PageRequest>;

/** Builds the requests of the routes that the program uses, under one path prefix. */
export class Requests {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  roles(paging: PagingQuery): Call {
    return this.#read("/api/accounting/roles", paging);
  }

  accounts(paging: PagingQuery): Call {
    return this.#read("/api/accounting/accounts", paging);
  }

  users(paging: PagingQuery): Call {
    return this.#read("/api/accounting/users", paging);
  }

  account(account: string): Result<Call, Failure> {
    const path = pathOf(["accounts", account]);
    return path.ok ? success(this.#read(path.value, {})) : path;
  }

  search(identifiers: readonly string[], paging: PagingQuery): Call {
    const shown = "/api/accounting/users/search";
    const path = `${this.#prefix}${shown}${queryOf(paging)}`;
    return {
      method: "POST",
      path,
      shown,
      body: JSON.stringify({ identifiers }),
      effect: "read",
      answersWithKey: false,
    };
  }

  createUser(account: string, user: NewUser, team: NewTeam | undefined): Result<Call, Failure> {
    return this.#write("POST", ["accounts", account, "users"], { ...user, ...(team === undefined ? {} : { team }) });
  }

  addMembers(team: string, identifiers: readonly string[]): Result<Call, Failure> {
    return this.#write("POST", ["teams", team, "members"], identifiers.map(named));
  }

  replaceRoles(prefix: string, roles: RoleSet): Result<Call, Failure> {
    return this.#write("PUT", ["access-keys", prefix, "roles"], roles.map(named));
  }

  #read(shown: string, paging: PagingQuery): Call {
    const path = `${this.#prefix}${shown}${queryOf(paging)}`;
    return { method: "GET", path, shown, effect: "read", answersWithKey: false };
  }

  #write(method: "POST" | "PUT", segments: readonly string[], body: unknown): Result<Call, Failure> {
    const path = pathOf(segments);
    if (!path.ok) return path;
    const shown = path.value;
    return success({
      method,
      path: `${this.#prefix}${shown}`,
      shown,
      body: JSON.stringify(body),
      effect: "write",
      answersWithKey: true,
    });
  }
}

function named(identifier: string): { readonly identifier: string } {
  return { identifier };
}

function queryOf({ page, perPage, sortBy }: PagingQuery): string {
  const query = new URLSearchParams();
  if (page !== undefined) query.set("page", String(page));
  if (perPage !== undefined) query.set("per-page", String(perPage));
  if (sortBy !== undefined) query.set("sort-by", sortBy);
  return query.size === 0 ? "" : `?${query}`;
}

function pathOf(segments: readonly string[]): Result<string, Failure> {
  const encoded: string[] = [];
  for (const segment of segments) {
    const safe = encodeSegment(segment);
    if (safe === undefined) return problem(notASegment(segment));
    encoded.push(safe);
  }
  return success(`/api/accounting/${encoded.join("/")}`);
}

/** An empty or dotted segment would name another route; half a surrogate pair has no encoding. */
function encodeSegment(segment: string): string | undefined {
  if (segment === "" || segment === "." || segment === "..") return undefined;
  try {
    return encodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function notASegment(segment: string): Failure {
  return {
    code: "refused",
    message: `The identifier ${JSON.stringify(segment)} cannot be part of a URL path; nothing was sent`,
    hint: "Correct the identifier where it is written",
  };
}

/** One request to the account service, ready to be sent. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT";
  /** From the origin on, already encoded. */
  readonly path: string;
  /** The path as it is shown to people: from `/api` on, without a query. */
  readonly shown: string;
  readonly body?: string;
  readonly effect: "read" | "write";
  /** When it was announced. */
  readonly announced?: Moment | undefined;
  /** The answer may hold a whole key: its body is never quoted. */
  readonly answersWithKey: boolean;
}

export function requestName(call: Call): string {
  return `${call.method} ${call.shown}`;
}

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
interface BaseAddress {
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

import { problem, type Result, success } from "../../model/result.ts";
import { percentDecoded } from "../../network/proxy.ts";
import { isLoopback } from "../../ports/http-client.ts";

/** Where a state server keeps one state, and by which requests it is written and locked. One origin for all. */
export interface ServerPlace {
  /** The address without credentials and without its query. */
  readonly shown: string;
  readonly read: Route;
  readonly update: Route;
  readonly lock: Route;
  readonly unlock: Route;
  readonly credentials?: Credentials;
}

export interface Route {
  readonly method: string;
  readonly url: URL;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The settings of a state server besides its address. */
export interface ServerSettings {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly lockAddress?: string | undefined;
  readonly unlockAddress?: string | undefined;
  readonly lockMethod?: string | undefined;
  readonly unlockMethod?: string | undefined;
  readonly updateMethod?: string | undefined;
}

/** What is wrong with an address or with what is said of its server, and what would do. Holds no credentials. */
interface PlaceProblem {
  readonly message: string;
  readonly hint: string;
}

/**
 * The place that an address names. An address of GitLab's state interface brings GitLab's lock routes by itself; any
 * other server is asked with LOCK and UNLOCK at the state's own address, as Terraform does.
 */
export function serverPlace(address: string, said: ServerSettings): Result<ServerPlace, PlaceProblem> {
  const state = parsed(address, "The state address");
  if (!state.ok) return state;
  const credentials = credentialsOf(state.value, said);
  if (!credentials.ok) return credentials;
  const url = withoutUser(state.value);
  const usual = usualRoutes(url);
  const lock = routeOf("lock", { address: said.lockAddress, method: said.lockMethod }, usual.lock, url);
  if (!lock.ok) return lock;
  const fallback = { method: usual.unlock.method, url: lock.value.url };
  const unlock = routeOf("unlock", { address: said.unlockAddress, method: said.unlockMethod }, fallback, url);
  if (!unlock.ok) return unlock;
  const update = routeOf("update", { method: said.updateMethod }, { method: "POST", url }, url);
  if (!update.ok) return update;
  return success({
    shown: shownAddress(url),
    read: { method: "GET", url },
    update: update.value,
    lock: lock.value,
    unlock: unlock.value,
    ...(credentials.value === undefined ? {} : { credentials: credentials.value }),
  });
}

/** Origin and path: a query may hold a token. */
export function shownAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function usualRoutes(url: URL): { readonly lock: Route; readonly unlock: Route } {
  if (!/\/api\/v4\/projects\/[^/]+\/terraform\/state\/[^/]+$/u.test(url.pathname)) {
    return { lock: { method: "LOCK", url }, unlock: { method: "UNLOCK", url } };
  }
  const lock = new URL(url);
  lock.pathname = `${url.pathname}/lock`;
  return { lock: { method: "POST", url: lock }, unlock: { method: "DELETE", url: lock } };
}

function parsed(address: string, what: string): Result<URL, PlaceProblem> {
  if (!URL.canParse(address)) {
    return problem({
      message: `${what} is not a URL.`,
      hint: "Write it like https://server.example/state/roster.",
    });
  }
  const url = new URL(address);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
    if (!address.includes("#")) return success(url);
    return problem({
      message: `${what} ${shownAddress(url)} carries a fragment.`,
      hint: "Remove the # and what follows.",
    });
  }
  if (url.protocol !== "http:") {
    return problem({
      message: `${what} is not an HTTP URL.`,
      hint: "Write it like https://server.example/state/roster.",
    });
  }
  return problem({
    message: `${what} ${shownAddress(url)} would send the state unencrypted. The state names people and contains the ID of the lock.`,
    hint: "Use https://; http:// works only for this machine.",
  });
}

function routeOf(
  name: "lock" | "unlock" | "update",
  said: { readonly address?: string | undefined; readonly method?: string | undefined },
  usual: Route,
  state: URL,
): Result<Route, PlaceProblem> {
  const method = said.method ?? usual.method;
  if (!/^[A-Z]{1,20}$/u.test(method)) {
    return problem({
      message: `The ${name} method of the state server is not an HTTP method.`,
      hint: "Write it in capital letters, such as POST.",
    });
  }
  if (said.address === undefined) return success({ method, url: usual.url });
  const url = parsed(said.address, `The state server's ${name} address`);
  if (!url.ok) return url;
  if (url.value.origin === state.origin && url.value.username === "" && url.value.password === "") {
    return success({ method, url: url.value });
  }
  return problem({
    message: `The state server's ${name} address ${shownAddress(url.value)} is not at ${state.origin}, where the state is, or holds credentials of its own.`,
    hint: "roster sends credentials to one origin only. Write an address there, without credentials.",
  });
}

function credentialsOf(url: URL, said: ServerSettings): Result<Credentials | undefined, PlaceProblem> {
  const [inUser, inPassword] = [percentDecoded(url.username), percentDecoded(url.password)];
  if ((inUser !== "" && said.username !== undefined) || (inPassword !== "" && said.password !== undefined)) {
    return problem({
      message: "Both the state address and the environment contain credentials.",
      hint: "Remove them from the address, or unset ROSTER_STATE_USERNAME and ROSTER_STATE_PASSWORD.",
    });
  }
  const [username, password] = [said.username ?? inUser, said.password ?? inPassword];
  if (username === "" && password === "") return success(undefined);
  if (username !== "" && !username.includes(":")) return success({ username, password });
  return problem({
    message:
      username === "" ? "The state has a password but no user name." : "The user name for the state contains a colon.",
    hint: "Set ROSTER_STATE_USERNAME; GitLab takes any name with a personal access token, and gitlab-ci-token with CI_JOB_TOKEN.",
  });
}

function withoutUser(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

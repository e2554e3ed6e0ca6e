import { problem, type Result, success } from "../model/result.ts";
import type { NetworkOptions } from "../network/connector.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { AnswerShape } from "../service/answer.ts";
import type { ApiKey } from "../service/api-key.ts";
import type { Shapes } from "../service/shapes.ts";
import type { Environment, NetworkSettings } from "./environment.ts";
import { invalidSetting, type RosterError } from "./error.ts";
import { resolveTransport } from "./network.ts";
import { secretsOfKey } from "./secrets.ts";

/** A service that is ready for calls. `close` ends its connections. */
export type Connection = AccountService & { close(): Promise<void> };

/** All that a connection takes, found and checked. Nothing is sent yet. */
export interface PreparedConnection {
  /** As it is configured. */
  readonly endpoint: string;
  readonly way: NetworkOptions;
  /** Where the key comes from, such as `ROSTER_API_KEY`. */
  readonly keyFrom: string;
  /** Another address of the same service may be given in place of the configured one. */
  open(options: {
    readonly endpoint?: URL;
    readonly trace?: (line: string) => void;
    readonly watch?: (seen: AnswerShape) => void;
    readonly timed?: (milliseconds: number) => void;
  }): Connection;
}

export interface ConnectionRequest {
  readonly endpoint: string;
  readonly key: KeyText;
  readonly network: NetworkSettings;
  /** Connections at once. */
  readonly parallelism: number;
  /** Where the answers hold what cannot be found by itself. */
  readonly shapes?: Shapes | undefined;
}

/** The text that holds the API key. */
export interface KeyText {
  readonly text: string;
  /** Where it comes from, such as `ROSTER_API_KEY`. */
  readonly from: string;
  /** Asks for it once more, after the service has refused it. Absent: it stays the same. */
  readonly again?: (() => Promise<Result<string, RosterError>>) | undefined;
}

/** Checks the endpoint, the key and the way to the service. Sends nothing. */
export async function prepareConnection(
  { endpoint, key: given, network, parallelism, shapes }: ConnectionRequest,
  environment: Environment,
): Promise<Result<PreparedConnection, RosterError>> {
  const wrong = await endpointError(endpoint);
  if (wrong !== undefined) return problem(wrong);
  const key = await apiKey(given, environment);
  if (!key.ok) return key;
  const way = await resolveTransport(new URL(endpoint).origin, network, environment);
  if (!way.ok) return way;
  const { httpAccountService } = await import("../service/client.ts");
  const { clock, randomness, openTransport } = environment;
  const fixed = {
    endpoint: new URL(endpoint),
    key: key.value,
    clock,
    randomness,
    parallelism,
    way: way.value,
    ...(openTransport === undefined ? {} : { openTransport }),
    ...(shapes === undefined ? {} : { shapes }),
  };
  return success({
    endpoint,
    way: way.value,
    keyFrom: given.from,
    open: (options) => httpAccountService({ ...fixed, ...options }),
  });
}

/** Why a service cannot be at an address; undefined where it can. */
export async function endpointError(endpoint: string): Promise<RosterError | undefined> {
  const { endpointProblem } = await import("../service/requests.ts");
  const wrong = endpointProblem(endpoint);
  return wrong === undefined ? undefined : invalidSetting("bad-endpoint", wrong);
}

async function apiKey({ text, from, again }: KeyText, { secrets }: Environment): Promise<Result<ApiKey, RosterError>> {
  const { readKey } = await import("../service/requests.ts");
  const readKept = (written: string) => {
    for (const secret of secretsOfKey(written)) secrets.keep(secret);
    return readKey(written);
  };
  const key = readKept(text);
  if (!key.ok) return problem(invalidSetting("bad-key", key.error));
  const { ApiKey } = await import("../service/api-key.ts");
  if (again === undefined) return success(new ApiKey(key.value));
  const ask = async () => {
    const renewed = await again();
    const read = renewed.ok ? readKept(renewed.value) : problem(messageOf(renewed.error));
    return read.ok ? read : problem(read.error.replace(/\.$/u, ""));
  };
  return success(new ApiKey(key.value, { name: from, ask }));
}

function messageOf({ diagnostics = [] }: RosterError): string {
  return diagnostics.map(({ message }) => message).join(" ");
}

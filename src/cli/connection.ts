import { problem, type Result, success } from "../model/result.ts";
import type { NetworkOptions } from "../network/connector.ts";
import { namedProxy } from "../network/proxy.ts";
import type { AccountService } from "../ports/account-service.ts";
import { safe } from "../report/safe.ts";
import type { AnswerShape } from "../service/answer.ts";
import { type CommandError, invalidSetting } from "./command-error.ts";
import type { Host } from "./host.ts";
import { passwordsIn, secretsOfKey } from "./output/secrets.ts";
import { keySource, keyText } from "./settings/credentials.ts";
import type { NetworkSettings, Settings } from "./settings/settings.ts";

/** A service that is ready for calls. `close` ends its connections. */
export type Connection = AccountService & { close(): Promise<void> };

/** All that a connection takes, found and checked. Nothing is sent yet. */
export interface PreparedConnection {
  /** As it is configured. */
  readonly endpoint: string;
  readonly way: NetworkOptions;
  /** Another address of the same service may be given in place of the configured one. */
  open(options: {
    readonly endpoint?: URL;
    readonly trace?: (line: string) => void;
    readonly watch?: (seen: AnswerShape) => void;
    readonly timed?: (milliseconds: number) => void;
  }): Connection;
}

/** Connects the configured endpoint with the key, or says what is missing. Sends nothing yet. */
export async function connect(
  settings: Settings,
  host: Host,
  options: { readonly trace?: (line: string) => void; readonly timed?: (milliseconds: number) => void },
): Promise<Result<Connection, CommandError>> {
  const prepared = await prepareConnection(settings, host);
  return prepared.ok ? success(prepared.value.open(options)) : prepared;
}

export async function prepareConnection(
  settings: Settings,
  host: Host,
): Promise<Result<PreparedConnection, CommandError>> {
  const { endpointProblem, readKey } = await import("../service/endpoint.ts");
  if (settings.endpoint === undefined) return problem(noEndpoint);
  const endpoint = settings.endpoint.value;
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) return problem(invalidSetting("bad-endpoint", wrong));
  const source = keySource(settings, host);
  if (!source.ok) return source;
  const text = await keyText(source.value, host);
  if (!text.ok) return text;
  const key = readKey(text.value);
  for (const secret of secretsOfKey(text.value)) host.secrets.keep(secret);
  if (!key.ok) return problem(invalidSetting("bad-key", key.error));
  const way = await resolveTransport(new URL(endpoint).origin, settings.network, host);
  if (!way.ok) return way;
  const { httpAccountService } = await import("../service/http-account-service.ts");
  const fixed = {
    endpoint: new URL(endpoint),
    key: key.value,
    clock: host.clock,
    randomness: host.randomness,
    parallelism: settings.parallelism,
    way: way.value,
    ...(host.openTransport === undefined ? {} : { openTransport: host.openTransport }),
    ...(settings.file?.shapes === undefined ? {} : { shapes: settings.file.shapes }),
  };
  return success({ endpoint, way: way.value, open: (options) => httpAccountService({ ...fixed, ...options }) });
}

const noEndpoint = invalidSetting(
  "no-endpoint",
  "Nothing says where the account service is.",
  "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.",
);

/** How an origin is reached by what the settings and the environment say, or what of that is wrong. Connects nothing. */
export async function resolveTransport(
  origin: string,
  settings: NetworkSettings,
  host: Host,
): Promise<Result<NetworkOptions, CommandError>> {
  const proxy = namedProxy(host.env, settings.proxy);
  if (proxy === undefined && settings.ca === undefined) return success({});
  for (const password of passwordsIn(proxy?.address ?? "")) host.secrets.keep(password);
  const { configuredTransport } = await import("./settings/transport.ts");
  return configuredTransport(new URL(origin), { proxy, ca: settings.ca }, host);
}

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

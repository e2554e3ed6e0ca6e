import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { problem, type Result, success } from "../model/result.ts";
import type { Way } from "../network/connector.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { SeenAnswer } from "../service/seen-answer.ts";
import { variable } from "./environment.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./settings.ts";
import { invalidSetting, type Stop } from "./stop.ts";
import { wayTo } from "./way.ts";

/** A service that is ready for calls. `close` ends its connections. */
export type Connection = AccountService & { close(): Promise<void> };

/** All that a connection takes, found and checked. Nothing is sent yet. */
export interface Connecting {
  /** As it is configured. */
  readonly endpoint: string;
  readonly way: Way;
  /** Another address of the same service may be given in place of the configured one. */
  open(options: {
    readonly endpoint?: URL;
    readonly trace?: (line: string) => void;
    readonly watch?: (seen: SeenAnswer) => void;
  }): Connection;
}

/** Connects the configured endpoint with the key, or says what is missing. Sends nothing yet. */
export async function connect(
  settings: Settings,
  host: Host,
  options: { readonly trace?: (line: string) => void },
): Promise<Result<Connection, Stop>> {
  const prepared = await prepareConnection(settings, host);
  return prepared.ok ? success(prepared.value.open(options)) : prepared;
}

export async function prepareConnection(settings: Settings, host: Host): Promise<Result<Connecting, Stop>> {
  const { endpointProblem, readKey } = await import("../service/endpoint.ts");
  if (settings.endpoint === undefined) return problem(noEndpoint);
  const endpoint = settings.endpoint.value;
  const wrong = endpointProblem(endpoint);
  if (wrong !== undefined) return problem(invalidSetting("bad-endpoint", wrong));
  const text = await keyText(settings, host);
  if (!text.ok) return text;
  const key = readKey(text.value);
  if (!key.ok) return problem(invalidSetting("bad-key", key.error));
  const way = await wayTo(new URL(endpoint).origin, settings.network, host);
  if (!way.ok) return way;
  const { httpAccountService } = await import("../service/http-account-service.ts");
  const fixed = {
    endpoint: new URL(endpoint),
    key: key.value,
    clock: host.clock,
    randomness: host.randomness,
    parallelism: settings.parallelism,
    way: way.value,
    ...(settings.file?.shapes === undefined ? {} : { shapes: settings.file.shapes }),
  };
  return success({ endpoint, way: way.value, open: (options) => httpAccountService({ ...fixed, ...options }) });
}

async function keyText(settings: Settings, host: Host): Promise<Result<string, Stop>> {
  const key = variable(host, "ROSTER_API_KEY");
  const file = variable(host, "ROSTER_API_KEY_FILE");
  if (key !== undefined && file !== undefined) return problem(twoKeys);
  if (key === undefined && file === undefined) return keyFromCommand(settings, host);
  if (settings.endpoint?.from === "settings" && settings.file?.insideCheckout === true)
    return problem(keyStaysHome(settings));
  if (key !== undefined) return success(key);
  const path = file ?? "";
  try {
    return success(await readFile(resolve(host.cwd, path), "utf8"));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return problem(invalidSetting("unreadable-key-file", `The key file ${path} cannot be read: ${why}.`));
  }
}

async function keyFromCommand(settings: Settings, host: Host): Promise<Result<string, Stop>> {
  const [command, ...rest] = settings.apiKeyCommand ?? [];
  if (command === undefined) return problem(noKey);
  try {
    const directory = settings.file?.directory ?? host.cwd;
    const { stdout } = await promisify(execFile)(command, rest, { cwd: directory, timeout: 30_000 });
    return success(stdout);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it was ended";
    return problem(invalidSetting("key-command-failed", `The apiKeyCommand ${command} gave no key: ${why}.`));
  }
}

const noEndpoint = invalidSetting(
  "no-endpoint",
  "Nothing says where the account service is.",
  "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.",
);

const noKey = invalidSetting(
  "no-key",
  "There is no API key.",
  "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings. No flag takes a key.",
);

const twoKeys = invalidSetting(
  "two-keys",
  "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.",
  "Unset the one that is not meant.",
);

function keyStaysHome(settings: Settings): Stop {
  return invalidSetting(
    "key-stays-home",
    `The key comes from the environment, and the endpoint from ${settings.file?.path ?? "the settings"}, which a change to the checkout can edit.`,
    "Set ROSTER_ENDPOINT or pass --endpoint URL, or move the settings out of the checkout and name them in ROSTER_CONFIG.",
  );
}

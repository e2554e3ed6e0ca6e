import type { Connection, PreparedConnection } from "../library/connect.ts";
import { invalidSetting, type RosterError } from "../library/error.ts";
import { problem, type Result, success } from "../model/result.ts";
import { safe } from "../report/safe.ts";
import type { Host } from "./host.ts";
import { askAgain, keySource, keySourceName, keyText } from "./settings/credentials.ts";
import type { Settings } from "./settings/settings.ts";

/** Connects the configured endpoint with the key, or says what is missing. Sends nothing yet. */
export async function connect(
  settings: Settings,
  host: Host,
  options: { readonly trace?: (line: string) => void; readonly timed?: (milliseconds: number) => void },
): Promise<Result<Connection, RosterError>> {
  const prepared = await prepareConfigured(settings, host);
  return prepared.ok ? success(prepared.value.open(options)) : prepared;
}

/** The same, ready to be opened at the configured address or at another one. */
export async function prepareConfigured(
  settings: Settings,
  host: Host,
): Promise<Result<PreparedConnection, RosterError>> {
  const { endpointError, prepareConnection } = await import("../library/connect.ts");
  if (settings.endpoint === undefined) return problem(noEndpoint);
  const endpoint = settings.endpoint.value;
  // Before the key is asked for: that may run a program.
  const wrong = await endpointError(endpoint);
  if (wrong !== undefined) return problem(wrong);
  const source = keySource(settings, host);
  if (!source.ok) return source;
  const text = await keyText(source.value, host);
  if (!text.ok) return text;
  const key = {
    text: text.value,
    from: keySourceName(source.value),
    again: askAgain(source.value, host),
  };
  const { network, parallelism, file } = settings;
  return prepareConnection({ endpoint, key, network, parallelism, shapes: file?.shapes }, host);
}

const noEndpoint = invalidSetting(
  "no-endpoint",
  "No service address is set.",
  "Set ROSTER_ENDPOINT or pass --endpoint URL. To try roster without a service, run `roster serve` or `roster demo`.",
);

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}

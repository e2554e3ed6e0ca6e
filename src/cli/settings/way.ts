import { type Result, success } from "../../model/result.ts";
import type { NetworkOptions } from "../../network/connector.ts";
import { namedProxy } from "../../network/proxy.ts";
import type { Host } from "../host.ts";
import { passwordsIn } from "../output/given-secrets.ts";
import type { CommandError } from "../stop.ts";
import type { NetworkSettings } from "./settings.ts";

/** How an origin is reached by what the settings and the environment say, or what of that is wrong. Connects nothing. */
export async function resolveTransport(
  origin: string,
  settings: NetworkSettings,
  host: Host,
): Promise<Result<NetworkOptions, CommandError>> {
  const proxy = namedProxy(host.env, settings.proxy);
  if (proxy === undefined && settings.ca === undefined) return success({});
  for (const password of passwordsIn(proxy?.address ?? "")) host.secrets.keep(password);
  const { configuredTransport: configuredWay } = await import("./configured-way.ts");
  return configuredWay(new URL(origin), { proxy, ca: settings.ca }, host);
}

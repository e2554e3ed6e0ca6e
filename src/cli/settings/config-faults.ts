import type { Diagnostic, Result } from "../../model/result.ts";
import { endpointProblem } from "../../service/endpoint.ts";
import type { Host } from "../host.ts";
import { readAllowances } from "../planning/allowances.ts";
import { readDeadline } from "../running/halting.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { readLockOptions } from "../stores/lock-patience.ts";
import { openStore } from "../stores/state-store.ts";
import { readWebhook } from "../webhook/read-webhook.ts";
import type { ConfigFlags } from "./config-rows.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";
import { resolveTransport } from "./way.ts";

/** Whatever would stop a command that uses the settings, beside the key. What is not set is nothing wrong. Connects nothing. */
export async function configFaults(settings: Settings, flags: ConfigFlags, host: Host): Promise<readonly Diagnostic[]> {
  const { lockTimeout, deadline } = flags;
  return [
    ...(await endpointFaults(settings, host)),
    ...(await stateFaults(settings, host)),
    ...faultsOf(readLockOptions({ lockTimeout }, host)),
    ...faultsOf(readDeadline({ deadline }, host)),
    ...faultsOf(readAllowances([], variable(host, "ROSTER_ALLOW"))),
    ...faultsOf(await readWebhook({}, host)),
  ];
}

async function endpointFaults({ endpoint, network }: Settings, host: Host): Promise<readonly Diagnostic[]> {
  if (endpoint === undefined) return [];
  const wrong = endpointProblem(endpoint.value);
  if (wrong !== undefined) return invalidSetting("bad-endpoint", wrong).diagnostics ?? [];
  return faultsOf(await resolveTransport(new URL(endpoint.value).origin, network, host));
}

async function stateFaults(settings: Settings, host: Host): Promise<readonly Diagnostic[]> {
  if (settings.state === undefined) return [];
  const store = await openStore(settings, host);
  if (store.ok) await store.value.close();
  return faultsOf(store);
}

function faultsOf(result: Result<unknown, CommandError>): readonly Diagnostic[] {
  return result.ok ? [] : (result.error.diagnostics ?? []);
}

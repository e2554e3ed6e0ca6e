import type { State } from "../../model/state.ts";
import { baseAddress, endpointProblem } from "../../service/endpoint.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type CommandCall, runCommand } from "../session.ts";
import { type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

export interface SetEndpointFlags extends StateFlags, LockFlags, OutputFlags {}

/** Records that the service of a state has a new address. Asks no service. */
export async function stateSetEndpoint(endpoint: string, flags: SetEndpointFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => setEndpointResult(endpoint, { flags, host, open })), flags, host);
}

async function setEndpointResult(
  endpoint: string,
  { flags, host, open }: CommandCall<SetEndpointFlags>,
): Promise<CommandResult> {
  const wait = readLockOptions(flags, host);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const fault = endpointProblem(endpoint);
  if (fault !== undefined) return { ...stateResult, stop: invalidSetting("bad-endpoint", fault) };
  const { address: to } = baseAddress(new URL(endpoint));
  const session = await open({ command: "state", flags, host, needs: ["store"] });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { address } = session.value.store;
  const locked = await lockState(session.value, "state set-endpoint", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  const { lock } = locked.value;
  const stop = setEndpointProblem(lock.state, to, address);
  if (stop !== undefined) return { ...stateResult, stop };
  const closed = await lock.close({ ...lock.state, service: to });
  if (!closed.ok) return { ...stateResult, stop: errorFromFailure(closed.error) };
  return { ...stateResult, state: { did: "set-endpoint", address, from: lock.state.service ?? "", to } };
}

function setEndpointProblem({ service }: State, to: string, address: string): CommandError | undefined {
  if (service === undefined) {
    const message = `The state at ${address} names no service yet.`;
    return invalidSetting("no-service-recorded", message, "The next apply records the service.");
  }
  if (service !== to) return undefined;
  return invalidSetting(
    "endpoint-unchanged",
    `The state at ${address} already belongs to ${to}.`,
    "Nothing to change.",
  );
}

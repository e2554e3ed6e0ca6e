import { invalidSetting, orThrow } from "../../library/error.ts";
import { record } from "../../library/log.ts";
import { applyEvents } from "../../log/fold.ts";
import { type OperatorResolution, resolveCall } from "../../log/operator-resolution.ts";
import { foldAddress } from "../../model/address.ts";
import { callIdOf } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import { formatIntent } from "../../report/document/names.ts";
import { explainOpenCall } from "../../report/document/state.ts";
import type { Flags } from "../flags.ts";
import { configuredLog, readLockOptions, withLock } from "../log.ts";
import { type Command, planCommands } from "../run-command.ts";

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export async function stateResolve(
  command: Command,
  id: string | undefined,
  outcome: OperatorResolution["outcome"] | undefined,
  people: readonly string[],
  flags: Flags,
): Promise<void> {
  if (id === undefined) return listOpenCalls(command, flags);
  if (outcome === undefined) {
    const { resolve } = planCommands([], flags, command.host);
    const hint = `Look in the service, then run \`${resolve} ${id} done\` or \`${resolve} ${id} not-done\`.`;
    throw invalidSetting("usage", `Give the outcome of the call ${id}: done or not-done.`, hint);
  }
  const log = await configuredLog(command, flags);
  const { address } = log;
  await withLock(command, log, "state resolve", flags, async (lock) => {
    const { state } = lock;
    const open = state.open.find((one) => callIdOf(one) === id);
    if (open === undefined) {
      const others = state.open.map((one) => callIdOf(one)).join(", ");
      const none = others === "" ? "No call has an unknown outcome: nothing to resolve." : undefined;
      const hint = none ?? `Calls with an unknown outcome: ${others}.`;
      throw invalidSetting("unknown-name", `No call ${id} has an unknown outcome.`, hint);
    }
    const events = resolveCall(open, { outcome, people: people.map(foldAddress) }, isoTime(command.host.clock));
    if (!events.ok) {
      const message = `This outcome is not possible for the call ${id}: ${events.error}.`;
      const hint = "Nothing was recorded. `roster state resolve` shows the call.";
      throw invalidSetting("bad-flag-value", message, hint);
    }
    await record(lock, events.value, "nothing was recorded");
    const after = applyEvents(state, events.value).open;
    const left = after.find((one) => callIdOf(one) === id);
    const stillOpenFor = left?.intent.kind === "add-members" ? left.intent.addresses : [];
    const { intent } = open;
    // An addition can stay open for some of its people.
    const call = formatIntent(
      intent.kind === "add-members"
        ? { ...intent, addresses: intent.addresses.filter((one) => !stillOpenFor.includes(one)) }
        : intent,
    );
    command.tell({ state: { did: "resolve", address, id, call, outcome, stillOpenFor, left: after.length } });
  });
}

async function listOpenCalls(command: Command, flags: Flags): Promise<void> {
  const { store, address } = await configuredLog(command, flags);
  // A wrong flag is refused here too, where nothing is locked.
  readLockOptions(flags, command.host);
  const state = orThrow(await store.read());
  const calls = state.open.map((open) => {
    const { run, action, at, accepted = false, intent } = open;
    const { kind } = intent;
    const people = kind === "create-user" ? [intent.email] : kind === "add-members" ? intent.addresses : [];
    const call = formatIntent(intent);
    return { id: callIdOf(open), kind, people, call, run, action, at, accepted, why: explainOpenCall(open, state) };
  });
  command.tell({ state: { did: "list-calls", address, calls } });
}

import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandError } from "../stop.ts";
import { openStore } from "./state-store.ts";

/** The configured state store, for runs. What was moved elsewhere is refused there: two histories would do things twice. */
export async function openUsableStore(
  settings: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<StateStore, CommandError>> {
  const store = await openStore(settings, host);
  return store.ok ? success(refusingMoved(store.value)) : store;
}

function refusingMoved(store: StateStore): StateStore {
  return {
    address: store.address,
    async read() {
      const state = await store.read();
      return state.ok && state.value.moved !== undefined
        ? problem(stateWasMoved(store.address, state.value.moved))
        : state;
    },
    async lock(run, wishes) {
      const session = await store.lock(run, wishes);
      if (!session.ok || session.value.state.moved === undefined) return session;
      await session.value.close();
      return problem(stateWasMoved(store.address, session.value.state.moved));
    },
    holder: () => store.holder(),
    unlock: (id) => store.unlock(id),
    verify: () => store.verify(),
    close: () => store.close(),
  };
}

function stateWasMoved(address: string, { to, at }: NonNullable<State["moved"]>): Failure {
  return {
    code: "state",
    message: `the state of ${address} was moved to ${to} at ${at}`,
    hint: `name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings`,
  };
}

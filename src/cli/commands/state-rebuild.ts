import { isUnusedState } from "../../codec/state.ts";
import { orThrow, stopError } from "../../library/error.ts";
import { record } from "../../library/log.ts";
import { portsFor } from "../../library/plan.ts";
import { applyEvents } from "../../log/fold.ts";
import { rebuildState } from "../../log/observed-events.ts";
import { emptyState } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { accessSeen } from "../../plan/drift/seen.ts";
import { isoTime } from "../../ports/clock.ts";
import { unrecoverableFacts } from "../../report/document/state.ts";
import type { Flags } from "../flags.ts";
import { withLock } from "../log.ts";
import { openPlanning } from "../open.ts";
import { type Command, planAgain } from "../run-command.ts";

/** Starts a new state after the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export async function stateRebuild(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  const { options: planning } = await openPlanning(command, paths, flags);
  const { log, service, policy } = planning;
  const { address } = log;
  const { roster } = planning.roster;
  await withLock(command, log, "state rebuild", flags, async (lock) => {
    const { serial, users: known } = lock.state;
    if (!isUnusedState(lock.state))
      throw stopError(
        "refused",
        "unwritable",
        `roster does not overwrite the log at ${address}: it has ${serial} events and ${known.size} users`,
        "Use this log. If it is damaged or for another service, give a new place with --state",
      );
    const empty = emptyState("");
    const everything = { roster, state: empty, everyone: "always" } as const;
    const snapshot = orThrow(await observe(everything, portsFor(service, command.host.clock, planning)));
    const { capabilities, everyone } = snapshot;
    const at = isoTime(command.host.clock);
    const events = [...rebuildState(roster, snapshot, at)];
    if (everyone.read !== "incomplete") {
      const known = { roster, snapshot, state: applyEvents(empty, events), at };
      const seen = accessSeen({ ...known, policy, moving: new Set() });
      if (seen !== undefined) events.push(seen);
    }
    await record(lock, events, "nothing was rebuilt");
    const { users, teams, memberships } = applyEvents(lock.state, events);
    const asked = roster.teams.reduce((count, { members }) => count + members.length, 0);
    const own = [...users.values()].filter(({ key }) => key !== undefined).length;
    const missing = [...roster.users.values()].filter((user) => !users.has(user.address)).map(({ email }) => email);
    command.tell({
      planAgain: planAgain(paths, flags, command.host, "plan"),
      state: {
        did: "rebuild",
        address,
        people: users.size,
        teams: new Set([...teams.keys(), ...[...memberships.values()].map(({ team }) => team)]).size,
        memberships: memberships.size,
        prefixes: memberships.size + own,
        missing,
        unlearned: unrecoverableFacts(capabilities, everyone, { asked, shown: memberships.size }),
      },
    });
  });
}

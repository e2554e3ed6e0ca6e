import { systemClock, systemRandomness } from "../../src/library/system.ts";
import { fileStore } from "../../src/log/file/store.ts";
import { applyEvents } from "../../src/log/fold.ts";
import { emptyState } from "../../src/model/state.ts";
import { readWhole } from "./whole-log.ts";
import type { Year } from "./year.ts";
import { type Edition, rolesOf } from "./year-edition.ts";

/**
 * In what the log of a year differs from the service, in one sentence each: the roles of every team key that the roster
 * manages and that a run has made or changed.
 */
export async function auditTroubles({ stage, registry }: Year, edition: Edition): Promise<readonly string[]> {
  const path = (stage.keeping.env["ROSTER_STATE"] ?? "").slice("file:".length);
  const read = await readWhole(fileStore({ path, clock: systemClock, randomness: systemRandomness }));
  if (!read.ok) return [read.error.message];
  const { access } = applyEvents(
    emptyState(""),
    read.value.events.map(({ event }) => event),
  );
  const { users } = registry.truth();
  let compared = 0;
  const differing = edition.teams.flatMap((team) =>
    team.members.flatMap((member) => {
      const user = users.find(({ email }) => email.toLowerCase() === member.email.toLowerCase());
      const identifier = registry.teamIdentifier(team.id);
      const key = user?.accessKeys.find((one) => one.team?.identifier === identifier);
      const known = key === undefined ? undefined : access.get(key.prefix);
      if (key === undefined || known?.roles === undefined || rolesOf(member, team, edition) === undefined) return [];
      compared += 1;
      const [shown, replayed] = [
        key.roles
          .map((role) => role.identifier)
          .sort()
          .join(),
        known.roles
          .map(({ role }) => role)
          .sort()
          .join(),
      ];
      return shown === replayed
        ? []
        : [`the log says ${replayed} of ${member.email} in ${team.name}, who has ${shown}`];
    }),
  );
  return compared < 10 ? [...differing, `only ${compared} keys are in the log`] : differing;
}

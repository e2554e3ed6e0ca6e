import { systemClock, systemRandomness } from "../../src/library/system.ts";
import { fileStore } from "../../src/log/file/store.ts";
import { namesOf } from "./role-names.ts";
import { rolesInLog } from "./whole-log.ts";
import type { Year } from "./year.ts";
import { type Edition, rolesOf } from "./year-edition.ts";

/**
 * In what the log of a year differs from the service, in one sentence each: the roles of every team key that the roster
 * manages and that a run has made or changed.
 */
export async function auditTroubles({ stage, registry }: Year, edition: Edition): Promise<readonly string[]> {
  const path = (stage.keeping.env["ROSTER_STATE"] ?? "").slice("file:".length);
  const recorded = await rolesInLog(fileStore({ path, clock: systemClock, randomness: systemRandomness }));
  if (typeof recorded === "string") return [recorded];
  const { users } = registry.truth();
  const compared = edition.teams.flatMap((team) =>
    team.members.flatMap((member) => {
      const user = users.find(({ email }) => email.toLowerCase() === member.email.toLowerCase());
      const identifier = registry.teamIdentifier(team.id);
      const key = user?.accessKeys.find((one) => one.team?.identifier === identifier);
      const told = key === undefined ? undefined : recorded.get(key.prefix);
      if (key === undefined || told === undefined || rolesOf(member, team, edition) === undefined) return [];
      return [{ told, shown: namesOf(key.roles), where: `${member.email} in ${team.name}` }];
    }),
  );
  const differing = compared.filter(({ told, shown }) => told !== shown);
  return [
    ...differing.map(({ told, shown, where }) => `the log says ${told} of ${where}, who has ${shown}`),
    ...(compared.length < 10 ? [`only ${compared.length} keys are in the log`] : []),
  ];
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { verifyTrail } from "../../src/codec/audit.ts";
import { replayAccess } from "../../src/log/audit-access.ts";
import type { Year } from "./year.ts";
import { type Edition, rolesOf } from "./year-edition.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * In what the audit trail of a year differs from the service, in one sentence each: the roles of every team key that the roster
 * manages and that a run has made or changed.
 */
export async function auditTroubles({ stage, registry }: Year, edition: Edition): Promise<readonly string[]> {
  const address = stage.keeping.env["ROSTER_STATE"] ?? "";
  const lines = readFileSync(`${address.slice("file:".length)}.audit.jsonl`, "utf8")
    .split("\n")
    .slice(0, -1);
  const state = await stage.keeping.read();
  const verified = await verifyTrail(lines, typeof state === "string" ? undefined : state.audit, digest);
  if (!verified.ok) return [`the audit trail: record ${verified.error.record} ${verified.error.why}`];
  const audited = replayAccess(verified.value.records.map(({ record }) => record));
  const { users } = registry.truth();
  let compared = 0;
  const differing = edition.teams.flatMap((team) =>
    team.members.flatMap((member) => {
      const user = users.find(({ email }) => email.toLowerCase() === member.email.toLowerCase());
      const identifier = registry.teamIdentifier(team.id);
      const key = user?.accessKeys.find((one) => one.team?.identifier === identifier);
      const known = key === undefined ? undefined : audited.get(key.prefix);
      if (key === undefined || known?.roles === undefined || rolesOf(member, team, edition) === undefined) return [];
      compared += 1;
      const [shown, replayed] = [
        key.roles
          .map((role) => role.identifier)
          .sort()
          .join(),
        [...known.roles.keys()].sort().join(),
      ];
      return shown === replayed
        ? []
        : [`the audit trail says ${replayed} of ${member.email} in ${team.name}, who has ${shown}`];
    }),
  );
  return compared < 10 ? [...differing, `only ${compared} keys are in the audit trail`] : differing;
}

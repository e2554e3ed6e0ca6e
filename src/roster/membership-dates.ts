import type { RosterDiagnostics } from "./diagnostics.ts";
import type { SourceAddress } from "./document.ts";
import type { ResolvedMember, ResolvedTeam } from "./resolve.ts";

/**
 * Takes those out of a team whose membership does not count today, and tells of each that has ended. Comes after the rules, so
 * that a day that passes never makes a roster invalid.
 */
export function withMembersOfToday(team: ResolvedTeam, log: RosterDiagnostics): ResolvedTeam {
  const all = [...team.members];
  if (all.every(([, { membership }]) => membership.is === "counting")) return team;
  const members = new Map(all.filter(([, { membership }]) => membership.is === "counting"));
  const ended = new Map(
    all.flatMap(([address, { membership }]) =>
      membership.is === "ended" ? [[address, membership.until] as const] : [],
    ),
  );
  for (const [address, member] of all) reportEnd(address, member, log);
  const unlessOut = (person: SourceAddress | undefined) =>
    person !== undefined && team.members.has(person.address) && !members.has(person.address) ? undefined : person;
  const { admin, founder } = team.draft;
  const draft = { ...team.draft, admin: unlessOut(admin), founder: unlessOut(founder) };
  return { ...team, draft, members, ended };
}

function reportEnd(address: string, { membership }: ResolvedMember, log: RosterDiagnostics): void {
  if (membership.is !== "ended") return;
  const { value, at } = membership.until;
  const message = `\`until\` of the member \`${address}\` has passed: the membership ended on ${value}.`;
  log.warning(at, "until-reached", message, "Remove the member in the service, and then this entry.");
}

import type { Basis } from "../model/fact.ts";
import type { TeamKey } from "../model/team.ts";
import type { FindingDraft } from "./draft.ts";
import type { DesiredRolesResult } from "./key-wishes.ts";
import { acceptedReplacementBasis } from "./recreations.ts";
import type { SentRoles } from "./roles-to-send.ts";
import type { MembershipSlot } from "./seats.ts";
import { memberSubject, userSubject } from "./subjects.ts";
import { memberKeyYaml } from "./tell-memberships.ts";

/** The roles that the roster wants on the team key of one member. */
export function desiredTeamKeyRoles(seat: MembershipSlot, sent: ReadonlyMap<TeamKey, SentRoles>): DesiredRolesResult {
  const { team, ref, member, holding } = seat;
  const { address, because } = member;
  const common = { owner: holding.person, because, concern: { address, team: team.key } };
  switch (holding.is) {
    case "member": {
      if (member.roles === undefined) return undefined;
      if (holding.key === undefined) return teamKeyWithoutPrefix(seat, holding);
      const restsOn = acceptedReplacementBasis(holding.person, userSubject(address));
      const wish = { is: "known", asks: "member", roles: member.roles, key: holding.key, restsOn, ...common } as const;
      return ref === undefined ? wish : { ...wish, team: ref };
    }
    case "founder":
    case "joining": {
      const roles = holding.is === "founder" ? sent.get(team.key)?.exact : member.roles;
      if (roles === undefined || ref === undefined) return undefined;
      const key = { of: "team-key", address, team: ref, givenBy: holding.by } as const;
      const wish = { is: "given", id: `replace-roles:${team.key}:${address}`, key, roles, ...common } as const;
      return holding.is === "founder" ? { ...wish, isFounders: true } : wish;
    }
  }
}

/** What is known of a membership that no read shows yet is told with it. */
function teamKeyWithoutPrefix(
  seat: MembershipSlot,
  { basis, settling }: Extract<MembershipSlot["holding"], { readonly is: "member"; readonly key?: undefined }>,
): DesiredRolesResult {
  return settling === undefined ? { is: "troubled", finding: unknownPrefixFinding(seat, [basis]) } : undefined;
}

function unknownPrefixFinding({ team, member, holding }: MembershipSlot, restsOn: readonly Basis[]): FindingDraft {
  const { email, address } = holding.person.user;
  return {
    code: "key-prefix-unknown",
    subject: memberSubject(address, team.key),
    message:
      `${email} is a member of ${team.name}, but the prefix of the team key is not known, so its roles cannot be kept. ` +
      "Look the prefix up in the service and write it into the roster.",
    because: member.because,
    restsOn,
    suggestedYaml: memberKeyYaml(team, email),
    concerns: [{ address, team: team.key }],
  };
}

import type { PersonRef } from "../model/action.ts";
import type { TeamKey } from "../model/names.ts";
import type { Draft } from "./draft.ts";
import { type KeyWish, type KeyWishes, together } from "./key-wishes.ts";
import type { NewPerson, Present } from "./person.ts";
import { createdRef, presentRef } from "./references.ts";
import type { Seat } from "./seats.ts";
import type { SentRoles } from "./sent-roles.ts";
import { memberSubject, teamSubject } from "./subjects.ts";
import { memberKeyYaml } from "./tell-memberships.ts";

/** The roles that the roster wants on team keys, and the keys that nobody can name. */
export function wishTeamKeys(seats: readonly Seat[], sent: ReadonlyMap<TeamKey, SentRoles>): KeyWishes {
  return together(seats.map((seat) => wishesOf(seat, sent)));
}

function wishesOf(seat: Seat, sent: ReadonlyMap<TeamKey, SentRoles>): KeyWishes {
  const { team, ref, member, holding } = seat;
  const { address, because } = member;
  const common = { owner: personRef(holding.person), because, concern: { address, team: team.key } };
  switch (holding.is) {
    case "member": {
      if (member.roles === undefined) return { wishes: [], findings: [] };
      if (holding.key === undefined) return { wishes: [], findings: [prefixUnknown(seat)] };
      const asker = `${teamSubject(team.key)} for ${address}`;
      const wish = { is: "known", roles: member.roles, key: holding.key, asker, ...common } as const;
      return one(ref === undefined ? wish : { ...wish, team: ref });
    }
    case "founder":
    case "joining": {
      const roles = holding.is === "founder" ? sent.get(team.key)?.exact : member.roles;
      if (roles === undefined || ref === undefined) return { wishes: [], findings: [] };
      const key = { of: "team-key", address, team: ref, givenBy: holding.by } as const;
      return one({ is: "given", id: `replace-roles:${team.key}:${address}`, key, roles, ...common });
    }
  }
}

function one(wish: KeyWish): KeyWishes {
  return { wishes: [wish], findings: [] };
}

function personRef(person: Present | NewPerson): PersonRef {
  return person.is === "present" ? presentRef(person) : createdRef(person.user);
}

function prefixUnknown({ team, member, holding }: Seat): Draft {
  const { email, address } = holding.person.user;
  return {
    code: "key-prefix-unknown",
    subject: memberSubject(address, team.key),
    message:
      `${email} is a member of ${team.name}, but the prefix of the team key is not known, so its roles cannot be kept. ` +
      "Look the prefix up in the service and write it into the roster.",
    because: member.because,
    restsOn: holding.is === "member" ? [holding.basis] : [],
    suggestedYaml: memberKeyYaml(team, email),
    concerns: [{ address, team: team.key }],
  };
}

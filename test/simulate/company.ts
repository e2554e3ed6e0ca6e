import type { Dice } from "../support/dice.ts";
import { account, type Service } from "./service.ts";

/** What a company wants, which changes from apply to apply. */
export interface Company {
  readonly text: () => string;
  /** What is to be in the end: who, in which team, with which roles of the team's key. */
  readonly people: () => readonly string[];
  readonly members: () => readonly {
    readonly team: string;
    readonly email: string;
    readonly roles: readonly string[];
  }[];
  /** Somebody comes, the roles of a team change, or somebody leaves. */
  edit(): void;
}

interface Team {
  readonly name: string;
  readonly members: string[];
  roles: readonly string[];
}

/** So many people; the median is five. */
const sizes = [1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 8, 11, 15] as const;

const roleSets = [
  ["DEVELOPER"],
  ["DEVELOPER", "TEAM_ROLE"],
  ["DATA_SCIENTIST", "TEAM_ROLE"],
  ["AUDITOR", "TEAM_ROLE"],
] as const;

export function drawnCompany(dice: Dice, service: Service): Company {
  const size = dice.one(sizes) ?? 5;
  const old = dice.below(Math.ceil(size / 3) + 1);
  const people = Array.from({ length: size }, (_, index) => `p${index + 1}@acme.example`);
  const leavers: string[] = [];
  // The owner of the key in use is always somebody.
  for (const email of ["root@acme.example", ...people.slice(0, old)]) service.put(email);
  const fresh = people.slice(old);
  const drawnRoles = () => dice.one(roleSets) ?? roleSets[0];
  const teams = dice.some(fresh, dice.below(4)).map((first, index): Team => {
    const others = dice.some(
      people.filter((email) => email !== first),
      dice.below(5),
    );
    return { name: `Team ${index + 1}`, members: [...dice.some([first, ...others], size)], roles: drawnRoles() };
  });
  const ownKeyRoles = new Set(
    fresh.filter((email) => teams.every(({ members }) => !members.includes(email)) && dice.chance(0.3)),
  );

  const user = (email: string) =>
    `  - { email: ${email}, firstName: Given, lastName: Name${ownKeyRoles.has(email) ? ", ownKeyRoles: [DEVELOPER]" : ""} }\n`;
  const team = ({ name, members, roles }: Team) =>
    `  - { name: ${name}, admin: ${members[0]}, roles: [${roles.join(", ")}], members: [${members.map((email) => `{ user: ${email} }`).join(", ")}] }\n`;
  const leaver = (email: string) => `  - { email: ${email}, since: 2026-11-01 }\n`;
  const section = (name: string, rows: readonly string[]) => (rows.length === 0 ? "" : `${name}:\n${rows.join("")}`);

  return {
    text: () =>
      `version: 1\naccount: ${account}\n${section("users", people.map(user))}${section("leavers", leavers.map(leaver))}${section("teams", teams.map(team))}`,
    people: () => people,
    members: () => teams.flatMap(({ name, members, roles }) => members.map((email) => ({ team: name, email, roles }))),
    edit() {
      const one = dice.one(teams);
      switch (dice.below(3)) {
        case 0: {
          const email = `p${people.length + leavers.length + 1}@acme.example`;
          people.push(email);
          one?.members.push(email);
          return;
        }
        case 1:
          if (one !== undefined) one.roles = drawnRoles();
          return;
        default: {
          const free = people.filter((email) => teams.every(({ members }) => !members.includes(email)));
          const email = dice.one(free);
          if (email === undefined || people.length === 1) return;
          people.splice(people.indexOf(email), 1);
          leavers.push(email);
        }
      }
    },
  };
}

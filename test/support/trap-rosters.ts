import type { Seed } from "../../src/reference-server/seed.ts";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { companyThere, standing } from "./trap-scene.ts";

/** A roster of one person whose own key is managed. */
export const single = `version: 1
account: acc-1
users: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace, ownKeyRoles: [DEVELOPER] }]
`;

/** A roster of people alone, one line of YAML each. */
export function peopleRoster(...lines: readonly string[]): string {
  return `version: 1\naccount: acc-1\nusers:\n${lines.map((line) => `  - ${line}\n`).join("")}`;
}

const names = { ada: "Ada Lovelace", bo: "Bo Diaz", cy: "Cy Ito", di: "Di Roe" } as const;
type Name = keyof typeof names;

function userLine(name: Name): string {
  const [firstName, lastName] = names[name].split(" ");
  return `  - { email: ${name}@acme.example, firstName: ${firstName}, lastName: ${lastName} }\n`;
}

/** A roster of these people, all in the team Red that is there already. */
export function redRoster(people: readonly Name[], roles = "DEVELOPER"): string {
  const members = people.map((name) => `{ user: ${name}@acme.example }`).join(", ");
  return `version: 1
account: acc-1
users:
${people.map(userLine).join("")}teams:
  - { name: Red, identifier: t-red, admin: ada@acme.example, roles: [${roles}], members: [${members}] }
`;
}

/** These people are there, and some of them in the team Red. */
export function redSeed(people: readonly Name[], members: readonly Name[], roles = ["DEVELOPER"]): Seed {
  return {
    users: people.map((name) => {
      const [firstName = "", lastName = ""] = names[name].split(" ");
      return { identifier: `u-${name}`, email: `${name}@acme.example`, firstName, lastName };
    }),
    teams: [
      {
        identifier: "t-red",
        name: "Red",
        admin: "ada@acme.example",
        members: members.map((name) => ({ user: `${name}@acme.example`, prefix: `red0${name}`, roles })),
      },
    ],
  };
}

/** What no shape of an answer changes. */
export function atHeart(server: ReferenceServer) {
  const { people, teams, mails, keys } = standing(server);
  return { people, teams, mails, keys: keys.filter((line) => line.includes(" Red: ")) };
}

/** The company, where no shape of an answer matters. */
export const thereAtHeart = { ...companyThere, keys: companyThere.keys.filter((line) => line.includes(" Red: ")) };

/** Somebody else creates a user over the wire. */
export async function createElsewhere({ endpoint, key }: ReferenceServer, user: object): Promise<void> {
  const headers = { authorization: `ApiKey ${key}`, "content-type": "application/json" };
  const body = JSON.stringify(user);
  const answer = await fetch(`${endpoint}/api/accounting/accounts/acc-1/users`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`created elsewhere: ${answer.status}`);
}

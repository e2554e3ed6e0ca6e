import { afterAll } from "vitest";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "./command.ts";
import { type InsideResult, inside } from "./inside.ts";
import { writeRoster } from "./roster-directory.ts";

/** A service and a roster between which about two hundred calls lie, of every kind that a reviewer meets. */
export interface GreatChange {
  run(...args: readonly string[]): Promise<InsideResult>;
  close(): Promise<void>;
}

const squads = ["Atlas", "Borealis", "Cygnus", "Draco", "Eridanus", "Lyra", "Mensa", "Norma"];
const createdTeam = ["Fornax", "Gemini", "Hydra", "Perseus"];
const seats = 14;

/** No address is near another one's, but for that of the twin. */
function emailOf(squad: string, seat: number): string {
  return `${squad.toLowerCase()}.${String.fromCharCode(97 + seat).repeat(3)}@acme.example`;
}

function entryOf(email: string): string {
  if (email === others.twin) return `{ email: ${email}, firstName: Emil, lastName: Nord }`;
  const [first = "", last = ""] = email.replace("@acme.example", "").split(".");
  return `{ email: ${email}, firstName: ${capital(first)}, lastName: ${capital(last)} }`;
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const numbers = Array.from({ length: seats }, (_, seat) => seat);

/** Nine of fourteen are there already. */
const there = squads.map((squad) => ({ squad, people: numbers.slice(0, 9).map((seat) => emailOf(squad, seat)) }));

const others = {
  admin: "root.zed@acme.example",
  leaver: "gone.soon@acme.example",
  extra: "stray.cat@acme.example",
  promoted: emailOf("Atlas", 0),
  demoted: emailOf("Borealis", 1),
  held: "mallory.held@acme.example",
  known: "emil.nord@acme.example",
  twin: "emil.nordd@acme.example",
};

function seedText(): string {
  const users = [
    ...there.flatMap(({ people }) => people),
    others.admin,
    others.leaver,
    others.extra,
    others.held,
    others.known,
  ];
  const teams = there.map(({ squad, people }) => {
    const extra = squad === "Cygnus" ? [member(others.extra, "strayKey", "DEVELOPER")] : [];
    const leaver = squad === "Draco" ? [member(others.leaver, "goneKey", "DEVELOPER, TEAM_ROLE")] : [];
    const held = squad === "Eridanus" ? [member(others.held, "heldKey", "DEVELOPER")] : [];
    const members = people.map((email, at) => member(email, `${squad.toLowerCase()}Key${at}`, rolesBefore(email, at)));
    return [
      `  - identifier: team-${squad.toLowerCase()}`,
      `    name: ${squad}`,
      `    admin: ${people[0]}`,
      "    members:",
      ...[...members, ...extra, ...leaver, ...held],
    ].join("\n");
  });
  return [
    "accounts: [{ identifier: acc-1, name: Acme }]",
    "users:",
    ...users.map((email, at) => `  - ${entryOf(email).replace("{ ", `{ identifier: u-${at}, `)}`),
    "teams:",
    ...teams,
  ].join("\n");
}

function member(email: string, prefix: string, roles: string): string {
  return `      - { user: ${email}, prefix: ${prefix}, roles: [${roles}] }`;
}

function rolesBefore(email: string, at: number): string {
  if (email === others.demoted) return "ACCOUNT_ADMIN, DEVELOPER";
  return at % 2 === 0 ? "TEAM_ROLE" : "DEVELOPER, TEAM_ROLE";
}

function rosterText(): string {
  const newPeople = squads.flatMap((squad) => numbers.slice(9).map((seat) => emailOf(squad, seat)));
  const firstMembers = createdTeam.flatMap((squad) => [0, 1, 2, 3].map((seat) => emailOf(squad, seat)));
  const users = [
    ...there.flatMap(({ people }) => people),
    others.admin,
    others.held,
    others.twin,
    ...newPeople,
    ...firstMembers,
  ];
  return [
    "version: 1",
    "account: acc-1",
    "users:",
    ...users.map((email) => `  - ${entryOf(email)}`),
    `leavers: [{ email: ${others.leaver}, since: 2026-10-01, note: HR-812 }]`,
    "teams:",
    ...squads.map((squad) =>
      teamText(
        squad,
        numbers.map((seat) => emailOf(squad, seat)),
      ),
    ),
    ...createdTeam.map((squad) =>
      teamText(
        squad,
        [0, 1, 2, 3].map((seat) => emailOf(squad, seat)),
      ),
    ),
    // Nobody in it is new, so that no call can found it.
    teamText("Indus", [emailOf("Atlas", 1), emailOf("Atlas", 2)]),
  ].join("\n");
}

function teamText(name: string, people: readonly string[]): string {
  const members = people.map((email) =>
    email === others.promoted || email === others.held
      ? `{ user: ${email}, roles: [ACCOUNT_ADMIN] }`
      : `{ user: ${email} }`,
  );
  const all = name === "Eridanus" ? [...members, `{ user: ${others.held}, roles: [ACCOUNT_ADMIN] }`] : members;
  return `  - { name: ${name}, admin: ${people[0]}, roles: [DEVELOPER], members: [${all.join(", ")}] }`;
}

const settings = `guards:
  privileged-roles: { roles: [ACCOUNT_ADMIN], people: [${others.promoted}] }
  max-role-removals: "off"
`;

/** The company before the change and its roster after it. */
export async function greatChange(): Promise<GreatChange> {
  const { seed } = readSeed("seed.yaml", new TextEncoder().encode(seedText()));
  if (seed === undefined) throw new Error("the seed is none");
  const server = await startReferenceServer({ port: 0, seed });
  const cwd = emptyDirectory(afterAll);
  await writeRoster(cwd, { "roster.yaml": rosterText(), "roster.config.yaml": settings });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { run: (...args) => inside(args, { cwd, env }), close: () => server.close() };
}

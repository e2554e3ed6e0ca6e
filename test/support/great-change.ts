import { afterAll } from "vitest";
import type { Seed, SeedMember } from "../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "./command.ts";
import { inside } from "./inside.ts";
import { firstNameOf } from "./roster-builders.ts";
import { writeRoster } from "./roster-directory.ts";

const squads = ["Atlas", "Borealis", "Cygnus", "Draco", "Eridanus", "Lyra", "Mensa", "Norma"];
const createdTeam = ["Fornax", "Gemini", "Hydra", "Perseus"];
const seats = 14;

/** No address is near another one's, but for that of the twin. */
function emailOf(squad: string, seat: number): string {
  return `${squad.toLowerCase()}.${String.fromCharCode(97 + seat).repeat(3)}@acme.example`;
}

function entryOf(email: string) {
  if (email === others.twin) return { email, firstName: "Emil", lastName: "Nord" };
  const [first = "", last = ""] = email.replace("@acme.example", "").split(".");
  return { email, firstName: firstNameOf(first), lastName: firstNameOf(last) };
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

/** What stands in some squads beside their people. */
const strays: Readonly<Record<string, SeedMember>> = {
  Cygnus: { user: others.extra, prefix: "strayKey", roles: ["DEVELOPER"] },
  Draco: { user: others.leaver, prefix: "goneKey", roles: ["DEVELOPER", "TEAM_ROLE"] },
  Eridanus: { user: others.held, prefix: "heldKey", roles: ["DEVELOPER"] },
};

const known = [...there.flatMap(({ people }) => people), others.admin, others.leaver, others.extra, others.held];

const seed: Seed = {
  accounts: [{ identifier: "acc-1", name: "Acme" }],
  users: [...known, others.known].map((email, at) => ({ identifier: `u-${at}`, ...entryOf(email) })),
  teams: there.map(({ squad, people }) => ({
    identifier: `team-${squad.toLowerCase()}`,
    name: squad,
    admin: people[0] ?? "",
    members: [
      ...people.map((user, at) => ({ user, prefix: `${squad.toLowerCase()}Key${at}`, roles: rolesBefore(user, at) })),
      ...[strays[squad] ?? []].flat(),
    ],
  })),
};

function rolesBefore(email: string, at: number): readonly string[] {
  if (email === others.demoted) return ["ACCOUNT_ADMIN", "DEVELOPER"];
  return at % 2 === 0 ? ["TEAM_ROLE"] : ["DEVELOPER", "TEAM_ROLE"];
}

/** JSON is YAML. */
function rosterText(): string {
  const all = squads.map((squad) => ({ squad, people: numbers.map((seat) => emailOf(squad, seat)) }));
  const fresh = createdTeam.map((squad) => ({ squad, people: [0, 1, 2, 3].map((seat) => emailOf(squad, seat)) }));
  const users = [
    ...there.flatMap(({ people }) => people),
    ...[others.admin, others.held, others.twin],
    ...[...all.map(({ people }) => people.slice(9)), ...fresh.map(({ people }) => people)].flat(),
  ];
  // Nobody in it is new, so that no call can found it.
  const indus = { squad: "Indus", people: [emailOf("Atlas", 1), emailOf("Atlas", 2)] };
  return JSON.stringify({
    version: 1,
    account: "acc-1",
    users: users.map(entryOf),
    leavers: [{ email: others.leaver, since: "2026-10-01", note: "HR-812" }],
    teams: [...all, ...fresh, indus].map(({ squad, people }) => ({
      name: squad,
      admin: people[0],
      roles: ["DEVELOPER"],
      members: [...people, ...(squad === "Eridanus" ? [others.held] : [])].map((user) => ({
        user,
        ...(user === others.promoted || user === others.held ? { roles: ["ACCOUNT_ADMIN"] } : {}),
      })),
    })),
  });
}

const settings = `guards:
  privileged-roles: { roles: [ACCOUNT_ADMIN], people: [${others.promoted}] }
  max-role-removals: "off"
`;

/** A service and a roster between which about two hundred calls lie, of every kind that a reviewer meets. */
export async function greatChange() {
  const server = await startReferenceServer({ port: 0, seed });
  const cwd = emptyDirectory(afterAll);
  await writeRoster(cwd, { "roster.yaml": rosterText(), "roster.config.yaml": settings });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { run: (...args: readonly string[]) => inside(args, { cwd, env }), close: () => server.close() };
}

import type { Seed } from "../../src/reference-server/seed.ts";

const size = 10;

function people(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `p${index}@bench.example`);
}

/** A roster of so many people in teams of ten, as one YAML file. */
export function rosterOf(count: number): string {
  return rosterOfRange(0, count);
}

/** The same in files of so many people, as a file may have at most 8 MiB. */
export function rosterFilesOf(count: number, each: number): readonly string[] {
  return Array.from({ length: Math.ceil(count / each) }, (_, file) =>
    rosterOfRange(file * each, Math.min(count, (file + 1) * each)),
  );
}

function rosterOfRange(first: number, end: number): string {
  const emails = people(end).slice(first);
  const users = emails.map((email) => `  - { email: ${email}, firstName: Pat, lastName: Bench }`);
  const teams = Array.from({ length: emails.length / size }, (_, team) => {
    const members = emails.slice(team * size, (team + 1) * size).map((email) => `      - { user: ${email} }`);
    return `  - name: Team ${first / size + team}\n    roles: [DEVELOPER, TEAM_ROLE]\n    members:\n${members.join("\n")}`;
  });
  return `version: 1\naccount: acc-1\nusers:\n${users.join("\n")}\nteams:\n${teams.join("\n")}\n`;
}

export function jsonRosterOf(count: number): string {
  const emails = people(count);
  return JSON.stringify({
    users: emails.map((email) => ({ email, firstName: "Pat", lastName: "Bench" })),
    teams: Array.from({ length: count / size }, (_, team) => ({
      name: `Team ${team}`,
      roles: ["DEVELOPER", "TEAM_ROLE"],
      members: emails.slice(team * size, (team + 1) * size),
    })),
  });
}

/** A service in which that roster is already true. */
export function seedOf(count: number): Seed {
  const emails = people(count);
  const roles = ["DEVELOPER", "TEAM_ROLE"];
  return {
    users: emails.map((email) => ({ email, firstName: "Pat", lastName: "Bench" })),
    teams: Array.from({ length: count / size }, (_, team) => {
      const members = emails.slice(team * size, (team + 1) * size).map((user) => ({ user, roles }));
      return { name: `Team ${team}`, admin: members[0]?.user ?? "", members };
    }),
  };
}

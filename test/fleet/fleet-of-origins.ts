import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import type { AtEnd } from "../support/command.ts";

export interface FleetMember {
  readonly name: string;
  readonly origin: string;
  readonly account: string;
  readonly people: readonly string[];
  readonly key: string;
}

export const teamRoles: readonly string[] = ["DEVELOPER", "TEAM_ROLE"];

export const teamName = "Red";

interface OriginOptions {
  readonly name: string;
  /** How the service behaves; `dead`: nobody listens there. */
  readonly answers: "dead" | Partial<Knobs>;
}

interface FleetOptions {
  readonly origins: readonly OriginOptions[];
  readonly size: number;
  readonly people: number;
  readonly state: string;
}

/** Starts the services, none with anything but accounts and keys, and writes `fleet.yaml` with a pattern for each of them. */
export async function fleetOfOrigins(cwd: string, { origins, size, people, state }: FleetOptions, atEnd: AtEnd) {
  const targets: FleetMember[] = [];
  const servers = new Map<string, ReferenceServer>();
  const entries: string[] = [];
  for (const [index, { name: origin, answers }] of origins.entries()) {
    const count = Math.floor(size / origins.length) + (index < size % origins.length ? 1 : 0);
    const members = Array.from({ length: count }, (_, at) => memberOf(origin, at + 1, people));
    targets.push(...members);
    for (const member of members) writeMember(cwd, member);
    const server = answers === "dead" ? undefined : await startOrigin(members, answers);
    if (server !== undefined) servers.set(origin, server);
    atEnd(async () => server?.close());
    entries.push(
      `  - pattern: rosters/${origin}/*`,
      `    endpoint: ${server?.endpoint ?? deadAddress}`,
      `    account: "\${name}"`,
      `    key: { file: "keys/\${name}" }`,
      `    state: "${state}?name=\${name}"`,
    );
  }
  writeFileSync(join(cwd, "fleet.yaml"), ["version: 1", "targets:", ...entries, ""].join("\n"));
  return { targets, servers };
}

/** A port to which no service may be bound without the rights of the machine's owner. */
const deadAddress = "http://127.0.0.1:9";

function memberOf(origin: string, number: number, size: number): FleetMember {
  const name = `${origin}-${String(number).padStart(3, "0")}`;
  const people = Array.from({ length: size }, (_, at) => `person${at + 1}@${name}.example`);
  // As random as real keys: many that begin alike would all be looked for wherever the beginning stands.
  const digest = createHash("sha256").update(name).digest("hex");
  return { name, origin, account: name, people, key: `${digest.slice(0, 20)}.${digest.slice(20)}` };
}

function writeMember(cwd: string, { name, origin, people, key }: FleetMember): void {
  const directory = join(cwd, "rosters", origin, name);
  mkdirSync(directory, { recursive: true });
  mkdirSync(join(cwd, "keys"), { recursive: true });
  writeFileSync(join(cwd, "keys", name), key, { mode: 0o600 });
  const [admin] = people;
  const roster = [
    "version: 1",
    "users:",
    `  - { email: ${keeperOf(name)}, firstName: Key, lastName: Owner }`,
    ...people.map((email) => `  - { email: ${email}, firstName: Given, lastName: Family }`),
    "teams:",
    `  - { name: ${teamName}, admin: ${admin}, roles: [${teamRoles.join(", ")}], members: [${people.join(", ")}] }`,
    "",
  ];
  writeFileSync(join(directory, "roster.yaml"), roster.join("\n"));
}

export function setDefaults(cwd: string, defaults: string): void {
  const file = join(cwd, "fleet.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("targets:", `defaults: { ${defaults} }\ntargets:`));
}

/** Who is there from the start: the owner of the key that roster uses. */
export function keeperOf(name: string): string {
  return `keeper@${name}.example`;
}

function startOrigin(members: readonly FleetMember[], knobs: Partial<Knobs>): Promise<ReferenceServer> {
  const seed = {
    accounts: members.map(({ account }) => ({ identifier: account })),
    users: members.map(({ name, account }) => ({
      email: keeperOf(name),
      account,
      firstName: "Key",
      lastName: "Owner",
    })),
    keys: members.map(({ name, key }) => {
      const [prefix = "", secret = ""] = key.split(".");
      return { prefix, secret, owner: keeperOf(name), roles: ["ACCOUNT_ADMIN"] };
    }),
  };
  return startReferenceServer({ port: 0, seed, knobs });
}
